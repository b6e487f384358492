import type { Command } from 'commander';
import {
  type FlagName,
  flagGroups,
  flagHelp,
  flagRow,
  flagsOf,
  longName,
  sharedFlagNames,
} from '../../src/cli/flags.ts';
import { wholeProgram } from '../../src/cli/help-text.ts';
import { commandPath, pathOf } from '../../src/cli/usage-errors.ts';
import { exitCodes } from '../../src/errors.ts';
import { additionsTo, type Example } from '../../src/help/document.ts';
import { environment } from '../../src/help/environment.ts';
import { fileRows } from '../../src/help/files.ts';
import {
  fieldRows,
  fieldRules,
  formatRows,
  formatRules,
  memoryRows,
  memoryRule,
} from '../../src/help/formats.ts';
import { checkRows, creditsRows, referenceRows, summaryRows } from '../../src/help/reports.ts';
import { wrap, wrapCommand } from '../../src/help/text.ts';

type Rows = readonly (readonly [term: string, meaning: string])[];

/** The manual page, in the man macros. */
export async function manPage(): Promise<string> {
  const program = await wholeProgram();
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  return [
    '.\\" Generated from the program by: npm run generate. Changes made here are lost.',
    '.TH CHANLIST 1 "" chanlist "User Commands"',
    '.nh',
    '.ad l',
    '.SH NAME',
    'chanlist \\- command\\-line client for the Channel and Playlist Listing Service',
    '.SH SYNOPSIS',
    ...commands
      .filter((command) => command.commands.length === 0)
      .flatMap((command, index) => [
        ...(index === 0 ? [] : ['.br']),
        `.B ${roff(commandPath(command))}`,
        roff(command.usage()),
      ]),
    '.SH DESCRIPTION',
    ...text(program.description()),
    '.SH COMMANDS',
    ...commands.flatMap(section),
    '.SH OPTIONS',
    ...text('These options may stand before or after the name of a command that takes them.'),
    ...flagGroups.flatMap((group) => {
      const names = sharedFlagNames.filter((name) => flagRow(name).group === group);
      return names.length === 0 ? [] : [`.SS ${group.replace(/:$/, '')}`, ...flagLines(names)];
    }),
    '.SS Help',
    ...tagged('-h, --help', 'print help'),
    ...tagged('-V, --version', 'print the version'),
    '.SH FORMATS',
    ...taggedRows(formatRows),
    ...formatRules.flatMap(paragraph),
    '.SS Fields',
    ...fieldRules.flatMap(paragraph).slice(1),
    ...taggedRows(fieldRows),
    '.SS The memory of a folder',
    ...text(memoryRule),
    ...taggedRows(memoryRows),
    '.SH REPORTS',
    `.SS ${roff('The report of --summary (JSON)')}`,
    ...taggedRows(summaryRows),
    '.SS Each of its references',
    ...taggedRows(referenceRows),
    '.SS An export in chanlist check',
    ...taggedRows(checkRows),
    `.SS ${roff('chanlist credits --json')}`,
    ...taggedRows(creditsRows),
    '.SH EXIT STATUS',
    ...taggedRows(Object.entries(exitCodes)),
    '.SH ENVIRONMENT',
    ...taggedRows(environment),
    '.SH FILES',
    ...taggedRows(fileRows),
    '.SH EXAMPLES',
    ...exampleLines(additionsTo(program).examples).slice(1),
    '',
  ].join('\n');
}

/** A command: what it does, its own flags, the shared ones that it takes, its examples. */
function section(command: Command): string[] {
  const path = pathOf(command);
  const arguments_ = command.usage().replace(/ *\[options\]$/, '');
  const taken = flagsOf(path);
  const shared = taken.filter((name) => (sharedFlagNames as readonly FlagName[]).includes(name));
  const own = taken.filter((name) => !shared.includes(name));
  const { examples, terms } = additionsTo(command);
  const others =
    shared.length === sharedFlagNames.length
      ? 'Also takes all options of the section OPTIONS.'
      : `Also takes ${shared.map(longName).join(', ')}; see OPTIONS.`;
  return [
    `.SS ${roff(`${path} ${arguments_}`.trim())}`,
    ...command.description().split('\n\n').flatMap(paragraph).slice(1),
    ...(own.length === 0 ? [] : ['.PP', '.B Options', ...flagLines(own)]),
    ...(shared.length === 0 ? [] : paragraph(others)),
    ...(terms === null ? [] : [...paragraph(terms.heading), ...taggedRows(terms.rows)]),
    '.PP',
    '.B Examples',
    ...exampleLines(examples),
  ];
}

function flagLines(names: readonly FlagName[]): string[] {
  return names.flatMap((name) => {
    const { short, value } = flagRow(name);
    const term = short === undefined ? longName(name) : `${short}, ${longName(name)}`;
    return tagged(value === undefined ? term : `${term} <${value}>`, flagHelp(name));
  });
}

function taggedRows(rows: Rows): string[] {
  return rows.flatMap(([term, meaning]) => tagged(term, meaning));
}

function tagged(term: string, meaning: string): string[] {
  return ['.TP', `.B ${roff(term)}`, ...text(meaning)];
}

function paragraph(words: string): string[] {
  return ['.PP', ...text(words)];
}

/** Lines of a text, short enough for all who read the source. */
function text(words: string): string[] {
  return wrap(words, 68).map(roff);
}

/** Examples in lines that fit 60 columns. */
function exampleLines(examples: readonly Example[]): string[] {
  return examples.flatMap(([what, line]) => [
    '.PP',
    `${roff(what)}:`,
    '.PP',
    '.in +4n',
    '.nf',
    ...wrapCommand(line, 48).map(roff),
    '.fi',
    '.in',
  ]);
}

/** A line in roff: backslashes, hyphens that are typed, and a leading dot or quote, which is a request. */
function roff(line: string): string {
  return line
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('~', '\\(ti')
    .replaceAll('^', '\\(ha')
    .replace(/^[.']/, '\\&$&');
}
