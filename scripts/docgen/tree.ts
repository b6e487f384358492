import type { Command } from 'commander';
import { topicNames } from '../../src/cli/commands.ts';
import {
  conflicts,
  type FlagName,
  type FlagRow,
  flagHelp,
  flagRow,
  flagsOf,
  longName,
  sharedFlagNames,
} from '../../src/cli/flags.ts';
import { wholeProgram } from '../../src/cli/help-text.ts';
import { shellNames } from '../../src/commands/completion.ts';
import { computedFields, knownFields } from '../../src/output/fields.ts';
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

/** The program with all its commands. */
export async function programTree(): Promise<Node> {
  const program = await wholeProgram();
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
  const taken = path === '' ? sharedFlagNames : flagsOf(path);
  return {
    path,
    name: command.name(),
    summary: command.summary(),
    flags: [...taken.map((name) => flag(name, taken, path)), ...(path === '' ? [versionFlag] : []), helpFlag],
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

function flag(name: FlagName, taken: readonly FlagName[], path: string): Flag {
  const row = flagRow(name);
  return {
    long: longName(name),
    short: row.short ?? null,
    value: row.value ?? null,
    completion: completion(row, path),
    description: flagHelp(name),
    repeatable: row.repeatable === true,
    excludes: excluded(name, taken).flatMap((other) => {
      const { short } = flagRow(other);
      return short === undefined ? [longName(other)] : [short, longName(other)];
    }),
  };
}

/** The flags that exclude a flag: by the table of conflicts, and all that choose the format. */
function excluded(name: FlagName, taken: readonly FlagName[]): FlagName[] {
  const choosesFormat = (each: FlagName): boolean =>
    longName(each) === '--format' || flagRow(each).format !== undefined;
  const formats = choosesFormat(name) ? taken.filter((other) => other !== name && choosesFormat(other)) : [];
  const pairs = conflicts.flatMap(([one, other]) => (one === name ? [other] : other === name ? [one] : []));
  return [...formats, ...pairs.filter((other) => taken.includes(other))];
}

function completion({ offers }: FlagRow, path: string): Completion {
  if (offers === undefined) return { kind: 'nothing' };
  if (offers === 'fields') return { kind: 'list', words: [...fieldsOf(path), ...computedFields] };
  return typeof offers === 'string' ? { kind: offers } : { kind: 'words', words: offers };
}

/** The fields of a command's entries; before a command, those of all. */
function fieldsOf(path: string): readonly string[] {
  const names = Object.keys(operations) as OperationName[];
  const own = names.filter((name) => path === '' || name === path);
  return [...new Set(own.flatMap(knownFields))];
}
