import type { Command, CommanderError } from 'commander';
import { type Failure, usage } from '../errors.ts';
import { computedFields, knownFields } from '../output/fields.ts';
import { formatNames } from '../output/formats.ts';
import { operations } from '../service/contract.ts';
import { expectedOneOf, nearest } from '../text/nearest.ts';
import { type FlagName, flagRow, flags, longName } from './flags.ts';

/** A command as it is typed: `chanlist auth login`. */
export function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}

/** The same without the program, as in the table of flags; '' for the program. */
export function pathOf(command: Command): string {
  return commandPath(command).replace(/^chanlist ?/, '');
}

/** Converts an error of Commander into a usage error of one line. */
export function usageErrorOf(error: CommanderError, command: Command): Failure {
  const path = pathOf(command);
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

/** The usage error for the first word after a command that is none of its subcommands. */
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
  return usage(`${pathOf(command)} has no action '${word}'`, expectedOneOf(word, names));
}

/** Actions of `auth` that are commands in other programs. */
const authActions = ['login', 'logout', 'status', 'switch', 'list'];

/** Throws a usage error for a shared flag before a command, or an action, that does not take it. */
export function checkFlagsBefore(command: Command): void {
  for (let at = command.parent; at !== null; at = at.parent) {
    for (const option of at.options) {
      if (at.getOptionValueSource(option.attributeName()) !== 'cli') continue;
      if (command.options.some(({ long }) => long === option.long)) continue;
      throw notTaken(command, option.long ?? option.flags);
    }
  }
}

/**
 * Throws a usage error for a list of fields after `--json` or `--ndjson`, where other programs expect one: here it
 * would be a reference or a word of the query.
 */
export function checkWords(command: Command, argv: readonly string[]): void {
  const end = argv.indexOf('--');
  for (const [i, flag] of argv.slice(0, end === -1 ? argv.length : end).entries()) {
    const word = argv[i + 1];
    if ((flag !== '--json' && flag !== '--ndjson') || word === undefined) continue;
    if (command.args.includes(word) && isFieldList(word, command.name() === 'search'))
      throw usage(`${flag} takes no value`, `name the fields with --fields ${word}`);
  }
}

const fieldNames = new Set<string>([
  ...computedFields,
  ...Object.values(operations).flatMap(({ name }) => knownFields(name)),
]);

/** Whether a word is a list of fields; in a query, where any word may occur, only a list of known fields is one. */
function isFieldList(text: string, inQuery: boolean): boolean {
  const names = text.split(',').map((name) => name.split('.')[0] ?? '');
  if (names.every((name) => fieldNames.has(name))) return !inQuery || names.length > 1;
  const plausible = (name: string): boolean =>
    /^(?:\w+|\*)$/.test(name) || (computedFields as readonly string[]).includes(name);
  return !inQuery && names.length > 1 && names.every(plausible);
}

function notTaken(command: Command, flag: string): Failure {
  return usage(`${pathOf(command)} does not take ${flag}`, `see: ${helpLine(command)}`);
}

/** Flags for a key in other programs. */
const keyFlags = ['--key', '--api-key', '--apikey', '--api_key', '--token', '--auth-token', '--password'];

/** Flags of other programs, with the flag to use here, or advice. */
const habits: Readonly<Record<string, FlagName | { readonly advice: string }>> = {
  '--file': 'from',
  '--batch-file': 'from',
  '-a': 'from',
  '--force': 'restart',
  '--clobber': 'restart',
  '--continue': { advice: 'run the same command again to resume' },
  '--resume': { advice: 'run the same command again to resume' },
  '--max': 'limit',
};

function unknownFlag(command: Command, text: string): Failure {
  // A value after the sign may be a secret.
  const flag = text.replace(/=.*$/s, '');
  const takes = (name: string): boolean => command.options.some(({ long }) => long === name);
  if (keyFlags.includes(flag)) {
    return usage(
      `there is no flag ${flag}: a key would show in the process list`,
      'use --key-file FILE, CHANLIST_API_KEY or chanlist auth login',
    );
  }
  if (takes(flag)) {
    const format = formatNames.some((name) => flag === `--${name}`);
    return usage(`${flag} takes no value`, format ? 'name the fields with --fields LIST' : undefined);
  }
  const habit = habits[/^-[a-z]/.test(flag) ? flag.slice(0, 2) : flag];
  if (typeof habit === 'object') return usage(`there is no flag ${flag}`, habit.advice);
  if (habit !== undefined) {
    const { value } = flagRow(habit);
    const meant = `${longName(habit)}${value === undefined ? '' : ` ${value.toUpperCase()}`}`;
    if (command.parent === null || takes(longName(habit)))
      return usage(`there is no flag ${flag}`, `use ${meant}`);
  }
  let root = command;
  while (root.parent !== null) root = root.parent;
  if (command !== root && root.options.some(({ long, short }) => long === flag || short === flag)) {
    return notTaken(command, flag);
  }
  if (command.name() === 'playlist' && flag === '--update')
    return usage('--update is only for uploads', 'a playlist may grow at its end: export all of it again');
  const format = formatNames.find((name) => flag === `--${name}`);
  if (format !== undefined && takes('--format'))
    return usage(`there is no flag ${flag}`, `use --format ${format}`);
  const known = command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  const meant = nearest(flag, [...known, '--help']);
  const takers = (Object.keys(flags) as FlagName[])
    .filter((name) => longName(name) === flag)
    .flatMap((name) => flagRow(name).commands);
  const where =
    command === root
      ? 'options of a command go after its name; see'
      : takers.length > 0
        ? `it is a flag of ${takers.join(', ')}; see`
        : 'see';
  return usage(
    command === root ? `there is no flag '${flag}'` : `${pathOf(command)} has no flag '${flag}'`,
    meant === undefined ? `${where}: ${helpLine(command)}` : `did you mean ${meant}?`,
  );
}

function helpLine(command: Command): string {
  return commandPath(command).replace(/^chanlist\b/, 'chanlist help');
}

function subcommandNames(command: Command): string[] {
  return command.commands.map((subcommand) => subcommand.name());
}
