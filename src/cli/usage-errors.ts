import type { Command, CommanderError } from 'commander';
import { type Failure, usage } from '../errors.ts';
import { videoFields } from '../service/contract.ts';
import { nearest } from '../text/nearest.ts';
import { flagsOf, longName, ownFlags, shortName } from './flags.ts';

/** The words that name a command, without the program: `auth login`; '' for the program. */
export function pathOf(command: Command): string {
  if (command.parent === null) return '';
  return `${pathOf(command.parent)} ${command.name()}`.trim();
}

const keyAdvice =
  'a key on the command line is visible to other users; use --key-file FILE, CHANLIST_API_KEY or chanlist auth login';

/** Flags of other programs: the flag to use here, or advice. */
const flagsOfOtherTools: Readonly<Record<string, string>> = {
  '--file': '--from',
  '--batch-file': '--from',
  '-a': '--from',
  '--force': '--restart',
  '--clobber': '--restart',
  '--overwrite': '--restart',
  '--max': '--limit',
  '--out': '--output',
  '--outdir': '--output-dir',
  '--continue': 'run the same command again to resume',
  '--resume': 'run the same command again to resume',
  '--key': keyAdvice,
  '--api-key': keyAdvice,
  '--token': keyAdvice,
  '--password': keyAdvice,
};

/** Commands of other programs, and what to use here. */
const commandsOfOtherTools: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['export', 'download', 'videos', 'list'].map((word) => [word, 'use uploads or playlist']),
  ),
  ...Object.fromEntries(['convert', 'cat'].map((word) => [word, 'use show'])),
};

/** Converts an error of Commander into a usage error of one line. */
export function usageErrorOf(error: CommanderError, command: Command): Failure {
  const path = pathOf(command);
  const see = `see: chanlist help ${path}`.trim();
  const [, message = '', suggestion] =
    /^(?:error: )?(.*?)\.?(?:\n\(Did you mean (.*)\?\))?$/s.exec(error.message) ?? [];
  const hint = suggestion === undefined ? see : `did you mean ${suggestion}?`;
  switch (error.code) {
    case 'commander.help':
      return path === ''
        ? usage('missing command', see)
        : usage(`${path} needs an action`, `expected one of ${actionsOf(command)}`);
    case 'commander.unknownCommand':
      return unknownCommand(command);
    case 'commander.unknownOption': {
      // A value after the sign may be a secret.
      const flag = (/'([^'=]*)/.exec(message)?.[1] ?? '').trim();
      const taken = flagsOf(path).find((row) => longName(row) === flag);
      if (taken !== undefined)
        return usage(`${flag} takes no value`, taken.format && 'name the fields with --fields LIST');
      return usage(
        `${path === '' ? 'there is' : `${path} has`} no flag ${flag}`,
        adviceFor(flag, path) ?? hint,
      );
    }
    default:
      return usage(message, hint);
  }
}

/** What to do instead of a flag that the command (''; the program) does not have. */
function adviceFor(flag: string, path: string): string | undefined {
  const known = [...ownFlags, ...flagsOf(path)];
  const other = flagsOfOtherTools[flag];
  if (other?.startsWith('--') === false) return other;
  const meant = known.find((row) => longName(row) === other && (path === '' || row.commands.includes(path)));
  if (meant !== undefined) return `use ${meant.term.replace(/^-., /, '')}`;
  const takers = ownFlags.filter((row) => longName(row) === flag || shortName(row) === flag);
  if (takers.length === 0) return undefined;
  if (path === '') return `flags of a command go after its name; see: chanlist help`;
  return `it is a flag of ${takers.flatMap(({ commands }) => commands).join(', ')}`;
}

const actionsOf = (command: Command): string => command.commands.map((action) => action.name()).join(', ');

/** The usage error for the first word after a command that is none of its subcommands. */
export function unknownCommand(command: Command): Failure {
  const [word = ''] = command.args;
  const path = pathOf(command);
  const meant = nearest(
    word,
    command.commands.map((each) => each.name()),
  );
  const other = path === '' ? commandsOfOtherTools[word] : undefined;
  const known = path === '' ? 'see: chanlist help' : `expected one of ${actionsOf(command)}`;
  const hint = meant === undefined ? known : `did you mean ${meant}?`;
  return usage(
    path === '' ? `there is no command '${word}'` : `${path} has no action '${word}'`,
    other ?? hint,
  );
}

/** Throws a usage error for a list of fields after `--json` or `--ndjson`, where other programs expect one. */
export function checkWordAfterJson(command: Command, argv: readonly string[]): void {
  for (const [i, word] of argv.entries()) {
    if (word === '--') return;
    const flag = argv[i - 1];
    if (
      (flag === '--json' || flag === '--ndjson') &&
      command.args.includes(word) &&
      (/^[\w.*@]+(?:,[\w.*@]+)+$/.test(word) || videoFields.some((field) => field === word))
    )
      throw usage(`${flag} takes no value`, `name the fields with --fields ${word}`);
  }
}

/** Whether a command line, parsed or not, asks for json: then errors go to stdout as a document, too. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).some((word, i, words) => {
    if (/^(?:--json|--format=json|-[qv]*fjson)$/.test(word)) return true;
    return word === 'json' && /^(?:--format|-[qv]*f)$/.test(words[i - 1] ?? '');
  });
}
