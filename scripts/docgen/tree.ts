import type { Command } from 'commander';
import {
  type FlagRow,
  flagHelp,
  flagsOf,
  localReports,
  longFlag,
  parts,
  shortFlag,
  valueName,
} from '../../src/cli/flags.ts';
import { wholeProgram } from '../../src/cli/program.ts';
import { conflicts } from '../../src/cli/rules.ts';
import { shellNames } from '../../src/commands/completion.ts';
import { commands } from '../../src/commands/table.ts';
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
  const program = await wholeProgram(commands);
  const names = program.commands.map((command) => command.name());
  return node(program, '', { kind: 'words', words: [...names, ...topicNames] });
}

const helpFlag: Flag = {
  long: '--help',
  short: '-h',
  value: null,
  completion: { kind: 'nothing' },
  description: 'print help',
  repeatable: false,
  excludes: [],
};
const versionFlag: Flag = { ...helpFlag, long: '--version', short: '-V', description: 'print the version' };

function node(command: Command, path: string, helpWords: Completion): Node {
  const below = (name: string): string => (path === '' ? name : `${path} ${name}`);
  const children = command.commands.map((child) => node(child, below(child.name()), helpWords));
  const [argument] = command.registeredArguments;
  const taken = flagsOf(path);
  return {
    path,
    name: command.name(),
    summary: command.summary(),
    flags: [...taken.map((row) => flag(row, taken, path)), ...(path === '' ? [versionFlag] : []), helpFlag],
    argument:
      argument === undefined
        ? null
        : { name: argument.name(), completion: argumentCompletion(path, helpWords) },
    children,
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

function flag(row: FlagRow, taken: readonly FlagRow[], path: string): Flag {
  return {
    long: longFlag(row),
    short: shortFlag(row),
    value: valueName(row),
    completion: completion(row, path),
    description: flagHelp(row),
    repeatable: row.repeats === true,
    excludes: excluded(row, taken).flatMap((other) => [shortFlag(other) ?? [], longFlag(other)].flat()),
  };
}

/** The flags that exclude a flag: by the table of conflicts, and all that choose the format. */
function excluded(row: FlagRow, taken: readonly FlagRow[]): FlagRow[] {
  const name = longFlag(row);
  const choosesFormat = (each: FlagRow): boolean =>
    longFlag(each) === '--format' || each.format !== undefined;
  const excludes = (other: FlagRow): boolean =>
    (choosesFormat(row) && choosesFormat(other)) ||
    conflicts.some(([one, two]) =>
      one === name ? two === longFlag(other) : two === name && one === longFlag(other),
    );
  return taken.filter((other) => other !== row && excludes(other));
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
