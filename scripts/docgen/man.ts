import type { Example, Terms } from '../../src/cli/command-module.ts';
import { type FlagRow, flagHelp } from '../../src/cli/flag.ts';
import { explainedFlagsOf, helpFlag, versionFlag } from '../../src/cli/flags.ts';
import type { Block } from '../../src/help/blocks.ts';
import { about, examples } from '../../src/help/help-text.ts';
import { topics } from '../../src/help/topics.ts';
import { wrap } from '../../src/text/wrap.ts';
import type { Node } from './tree.ts';

/** The manual page, in the man macros. */
export function manPage([, ...commands]: readonly Node[]): string {
  return [
    '.\\" Generated from the program by: npm run generate. Changes made here are lost.',
    '.TH CHANLIST 1 "" chanlist "User Commands"',
    '.nh',
    '.ad l',
    '.SH NAME',
    'chanlist \\- command\\-line client for the Channel and Playlist Listing Service',
    '.SH SYNOPSIS',
    ...commands
      .filter(({ children }) => children.length === 0)
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
    ...blocks(topics.flags),
    '.SS Help',
    ...flagLines([helpFlag, versionFlag]),
    '.SH FORMATS',
    ...blocks(topics.formats),
    '.SH FIELDS',
    ...blocks(topics.fields),
    '.SH REPORTS',
    ...blocks(topics.reports),
    '.SH EXIT STATUS',
    ...blocks(topics['exit-codes']),
    '.SH ENVIRONMENT',
    ...blocks(topics.environment),
    '.SH EXAMPLES',
    ...exampleLines(examples).slice(1),
    '',
  ].join('\n');
}

/** A command: what it does, its flags, terms and examples. */
function section({ path, row, file }: Node): string[] {
  const flags = explainedFlagsOf(path);
  return [
    `.SS ${roff(`${path} ${row.usage}`.trim())}`,
    ...file.about.flatMap(paragraph).slice(1),
    ...(flags.length === 0 ? [] : ['.PP', '.B Options', ...flagLines(flags)]),
    ...(file.terms === undefined ? [] : [...paragraph(file.terms.heading), ...taggedRows(file.terms.rows)]),
    '.PP',
    '.B Examples',
    ...exampleLines(file.examples),
  ];
}

const flagLines = (flags: readonly FlagRow[]): string[] =>
  taggedRows(flags.map((row) => [row.flag, flagHelp(row)]));

/** The paragraphs and terms of a topic, without its examples; what it begins with needs no heading. */
function blocks(topic: readonly Block[]): string[] {
  return topic.flatMap((block, index) => {
    if (typeof block === 'string') return paragraph(block);
    if ('lines' in block || 'examples' in block) return [];
    const heading = index === 0 ? [] : [`.SS ${roff(block.heading.replace(/:$/, ''))}`];
    return [...heading, ...taggedRows(block.rows)];
  });
}

const taggedRows = (rows: Terms['rows']): string[] =>
  rows.flatMap(([term, meaning]) => ['.TP', `.B ${roff(term.trim())}`, ...text(meaning)]);

const paragraph = (words: string): string[] => ['.PP', ...text(words)];

/** Lines of a text, short enough for all who read the source. */
const text = (words: string): string[] => wrap(words, 68).map(roff);

function exampleLines(lines: readonly Example[]): string[] {
  return lines.flatMap(([what, line]) => [
    ...['.PP', `${roff(what)}:`, '.PP', '.in +4n', '.nf'],
    ...[roff(line), '.fi', '.in'],
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
