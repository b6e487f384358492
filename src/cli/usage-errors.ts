import type { Command, CommanderError } from 'commander';
import { type Failure, usage } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import { type FlagRow, longFlag, shortFlag } from './flag.ts';
import { flagsOf, helpFlag, ownFlags, versionFlag } from './flags.ts';
import { globalFlags } from './global-flags.ts';

const sameAgain = 'run the same command again to resume';
const keyAdvice =
  'a key on the command line is visible to other users; use --key-file FILE, CHANLIST_API_KEY or chanlist auth login';

/** By word, what to use here: one row per advice, with the words that lead to it. */
const pointers = (rows: readonly (readonly [words: string, advice: string])[]): ReadonlyMap<string, string> =>
  new Map(rows.flatMap(([words, advice]) => words.split(' ').map((word) => [word, advice] as const)));

const flagsOfOtherTools = pointers([
  ['--file --batch-file -a', '--from'],
  ['--force --clobber --overwrite --update', '--restart'],
  ['--max --max-items --first', '--limit'],
  ['--out', '--output'],
  ['--outdir', '--output-dir'],
  ['-j --jobs --parallel', '--concurrency'],
  ['--paginate', '--all'],
  ['--download-archive', '--seen'],
  ['--estimate --cost', '--dry-run'],
  ['--debug', 'use -vv'],
  ['--with-token', 'the key is read from stdin: chanlist auth login < FILE'],
  ['--continue --resume', sameAgain],
  ['--key --api-key --token --password', keyAdvice],
]);

const commandsOfOtherTools = pointers([
  ['export download videos list', 'use uploads or playlist'],
  ['convert cat view', 'use show'],
  ['sandbox', 'use serve, or the flag --sandbox'],
  ['balance quota usage', 'use credits'],
  ['feed', 'use latest'],
  ['verify', 'use check'],
  ['sync', 'use uploads --update'],
  ['resume', sameAgain],
  ['whoami', 'use auth status'],
]);

/** The words that name a command, without the program: `auth login`; '' for the program. */
export function pathOf(command: Command): string {
  if (command.parent === null) return '';
  return `${pathOf(command.parent)} ${command.name()}`.trim();
}

export function usageErrorOf(error: CommanderError, command: Command): Failure {
  const path = pathOf(command);
  const see = `see: chanlist help ${path}`.trim();
  const actions = command.commands.map((each) => each.name());
  // Commander quotes what the message is about. A value after the sign may be a secret.
  const subject = (/'([^'=]*)/.exec(error.message)?.[1] ?? '').trim();
  switch (error.code) {
    case 'commander.help':
      if (path === '') return usage('missing command', see);
      return usage(`${path} needs an action`, `expected one of ${actions.join(', ')}`);
    case 'commander.unknownCommand':
      return unknownCommand(path, command.args[0] ?? '', actions);
    case 'commander.unknownOption':
      return unknownFlag(path, subject, see);
    case 'commander.missingArgument':
      return usage(`missing ${subject}`, see);
    case 'commander.optionMissingArgument':
      return usage(`missing value: ${subject}`);
    case 'commander.excessArguments':
      return usage('too many arguments', see);
    default:
      return usage(error.message, see);
  }
}

/** `flag`: as typed, without its value. */
function unknownFlag(path: string, flag: string, see: string): Failure {
  const rows = [...flagsOf(path), helpFlag, versionFlag];
  const switchRow = rows.find((row) => longFlag(row) === flag);
  if (switchRow !== undefined)
    return usage(`${flag} takes no value`, switchRow.format && 'name the fields with --fields LIST');
  // `-j4`
  const name = flag.startsWith('--') ? flag : flag.slice(0, 2);
  const meant = nearest(name, rows.map(longFlag));
  return usage(
    `${path === '' ? 'there is' : `${path} has`} no flag ${name}`,
    adviceFor(name, path) ?? (meant === undefined ? see : `did you mean ${meant}?`),
  );
}

/** What to do instead of a flag that the command (''; the program) does not have. */
function adviceFor(flag: string, path: string): string | undefined {
  const pointer = flagsOfOtherTools.get(flag) ?? flag;
  // `--update` points to `--restart` for playlist, which has only that; for others it is a flag of another command.
  const isForeign =
    rowsOf(flag).length > 0 && rowsOf(pointer).length > 0 && !commandsWith(pointer).includes(path);
  const advice = isForeign ? flag : pointer;
  const [first] = rowsOf(advice);
  if (first === undefined) return advice === flag ? undefined : advice;
  const commands = commandsWith(advice);
  if (advice !== flag && (path === '' || commands.includes(path))) return `use ${first.flag}`;
  return `${advice === flag ? 'it' : advice} is a flag of ${commands.join(', ')}`;
}

const rowsOf = (flag: string): readonly FlagRow[] =>
  [...ownFlags, ...globalFlags].filter((row) => [longFlag(row), shortFlag(row)].includes(flag));

const commandsWith = (flag: string): readonly string[] => rowsOf(flag).flatMap(({ commands }) => commands);

export function unknownCommand(path: string, word: string, names: readonly string[]): Failure {
  const meant = nearest(word, names);
  const suggestion = meant && `did you mean ${meant}?`;
  if (path !== '')
    return usage(`${path} has no action '${word}'`, suggestion ?? `expected one of ${names.join(', ')}`);
  const pointer = commandsOfOtherTools.get(/^@|:\/\//.test(word) ? 'list' : word);
  return usage(`there is no command '${word}'`, pointer ?? suggestion ?? 'see: chanlist help');
}
