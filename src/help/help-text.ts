import type { CommandFile, CommandRow, Example, Terms } from '../cli/command.ts';
import { longFlag } from '../cli/flag.ts';
import { flagsOf, helpFlag, ownFlagsOf, versionFlag } from '../cli/flags.ts';
import { unknownCommand } from '../cli/usage-errors.ts';
import { usage } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import { exampleLines, flagTerms, inBlocks, termLines, topicNames, wrap } from './document.ts';

export const about = 'A command-line client for the Channel and Playlist Listing Service.';

export const examples: readonly Example[] = [
  ['try it without an account', 'chanlist uploads @demo --sandbox --limit 20'],
  ['store an account; prompts for address and key', 'chanlist auth login'],
  ['export every upload; run it again to resume', 'chanlist uploads @demo -o demo.ndjson'],
];

export interface DescribedCommand {
  /** `auth login` */
  readonly path: string;
  readonly row: CommandRow;
  readonly file: CommandFile;
}

export async function describeAll(table: readonly CommandRow[], parent = ''): Promise<DescribedCommand[]> {
  const described: DescribedCommand[] = [];
  for (const row of table) {
    const path = `${parent} ${row.name}`.trim();
    const file = await row.load();
    described.push({ path, row, file }, ...(await describeAll(file.actions ?? [], path)));
  }
  return described;
}

/** The help on a topic, a command, an action, or (no words) the program. Throws a usage error if there is none. */
export async function helpText(
  words: readonly string[],
  table: readonly CommandRow[],
  width: number,
): Promise<string> {
  const [word] = words;
  if (word === undefined) return programHelp(table, width);
  if (words.length === 1 && !table.some(({ name }) => name === word)) {
    const topic = topicNames.find((name) => name === word);
    if (topic !== undefined) return (await import('./topics.ts')).topicText(topic, width);
    const meant = nearest(word, topicNames);
    if (meant !== undefined) throw usage(`there is no help on '${word}'`, `did you mean ${meant}?`);
  }
  return commandHelp(await findCommand(words, table), width);
}

async function findCommand(
  [word = '', ...rest]: readonly string[],
  table: readonly CommandRow[],
  parent = '',
): Promise<DescribedCommand> {
  const row = table.find(({ name }) => name === word);
  if (row === undefined)
    throw unknownCommand(
      parent,
      word,
      table.map(({ name }) => name),
    );
  const path = `${parent} ${word}`.trim();
  const file = await row.load();
  if (file.actions === undefined || rest.length === 0) return { path, row, file };
  return await findCommand(rest, file.actions, path);
}

const commandTerms = (rows: readonly CommandRow[]): Terms['rows'] =>
  rows.map(({ name, usage: words, summary }) => [`${name} ${words}`.trim(), summary]);

export function globalFlagsOf(path: string): string {
  const names = flagsOf(path).filter(({ group }) => group !== undefined);
  if (names.length === 0) return '';
  return `Global flags (see: chanlist help flags): ${names.map(longFlag).join(', ')}.`;
}

function commandHelp({ path, row, file }: DescribedCommand, width: number): string {
  const { args = [], actions = [], about: paragraphs, examples: lines, terms } = file;
  const own = [...ownFlagsOf(path), helpFlag];
  const lists = [
    {
      heading: 'Arguments:',
      rows: args.map(([, term, help]) => [term.replace(/[^\w]/g, ''), help] as const),
    },
    { heading: 'Actions:', rows: commandTerms(actions) },
  ].filter(({ rows }) => rows.length > 0);
  const global = globalFlagsOf(path);
  return inBlocks([
    [`Usage: ${['chanlist', path, row.usage].filter(Boolean).join(' ')} [flags]`],
    ...paragraphs.map((text) => wrap(text, width)),
    ...lists.map((list) => termLines(list, width)),
    exampleLines(lines),
    termLines({ heading: 'Flags:', rows: flagTerms(own) }, width),
    ...(global === '' ? [] : [wrap(global, width)]),
    ...(terms === undefined ? [] : [termLines(terms, width)]),
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
      ...wrap('Flags of a command, with examples: chanlist help uploads', width),
      ...wrap('Global flags, before or after the command: chanlist help flags', width),
      ...wrap('To report a problem: npm bugs chanlist; add what -vv prints', width),
    ],
  ]);
}
