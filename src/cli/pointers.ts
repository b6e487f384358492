import { type Failure, usage } from '../errors.ts';
import type { ReferenceKind } from '../service/contract.ts';
import { isReference } from '../service/parse-reference.ts';
import { guess } from '../text/command.ts';
import { didYouMean } from '../text/nearest.ts';
import { longFlag } from './flag.ts';
import { flagsOf, globalFlags, helpFlag, ownFlags, versionFlag } from './flags.ts';

const resume = 'run the same command again to resume';
const filter = `use jq: jq -c 'select(.title | test("bread"))' FILE | chanlist show -`;
const sort = `use jq: jq -s -c 'sort_by(.title)[]' FILE | chanlist show -`;
const key = 'a key among the arguments is visible to other users: use --key-file or chanlist auth login';

/** What to use or to do, and the flags from other tools that people type in its place. */
const flagPointers: Readonly<Record<string, readonly string[]>> = {
  '--restart': ['--force', '--overwrite'],
  '--from': ['--file'],
  '--output': ['--out'],
  '--format csv': ['--csv'],
  [resume]: ['--resume', '--continue'],
  '--month': ['--since'],
  [filter]: ['--filter', '--where', '--since', '--jq'],
  [sort]: ['--sort'],
  [key]: ['--key', '--api-key', '--token'],
};

/** Commands, and the words that people type in their place. */
const commandPointers: typeof flagPointers = {
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

/** Refuses a flag that a command does not have. `flag`: as typed, without its value. */
export function unknownFlag(path: string, flag: string): Failure {
  const names = [...flagsOf(path), helpFlag, versionFlag].map(longFlag);
  if (names.includes(flag)) return usage(`${flag} takes no value`);
  const has = path === '' ? 'there is' : `${path} has`;
  if (names.includes(`-${flag}`)) return usage(`${has} no flag ${flag}`, `use -${flag}`);
  // `-j4`
  const name = flag.startsWith('--') ? flag : flag.slice(0, 2);
  return usage(`${has} no flag ${name}`, stepFor(path, name, names));
}

/** Says what to do about a flag that a command with flags of these names does not have. */
function stepFor(path: string, name: string, names: readonly string[]): string {
  for (const [pointer, words] of Object.entries(flagPointers)) {
    if (!words.includes(name)) continue;
    if (!pointer.startsWith('--')) return pointer;
    const [flag = ''] = pointer.split(' ');
    if (names.includes(flag)) return `use ${pointer}`;
  }
  const owners = [...ownFlags, ...globalFlags].filter(({ flag }) => flag.split(/[ ,]+/).includes(name));
  if (owners.length > 0) return `it is a flag of ${owners.flatMap(({ commands }) => commands).join(', ')}`;
  return didYouMean(name, names) ?? seeHelp(path);
}

/** What lists a reference that is typed in place of a command. */
const listings: Readonly<Record<ReferenceKind, string>> = {
  channel: 'chanlist uploads',
  playlist: 'chanlist playlist',
};

/** Refuses a word that is not a command, or not an action of the command `path`. */
export function unknownCommand(path: string, word: string, names: readonly string[]): Failure {
  const longer = word.length < 3 ? undefined : names.find((name) => name.startsWith(word));
  const suggestion = longer === undefined ? didYouMean(word, names) : `did you mean ${longer}?`;
  if (path !== '')
    return usage(`${path} has no action '${word}'`, suggestion ?? `expected one of ${names.join(', ')}`);
  const message = `there is no command '${word}'`;
  for (const [kind, program] of Object.entries(listings) as [ReferenceKind, string][])
    if (isReference(word, kind)) return usage(message, guess(program, [word]));
  const pointer = Object.keys(commandPointers).find((target) => commandPointers[target]?.includes(word));
  return usage(message, pointer === undefined ? (suggestion ?? seeHelp(path)) : `use ${pointer}`);
}
