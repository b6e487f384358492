import type { CommandFile, CommandRow } from '../../src/cli/command.ts';
import { type FlagRow, flagHelp, longFlag, shortFlag, valueName } from '../../src/cli/flag.ts';
import { flagsOf, helpFlag, localReports, parts, versionFlag } from '../../src/cli/flags.ts';
import { commands } from '../../src/commands/command-table.ts';
import { shellNames } from '../../src/commands/completion.ts';
import { topicNames } from '../../src/help/document.ts';
import { computedFields, knownFields } from '../../src/output/fields.ts';
import { formatNames } from '../../src/output/formats.ts';
import { namedFaults } from '../../src/sandbox/defaults.ts';
import { type OperationName, operations } from '../../src/service/contract.ts';

/** Second line of each generated script. */
export const notice = '# Generated from the program by: npm run generate. Changes made here are lost.';

/** What a shell offers for a value: words, words of a list with commas, files, folders or nothing. */
export type Completion =
  | { readonly kind: 'words' | 'list'; readonly words: readonly string[] }
  | { readonly kind: 'file' | 'folder' | 'nothing' };

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
  readonly file: CommandFile;
  readonly flags: readonly Flag[];
  /** What is offered for its arguments: the commands below it, if there are any. */
  readonly argument: Completion;
  readonly children: readonly Node[];
}

const nothing: Completion = { kind: 'nothing' };

/** What shells offer for a value, by its name in the help. */
const values: Readonly<Record<string, Completion>> = {
  file: { kind: 'file' },
  dir: { kind: 'folder' },
  format: { kind: 'words', words: formatNames },
  part: { kind: 'words', words: parts },
  'kind:rate': {
    kind: 'words',
    words: ['429', '503', ...Object.keys(namedFaults)].map((kind) => `${kind}:0.1`),
  },
};

const helpWords = [...commands.map(({ name }) => name), ...topicNames];

const argumentsOf: Readonly<Record<string, Completion>> = {
  show: { kind: 'file' },
  check: { kind: 'file' },
  completion: { kind: 'words', words: shellNames },
  help: { kind: 'words', words: helpWords },
};

/** The program, each command, and each action after its command. */
export async function allNodes(): Promise<readonly Node[]> {
  const row: CommandRow = {
    ...{ name: '', usage: '', summary: '' },
    load: async () => ({ about: [], examples: [], actions: commands }),
  };
  return await nodesBelow(row, '');
}

async function nodesBelow(row: CommandRow, path: string): Promise<readonly Node[]> {
  const file = await row.load();
  const below = (file.actions ?? []).map((each) => nodesBelow(each, `${path} ${each.name}`.trim()));
  const nodes = await Promise.all(below);
  const children = nodes.flatMap(([first]) => first ?? []);
  const words = children.map((child) => child.row.name);
  const argument: Completion = words.length > 0 ? { kind: 'words', words } : (argumentsOf[path] ?? nothing);
  const rows = [...flagsOf(path), ...(path === '' ? [versionFlag] : []), helpFlag];
  return [
    { path, row, file, argument, children, flags: rows.map((each) => flag(each, path)) },
    ...nodes.flat(),
  ];
}

function flag(row: FlagRow, path: string): Flag {
  return {
    names: [shortFlag(row) ?? [], longFlag(row)].flat(),
    value: valueName(row),
    completion: completion(row, path),
    description: flagHelp(row),
    repeatable: row.combine !== undefined && row.option === undefined,
  };
}

function completion(row: FlagRow, path: string): Completion {
  if (longFlag(row) === '--fields') return { kind: 'list', words: [...fieldsOf(path), ...computedFields] };
  const offered = values[valueName(row) ?? ''] ?? nothing;
  if (offered.kind !== 'words' || !localReports.includes(path)) return offered;
  return { kind: 'words', words: offered.words.filter((word) => word !== 'id') };
}

/** The fields of a command's entries; before a command, those of all. */
function fieldsOf(path: string): readonly string[] {
  const names = Object.keys(operations) as OperationName[];
  const own = names.filter((name) => path === '' || name === path || (path === 'show' && name === 'uploads'));
  return [...new Set(own.flatMap((name) => knownFields(operations[name])))];
}
