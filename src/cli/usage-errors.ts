import type { Command, CommanderError } from 'commander';
import { type Failure, usage } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import { longFlag, shortFlag } from './flag.ts';
import { flagsOf, helpFlag, ownFlags, versionFlag } from './flags.ts';
import { globalFlags } from './global-flags.ts';

const sameCommand = 'run the same command again to resume';

/** Words of other tools, and of other commands, with the one to use here. */
const pointers = new Map(
  Object.entries({
    ...{ '--force': '--restart', '--overwrite': '--restart', '--update': '--restart', '--file': '--from' },
    ...{ export: 'uploads', download: 'uploads', list: 'uploads', cat: 'show', convert: 'show' },
  }),
);

/** The words that name a command, without the program: `auth login`; '' for the program. */
export function pathOf(command: Command): string {
  if (command.parent === null) return '';
  return `${pathOf(command.parent)} ${command.name()}`.trim();
}

export function usageErrorOf(error: CommanderError, command: Command): Failure {
  const path = pathOf(command);
  const actions = command.commands.map((each) => each.name());
  // Commander quotes what the message is about. A value after the sign may be a secret.
  const subject = (/'([^'=]*)/.exec(error.message)?.[1] ?? '').trim();
  switch (error.code) {
    case 'commander.help':
      if (path === '') return usage('missing command', seeHelp(path));
      return usage(`${path} needs an action`, `expected one of ${actions.join(', ')}`);
    case 'commander.unknownCommand':
      return unknownCommand(path, command.args[0] ?? '', actions);
    case 'commander.unknownOption':
      return unknownFlag(path, subject);
    case 'commander.missingArgument':
      return usage(`missing ${subject}`, seeHelp(path));
    case 'commander.optionMissingArgument':
      return usage(`missing value: ${subject}`);
    case 'commander.excessArguments':
      return usage('too many arguments', seeHelp(path));
    default:
      return usage(error.message, seeHelp(path));
  }
}

const seeHelp = (path: string): string => `see: chanlist help ${path}`.trim();

/** `flag`: as typed, without its value. */
export function unknownFlag(path: string, flag: string): Failure {
  const names = [...flagsOf(path), helpFlag, versionFlag].map(longFlag);
  if (names.includes(flag)) return usage(`${flag} takes no value`);
  // `-j4`
  const name = flag.startsWith('--') ? flag : flag.slice(0, 2);
  const message = `${path === '' ? 'there is' : `${path} has`} no flag ${name}`;
  const pointer = pointers.get(name);
  if (pointer !== undefined && names.includes(pointer)) return usage(message, `use ${pointer}`);
  if (name === '--resume' || name === '--continue') return usage(message, sameCommand);
  const owners = [...ownFlags, ...globalFlags]
    .filter((row) => longFlag(row) === name || shortFlag(row) === name)
    .flatMap(({ commands }) => commands);
  if (owners.length > 0) return usage(message, `it is a flag of ${owners.join(', ')}`);
  const meant = nearest(name, names);
  return usage(message, meant === undefined ? seeHelp(path) : `did you mean ${meant}?`);
}

export function unknownCommand(path: string, word: string, names: readonly string[]): Failure {
  const meant = nearest(word, names);
  const suggestion = meant && `did you mean ${meant}?`;
  if (path !== '')
    return usage(`${path} has no action '${word}'`, suggestion ?? `expected one of ${names.join(', ')}`);
  const pointer = pointers.get(word);
  return usage(`there is no command '${word}'`, pointer ? `use ${pointer}` : (suggestion ?? seeHelp(path)));
}
