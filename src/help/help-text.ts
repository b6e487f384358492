import type { CommandRow, Example, Terms } from '../cli/command-module.ts';
import { explainedFlagsOf, flagsOf, helpFlag } from '../cli/flags.ts';
import { seeHelp, unknownCommand } from '../cli/pointers.ts';
import { type Failure, usage } from '../errors.ts';
import { colors } from '../output/colors.ts';
import type { Terminal } from '../output/format.ts';
import { longestLength } from '../text/count.ts';
import { wrap } from '../text/wrap.ts';
import { type Block, flagTerms, topicNames } from './blocks.ts';

export const about = 'A command-line client for the Channel and Playlist Listing Service.';

export const examples: readonly Example[] = [
  ['try it without an account', 'chanlist uploads @demo --sandbox --limit 20'],
  ['store an account; prompts for address and key', 'chanlist auth login'],
  ['export every upload; run it again to resume', 'chanlist uploads @demo -o demo.ndjson'],
];

/** Returns the help on a topic, a command, an action or, without words, the program. Throws a usage error for other words. */
export async function helpText(words: readonly string[], table: readonly CommandRow[], terminal: Terminal) {
  if (words.length === 0) return layout(programHelp(table), terminal);
  const [word, ...rest] = words;
  const topic = topicNames.find((name) => name === word);
  if (topic !== undefined && rest.length > 0) throw noHelp(words, topic);
  if (topic === undefined) return layout(await commandHelp(words, table), terminal);
  return layout((await import('./topics.ts')).topics[topic], terminal);
}

const noHelp = (words: readonly string[], known: string): Failure =>
  usage(`there is no help on '${words.join(' ')}'`, seeHelp(known));

/** Returns the terms of a list of commands, padded to at least `width` characters. */
const commandTerms = (rows: readonly CommandRow[], width = 0): Terms['rows'] =>
  rows.map(({ name, usage: words, summary }) => [`${name} ${words}`.trim().padEnd(width), summary]);

/** Returns the help on the command that the words name, or on the action of the command `parent`. */
async function commandHelp(
  [word = '', ...rest]: readonly string[],
  table: readonly CommandRow[],
  parent = '',
): Promise<readonly Block[]> {
  const row = table.find(({ name }) => name === word);
  const names = [...table.map(({ name }) => name), ...(parent === '' ? topicNames : [])];
  if (row === undefined) throw unknownCommand(parent, word, names);
  const path = `${parent} ${word}`.trim();
  const { args = [], actions = [], about: paragraphs, examples, terms } = await row.load();
  if (actions.length > 0 && rest.length > 0) return await commandHelp(rest, actions, path);
  if (rest.length > 0) throw noHelp([path, ...rest], path);
  const flags = explainedFlagsOf(path);
  const argumentRows = args.map(([, term, help]) => [term.replace(/\W/g, ''), help] as const);
  return [
    `Usage: ${['chanlist', path, row.usage].filter(Boolean).join(' ')} [flags]`,
    ...paragraphs,
    ...(args.length > 0 ? [{ heading: 'Arguments:', rows: argumentRows }] : []),
    ...(actions.length > 0 ? [{ heading: 'Actions:', rows: commandTerms(actions) }] : []),
    { examples },
    { heading: 'Flags:', rows: flagTerms([...flags, helpFlag]) },
    ...(terms === undefined ? [] : [terms]),
    ...(flags.length < flagsOf(path).length ? ['Other flags: chanlist help flags'] : []),
  ];
}

/** Returns the help on the program, which fits a terminal of 24 lines and 80 columns. */
function programHelp(table: readonly CommandRow[]): readonly Block[] {
  const width = longestLength(commandTerms(table).map(([term]) => term));
  const headings = [...new Set(table.map(({ heading }) => heading))];
  return [
    {
      lines: [
        'Usage: chanlist <command> [flags] | --help | --version',
        `Try it without an account: ${examples[0]?.[1]}`,
      ],
    },
    about,
    ...headings.map((heading) => {
      const rows = table.filter((row) => row.heading === heading);
      return { heading, rows: commandTerms(rows, width) };
    }),
    `Help topics: ${topicNames.join(', ')}`,
  ];
}

/** Minimum width of the layout: a narrower terminal breaks the lines itself. */
const minColumns = 40;
/** If a meaning would have fewer columns than this, it is put below its term. */
const minMeaning = 32;

/** Lays out blocks in the width of a terminal (80 columns if there is none), with bold headings if it supports colour. */
function layout(blocks: readonly Block[], terminal: Terminal): string {
  const columns = Math.max(minColumns, terminal?.columns ?? 80);
  const bold = (line: string): string => (terminal?.color ? colors().bold(line) : line);
  const linesOf = (block: Block): readonly string[] => {
    if (typeof block === 'string') return wrap(block, columns);
    if ('lines' in block) return block.lines;
    if ('examples' in block) return [bold('Examples:'), ...exampleLines(block.examples, columns)];
    return [...wrap(block.heading, columns).map(bold), ...termLines(block.rows, columns)];
  };
  return `${blocks.map((block) => linesOf(block).join('\n')).join('\n\n')}\n`;
}

/** Command lines are not wrapped, so that they can be copied. */
const exampleLines = (examples: readonly Example[], columns: number): string[] =>
  examples.flatMap(([what, line]) => [...wrap(what, columns - 4).map((part) => `  # ${part}`), `  ${line}`]);

function termLines(rows: Terms['rows'], columns: number): string[] {
  const width = longestLength(rows.map(([term]) => term)) + 4;
  if (columns - width < minMeaning)
    return rows.flatMap(([term, meaning]) => [
      `  ${term.trim()}`,
      ...wrap(meaning, columns - 6).map((line) => `      ${line}`),
    ]);
  return rows.flatMap(([term, meaning]) =>
    wrap(meaning, columns - width).map((line, i) => `${i === 0 ? `  ${term}` : ''}`.padEnd(width) + line),
  );
}
