import type { Command } from 'commander';
import type { CreditBound } from '../accounts/bounds.ts';
import { expectedReference, type ReferenceKind } from '../api/references.ts';
import { usage } from '../errors.ts';
import { type Invocation, invocationOf } from '../run/command-line.ts';
import { addMaxCredits } from './max-credits.ts';
import { type SharedOptions, sharedOptions, tableInFile } from './options.ts';
import { addConcurrency, addFrom, defaultConcurrency } from './reference-flags.ts';
import { nonEmpty, wholeNumber } from './values.ts';

/** Options of the commands that list pages: uploads and playlist. */
export interface ListingOptions {
  readonly shared: SharedOptions;
  readonly references: readonly string[];
  readonly from: string | null;
  /** Entries of a reference, at the most; null: all. */
  readonly limit: number | null;
  readonly maxCredits: readonly CreditBound[];
  /** Token of the page to start at, in place of a reference. */
  readonly continuation: string | null;
  readonly outputDir: string | null;
  readonly concurrency: number;
  readonly restart: boolean;
  readonly update: boolean;
  readonly invocation: Invocation;
}

export interface ListingFlags {
  from?: string;
  limit?: number;
  maxCredits?: CreditBound[];
  continuation?: string;
  outputDir?: string;
  concurrency?: number;
  restart?: boolean;
  update?: boolean;
}

/** Adds the arguments and options of a paged listing. */
export function addListingOptions(command: Command, kind: ReferenceKind): void {
  const add = (flags: string, description: string, parse?: (text: string) => unknown): void => {
    const option = command.createOption(flags, description);
    if (parse !== undefined) option.argParser(parse);
    command.addOption(option);
  };
  command.argument(`[${kind}...]`, expectedReference[kind]);
  addFrom(command);
  add('-n, --limit <n>', 'at most this many entries per reference', wholeNumber('--limit', 1));
  addMaxCredits(command);
  add(
    '--continuation <token>',
    'start at the page with this token instead of a reference',
    nonEmpty('--continuation'),
  );
  add(
    '--output-dir <dir>',
    'a file for each reference in this folder, <ID>.<format>',
    nonEmpty('--output-dir'),
  );
  addConcurrency(command, 'references of --output-dir');
  add('--restart', 'throw an interrupted export away and start over, paying for all of it again');
  command.addOption(
    command
      .createOption(
        '--update',
        'bring a complete file up to date: pay for what is new only (needs videoId; no --limit)',
      )
      .hideHelp(kind === 'playlist'),
  );
}

/** The options of a paged listing, from what Commander has read; throws usage errors for what excludes each other. */
export function listingOptions(command: Command, references: string[], flags: ListingFlags): ListingOptions {
  const shared = sharedOptions(command);
  const { continuation, outputDir, update = false, restart = false } = flags;
  const toFile = shared.output !== null || outputDir !== undefined;
  if (continuation !== undefined && (references.length > 0 || flags.from !== undefined)) {
    throw usage('--continuation takes no reference', 'the token alone says where to go on');
  }
  if (outputDir !== undefined && shared.output !== null)
    throw usage('--output and --output-dir exclude each other');
  if (outputDir !== undefined && continuation !== undefined) {
    throw usage('--output-dir and --continuation exclude each other', 'name the file with -o');
  }
  if (outputDir !== undefined && shared.format === 'table') {
    throw tableInFile();
  }
  for (const [name, given] of [
    ['--update', update],
    ['--restart', restart],
  ] as const) {
    if (given && !toFile) throw usage(`${name} needs a file`, 'name one with -o FILE or --output-dir DIR');
  }
  if (update) {
    if (command.name() !== 'uploads') {
      throw usage('--update is only for uploads', 'a playlist may grow at its end: export it whole');
    }
    if (flags.limit !== undefined) throw usage('--update and --limit exclude each other');
    if (continuation !== undefined) throw usage('--update and --continuation exclude each other');
  }
  return {
    shared,
    references,
    from: flags.from ?? null,
    limit: flags.limit ?? null,
    maxCredits: flags.maxCredits ?? [],
    continuation: continuation ?? null,
    outputDir: outputDir ?? null,
    concurrency: flags.concurrency ?? defaultConcurrency,
    restart,
    update,
    invocation: invocationOf(command),
  };
}
