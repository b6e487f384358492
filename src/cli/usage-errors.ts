import type { Command, CommanderError } from 'commander';
import { type Failure, usage } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import { commonFlags, flagsOf, longFlag, ownFlags, shortFlag } from './flags.ts';

/** The words that name a command, without the program: `auth login`; '' for the program. */
export function pathOf(command: Command): string {
  if (command.parent === null) return '';
  return `${pathOf(command.parent)} ${command.name()}`.trim();
}

const keyAdvice =
  'a key on the command line is visible to other users; use --key-file FILE, CHANLIST_API_KEY or chanlist auth login';
const sameAgain = 'run the same command again to resume';

/** Flags of other programs: the flag to use here, or advice. */
const flagsOfOtherTools: Readonly<Record<string, string>> = {
  '--file': '--from',
  '--batch-file': '--from',
  '-a': '--from',
  '--force': '--restart',
  '--clobber': '--restart',
  '--overwrite': '--restart',
  '--max': '--limit',
  '--max-results': '--limit',
  '-L': '--limit',
  '--out': '--output',
  '--outdir': '--output-dir',
  '--silent': '--quiet',
  '--retry': '--retries',
  '--url': '--base-url',
  '--csv': 'use --format csv',
  '--jq': 'pipe the output into jq',
  '--continue': sameAgain,
  '--resume': sameAgain,
  '--key': keyAdvice,
  '--api-key': keyAdvice,
  '--token': keyAdvice,
  '--password': keyAdvice,
};

const listings = 'use uploads or playlist';
/** Commands of other programs, and what to use here. */
const commandsOfOtherTools: Readonly<Record<string, string>> = {
  export: listings,
  download: listings,
  videos: listings,
  list: listings,
  convert: 'use show',
  cat: 'use show',
  login: 'use auth login',
  logout: 'use auth logout',
  status: 'use auth status',
  update: 'use uploads --update',
  version: 'use --version',
};

/** Converts an error of Commander into a usage error of one line. */
export function usageErrorOf(error: CommanderError, command: Command): Failure {
  const path = pathOf(command);
  const see = `see: chanlist help ${path}`.trim();
  // Commander quotes what the message is about. A value after the sign may be a secret.
  const about = (/'([^'=]*)/.exec(error.message)?.[1] ?? '').trim();
  switch (error.code) {
    case 'commander.help':
      return path === ''
        ? usage('missing command', see)
        : usage(
            `${path} needs an action`,
            `expected one of ${command.commands.map((each) => each.name()).join(', ')}`,
          );
    case 'commander.unknownCommand':
      return unknownCommand(command);
    case 'commander.unknownOption': {
      const flags = flagsOf(path);
      const taken = flags.find((row) => longFlag(row) === about);
      if (taken !== undefined)
        return usage(`${about} takes no value`, taken.format && 'name the fields with --fields LIST');
      const meant = nearest(about, [...flags.map(longFlag), '--help', '--version']);
      return usage(
        `${path === '' ? 'there is' : `${path} has`} no flag ${about}`,
        adviceFor(about, path) ?? (meant === undefined ? see : `did you mean ${meant}?`),
      );
    }
    case 'commander.missingArgument':
      return usage(`missing ${about}`, see);
    case 'commander.optionMissingArgument':
      return usage(`missing value: ${about}`);
    case 'commander.excessArguments':
      return usage('too many arguments', see);
    default:
      return usage(error.message, see);
  }
}

/** What to do instead of a flag that the command (''; the program) does not have. */
function adviceFor(flag: string, path: string): string | undefined {
  const other = flagsOfOtherTools[flag];
  const meant = [...ownFlags, ...commonFlags].find(
    (row) => longFlag(row) === other && (path === '' || row.commands.includes(path)),
  );
  if (meant !== undefined) return `use ${meant.term.replace(/^-., /, '')}`;
  if (other !== undefined && !other.startsWith('--')) return other;
  const takers = ownFlags.filter((row) => longFlag(row) === flag || shortFlag(row) === flag);
  return takers.length === 0
    ? undefined
    : `it is a flag of ${takers.flatMap(({ commands }) => commands).join(', ')}`;
}

/** The usage error for the first word after a command that is none of its subcommands. */
export function unknownCommand(command: Command): Failure {
  const [word = ''] = command.args;
  const names = command.commands.map((each) => each.name());
  const meant = nearest(word, names);
  const suggestion = meant && `did you mean ${meant}?`;
  if (command.parent === null) {
    const other = /^@|:\/\//.test(word) ? listings : commandsOfOtherTools[word];
    return usage(`there is no command '${word}'`, other ?? suggestion ?? 'see: chanlist help');
  }
  const expected = `expected one of ${names.join(', ')}`;
  return usage(`${pathOf(command)} has no action '${word}'`, suggestion ?? expected);
}

/** What a command line that cannot be parsed says of `--summary`. `files`: its other words, each of which may name a file. */
export function unparsedSummary(
  argv: readonly string[],
): { readonly command: string; readonly summary: string; readonly files: readonly string[] } | null {
  const takers = commonFlags.find((flag) => longFlag(flag) === '--summary')?.commands;
  const words = argv.flatMap((word) => /^(--[\w-]+)=(.*)$/s.exec(word)?.slice(1) ?? [word]);
  const at = words.lastIndexOf('--summary') + 1;
  const summary = at > 0 && words[at];
  const command = words.find((word) => takers?.includes(word));
  if (!summary || command === undefined || words.includes('--dry-run')) return null;
  return { command, summary, files: words.toSpliced(at, 1) };
}

/** Whether a command line, parsed or not, asks for json: then errors go to stdout as a document, too. */
export function wantsJson(argv: readonly string[]): boolean {
  const [line = ''] = `${argv.join('\n')}\n`.split(/^--$/m);
  return /^(?:--json|--format[=\n]json|-[qv]*f\n?json)$/m.test(line);
}
