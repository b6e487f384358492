import { access, constants, mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { operations } from '../api/contract.ts';
import { resolvedId } from '../api/references.ts';
import { effectiveFormat, tableInFile } from '../cli/options.ts';
import { ClosedPipe, Failure, systemCode, toFailure, usage } from '../errors.ts';
import { nodeFileOps } from '../fs/file-ops.ts';
import { acquireLock } from '../fs/lock.ts';
import { readProblem } from '../fs/read-input.ts';
import { resolveTarget, type Target } from '../fs/target.ts';
import { parseFields } from '../output/fields.ts';
import { type FileFormat, type FormatName, formats, isFileFormat } from '../output/formats.ts';
import { sharedProgress } from '../output/progress.ts';
import { Stdout } from '../output/stdout.ts';
import { commandFor, resumeInstruction } from '../run/command-line.ts';
import { concurrently } from '../run/concurrently.ts';
import { type DryRunRequest, firstRequest } from '../run/dry-run.ts';
import type { Receipt } from '../run/receipts.ts';
import { shortNames } from '../run/reports.ts';
import { filesOf, type ListingStart, type ListingTask } from '../run/run-listing.ts';
import { otherFiles, type Session, type SessionPlan } from '../run/session.ts';
import { count } from '../text/count.ts';
import { exportReference } from './export-reference.ts';
import { completeFile, type ExportRun, fullCost } from './job.ts';
import {
  isExportName,
  type Memory,
  memoryFolder,
  readFolderMemories,
  readMemory,
  writeMemory,
} from './memory.ts';
import { PartialFile } from './partial-file.ts';

/** The checked options of an export. */
interface ExportSettings extends Pick<ExportRun, 'task' | 'format' | 'fields' | 'folder' | 'remembers'> {}

/** A reference of a folder run, with its receipt. */
interface ReferenceToExport {
  readonly start: ListingStart;
  readonly receipt: Receipt;
}

/** IDs that are safe as file names. */
const fileId = /^[A-Za-z0-9_-]+$/;
/** A handle resolved within this time (ms) is not resolved again. */
const resolveIntervalMs = 30 * 24 * 60 * 60 * 1000;

/** Plans the export of one reference into FILE. */
export async function planFile(task: ListingTask, target: Target): Promise<SessionPlan> {
  const { options, starts, receipts } = task;
  const [start] = starts;
  const [receipt] = receipts;
  if (start === undefined || receipt === undefined) throw new Error('an export needs a reference');
  const settings = settingsOf(task, effectiveFormat(options.shared, false), null, options.update);
  await refuseCompleteFile(settings, start, target);
  return {
    receipts,
    requests: async () => {
      const memory = await memoryAt(target);
      const known = options.update && memory !== null ? withKnownId(task, start, [memory]) : start;
      return [await dryRunRequest(settings, known, target, memory)];
    },
    concurrency: 1,
    isPaid: true,
    destination: target.path,
    resumeHint: () => receipt.resumeHint,
    work: async (session) => {
      const memory = await memoryAt(target);
      // An existing memory is kept up to date, whatever the options are.
      const run = exportRun(session, { ...settings, remembers: settings.remembers || memory !== null });
      const index = new IdIndex(memory === null ? [] : [memory], session, task);
      await exportReference(run, start, receipt, async () => {
        // Only an update needs to know the channel before the first page.
        return { target, id: options.update ? () => index.idOf(start, receipt, run) : start.id };
      });
    },
  };
}

/** Plans the export of each reference into a file of its own in a folder. */
export async function planFolder(task: ListingTask, folder: string): Promise<SessionPlan> {
  const { options, starts, receipts } = task;
  const settings = settingsOf(task, options.shared.format ?? 'ndjson', folder, true);
  const checkApart = await separateExports(settings, folder, starts);
  const done = (): number => receipts.filter(({ failure }) => failure === null).length;
  return {
    receipts,
    requests: async () => {
      const { memories } = await readFolderMemories(folder);
      const known = new Map(memories.map((memory) => [memory.file, memory]));
      return await Promise.all(
        starts.map(async (given) => {
          const start = withKnownId(task, given, memories);
          const target = await knownTarget(start, folder, settings.format);
          const memory = target === null ? null : (known.get(basename(target.real)) ?? null);
          return await dryRunRequest(settings, start, target, memory);
        }),
      );
    },
    concurrency: Math.min(options.concurrency, starts.length),
    isPaid: true,
    destination: folder,
    resumeHint: (_, left) => {
      const rest = options.restart
        ? `; to export the others again: ${commandFor(
            options.invocation,
            left.flatMap(({ pages, reference }) => (pages === 0 && reference !== null ? [reference] : [])),
          )}`
        : '';
      return `${done()} of ${starts.length} done; ${resumeInstruction(options)}${rest}`;
    },
    work: (session) => exportFolder(session, settings, folder, checkApart),
  };
}

/** Exports all references of a call into a folder: each ID once, those that the last run interrupted first. */
async function exportFolder(
  session: Session,
  settings: ExportSettings,
  folder: string,
  checkApart: (flag: string, target: Target) => void,
): Promise<void> {
  const { task, format } = settings;
  const { starts, receipts, options } = task;
  await makeFolder(folder);
  const found = await readFolderMemories(folder);
  const run = exportRun({ ...session, progress: sharedProgress(session.progress) }, settings);
  const index = new IdIndex(found.memories, session, task);
  // If all references are known, other exports in the folder do not matter.
  const unknown = starts.every((start) => index.memoryOf(start) !== null) ? [] : found.unknown;
  warnOfMemories(session, folder, found.problems, format, unknown);
  const exported = new Set<string>();
  const repeated: ReferenceToExport[] = [];
  const locate = async ({ start, receipt }: ReferenceToExport) => {
    const id = await index.idOf(start, receipt, run);
    if (!fileId.test(id))
      throw new Failure('bad_answer', 'the ID from the service cannot name a file', { status: 200 });
    receipt.id = id;
    const path = join(folder, `${id}.${format}`);
    receipt.file = path;
    if (exported.has(id)) {
      repeated.push({ start, receipt });
      return null;
    }
    exported.add(id);
    const target = await resolveTarget(path);
    checkApart('--output-dir', target);
    return { target, id };
  };
  const order = interruptedFirst(task, index, found.interrupted, format);
  const pool = { concurrency: options.concurrency, lookahead: Number.POSITIVE_INFINITY };
  const work = (one: ReferenceToExport): Promise<void> =>
    exportReference(run, one.start, one.receipt, () => locate(one));
  for await (const _ of concurrently(order, pool, work));
  const unreported = await rememberRepeated(run, repeated);
  if (unreported.length > 0)
    session.stderr.warn(
      `${count(unreported.length, 'reference resolves', 'references resolve')} to the ID of another one and ${unreported.length === 1 ? 'is' : 'are'} exported once: ${shortNames(unreported.flatMap(({ label }) => label ?? []))}`,
    );
  warnOfKept(session, settings, receipts);
  try {
    session.throwIfEnded();
  } finally {
    await index.noteUnreached(folder, receipts, run);
  }
}

/**
 * Throws a usage error if the report has the name of an export in the folder, or of a file kept beside one. The names
 * are compared by their form: the report is written before most IDs are known.
 */
export async function keepReportApart(folder: string, report: string): Promise<void> {
  const target = await resolveTarget(report).catch(() => null);
  if (target?.kind !== 'file') return;
  const real = await realpath(folder).catch(() => resolve(folder));
  const around = dirname(target.real);
  const isExport = around === real && isExportName(basename(target.real));
  if (isExport || around === join(real, memoryFolder))
    throw usage(`--summary ${report} has the name of a file of --output-dir ${folder}`, 'name another file');
}

/**
 * Checks that no export with a known name is a file that another flag names. Returns the same check for exports whose
 * names become known after a request.
 */
async function separateExports(
  { task, format }: ExportSettings,
  folder: string,
  starts: readonly ListingStart[],
): Promise<(flag: string, target: Target) => void> {
  const { options, context } = task;
  const { separate } = await import('../fs/apart.ts');
  const files = [...filesOf(options), ...otherFiles(options.shared, context.env)];
  const checkApart = await separate(files);
  const known = new Set<string>();
  for (const start of starts) {
    const target = await knownTarget(start, folder, format);
    if (target === null || known.has(target.real)) continue;
    checkApart('--output-dir', target);
    known.add(target.real);
  }
  return (flag, target) => {
    if (!known.has(target.real)) checkApart(flag, target);
  };
}

function settingsOf(
  task: ListingTask,
  name: FormatName,
  folder: string | null,
  remembers: boolean,
): ExportSettings {
  const { operation, options } = task;
  const format = asFileFormat(name);
  const fields = options.shared.fields === null ? null : parseFields(options.shared.fields, operation.name);
  return { task, format, fields, folder, remembers };
}

/** Exports have only formats that can be read back; throws a usage error for the others. */
function asFileFormat(name: FormatName): FileFormat {
  if (!isFileFormat(name)) throw tableInFile();
  return name;
}

function exportRun(session: Session, settings: ExportSettings): ExportRun {
  const { options } = settings.task;
  return {
    ...settings,
    session,
    moved: new Map(),
    resolved: new Map(),
    feeds: { missingInRow: 0 },
    printNew: options.printNew && !options.restart ? newRowPrinter(session, settings.format) : null,
  };
}

/** Prints new rows to stdout, one reference after another, and the CSV header once. */
function newRowPrinter(session: Session, format: FileFormat): ExportRun['printNew'] {
  const stdout = new Stdout(session.context, session.stderr);
  let last: Promise<void> = Promise.resolve();
  let hasHeader = false;
  const print = async (rows: AsyncIterable<Buffer>): Promise<void> => {
    let first = true;
    try {
      for await (const bytes of rows) {
        const skipped = first && formats[format].header !== null && hasHeader ? headerLength(bytes) : 0;
        first = false;
        await stdout.write(bytes.subarray(skipped));
      }
      hasHeader = true;
    } catch (error) {
      const failure =
        error instanceof ClosedPipe ? new Failure('failed', 'stdout was closed') : toFailure(error);
      throw failure.with({
        message: `${failure.message} before the new entries were printed; the file is as it was`,
        hint: 'run the same command again: it prints them at no further cost',
        scope: 'call',
      });
    }
  };
  return (rows) => {
    const next = last.then(() => print(rows));
    last = next.catch(() => {});
    return next;
  };
}

/** Length of the first CSV record (bytes). */
function headerLength(bytes: Buffer): number {
  let isQuoted = false;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === 0x22) isQuoted = !isQuoted;
    else if (bytes[at] === 0x0a && !isQuoted) return at + 1;
  }
  return bytes.length;
}

async function memoryAt(target: Target): Promise<Memory | null> {
  return await readMemory(target.real).catch(() => null);
}

/**
 * Notes references that lead to the ID of another one in the memory of that export; returns those that it did not
 * know. A memory that another run is writing is left for the next time.
 */
async function rememberRepeated(run: ExportRun, repeated: readonly ReferenceToExport[]): Promise<Receipt[]> {
  const unreported: Receipt[] = [];
  for (const { start, receipt } of repeated) {
    const { file } = receipt;
    if (file === null || start.value === null) continue;
    try {
      const lock = await acquireLock(file);
      try {
        const memory = await readMemory(file);
        if (memory !== null && Object.hasOwn(memory.references, start.value)) continue;
        unreported.push(receipt);
        if (memory === null) continue;
        const resolved = run.resolved.get(start.value) ?? null;
        await writeMemory(
          file,
          { ...memory, references: { ...memory.references, [start.value]: resolved } },
          false,
        );
      } finally {
        await lock.release();
      }
    } catch {
      unreported.push(receipt);
    }
  }
  return unreported;
}

/** A complete export is not bought twice by accident: `uploads -o FILE` needs --update or --restart. */
async function refuseCompleteFile(
  settings: ExportSettings,
  start: ListingStart,
  target: Target,
): Promise<void> {
  const { operation, options } = settings.task;
  if (operation.name !== 'uploads' || options.update || options.restart || !target.exists) return;
  const { stat } = await import('node:fs/promises');
  if ((await stat(target.real)).size === 0) return;
  if (await isInterrupted(target)) return;
  throw completeFile(target, (await memoryAt(target))?.entries ?? null, settings.task, start);
}

/** Whether FILE has an interrupted export. A damaged one counts: the work reports it. */
async function isInterrupted(target: Target): Promise<boolean> {
  return await PartialFile.peek(target).then(
    (state) => state !== null,
    () => true,
  );
}

/** In a folder complete exports are kept: one warning names both flags. */
function warnOfKept(session: Session, { task }: ExportSettings, receipts: readonly Receipt[]): void {
  const kept = receipts.filter(({ status, failure }) => status === 'kept' && failure === null);
  if (kept.length === 0) return;
  const entries = kept.reduce((sum, { entries }) => sum + entries, 0);
  const cost = entries === 0 ? '1 credit per page' : fullCost(entries);
  const update =
    task.operation.name === 'uploads'
      ? '--update brings them up to date (free if there is nothing new), '
      : '';
  session.stderr.warn(
    `${count(kept.length, 'complete export is', 'complete exports are')} kept; ${update}--restart exports them again (${cost})`,
  );
}

function warnOfMemories(
  session: Session,
  folder: string,
  problems: readonly string[],
  format: FileFormat,
  unknown: readonly string[],
): void {
  const lost = unknown.filter((name) => name.endsWith(`.${format}`));
  const parts = [
    ...(problems.length > 0
      ? [`${problems[0]}${problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''}`]
      : []),
    ...(lost.length > 0
      ? [
          `${folder} has ${count(lost.length, 'export', 'exports')} without a memory in ${folder}/.chanlist: ${shortNames(lost)}`,
        ]
      : []),
  ];
  if (parts.length > 0)
    session.stderr.warn(`${parts.join('; ')}; the exports are used as they are, for a few more requests`);
}

/** The references with those first that the last run interrupted or did not reach. */
function interruptedFirst(
  task: ListingTask,
  index: IdIndex,
  interrupted: ReadonlySet<string>,
  format: FileFormat,
): ReferenceToExport[] {
  const all = task.starts.flatMap((start, i) => {
    const receipt = task.receipts[i];
    return receipt === undefined ? [] : [{ start, receipt }];
  });
  const isFirst = ({ start }: ReferenceToExport): boolean => {
    const memory = index.memoryOf(start);
    const id = start.id ?? memory?.id;
    return memory?.interrupted === true || (id !== undefined && interrupted.has(`${id}.${format}`));
  };
  return [...all.filter(isFirst), ...all.filter((one) => !isFirst(one))];
}

/** Finds memories and IDs by reference. */
class IdIndex {
  readonly #byReference = new Map<string, Memory>();
  readonly #byId = new Map<string, Memory>();
  readonly #session: Session;
  readonly #task: ListingTask;

  constructor(memories: readonly Memory[], session: Session, task: ListingTask) {
    this.#session = session;
    this.#task = task;
    for (const memory of memories) {
      if (memory.service !== session.serviceName || memory.command !== task.operation.name) continue;
      this.#byId.set(memory.id, memory);
      for (const reference of Object.keys(memory.references)) this.#byReference.set(reference, memory);
    }
  }

  memoryOf({ id, value }: ListingStart): Memory | null {
    return (id === null ? this.#byReference.get(value ?? '') : this.#byId.get(id)) ?? null;
  }

  /**
   * The canonical ID of a reference: its own, the one resolved in the last 30 days, or that of a free `resolve`
   * (service specification, 4.1). A reference keeps its known ID, even if it now resolves to another one or to none.
   */
  async idOf(start: ListingStart, receipt: Receipt, run: ExportRun): Promise<string> {
    if (start.id !== null) return start.id;
    const { clock } = this.#session.context;
    const value = start.value ?? '';
    const memory = this.#byReference.get(value) ?? null;
    if (memory !== null && isResolved(memory.references, value, clock.now())) return memory.id;
    let id: string | null;
    try {
      const body = await this.#session.client.call(operations.resolve, { input: value }, receipt.tally);
      id = resolvedId(body);
      if (id === null) throw new Failure('bad_answer', 'the response has no channel_id', { status: 200 });
    } catch (error) {
      const failure = toFailure(error);
      if (memory === null || failure.scope === 'call') throw failure;
      if (failure.code === 'not_found') run.moved.set(value, null);
      return memory.id;
    }
    run.resolved.set(value, new Date(clock.now()).toISOString());
    if (memory === null || memory.id === id) return id;
    run.moved.set(value, id);
    return memory.id;
  }

  /** Marks the references that were not reached as interrupted: the next run starts with them. */
  async noteUnreached(folder: string, receipts: readonly Receipt[], run: ExportRun): Promise<void> {
    for (const [i, receipt] of receipts.entries()) {
      const start = this.#task.starts[i];
      if (start === undefined || receipt.started) continue;
      const memory = this.memoryOf(start);
      if (memory === null || memory.interrupted) continue;
      await writeMemory(
        join(folder, `${memory.id}.${run.format}`),
        { ...memory, interrupted: true },
        false,
      ).catch(() => {});
    }
  }
}

/** The file of a reference in a folder; null if its name is known only after a request, or it cannot be examined. */
async function knownTarget({ id }: ListingStart, folder: string, format: string): Promise<Target | null> {
  if (id === null) return null;
  return await resolveTarget(join(folder, `${id}.${format}`)).catch(() => null);
}

/**
 * The first request of an export, for `--dry-run`: an interrupted one resumes at its token, an update asks `latest`
 * first. `target`: null if the name of the file is known only after a request.
 */
async function dryRunRequest(
  { task, folder }: ExportSettings,
  start: ListingStart,
  target: Target | null,
  memory: Memory | null,
): Promise<DryRunRequest> {
  const { operation, options } = task;
  const updates = options.update && !options.restart;
  const when = updates && target?.exists !== false ? ' for new entries' : '';
  if (start.id === null && (target === null || options.update))
    return {
      operation: operations.resolve,
      parameters: { input: start.value ?? '' },
      next: { operation, when },
    };
  const state = target === null || options.restart ? null : await PartialFile.peek(target).catch(() => null);
  const isUpdate = updates && target?.exists === true && state?.header.mode === 'update';
  if (state !== null && !isUpdate && !state.progress.done && state.progress.result === null) {
    const { entries, total, token } = state.progress;
    const note = `resumes after ${total === null ? count(entries, 'entry', 'entries') : `${entries} of ${count(total, 'entry', 'entries')}`}`;
    return { ...firstRequest(operation, { value: start.value, token }), note };
  }
  const isComplete = target?.exists === true && !options.restart;
  const known =
    memory === null || memory.finished === null
      ? null
      : `${count(memory.entries, 'entry', 'entries')} so far`;
  if (updates && isComplete)
    return {
      operation: operations.latest,
      parameters: { channel: start.value ?? '' },
      next: { operation, when },
      ...(known !== null && { note: known }),
    };
  if (isComplete && folder !== null)
    return { ...firstRequest(operation, start), note: 'complete: kept, not requested' };
  return {
    ...firstRequest(operation, start),
    ...(known !== null && { note: `${known}: ${fullCost(memory?.entries ?? null)}` }),
  };
}

/** A start with the ID that a memory has for its reference, unless a call would resolve it again. */
function withKnownId(
  { operation, context }: ListingTask,
  start: ListingStart,
  memories: readonly Memory[],
): ListingStart {
  const { value } = start;
  if (start.id !== null || value === null) return start;
  const now = context.clock.now();
  const memory = memories.find(
    ({ command, references }) => command === operation.name && isResolved(references, value, now),
  );
  return memory === undefined ? start : { ...start, id: memory.id, value: memory.id };
}

/** Whether a reference was resolved in the last 30 days. */
function isResolved(references: Memory['references'], value: string, now: number): boolean {
  const resolved = Object.hasOwn(references, value) ? references[value] : null;
  return resolved != null && now - Date.parse(resolved) < resolveIntervalMs;
}

/** Creates a folder durably. Throws a usage error if no file can be created in it. */
async function makeFolder(folder: string): Promise<void> {
  try {
    const first = await mkdir(folder, { recursive: true });
    if (first === undefined) return await access(folder, constants.W_OK | constants.X_OK);
    const top = dirname(resolve(first));
    for (let at = dirname(resolve(folder)); ; at = dirname(at)) {
      await nodeFileOps.syncFolder(at);
      if (at === top || at === dirname(at)) break;
    }
  } catch (error) {
    const taken = ['EEXIST', 'ENOTDIR'].includes(systemCode(error) ?? '');
    const why = taken ? 'something that is not a folder has its name' : readProblem(error);
    throw usage(`the folder ${folder} cannot be used: ${why}`, 'choose another --output-dir');
  }
}
