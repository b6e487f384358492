import type { Command } from 'commander';
import { minimumCredits, type Operation, pageSize } from '../service/contract.ts';
import { credits } from '../text/count.ts';
import { wrap, wrapCommand } from './text.ts';

/** A complete command line and its purpose. */
export type Example = readonly [what: string, line: string];

/** A list of terms and their meanings, under a heading. */
export interface Terms {
  readonly heading: string;
  readonly rows: readonly (readonly [term: string, meaning: string])[];
}

/** The parts of a command's help that Commander does not know. */
interface Additions {
  readonly examples: readonly Example[];
  /** After the flags; null if there are none. */
  readonly terms: Terms | null;
}

const additions = new WeakMap<Command, Additions>();

/** Sets the paragraphs, examples and terms of the help of a command. */
export function document(
  command: Command,
  about: readonly string[],
  examples: readonly Example[],
  terms: Terms | null = null,
): void {
  command.description(about.join('\n\n'));
  additions.set(command, { examples, terms });
}

/** The examples and terms that `document` was given for the command. */
export function additionsTo(command: Command): Additions {
  return additions.get(command) ?? { examples: [], terms: null };
}

/** Examples as the help shows them, in lines of at most `width` columns. */
export function exampleLines(shown: readonly Example[], width: number): string[] {
  return shown.flatMap(([what, line]) => [
    ...wrap(what, width - 4).map((part) => `  # ${part}`),
    ...wrapCommand(line, width - 2).map((part) => `  ${part}`),
  ]);
}

/** The cost of an operation in a few words. */
export function shortCost(operation: Operation): string {
  if (operation.credits === 0) return 'free';
  if (operation.answer !== 'page') return credits(operation.credits);
  // The specification gives a page size only for uploads (section 8).
  const size = operation.name === 'uploads' ? ` of about ${pageSize}` : '';
  return `${credits(operation.credits)} per page${size}`;
}

/** The same as a sentence of the help (service specification, sections 1, 5 and 8). */
export function costSentence(operation: Operation): string {
  if (operation.credits > 0) return `Costs ${shortCost(operation)}; errors of the service cost nothing.`;
  return `Free; the account needs at least ${credits(minimumCredits)}.`;
}
