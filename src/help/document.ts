import { styleText } from 'node:util';
import type { Example, Terms } from '../cli/command.ts';
import { type FlagRow, flagHelp } from '../cli/flag.ts';
import type { FormatOptions } from '../output/format.ts';
import type { Operation } from '../service/contract.ts';
import { credits, longest } from '../text/count.ts';
import { wrap } from '../text/wrap.ts';

export const topicNames = ['flags', 'fields', 'reports', 'exit-codes', 'formats', 'environment'] as const;
export type TopicName = (typeof topicNames)[number];

export const resumes =
  'With -o the file appears once it is complete, and replaces another only with --restart. After an interruption the same ' +
  'command resumes.';

export function shortCost(operation: Operation): string {
  if (operation.credits === 0) return 'free';
  if (operation.body !== 'page') return credits(operation.credits);
  // The specification gives a page size only for uploads (section 8).
  const size = operation.name === 'uploads' ? ' of about 100' : '';
  return `${credits(operation.credits)} per page${size}`;
}

/** The cost in a sentence of the help (docs/service.md, sections 1, 5 and 8). */
export function costSentence(operation: Operation): string {
  if (operation.credits > 0) return `Costs ${shortCost(operation)}; failed requests are free.`;
  return 'Free; the account needs at least 1 credit.';
}

/** A part of a help text: a paragraph, terms and their meanings, or lines that are copied, so that none is broken. */
export type Block = string | Terms | { readonly heading?: string; readonly lines: readonly string[] };

/** Narrower terminals break the lines themselves. */
const minColumns = 40;
/** Where a meaning has less room beside its term, it is below it. */
const minMeaning = 32;

/** The blocks in the width of a terminal (null: 80 columns), with bold headings if it has colour. */
export function layout(blocks: readonly Block[], terminal: FormatOptions['terminal']): string {
  const columns = Math.max(minColumns, terminal?.columns ?? 80);
  const bold = (line: string): string =>
    terminal?.color ? styleText('bold', line, { validateStream: false }) : line;
  const linesOf = (block: Block): readonly string[] => {
    if (typeof block === 'string') return wrap(block, columns);
    const heading = block.heading === undefined ? [] : wrap(block.heading, columns).map(bold);
    return [...heading, ...('rows' in block ? termLines(block.rows, columns) : block.lines)];
  };
  return `${blocks.map((block) => linesOf(block).join('\n')).join('\n\n')}\n`;
}

function termLines(rows: Terms['rows'], columns: number): string[] {
  const width = longest(rows.map(([term]) => term)) + 4;
  if (columns - width < minMeaning)
    return rows.flatMap(([term, meaning]) => [
      `  ${term.trim()}`,
      ...wrap(meaning, columns - 6).map((line) => `      ${line}`),
    ]);
  return rows.flatMap(([term, meaning]) =>
    wrap(meaning, columns - width).map((line, i) => `${i === 0 ? `  ${term}` : ''}`.padEnd(width) + line),
  );
}

export const flagTerms = (flags: readonly FlagRow[]): Terms['rows'] =>
  flags.map((row) => [row.flag.startsWith('--') ? `    ${row.flag}` : row.flag, flagHelp(row)]);

export const exampleBlock = (examples: readonly Example[]): Block => ({
  heading: 'Examples:',
  lines: examples.flatMap(([what, line]) => [`  # ${what}`, `  ${line}`]),
});
