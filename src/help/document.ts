import type { Command } from 'commander';
import { minimumCredits, type Operation, pageSize } from '../api/contract.ts';
import { credits } from '../text/count.ts';
import { wrap, wrapCommand } from './text.ts';

/** A complete command line and its purpose. */
export interface Example {
  readonly what: string;
  readonly line: string;
}

export type ExamplePair = readonly [what: string, line: string];

const examples = new WeakMap<Command, readonly Example[]>();

/** Sets the paragraphs and examples (pairs of purpose and command line) of the help of a command. */
export function document(command: Command, about: readonly string[], pairs: readonly ExamplePair[]): void {
  if (about.length > 0) command.description(about.join('\n\n'));
  examples.set(
    command,
    pairs.map(([what, line]) => ({ what, line })),
  );
}

/** The examples that `document` was given for the command. */
export function examplesOf(command: Command): readonly Example[] {
  return examples.get(command) ?? [];
}

/** A list of terms and their meanings, under a heading. */
export interface Terms {
  readonly heading: string;
  readonly rows: readonly (readonly [term: string, meaning: string])[];
}

const terms = new WeakMap<Command, Terms>();

/** Adds a list of terms to the help of a command, after its flags. */
export function addTerms(command: Command, heading: string, rows: Terms['rows']): void {
  terms.set(command, { heading, rows });
}

/** The terms that `addTerms` added; null if there are none. */
export function termsOf(command: Command): Terms | null {
  return terms.get(command) ?? null;
}

/** Examples as the help shows them, in lines of at most `width` columns. */
export function exampleLines(shown: readonly Example[], width: number): string[] {
  return shown.flatMap(({ what, line }) => [
    ...wrap(what, width - 4).map((part) => `  # ${part}`),
    ...wrapCommand(line, width - 2).map((part) => `  ${part}`),
  ]);
}

/** The cost of an operation in a few words. */
export function shortCost(operation: Operation): string {
  if (operation.credits === 0) return 'free';
  if (!operation.paged) return credits(operation.credits);
  // The specification gives a page size only for uploads (section 8).
  const size = operation.name === 'uploads' ? ` of about ${pageSize}` : '';
  return `${credits(operation.credits)} per page${size}`;
}

/** The same as a sentence of the help (service specification, sections 1, 5 and 8). */
export function costSentence(operation: Operation): string {
  if (operation.credits > 0) return `Costs ${shortCost(operation)}; errors of the service cost nothing.`;
  return `Free; the account needs at least ${credits(minimumCredits)}.`;
}
