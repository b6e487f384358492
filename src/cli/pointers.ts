import { type Failure, usage } from '../errors.ts';
import { isReference } from '../service/parse-reference.ts';
import { didYouMean } from '../text/nearest.ts';
import { longFlag, shortFlag } from './flag.ts';
import { flagsOf, globalFlags, helpFlag, ownFlags, versionFlag } from './flags.ts';

const resume = 'run the same command again to resume';
const jq = `use jq: jq -c 'select(.title | test("bread"))' FILE | chanlist show -`;
const key = 'a key among the arguments is visible to other users: use --key-file or chanlist auth login';

/** Flags that people know from other tools: the flag to use, or what to do. */
const flagPointers = new Map([
  ['--force', '--restart'],
  ['--overwrite', '--restart'],
  ['--file', '--from'],
  ['--out', '--output'],
  ['--csv', '--format csv'],
  ['--resume', resume],
  ['--continue', resume],
  ...['--sort', '--filter', '--where', '--since', '--jq'].map((name) => [name, jq] as const),
  ...['--key', '--api-key', '--token'].map((name) => [name, key] as const),
]);

/** Words that people type in place of a command. */
const commandPointers = new Map([
  ['export', 'uploads'],
  ['download', 'uploads'],
  ['list', 'uploads'],
  ['cat', 'show'],
  ['convert', 'show'],
  ['login', 'auth login'],
  ['logout', 'auth logout'],
  ['switch', 'auth switch'],
  ['status', 'auth status'],
  ['whoami', 'auth status'],
  ['profiles', 'auth list'],
  ['version', '--version'],
]);

export const seeHelp = (path: string): string => `see: chanlist help ${path}`.trim();

/** A flag that a command does not have. `flag`: as typed, without its value. */
export function unknownFlag(path: string, flag: string): Failure {
  const names = [...flagsOf(path), helpFlag, versionFlag].map(longFlag);
  if (names.includes(flag)) return usage(`${flag} takes no value`);
  // `-j4`
  const name = flag.startsWith('--') ? flag : flag.slice(0, 2);
  return usage(`${path === '' ? 'there is' : `${path} has`} no flag ${name}`, stepFor(path, name, names));
}

/** What to do about a flag that a command with flags of these names does not have. */
function stepFor(path: string, name: string, names: readonly string[]): string {
  const pointer = flagPointers.get(name);
  if (pointer !== undefined && !pointer.startsWith('--')) return pointer;
  if (pointer !== undefined && names.includes(pointer.split(' ')[0] ?? '')) return `use ${pointer}`;
  const owners = [...ownFlags, ...globalFlags].filter((row) =>
    [longFlag(row), shortFlag(row)].includes(name),
  );
  if (owners.length > 0) return `it is a flag of ${owners.flatMap(({ commands }) => commands).join(', ')}`;
  return didYouMean(name, names) ?? seeHelp(path);
}

/** A word that is not a command, or not an action of the command `path`. */
export function unknownCommand(path: string, word: string, names: readonly string[]): Failure {
  const suggestion = didYouMean(word, names);
  if (path !== '')
    return usage(`${path} has no action '${word}'`, suggestion ?? `expected one of ${names.join(', ')}`);
  const message = `there is no command '${word}'`;
  if (isReference(word, 'channel'))
    return usage(message, { purpose: 'did you mean', program: 'chanlist uploads', operands: [word] });
  const pointer = commandPointers.get(word);
  return usage(message, pointer === undefined ? (suggestion ?? seeHelp(path)) : `use ${pointer}`);
}
