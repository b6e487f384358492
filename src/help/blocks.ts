import type { Example, Terms } from '../cli/command-module.ts';
import { type FlagRow, flagHelp } from '../cli/flag.ts';
import type { Operation } from '../service/contract.ts';
import { countCredits } from '../text/count.ts';

export const topicNames = ['flags', 'fields', 'reports', 'exit-codes', 'formats', 'environment'] as const;
export type TopicName = (typeof topicNames)[number];

export const exportHelp =
  'At a terminal a table shows only the first page, unless --limit, --max-credits or --all is given. ' +
  'With -o the file appears once it is complete, and replaces another only with --restart. ' +
  'After an interruption the same command resumes.';

export function shortCost(operation: Operation): string {
  if (operation.credits === 0) return 'free';
  if (operation.body !== 'page') return countCredits(operation.credits);
  // The specification gives a page size only for uploads (section 4.3).
  const size = operation.name === 'uploads' ? ' of about 100' : '';
  return `${countCredits(operation.credits)} per page${size}`;
}

/** Returns the sentence of the help that states the cost (docs/service.md, sections 1, 5 and 7). */
export function costSentence(operation: Operation): string {
  if (operation.credits > 0) return `Costs ${shortCost(operation)}; failed requests are free.`;
  return 'Free; the account needs at least 1 credit.';
}

/** A part of a help text: a paragraph, terms and their meanings, examples, or lines that are not wrapped. */
export type Block =
  | string
  | Terms
  | { readonly examples: readonly Example[] }
  | { readonly lines: readonly string[] };

export const flagTerms = (flags: readonly FlagRow[]): Terms['rows'] =>
  flags.map((row) => [row.flag.startsWith('--') ? `    ${row.flag}` : row.flag, flagHelp(row)]);
