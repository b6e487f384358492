import type { Command } from 'commander';
import type { CreditBound } from '../accounts/bounds.ts';
import { expectedReference } from '../api/references.ts';
import { addMaxCredits } from './max-credits.ts';
import { type SharedOptions, sharedOptions } from './options.ts';
import { addConcurrency, addFrom, defaultConcurrency } from './reference-flags.ts';

/** Options of the commands that print whole answers: resolve, latest, and search in part. */
export interface BodyOptions {
  readonly shared: SharedOptions;
  readonly references: readonly string[];
  /** `--from`: a file of references, `-` for stdin. */
  readonly from: string | null;
  readonly concurrency: number;
  readonly maxCredits: readonly CreditBound[];
}

export interface BodyFlags {
  from?: string;
  concurrency?: number;
  maxCredits?: CreditBound[];
}

/** Adds the arguments and options of a free command over channels. */
export function addBodyOptions(command: Command): void {
  command.argument('[channel...]', expectedReference.channel);
  addFrom(command);
  addConcurrency(command, 'requests');
  addMaxCredits(command, true);
}

/** The options of a free command, from what Commander has read. */
export function bodyOptions(command: Command, references: string[], flags: BodyFlags): BodyOptions {
  return {
    shared: sharedOptions(command),
    references,
    from: flags.from ?? null,
    concurrency: flags.concurrency ?? defaultConcurrency,
    maxCredits: flags.maxCredits ?? [],
  };
}
