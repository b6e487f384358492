import { Help } from 'commander';
import type { Example, Terms } from '../cli/command.ts';
import { type FlagRow, flagHelp } from '../cli/flag.ts';
import type { Operation } from '../service/contract.ts';
import { credits } from '../text/count.ts';

export const topicNames = ['flags', 'fields', 'reports', 'exit-codes', 'formats', 'environment'] as const;
export type TopicName = (typeof topicNames)[number];

export const resumes =
  'With -o the file appears once it is complete. If a run is interrupted, the same command resumes with the next page.';

export function shortCost(operation: Operation): string {
  if (operation.credits === 0) return 'free';
  if (operation.body !== 'page') return credits(operation.credits);
  // The specification gives a page size only for uploads (section 8).
  const size = operation.name === 'uploads' ? ' of about 100' : '';
  return `${credits(operation.credits)} per page${size}`;
}

/** The same as a sentence of the help (docs/service.md, sections 1, 5 and 8). */
export function costSentence(operation: Operation): string {
  if (operation.credits > 0) return `Costs ${shortCost(operation)}; failed requests are free.`;
  return 'Free; the account needs at least 1 credit.';
}

export function wrap(text: string, width: number): string[] {
  return new Help().boxWrap(text, width).split('\n');
}

/** Terms and their meanings in two columns, under their heading. `termWidth`: of the first column. */
export function termLines(
  { heading, rows }: Terms,
  width: number,
  termWidth = Math.max(...rows.map(([term]) => term.length)),
): string[] {
  const help = Object.assign(new Help(), { helpWidth: width, minWidthToWrap: 20 });
  const items = rows.flatMap(([term, meaning]) =>
    help.formatItem(term, termWidth, meaning, help).split('\n'),
  );
  return [...wrap(heading, width), ...items];
}

export const flagTerms = (flags: readonly FlagRow[]): Terms['rows'] =>
  flags.map((row) => [row.flag.startsWith('--') ? `    ${row.flag}` : row.flag, flagHelp(row)]);

/** Examples under a heading. No line is broken, so that it can be copied. */
export function exampleLines(examples: readonly Example[]): string[] {
  return ['Examples:', ...examples.flatMap(([what, line]) => [`  # ${what}`, `  ${line}`])];
}

export const inBlocks = (blocks: readonly (readonly string[])[]): string =>
  `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
