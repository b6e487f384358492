import type { Command, Option } from 'commander';
import { type OperationName, operations } from '../../src/api/contract.ts';
import { wholeProgram } from '../../src/cli/help-text.ts';
import { shellNames } from '../../src/help/shells.ts';
import { topicNames } from '../../src/help/topic-names.ts';
import { knownFields, referenceField } from '../../src/output/fields.ts';
import { formatNames } from '../../src/output/format.ts';

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
  /** Name of its value; null where it has none. */
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
  /** What its arguments are; null where it takes none. */
  readonly argument: { readonly name: string; readonly completion: Completion } | null;
  readonly children: readonly Node[];
}

/** The program with all its commands. */
export async function programTree(): Promise<Node> {
  const program = await wholeProgram();
  const names = program.commands.map((command) => command.name());
  return node(program, '', { kind: 'words', words: [...names, ...topicNames] });
}

function node(command: Command, path: string, helpWords: Completion): Node {
  const below = (name: string): string => (path === '' ? name : `${path} ${name}`);
  const children = command.commands.map((child) => node(child, below(child.name()), helpWords));
  const [argument] = command.registeredArguments;
  return {
    path,
    name: command.name(),
    summary: command.summary(),
    flags: command
      .createHelp()
      .visibleOptions(command)
      .map((option) => flag(option, path)),
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
      return { kind: 'profile' };
    case 'completion':
      return { kind: 'words', words: shellNames };
    case 'help':
      return helpWords;
    default:
      return { kind: 'nothing' };
  }
}

/** Flags that exclude each other: none of one side together with any of the other. */
const exclusive: readonly (readonly [readonly string[], readonly string[]])[] = [
  [['--sandbox'], ['--profile', '--base-url', '--namespace', '--key-file']],
  [
    ['-q', '--quiet'],
    ['-v', '--verbose'],
  ],
  [
    ['-f', '--format'],
    ['--json', '--ndjson'],
  ],
  [['--json'], ['--ndjson']],
  [['-o', '--output'], ['--output-dir']],
];

function flag(option: Option, path: string): Flag {
  const long = option.long ?? option.flags;
  const [, value = null] = /<(.*)>/.exec(option.flags) ?? [];
  return {
    long,
    short: option.short ?? null,
    value,
    completion: value === null ? { kind: 'nothing' } : flagCompletion(long, path),
    description: option.description,
    repeatable: long === '--verbose' || long === '--fail',
    excludes: exclusive.flatMap(([one, other]) => {
      if (one.includes(long)) return other;
      return other.includes(long) ? one : [];
    }),
  };
}

function flagCompletion(long: string, path: string): Completion {
  switch (long) {
    case '--format':
      return { kind: 'words', words: formatNames };
    case '--fields':
      return { kind: 'list', words: [...fieldsOf(path), referenceField] };
    case '--profile':
      return { kind: 'profile' };
    case '--output':
    case '--summary':
    case '--from':
    case '--key-file':
      return { kind: 'file' };
    case '--output-dir':
      return { kind: 'folder' };
    default:
      return { kind: 'nothing' };
  }
}

/** The fields of a command's entries; before a command, those of all. */
function fieldsOf(path: string): readonly string[] {
  const names = Object.keys(operations) as OperationName[];
  const own = names.filter((name) => path === '' || name === path);
  return [...new Set(own.flatMap(knownFields))];
}
