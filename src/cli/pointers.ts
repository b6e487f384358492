import { type Failure, usage } from '../errors.ts';
import { listingCommands } from '../service/contract.ts';
import { isReference } from '../service/parse-reference.ts';
import { didYouMeanCommand, type Step } from '../text/command.ts';
import { didYouMean } from '../text/nearest.ts';
import { longFlag } from './flag.ts';
import { flagsOf, globalFlags, helpFlag, ownFlags, versionFlag } from './flags.ts';

/** Returns a command of jq that processes the lines of FILE. */
const jq = (options: string, expression: string): Step => ({
  purpose: 'use jq',
  program: `jq ${options} '${expression}' FILE`,
  pipe: 'chanlist show -',
});

const key = 'a key among the arguments is visible to other users: use --key-file or chanlist auth login';

/** Flags of other tools, and the advice for each. `flag` limits a row to commands with this flag; null means all commands. */
const flagPointers: readonly (readonly [typed: readonly string[], flag: string | null, step: Step])[] = [
  [['--force', '--overwrite'], '--restart', 'use --restart'],
  [['--file'], '--from', 'use --from'],
  [['--out'], '--output', 'use --output'],
  [['-L', '--max'], '--limit', 'use --limit'],
  [['--color', '--colour'], '--no-color', 'use --no-color'],
  [['--no-pager'], null, 'set PAGER to an empty value'],
  [['--append'], '--update', 'use --update'],
  [['--csv'], '--format', 'use --format csv'],
  [['--resume', '--continue'], null, 'run the same command again to resume'],
  [['--since'], '--month', 'use --month'],
  // Only latest has dates, and this flag.
  [['--since'], '--seen', jq('-c', 'select(.published >= "2026-01-31")')],
  [['--since'], null, 'only the entries of latest have dates'],
  [['--filter', '--where', '--jq', '--grep'], null, jq('-c', 'select(.title | test("bread"))')],
  [['--sort'], null, jq('-s -c', 'sort_by(.title)[]')],
  [['--key', '--api-key', '--token'], null, key],
];

/** Commands, and the words that people type in their place. */
const commandPointers: Readonly<Record<string, readonly string[]>> = {
  uploads: ['export', 'download', 'list'],
  show: ['cat', 'convert'],
  'auth login': ['login'],
  'auth logout': ['logout'],
  'auth switch': ['switch'],
  'auth status': ['status', 'whoami'],
  'auth list': ['profiles'],
  '--version': ['version'],
};

export const seeHelp = (path: string): string => `see: chanlist help ${path}`.trim();

/** Returns the usage error for a flag that a command does not have. `flag` is the flag as typed, without its value. */
export function unknownFlag(path: string, flag: string): Failure {
  const names = [...flagsOf(path), helpFlag, versionFlag].map(longFlag);
  if (names.includes(flag))
    return usage(`${flag} takes no value`, flag === '--json' ? 'choose fields with --fields' : seeHelp(path));
  const has = path === '' ? 'there is' : `${path} has`;
  if (names.includes(`-${flag}`)) return usage(`${has} no flag ${flag}`, `use -${flag}`);
  // `-j4`
  const name = flag.startsWith('--') ? flag : flag.slice(0, 2);
  const what =
    path === '' && ownersOf(name) !== '' ? `${name} must come after its command` : `${has} no flag ${name}`;
  return usage(what, stepFor(path, name, names));
}

/** Lists the commands that have a flag; '' if there are none. */
const ownersOf = (name: string): string =>
  [...ownFlags, ...globalFlags]
    .filter(({ flag }) => flag.split(/[ ,]+/).includes(name))
    .flatMap(({ commands }) => commands)
    .join(', ');

/** Returns the advice about the flag `name`, which is not one of the flags `names` of the command. */
function stepFor(path: string, name: string, names: readonly string[]): Step {
  for (const [typed, flag, step] of flagPointers)
    if (typed.includes(name) && (flag === null || names.includes(flag))) return step;
  const owners = ownersOf(name);
  if (owners !== '') return `it is a flag of ${owners}`;
  return didYouMean(name, names) ?? seeHelp(path);
}

/** Returns the usage error for a word that is not a command, or not an action of the command `path`. */
export function unknownCommand(path: string, word: string, names: readonly string[]): Failure {
  const suggestion = didYouMean(word, names);
  if (path !== '')
    return usage(`${path} has no action '${word}'`, suggestion ?? `expected one of ${names.join(', ')}`);
  const message = `there is no command '${word}'`;
  for (const kind of ['channel', 'playlist'] as const)
    if (isReference(word, kind))
      return usage(message, didYouMeanCommand(`chanlist ${listingCommands[kind]}`, [word]));
  const pointer = Object.keys(commandPointers).find((target) => commandPointers[target]?.includes(word));
  return usage(message, pointer === undefined ? (suggestion ?? seeHelp(path)) : `use ${pointer}`);
}
