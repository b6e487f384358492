import type { Example, Terms } from '../../src/cli/command.ts';
import { type FlagRow, flagHelp } from '../../src/cli/flag.ts';
import { helpFlag, ownFlagsOf, versionFlag } from '../../src/cli/flags.ts';
import { globalFlags } from '../../src/cli/global-flags.ts';
import { commands as table } from '../../src/commands/command-table.ts';
import { wrap } from '../../src/help/document.ts';
import {
  about,
  type DescribedCommand,
  describeAll,
  examples,
  globalFlagsOf,
} from '../../src/help/help-text.ts';
import { topics } from '../../src/help/topics.ts';

/** The manual page, in the man macros. */
export async function manPage(): Promise<string> {
  const commands = await describeAll(table);
  const groups = [...new Set(globalFlags.map(({ group }) => group ?? ''))];
  const [globalParagraph = ''] = topics.flags;
  return [
    '.\\" Generated from the program by: npm run generate. Changes made here are lost.',
    '.TH CHANLIST 1 "" chanlist "User Commands"',
    '.nh',
    '.ad l',
    '.SH NAME',
    'chanlist \\- command\\-line client for the Channel and Playlist Listing Service',
    '.SH SYNOPSIS',
    ...commands
      .filter(({ file }) => file.actions === undefined)
      .flatMap(({ path, row }, index) => [
        ...(index === 0 ? [] : ['.br']),
        `.B ${roff(`chanlist ${path}`)}`,
        roff(`${row.usage} [flags]`.trim()),
      ]),
    '.SH DESCRIPTION',
    ...text(about),
    '.SH COMMANDS',
    ...commands.flatMap(section),
    '.SH OPTIONS',
    ...(typeof globalParagraph === 'string' ? text(globalParagraph) : []),
    ...groups.flatMap((group) => [
      `.SS ${group.replace(/:$/, '')}`,
      ...flagLines(globalFlags.filter((flag) => flag.group === group)),
    ]),
    '.SS Help',
    ...flagLines([helpFlag, versionFlag]),
    '.SH FORMATS',
    ...blocks(topics.formats),
    '.SH FIELDS',
    ...blocks(topics.fields),
    '.SH EXIT STATUS',
    ...blocks(topics['exit-codes']),
    '.SH ENVIRONMENT',
    ...blocks(topics.environment.slice(0, -1)),
    '.SH FILES',
    ...blocks(topics.environment.slice(-1)),
    '.SH EXAMPLES',
    ...exampleLines(examples).slice(1),
    '',
  ].join('\n');
}

/** A command: what it does, its own flags, the global ones that it takes, its terms and examples. */
function section({ path, row, file }: DescribedCommand): string[] {
  const own = ownFlagsOf(path);
  const global = globalFlagsOf(path).replace('see: chanlist help flags', 'see OPTIONS');
  return [
    `.SS ${roff(`${path} ${row.usage}`.trim())}`,
    ...file.about.flatMap(paragraph).slice(1),
    ...(own.length === 0 ? [] : ['.PP', '.B Options', ...flagLines(own)]),
    ...(global === '' ? [] : paragraph(global)),
    ...(file.terms === undefined ? [] : [...paragraph(file.terms.heading), ...taggedRows(file.terms.rows)]),
    '.PP',
    '.B Examples',
    ...exampleLines(file.examples),
  ];
}

function flagLines(flags: readonly FlagRow[]): string[] {
  return flags.flatMap((flag) => tagged(flag.flag, flagHelp(flag)));
}

/** The paragraphs and terms of a topic; the first terms are headed by the section. */
function blocks(topic: readonly (string | Terms)[]): string[] {
  return topic.flatMap((block, index) => {
    if (typeof block === 'string') return paragraph(block);
    const heading = index === 0 ? [] : [`.SS ${roff(block.heading.replace(/:$/, ''))}`];
    return [...heading, ...taggedRows(block.rows)];
  });
}

function taggedRows(rows: Terms['rows']): string[] {
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

function exampleLines(lines: readonly Example[]): string[] {
  return lines.flatMap(([what, line]) => [
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
