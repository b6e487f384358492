import { type Failure, usage } from '../errors.ts';
import { isReference } from '../service/parse-reference.ts';
import { nearest } from '../text/nearest.ts';
import { longFlag, shortFlag } from './flag.ts';
import { flagsOf, globalFlags, helpFlag, ownFlags, versionFlag } from './flags.ts';

const resume = 'run the same command again to resume';
const jq = `use jq: jq -c 'select(.title | test("bread"))' FILE | chanlist show -`;
const key = 'a key among the arguments is visible to other users: use --key-file or chanlist auth login';

/** Flags that people know from other tools: the flag to use, or what to do. */
const flagPointers = new Map(
  Object.entries({
    '--force': '--restart',
    '--overwrite': '--restart',
    '--file': '--from',
    '--out': '--output',
    '--csv': '--format csv',
    '--resume': resume,
    '--continue': resume,
    '--sort': jq,
    '--filter': jq,
    '--where': jq,
    '--since': jq,
    '--jq': jq,
    '--key': key,
    '--api-key': key,
    '--token': key,
  }),
);

/** Words that people type in place of a command. */
const commandPointers = new Map(
  Object.entries({
    export: 'uploads',
    download: 'uploads',
    list: 'uploads',
    cat: 'show',
    convert: 'show',
    login: 'auth login',
    logout: 'auth logout',
    switch: 'auth switch',
    status: 'auth status',
    whoami: 'auth status',
    profiles: 'auth list',
    version: '--version',
  }),
);

export const seeHelp = (path: string): string => `see: chanlist help ${path}`.trim();

/** A flag that a command does not have. `flag`: as typed, without its value. */
export function unknownFlag(path: string, flag: string): Failure {
  const names = [...flagsOf(path), helpFlag, versionFlag].map(longFlag);
  if (names.includes(flag)) return usage(`${flag} takes no value`);
  // `-j4`
  const name = flag.startsWith('--') ? flag : flag.slice(0, 2);
  const message = `${path === '' ? 'there is' : `${path} has`} no flag ${name}`;
  const pointer = flagPointers.get(name);
  if (pointer !== undefined && !pointer.startsWith('--')) return usage(message, pointer);
  if (pointer !== undefined && names.includes(pointer.split(' ')[0] ?? ''))
    return usage(message, `use ${pointer}`);
  const owners = [...ownFlags, ...globalFlags]
    .filter((row) => longFlag(row) === name || shortFlag(row) === name)
    .flatMap(({ commands }) => commands);
  if (owners.length > 0) return usage(message, `it is a flag of ${owners.join(', ')}`);
  const meant = nearest(name, names);
  return usage(message, meant === undefined ? seeHelp(path) : `did you mean ${meant}?`);
}

/** A word that is not a command, or not an action of the command `path`. */
export function unknownCommand(path: string, word: string, names: readonly string[]): Failure {
  const meant = nearest(word, names);
  const suggestion = meant && `did you mean ${meant}?`;
  if (path !== '')
    return usage(`${path} has no action '${word}'`, suggestion ?? `expected one of ${names.join(', ')}`);
  const pointer = commandPointers.get(word);
  const message = `there is no command '${word}'`;
  if (isReference(word, 'channel')) return usage(message, { program: 'chanlist uploads', operands: [word] });
  return usage(message, pointer === undefined ? (suggestion ?? seeHelp(path)) : `use ${pointer}`);
}
