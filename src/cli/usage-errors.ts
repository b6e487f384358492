import type { Command, CommanderError } from 'commander';
import { type Failure, usage } from '../errors.ts';
import { formatNames } from '../output/format.ts';
import { expectedOneOf, nearest } from '../text/nearest.ts';

/** A command as it is typed: `chanlist auth login`. */
export function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}

/** The same without the program. */
function shortPath(command: Command): string {
  return commandPath(command).replace(/^chanlist /, '');
}

/** Commander's complaint about the arguments of a command as one line of ours. */
export function complaint(error: CommanderError, command: Command): Failure {
  const path = shortPath(command);
  const [, named = ''] = /'(.*)'/s.exec(error.message) ?? [];
  switch (error.code) {
    case 'commander.help':
      return command.parent === null
        ? usage('no command is given', 'see: chanlist help')
        : usage(`${path} needs an action`, `expected one of ${subcommandNames(command).join(', ')}`);
    case 'commander.unknownCommand':
      return unknownWord(command);
    case 'commander.unknownOption':
      return unknownFlag(command, named);
    case 'commander.optionMissingArgument': {
      const [flag = named] = /--[^ ]+/.exec(named) ?? [];
      return usage(`${flag} needs a value`, `expected ${named}`);
    }
    case 'commander.missingArgument':
      return usage(`${path} needs <${named}>`, `expected: ${commandPath(command)} ${command.usage()}`);
    case 'commander.excessArguments':
      return command.registeredArguments.length === 0
        ? usage(`${path} takes no arguments`, `see: ${helpLine(command)}`)
        : usage(`${path} has too many arguments`, `expected: ${commandPath(command)} ${command.usage()}`);
    default:
      return usage(error.message.replace(/^error: /, '').replaceAll('\n', ' '), `see: ${helpLine(command)}`);
  }
}

/** The usage error for the first word behind a command, where that is none of its subcommands. */
export function unknownWord(command: Command): Failure {
  const [word = ''] = command.args;
  const names = subcommandNames(command);
  const meant = nearest(word, names);
  if (command.parent === null) {
    const action = authActions.find((name) => name === word);
    const hint =
      word === 'version'
        ? 'did you mean --version?'
        : action === undefined
          ? 'see: chanlist help'
          : `did you mean auth ${action}?`;
    return usage(`there is no command '${word}'`, meant === undefined ? hint : `did you mean ${meant}?`);
  }
  return usage(`${shortPath(command)} has no action '${word}'`, expectedOneOf(word, names));
}

/** Typed without `auth` by those who know other programs. */
const authActions = ['login', 'logout', 'status', 'switch', 'list'];

/** Throws where a shared flag stands before a command, or an action, that does not take it. */
export function checkFlagsBefore(command: Command): void {
  for (let at = command.parent; at !== null; at = at.parent) {
    for (const option of at.options) {
      if (at.getOptionValueSource(option.attributeName()) !== 'cli') continue;
      if (command.options.some(({ long }) => long === option.long)) continue;
      throw notTaken(command, option.long ?? option.flags);
    }
  }
}

function notTaken(command: Command, flag: string): Failure {
  return usage(`${shortPath(command)} does not take ${flag}`, `see: ${helpLine(command)}`);
}

/** Names under which other programs take a key as a flag. */
const keyFlags = ['--key', '--api-key', '--apikey', '--api_key', '--token', '--auth-token', '--password'];

function unknownFlag(command: Command, text: string): Failure {
  // What stands behind the sign may be a secret.
  const flag = text.replace(/=.*$/s, '');
  if (keyFlags.includes(flag)) {
    return usage(
      `there is no flag ${flag}: a key would show in the process list`,
      'use --key-file FILE, CHANLIST_API_KEY or chanlist auth login',
    );
  }
  let root = command;
  while (root.parent !== null) root = root.parent;
  if (command !== root && root.options.some(({ long, short }) => long === flag || short === flag)) {
    return notTaken(command, flag);
  }
  const format = formatNames.find((name) => flag === `--${name}`);
  if (format !== undefined && command.options.some(({ long }) => long === '--format')) {
    return usage(`there is no flag ${flag}`, `use --format ${format}`);
  }
  const known = command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  const meant = nearest(flag, [...known, '--help']);
  const where = command === root ? 'options of a command go after its name; see' : 'see';
  return usage(
    command === root ? `there is no flag '${flag}'` : `${shortPath(command)} has no flag '${flag}'`,
    meant === undefined ? `${where}: ${helpLine(command)}` : `did you mean ${meant}?`,
  );
}

function helpLine(command: Command): string {
  return commandPath(command).replace(/^chanlist\b/, 'chanlist help');
}

function subcommandNames(command: Command): string[] {
  return command.commands.map((subcommand) => subcommand.name());
}
