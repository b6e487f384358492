import type { CommandRow, Example, Terms } from '../cli/command.ts';
import { explainedFlagsOf, flagsOf, helpFlag, versionFlag } from '../cli/flags.ts';
import { unknownCommand } from '../cli/pointers.ts';
import { exampleLines, flagTerms, inBlocks, termLines, topicNames, wrap } from './document.ts';

export const about = 'A command-line client for the Channel and Playlist Listing Service.';

export const examples: readonly Example[] = [
  ['try it without an account', 'chanlist uploads @demo --sandbox --limit 20'],
  ['store an account; prompts for address and key', 'chanlist auth login'],
  ['export every upload; run it again to resume', 'chanlist uploads @demo -o demo.ndjson'],
];

/** The help on a topic, a command, an action, or (no words) the program. Throws a usage error if there is none. */
export async function helpText(
  words: readonly string[],
  table: readonly CommandRow[],
  width: number,
): Promise<string> {
  if (words.length === 0) return programHelp(table, width);
  const topic = topicNames.find((name) => name === words.join(' '));
  if (topic !== undefined) return (await import('./topics.ts')).topicText(topic, width);
  return await commandHelp(words, table, width);
}

const commandTerms = (rows: readonly CommandRow[]): Terms['rows'] =>
  rows.map(({ name, usage: words, summary }) => [`${name} ${words}`.trim(), summary]);

/** `words`: the command, or the action below `parent`. */
async function commandHelp(
  [word = '', ...rest]: readonly string[],
  table: readonly CommandRow[],
  width: number,
  parent = '',
): Promise<string> {
  const row = table.find(({ name }) => name === word);
  const names = [...table.map(({ name }) => name), ...(parent === '' ? topicNames : [])];
  if (row === undefined) throw unknownCommand(parent, word, names);
  const path = `${parent} ${word}`.trim();
  const { args = [], actions = [], about: paragraphs, examples: lines, terms } = await row.load();
  if (actions.length > 0 && rest.length > 0) return await commandHelp(rest, actions, width, path);
  const flags = explainedFlagsOf(path);
  const lists = [
    {
      heading: 'Arguments:',
      rows: args.map(([, term, help]) => [term.replace(/[^\w]/g, ''), help] as const),
    },
    { heading: 'Actions:', rows: commandTerms(actions) },
  ].filter(({ rows }) => rows.length > 0);
  return inBlocks([
    [`Usage: ${['chanlist', path, row.usage].filter(Boolean).join(' ')} [flags]`],
    ...paragraphs.map((text) => wrap(text, width)),
    ...lists.map((list) => termLines(list, width)),
    exampleLines(lines),
    termLines({ heading: 'Flags:', rows: flagTerms([...flags, helpFlag]) }, width),
    ...(terms === undefined ? [] : [termLines(terms, width)]),
    ...(flags.length < flagsOf(path).length ? [['Other flags: chanlist help flags']] : []),
  ]);
}

function programHelp(table: readonly CommandRow[], width: number): string {
  const groups = [...new Set(table.map(({ group = '' }) => group))];
  const lists = [
    ...groups.map((heading) => ({
      heading,
      rows: commandTerms(table.filter(({ group }) => group === heading)),
    })),
    { heading: 'Flags:', rows: flagTerms([helpFlag, versionFlag]) },
  ];
  const termWidth = Math.max(...lists.flatMap(({ rows }) => rows.map(([term]) => term.length)));
  return inBlocks([
    ['Usage: chanlist <command> [flags]'],
    wrap(about, width),
    ...lists.map((list) => termLines(list, width, termWidth)),
    exampleLines(examples),
    [
      'Help on a command, with its flags and examples: chanlist help uploads',
      ...wrap(`Help topics: ${topicNames.join(', ')}`, width),
    ],
  ]);
}
