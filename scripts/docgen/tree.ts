import type { CommandModule, CommandRow } from '../../src/cli/command-module.ts';
import { type FlagRow, flagHelp, longFlag } from '../../src/cli/flag.ts';
import { creditParts, flagsOf, helpFlag, localReports, versionFlag } from '../../src/cli/flags.ts';
import { commands } from '../../src/commands/command-table.ts';
import { shellNames } from '../../src/commands/completion.ts';
import { topicNames } from '../../src/help/blocks.ts';
import { topics } from '../../src/help/topics.ts';
import { computedFields } from '../../src/output/fields.ts';
import { formatNames, formats } from '../../src/output/formats.ts';
import { knownFields } from '../../src/output/parse-fields.ts';
import { namedFaults } from '../../src/sandbox/defaults.ts';
import { type OperationName, operations } from '../../src/service/contract.ts';

/** Second line of each generated script. */
export const notice = '# Generated from the program by: npm run generate. Changes made here are lost.';

/** What a shell offers for a value: words, words of a list with commas, stored profiles, files, folders or nothing. */
export type Completion =
  | { readonly kind: 'words' | 'list'; readonly name: string; readonly words: readonly Word[] }
  | { readonly kind: 'profile' | 'file' | 'folder' | 'nothing' };

/** A word that a shell offers; what it means may be ''. */
export type Word = readonly [word: string, meaning: string];

/** A flag as the shells complete it. */
export interface Flag {
  /** `-n` and `--limit` */
  readonly names: readonly string[];
  /** Name of its value; null if it has none. */
  readonly value: string | null;
  readonly completion: Completion;
  readonly description: string;
  readonly repeatable: boolean;
}

/** The program (path ''), a command, or an action of one, as the shells complete it. */
export interface Node {
  /** `auth login` */
  readonly path: string;
  readonly row: CommandRow;
  readonly file: CommandModule;
  readonly flags: readonly Flag[];
  /** What is offered for its arguments: the commands below it, if there are any. */
  readonly argument: Completion;
  readonly children: readonly Node[];
}

const nothing: Completion = { kind: 'nothing' };

/** The first part of a meaning. */
const brief = (meaning: string): string => meaning.split(/[.;] /)[0] ?? '';

/** What shells offer for a value, by its name in the help. */
const values: Readonly<Record<string, Completion>> = {
  file: { kind: 'file' },
  dir: { kind: 'folder' },
  format: {
    kind: 'words',
    name: 'format',
    words: formatNames.map((name) => [name, brief(formats[name].meaning)]),
  },
  part: { kind: 'words', name: 'part', words: creditParts.map((part) => [part, `the sums of each ${part}`]) },
  'kind:rate': {
    kind: 'words',
    name: 'fault',
    words: [
      ['429', 'too many requests'],
      ['503', 'the service is not available'],
      ...Object.entries(namedFaults),
    ].map(([kind, meaning]) => [`${kind}:0.1`, `${meaning}`]),
  },
};

/** `file`; null for a switch. */
const valueName = ({ flag }: FlagRow): string | null => /<([^<>]*)>/.exec(flag)?.[1] ?? null;

const helpWords: readonly Word[] = [
  ...commands.map(({ name, summary }) => [name, summary] as const),
  ...topicNames.map((name) => [name, 'a topic'] as const),
];

const argumentsOf: Readonly<Record<string, Completion>> = {
  show: { kind: 'file' },
  check: { kind: 'file' },
  'auth switch': { kind: 'profile' },
  'auth logout': { kind: 'profile' },
  completion: {
    kind: 'words',
    name: 'shell',
    words: shellNames.map((name) => [name, `the script for ${name}`]),
  },
  help: { kind: 'words', name: 'topic', words: helpWords },
};

/** The program, each command, and each action after its command. */
export async function allNodes(): Promise<readonly Node[]> {
  const row: CommandRow = {
    ...{ heading: '', name: '', usage: '', summary: '' },
    load: async () => ({ about: [], examples: [], actions: commands }),
  };
  return await nodesBelow(row, '');
}

async function nodesBelow(row: CommandRow, path: string): Promise<readonly Node[]> {
  const file = await row.load();
  const below = (file.actions ?? []).map((each) => nodesBelow(each, `${path} ${each.name}`.trim()));
  const nodes = await Promise.all(below);
  const children = nodes.flatMap(([first]) => first ?? []);
  const words = children.map(({ row: { name, summary } }) => [name, summary] as const);
  const argument: Completion =
    words.length > 0 ? { kind: 'words', name: 'action', words } : (argumentsOf[path] ?? nothing);
  const rows = [...flagsOf(path), ...(path === '' ? [versionFlag] : []), helpFlag];
  return [
    { path, row, file, argument, children, flags: rows.map((each) => flag(each, path)) },
    ...nodes.flat(),
  ];
}

function flag(row: FlagRow, path: string): Flag {
  return {
    names: row.flag.match(/(?<!\w)--?[\w-]+/g) ?? [],
    value: valueName(row),
    completion: completion(row, path),
    description: flagHelp(row),
    repeatable: row.combine !== undefined,
  };
}

function completion(row: FlagRow, path: string): Completion {
  if (longFlag(row) === '--profile') return { kind: 'profile' };
  if (longFlag(row) === '--fields')
    return {
      kind: 'list',
      name: `${path}_field`,
      words: [...fieldsOf(path), ...computedFields].map((field) => [field, brief(meanings.get(field) ?? '')]),
    };
  const offered = values[valueName(row) ?? ''] ?? nothing;
  if (!('name' in offered) || offered.name !== 'format' || !localReports.includes(path)) return offered;
  return { kind: 'words', name: 'record_format', words: offered.words.filter(([word]) => word !== 'id') };
}

/** What the help says of each field. */
const meanings = new Map(
  topics.fields.flatMap((block) => (typeof block === 'object' && 'rows' in block ? block.rows : [])),
);

/** The fields of a command's entries; before a command, those of all. */
function fieldsOf(path: string): readonly string[] {
  const names = Object.keys(operations) as OperationName[];
  const own = names.filter((name) => path === '' || name === path || (path === 'show' && name === 'uploads'));
  return [...new Set(own.flatMap((name) => knownFields(operations[name])))];
}
