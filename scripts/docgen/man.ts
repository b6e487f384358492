import type { Command } from 'commander';
import { wholeProgram } from '../../src/cli/help-text.ts';
import { commandPath } from '../../src/cli/usage-errors.ts';
import { exitCodes } from '../../src/errors.ts';
import { type Example, examplesOf, termsOf } from '../../src/help/document.ts';
import { environment } from '../../src/help/environment.ts';
import { fieldRows, fieldRules, formatRows, formatRules } from '../../src/help/formats.ts';
import { wrap } from '../../src/help/text.ts';

type Rows = readonly (readonly [term: string, meaning: string])[];

/** The manual page, in the man macros. */
export async function manPage(): Promise<string> {
  const program = await wholeProgram();
  const shared = flagRows(program);
  const sharedNames = new Set(program.options.map(({ long }) => long));
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  return [
    '.\\" Generated from the program by: npm run generate. Changes made here are lost.',
    '.TH CHANLIST 1 "" chanlist "User Commands"',
    '.nh',
    '.ad l',
    '.SH NAME',
    'chanlist \\- list channels and playlists of a video platform',
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
    ...commands.flatMap((command) => section(command, sharedNames)),
    '.SH OPTIONS OF MOST COMMANDS',
    ...text('Before or after the name of the command; the help of a command says which of them it takes.'),
    ...shared,
    '.SH FORMATS',
    ...taggedRows(formatRows),
    ...formatRules.flatMap(paragraph),
    ...fieldRules.flatMap(paragraph),
    ...taggedRows(fieldRows),
    '.SH EXIT STATUS',
    ...taggedRows(Object.entries(exitCodes)),
    '.SH ENVIRONMENT',
    ...taggedRows(environment),
    '.SH FILES',
    ...taggedRows(files),
    '.SH EXAMPLES',
    ...exampleLines(examplesOf(program)).slice(1),
    '',
  ].join('\n');
}

const files: Rows = [
  ['~/.config/chanlist/config.json', 'the stored accounts, readable by their owner only (mode 0600)'],
  ['FILE.part, FILE.part.json', 'an interrupted export to FILE; the same command continues with it'],
  ['FILE.lock', 'held while an export to FILE runs'],
  ['DIR/.chanlist-*.part', 'which files of an interrupted --output-dir DIR are finished'],
];

function section(command: Command, shared: ReadonlySet<string | undefined>): string[] {
  const title = `${commandPath(command)} ${command.usage()}`
    .replace(/^chanlist /, '')
    .replace(/ *\[options\]$/, '');
  const terms = termsOf(command);
  return [
    `.SS ${roff(title)}`,
    ...command.description().split('\n\n').flatMap(paragraph).slice(1),
    ...flagRows(command, (long) => !shared.has(long) && long !== '--help'),
    ...(terms === null ? [] : [...paragraph(terms.heading), ...taggedRows(terms.rows)]),
    ...exampleLines(examplesOf(command)),
  ];
}

function flagRows(command: Command, wanted: (long: string | undefined) => boolean = () => true): string[] {
  const helper = command.createHelp();
  return helper
    .visibleOptions(command)
    .filter(({ long }) => wanted(long))
    .flatMap((option) => tagged(helper.optionTerm(option), helper.optionDescription(option)));
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

function exampleLines(examples: readonly Example[]): string[] {
  return examples.flatMap(({ what, line }) => [
    '.PP',
    `${roff(what)}:`,
    '.PP',
    '.in +4n',
    '.nf',
    roff(line),
    '.fi',
    '.in',
  ]);
}

/** A line in roff: backslashes, hyphens that are typed, and what would begin a request. */
function roff(line: string): string {
  return line
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('~', '\\(ti')
    .replaceAll('^', '\\(ha')
    .replace(/^[.']/, '\\&$&');
}
