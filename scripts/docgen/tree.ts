import type { CommandRow } from '../../src/cli/command.ts';
import { type FlagRow, flagHelp, longFlag, shortFlag, valueName } from '../../src/cli/flag.ts';
import { flagsOf, helpFlag, parts, versionFlag } from '../../src/cli/flags.ts';
import { localReports } from '../../src/cli/global-flags.ts';
import { commands } from '../../src/commands/command-table.ts';
import { shellNames } from '../../src/commands/completion.ts';
import { topicNames } from '../../src/help/document.ts';
import { computedFields, knownFields } from '../../src/output/fields.ts';
import { formatNames } from '../../src/output/formats.ts';
import { type OperationName, operations } from '../../src/service/contract.ts';

/** What a shell offers for a value: words, words of a list with commas, stored profiles, files, folders or nothing. */
export type Completion =
  | { readonly kind: 'words' | 'list'; readonly words: readonly string[] }
  | { readonly kind: 'profile' | 'file' | 'folder' | 'nothing' };

/** A flag as the shells complete it. */
export interface Flag {
  /** `--limit` */
  readonly long: string;
  /** `-n` */
  readonly short: string | null;
  /** Name of its value; null if it has none. */
  readonly value: string | null;
  readonly completion: Completion;
  readonly description: string;
  /** May be given more than once. */
  readonly repeatable: boolean;
  /** Short and long names of flags that it excludes. */
  readonly excludes: readonly string[];
}

/** A command, or an action of one, as the shells complete it. */
export interface Node {
  /** `auth login` */
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** Its arguments; null if it takes none. */
  readonly argument: { readonly name: string; readonly completion: Completion } | null;
  readonly children: readonly Node[];
}

/** What shells offer for a value, by its name in the help. */
const offers: Readonly<Record<string, 'file' | 'folder' | 'profile' | 'fields' | readonly string[]>> = {
  file: 'file',
  dir: 'folder',
  name: 'profile',
  'a,b.c,d.0': 'fields',
  format: formatNames,
  part: parts,
};

/** The program with all its commands. */
export async function programTree(): Promise<Node> {
  const words = [...commands.map(({ name }) => name), ...topicNames];
  const nodes = await Promise.all(commands.map((row) => commandNode(row, '', { kind: 'words', words })));
  const flags = [...flagsOf(''), versionFlag, helpFlag];
  return {
    ...{ path: '', name: 'chanlist', summary: '', argument: null, children: nodes },
    flags: flags.map((row) => flag(row, flags, '')),
  };
}

async function commandNode(row: CommandRow, parent: string, helpWords: Completion): Promise<Node> {
  const path = `${parent} ${row.name}`.trim();
  const { args = [], actions = [] } = await row.load();
  const flags = [...flagsOf(path), helpFlag];
  const name = /\w+/.exec(args[0]?.[1] ?? '')?.[0];
  return {
    ...{ path, name: row.name, summary: row.summary },
    flags: flags.map((each) => flag(each, flags, path)),
    argument: name === undefined ? null : { name, completion: argumentCompletion(path, helpWords) },
    children: await Promise.all(actions.map((action) => commandNode(action, path, helpWords))),
  };
}

function argumentCompletion(path: string, helpWords: Completion): Completion {
  switch (path) {
    case 'auth switch':
    case 'auth logout':
      return { kind: 'profile' };
    case 'show':
    case 'check':
      return { kind: 'file' };
    case 'completion':
      return { kind: 'words', words: shellNames };
    case 'help':
      return helpWords;
    default:
      return { kind: 'nothing' };
  }
}

function flag(row: FlagRow, flags: readonly FlagRow[], path: string): Flag {
  return {
    long: longFlag(row),
    short: shortFlag(row),
    value: valueName(row),
    completion: completion(row, path),
    description: flagHelp(row),
    repeatable: row.combine !== undefined && row.option === undefined,
    excludes: excluded(row, flags).flatMap((other) => [shortFlag(other) ?? [], longFlag(other)].flat()),
  };
}

/** The flags that exclude a flag: as the rows say, and all that choose the format. */
function excluded(row: FlagRow, flags: readonly FlagRow[]): FlagRow[] {
  const choosesFormat = (each: FlagRow): boolean =>
    longFlag(each) === '--format' || each.format !== undefined;
  const excludes = (one: FlagRow, other: FlagRow): boolean =>
    Object.hasOwn(one.excludes ?? {}, longFlag(other));
  return flags.filter(
    (other) =>
      other !== row &&
      ((choosesFormat(row) && choosesFormat(other)) || excludes(row, other) || excludes(other, row)),
  );
}

function completion(row: FlagRow, path: string): Completion {
  const offered = offers[valueName(row) ?? ''];
  if (offered === undefined) return { kind: 'nothing' };
  if (offered === 'fields') return { kind: 'list', words: [...fieldsOf(path), ...computedFields] };
  if (typeof offered === 'string') return { kind: offered };
  return {
    kind: 'words',
    words: localReports.includes(path) ? offered.filter((word) => word !== 'id') : offered,
  };
}

/** The fields of a command's entries; before a command, those of all. */
function fieldsOf(path: string): readonly string[] {
  const names = Object.keys(operations) as OperationName[];
  const own = names.filter((name) => path === '' || name === path || (path === 'show' && name === 'uploads'));
  return [...new Set(own.flatMap((name) => knownFields(operations[name])))];
}
