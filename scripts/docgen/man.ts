import type { Command } from 'commander';
import { commonFlags, type FlagRow, flagHelp, flagsOf, longFlag, ownFlags } from '../../src/cli/flags.ts';
import { parseArguments, wholeProgram } from '../../src/cli/program.ts';
import { pathOf } from '../../src/cli/usage-errors.ts';
import { commands as table } from '../../src/commands/table.ts';
import { type TermRows, type Terms, wrap } from '../../src/help/document.ts';
import { topics } from '../../src/help/topics.ts';

/** The manual page, in the man macros. */
export async function manPage(): Promise<string> {
  const program = await wholeProgram(table);
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  const groups = [...new Set(commonFlags.map(({ group }) => group))];
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
        `.B ${roff(`chanlist ${pathOf(command)}`)}`,
        roff(command.usage()),
      ]),
    '.SH DESCRIPTION',
    ...text(program.description()),
    '.SH COMMANDS',
    ...(await Promise.all(commands.map(section))).flat(),
    '.SH OPTIONS',
    ...text('These options may stand before or after the name of a command that takes them.'),
    ...groups.flatMap((group) => [
      `.SS ${group.replace(/:$/, '')}`,
      ...flagLines(commonFlags.filter((flag) => flag.group === group)),
    ]),
    '.SS Help',
    ...tagged('-h, --help', 'print help'),
    ...tagged('-V, --version', 'print the version'),
    '.SH FORMATS',
    ...blocks(topics.formats),
    '.SH EXIT STATUS',
    ...blocks(topics['exit-codes']),
    '.SH ENVIRONMENT',
    ...blocks(topics.environment.slice(0, -1)),
    '.SH FILES',
    ...blocks(topics.environment.slice(-1)),
    '.SH EXAMPLES',
    ...exampleLines(await helpText('')).slice(1),
    '',
  ].join('\n');
}

/** The help of a command, in lines that nothing wraps. */
async function helpText(path: string): Promise<string> {
  const help = await parseArguments([...path.split(' ').filter(Boolean), '--help'], table, () => 1000);
  if (typeof help !== 'string') throw new Error(`${path} has no help`);
  return help;
}

/** A command: what it does, its own flags, the common ones that it takes, its terms and examples. */
async function section(command: Command): Promise<string[]> {
  const path = pathOf(command);
  const help = await helpText(path);
  const taken = flagsOf(path);
  const own = taken.filter((flag) => ownFlags.includes(flag));
  const common = taken.filter((flag) => !own.includes(flag));
  const others =
    common.length === commonFlags.length
      ? 'Also takes all options of the section OPTIONS.'
      : `Also takes ${common.map(longFlag).join(', ')}; see OPTIONS.`;
  const arguments_ = command.usage().replace(/ *\[options\]$/, '');
  return [
    `.SS ${roff(`${path} ${arguments_}`.trim())}`,
    ...command.description().split('\n\n').flatMap(paragraph).slice(1),
    ...(own.length === 0 ? [] : ['.PP', '.B Options', ...flagLines(own)]),
    ...(common.length === 0 ? [] : paragraph(others)),
    ...termLines(help),
    '.PP',
    '.B Examples',
    ...exampleLines(help),
  ];
}

/** The terms between the flags of a command and its examples. */
function termLines(help: string): string[] {
  const [, heading, rows] = /^((?:Faults|Problems).*:)\n((?: {2}.*\n)+)\nExamples:/m.exec(help) ?? [];
  if (heading === undefined || rows === undefined) return [];
  const terms = [...rows.matchAll(/^ {2}(.*?) {2,}(.*)$/gm)];
  return [...paragraph(heading), ...terms.flatMap(([, term = '', meaning = '']) => tagged(term, meaning))];
}

function flagLines(flags: readonly FlagRow[]): string[] {
  return flags.flatMap((flag) => tagged(flag.term, flagHelp(flag)));
}

/** The paragraphs and terms of a topic; the first terms are headed by the section. */
function blocks(topic: readonly (string | Terms)[]): string[] {
  return topic.flatMap((block, index) => {
    if (typeof block === 'string') return paragraph(block);
    const heading = index === 0 ? [] : [`.SS ${roff(block.heading.replace(/:$/, ''))}`];
    return [...heading, ...taggedRows(block.rows)];
  });
}

function taggedRows(rows: TermRows): string[] {
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

/** The examples of a help text. */
function exampleLines(help: string): string[] {
  return [...help.matchAll(/^ {2}# (.*)\n {2}(.*)$/gm)].flatMap(([, what = '', line = '']) => [
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

/** A line in roff: backslashes, hyphens that are typed, and a leading dot or quote, which is a request. */
function roff(line: string): string {
  return line
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('~', '\\(ti')
    .replaceAll('^', '\\(ha')
    .replace(/^[.']/, '\\&$&');
}
