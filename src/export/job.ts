import { basename, resolve } from 'node:path';
import { type Failure, toFailure, usage } from '../errors.ts';
import type { Target } from '../fs/target.ts';
import type { Field } from '../output/fields.ts';
import type { Format, Item } from '../output/format.ts';
import { createFormat, type FileFormat } from '../output/formats.ts';
import { commandLine } from '../run/command-line.ts';
import type { Receipt } from '../run/receipts.ts';
import type { ListingStart, ListingTask } from '../run/run-listing.ts';
import type { Session } from '../run/session.ts';
import { type Credits, newTally } from '../service/budget.ts';
import { listingCost, operations } from '../service/contract.ts';
import { resolvedId } from '../service/references.ts';
import { credits } from '../text/count.ts';
import { type Memory, newMemory } from './memory.ts';
import { type Identity, type State, startsAtToken } from './state.ts';

/** What the exports of one call share. */
export interface ExportRun {
  readonly session: Session;
  readonly task: ListingTask;
  readonly format: FileFormat;
  readonly fields: readonly Field[] | null;
  /** The folder of `--output-dir`; null for one FILE. */
  readonly folder: string | null;
  /** Whether the exports have a memory. */
  readonly remembers: boolean;
  /** References that this run resolved to another ID than before, or to none (null). */
  readonly moved: Map<string, string | null>;
  /** References that were resolved in this run, and when (ISO 8601). */
  readonly resolved: Map<string, string>;
  /** Consecutive missing feeds; five mean that the feed is down, for the rest of the call. */
  readonly feeds: { missingInRow: number; isDown: boolean };
  /** Prints the new rows of an update (`--print-new`); null: they are not printed. */
  readonly printNew: ((rows: AsyncIterable<Buffer>) => Promise<void>) | null;
}

/** The export of one reference into one file. The lock of FILE is held. */
export interface ExportJob {
  readonly run: ExportRun;
  readonly start: ListingStart;
  readonly receipt: Receipt;
  readonly target: Target;
  /** Channel or playlist ID, if known. */
  readonly id: string | null;
  /** The memory of FILE, a working copy; null if there is none yet. */
  memory: Memory | null;
}

/** Columns of `--fields`, as states and memories keep them. */
export function fieldsText(fields: readonly Field[] | null): string | null {
  return fields?.map(({ name }) => name).join(',') ?? null;
}

/** Identifies an export: an interrupted one resumes only if all of it matches. */
function identityOf({ run, start, id }: ExportJob): Identity {
  return {
    command: run.task.operation.name,
    reference: start.value ?? `--continuation ${start.token}`,
    id,
    format: run.format,
    fields: fieldsText(run.fields),
    service: run.session.serviceName,
  };
}

/**
 * The identity of this job, with the reference of the interrupted export if both references have the same ID (a free
 * `resolve` may be needed). `state`: of the interrupted export; null if there is none.
 */
export async function identityFor(job: ExportJob, state: State | null): Promise<Identity> {
  const own = identityOf(job);
  if (state === null || state.header.identity.reference === own.reference) return own;
  if (startsAtToken(state.header.identity) || startsAtToken(own)) return own;
  const { session, task } = job.run;
  const idOf = async (id: string | null, reference: string): Promise<string | null> => {
    if (id !== null || task.operation.reference !== 'channel') return id;
    if (reference.startsWith('UC')) return reference;
    try {
      const body = await session.client.call(operations.resolve, { input: reference }, job.receipt.tally);
      return resolvedId(body);
    } catch (error) {
      if (toFailure(error).scope === 'run') throw error;
      return null;
    }
  };
  const before = await idOf(state.progress.id ?? state.header.identity.id, state.header.identity.reference);
  const now = await idOf(own.id, own.reference);
  return before !== null && before === now ? { ...own, reference: state.header.identity.reference } : own;
}

/** The memory of this job, created if there is none; null if the job keeps none. */
export function memoryOf(job: ExportJob): Memory | null {
  const { run, target, receipt } = job;
  const id = job.id ?? receipt.id;
  if (!run.remembers || id === null) return null;
  job.memory ??= newMemory({
    file: basename(target.real),
    command: run.task.operation.name,
    service: run.session.serviceName,
    id,
    format: run.format,
    fields: fieldsText(run.fields),
  });
  return job.memory;
}

/**
 * Adds to the memory what interrupted runs spent, as far as their state has it: a run that is killed notes nothing in
 * the memory.
 */
export function countInterruptedRuns(job: ExportJob, { header, progress }: State): void {
  const { confirmed, possibly_charged } = header.creditsBefore ?? newTally().credits;
  remember(job, ({ credits }) => ({
    credits: {
      confirmed: Math.max(credits.confirmed, confirmed + progress.credits.confirmed),
      possibly_charged: Math.max(
        credits.possibly_charged,
        possibly_charged + progress.credits.possibly_charged,
      ),
    },
  }));
}

/** Credits of all runs so far, as the memory and this run know them. */
export function creditsSoFar({ memory, receipt }: ExportJob): Credits {
  const before = memory?.credits ?? newTally().credits;
  const { confirmed, possibly_charged } = receipt.tally.credits;
  return {
    confirmed: before.confirmed + confirmed,
    possibly_charged: before.possibly_charged + possibly_charged,
  };
}

/** Whether the memory of FILE is of this job's reference: another one may have been exported to FILE before. */
export function hasOwnMemory({ run, start, receipt, id, memory }: ExportJob): boolean {
  if (memory === null || memory.command !== run.task.operation.name) return false;
  const own = id ?? receipt.id;
  if (own !== null) return own === memory.id;
  return start.value !== null && Object.hasOwn(memory.references, start.value);
}

/** Changes the memory of a job, if it keeps one. */
export function remember(job: ExportJob, change: (memory: Memory) => Partial<Memory>): void {
  const memory = memoryOf(job);
  if (memory !== null) job.memory = { ...memory, ...change(memory) };
}

/** Maximum number of reported conditions that a memory keeps. */
const maxReported = 200;

/** Warns about a lasting condition when it starts, then not again while it lasts. */
export function warnOnce(job: ExportJob, condition: string, message: string, hint?: string): void {
  const { session } = job.run;
  const isReported = job.memory?.reported.includes(condition) ?? false;
  remember(job, ({ reported }) =>
    isReported ? {} : { reported: [...reported, condition].slice(-maxReported) },
  );
  if (!isReported || session.stderr.isChatty) session.warn({ label: job.receipt.label, message, hint });
}

/** Notes that conditions with this prefix have ended: they are reported when they start again. */
export function endConditions(job: ExportJob, prefix: string): void {
  if (job.memory?.reported.some((condition) => condition.startsWith(prefix)))
    remember(job, ({ reported }) => ({ reported: reported.filter((one) => !one.startsWith(prefix)) }));
}

/** The format of a file: one reference, nothing truncated, no colour. `columns`: fixed by an earlier page or by FILE. */
export function fileFormat(run: ExportRun, columns: readonly string[] | null): Promise<Format> {
  const { task, format, fields } = run;
  return createFormat(format, {
    operation: task.operation,
    fields,
    several: false,
    terminal: null,
    columns,
  });
}

/** The item of a job. `published`: publication dates by video ID. */
export function itemOf({ start }: ExportJob, published: Readonly<Record<string, string>>): Item {
  return {
    reference: start.given,
    published: (id) => (Object.hasOwn(published, id) ? (published[id] ?? null) : null),
  };
}

/** Whether `--fields` has publication dates, which only `latest` returns. */
export function wantsPublished({ fields }: ExportRun): boolean {
  return fields?.some(({ name }) => name === '@published') ?? false;
}

/** The command that exports this reference again, into its own file; quoted for the shell. */
export function restartCommand(
  { options }: Pick<ListingTask, 'options'>,
  start: Pick<ListingStart, 'given'>,
  target: Pick<Target, 'path'>,
): string {
  // Absolute paths: the command works in any folder.
  const output = { name: '--output', value: resolve(target.path) };
  const keyFile = options.shared.keyFile;
  return commandLine(options.invocation, start.given === null ? [] : [start.given], {
    drop: [
      ...['--from', '--output', '--output-dir', '--concurrency', '--restart', '--max-credits', '--summary'],
      ...['--update', '--all', '--print-new', '--dry-run', '--key-file'],
    ],
    add: [
      ...(keyFile === undefined ? [] : [{ name: '--key-file', value: resolve(keyFile) }]),
      output,
      { name: '--restart', value: null },
    ],
  });
}

/** The cost of a full export: `about 13 credits`. `entries`: null if unknown. */
export function fullCost(entries: number | null): string {
  return entries === null ? '1 credit per page' : `about ${credits(listingCost(entries))}`;
}

/** The usage error for a complete FILE: names --update and --restart and their cost. */
export function completeFile(
  target: Target,
  entries: number | null,
  task: ListingTask,
  start: ListingStart,
): Failure {
  return usage(
    `${target.path} is already there`,
    `--update brings it up to date (free if there is nothing new, else 1 credit per page); to export it again (${fullCost(entries)}): ${restartCommand(task, start, target)}`,
  );
}

/** Replaces the remedy `restart` of a failure by the command to run and its cost. */
export function withRemedy(job: ExportJob, failure: Failure): Failure {
  if (failure.remedy !== 'restart') return failure;
  const entries = job.memory?.entries ?? job.receipt.total ?? null;
  const command = restartCommand(job.run.task, job.start, job.target);
  return failure.with({ hint: `to export it again (${fullCost(entries)}): ${command}`, remedy: 'none' });
}

/** A failure of this job: in a folder run, a usage error stops this reference only. */
export function ofReference({ run }: Pick<ExportJob, 'run'>, failure: Failure): Failure {
  return run.folder !== null && failure.code === 'usage' ? failure.with({ scope: 'reference' }) : failure;
}

/** The failure for a FILE that holds another channel: exit 2; in a folder run exit 1, for this reference only. */
export function foreignFile({ run, target, start, id }: ExportJob, held: string): Failure {
  const message = `${target.path} holds another channel: ${held}, not ${id ?? start.given}`;
  const failure = usage(message, 'name another file; nothing was bought');
  return run.folder === null ? failure : failure.with({ scope: 'reference', exit: 1 });
}
