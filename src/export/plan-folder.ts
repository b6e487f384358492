import { access, constants, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure, systemCode, usage } from '../errors.ts';
import { nodeFileOps } from '../fs/file-ops.ts';
import { memoryFolder } from '../fs/kept-names.ts';
import { acquireLock } from '../fs/lock.ts';
import { makeFolders } from '../fs/make-folders.ts';
import { readProblem } from '../fs/read-input.ts';
import { resolveTarget, type Target } from '../fs/target.ts';
import type { FileFormat } from '../output/formats.ts';
import { commandFor, resumeInstruction } from '../run/command-line.ts';
import { concurrently } from '../run/concurrently.ts';
import { filesOf } from '../run/outputs.ts';
import type { Receipt } from '../run/receipts.ts';
import { firstOf, shortNames } from '../run/reports.ts';
import type { ListingStart, ListingTask } from '../run/run-listing.ts';
import { otherFiles, type Session, type SessionPlan } from '../run/session.ts';
import { listingCost } from '../service/contract.ts';
import { count, credits } from '../text/count.ts';
import { dryRunRequest } from './dry-run-request.ts';
import { exportReference } from './export-reference.ts';
import { type ExportSettings, exportRun, settingsOf } from './export-settings.ts';
import { IdIndex, withKnownId } from './id-index.ts';
import type { ExportRun } from './job.ts';
import { isExportName, readFolderMemories, readMemory, writeMemory } from './memory.ts';

/** IDs that are safe as file names. */
const fileId = /^[A-Za-z0-9_-]+$/;

/** Plans the export of each reference into a file of its own in a folder. */
export async function planFolder(task: ListingTask, folder: string): Promise<SessionPlan> {
  const { options, starts } = task;
  const receipts = starts.map(({ receipt }) => receipt);
  const settings = settingsOf(task, options.shared.format ?? 'ndjson', folder, true);
  const checkSeparate = await separateExports(settings, folder, starts);
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
      const unreached = left.flatMap(({ pages, reference }) =>
        pages === 0 && reference !== null ? [reference] : [],
      );
      const rest =
        options.restart && unreached.length > 0
          ? `; to export the others again: ${commandFor(options.invocation, unreached)}`
          : '';
      return `${done()} of ${starts.length} done; ${resumeInstruction(options, unreached)}${rest}`;
    },
    work: (session) => exportFolder(session, settings, folder, checkSeparate),
  };
}

/** Exports all references of a call into a folder: each ID once, those that the last run interrupted first. */
async function exportFolder(
  session: Session,
  settings: ExportSettings,
  folder: string,
  checkSeparate: (target: Target) => void,
): Promise<void> {
  const { task, format } = settings;
  const { starts, options } = task;
  await makeFolder(folder);
  const found = await readFolderMemories(folder);
  session.shareProgress();
  const run = exportRun(session, settings);
  const index = new IdIndex(found.memories, run);
  // If all references are known, other exports in the folder do not matter.
  const unknown = starts.every((start) => index.memoryOf(start) !== null) ? [] : found.unknown;
  warnOfMemories(session, folder, found.problems, format, unknown);
  const exported = new Set<string>();
  const repeated: ListingStart[] = [];
  const locate = async (start: ListingStart) => {
    const { receipt } = start;
    const id = await index.idOf(start, run);
    if (!fileId.test(id))
      throw new Failure('bad_answer', 'the ID from the service cannot name a file', { status: 200 });
    receipt.id = id;
    const path = join(folder, `${id}.${format}`);
    receipt.file = path;
    if (exported.has(id)) {
      repeated.push(start);
      return null;
    }
    exported.add(id);
    const target = await resolveTarget(path);
    checkSeparate(target);
    return { target, id };
  };
  const order = interruptedFirst(starts, index, found.interrupted, format);
  const pool = { concurrency: options.concurrency, lookahead: Number.POSITIVE_INFINITY };
  const work = (start: ListingStart): Promise<void> => exportReference(run, start, () => locate(start));
  for await (const _ of concurrently(order, pool, work));
  const unreported = await rememberRepeated(run, repeated);
  if (unreported.length > 0)
    session.stderr.warn(
      `${count(unreported.length, 'reference resolves', 'references resolve')} to the ID of another one and ${unreported.length === 1 ? 'is' : 'are'} exported once: ${shortNames(unreported.flatMap(({ label }) => label ?? []))}`,
    );
  warnOfKept(session, task);
  try {
    session.throwIfEnded();
  } finally {
    await index.noteUnreached(folder, run);
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
): Promise<(target: Target) => void> {
  const { options, context } = task;
  const { checkApart } = await import('../fs/apart.ts');
  const checkNext = await checkApart([...filesOf(options), ...otherFiles(options.shared, context.env)]);
  const known = new Set<string>();
  for (const start of starts) {
    const target = await knownTarget(start, folder, format);
    if (target === null || known.has(target.real)) continue;
    checkNext('--output-dir', target);
    known.add(target.real);
  }
  return (target) => {
    if (!known.has(target.real)) checkNext('--output-dir', target);
  };
}

/** The file of a reference in a folder; null if its name is known only after a request, or it cannot be examined. */
async function knownTarget({ id }: ListingStart, folder: string, format: string): Promise<Target | null> {
  if (id === null) return null;
  return await resolveTarget(join(folder, `${id}.${format}`)).catch(() => null);
}

/**
 * Notes references that lead to the ID of another one in the memory of that export; returns those that it did not
 * know. A memory that another run is writing is left for the next time.
 */
async function rememberRepeated(run: ExportRun, repeated: readonly ListingStart[]): Promise<Receipt[]> {
  const unreported: Receipt[] = [];
  for (const { value, receipt } of repeated) {
    const { file } = receipt;
    if (file === null || value === null) continue;
    try {
      const lock = await acquireLock(file);
      try {
        const memory = await readMemory(file);
        if (memory !== null && Object.hasOwn(memory.references, value)) continue;
        unreported.push(receipt);
        if (memory === null) continue;
        const resolved = run.resolved.get(value) ?? null;
        const references = { ...memory.references, [value]: resolved };
        await writeMemory(file, { ...memory, references }, false);
      } finally {
        await lock.release();
      }
    } catch {
      unreported.push(receipt);
    }
  }
  return unreported;
}

/** In a folder complete exports are kept: one warning names both flags. */
function warnOfKept(session: Session, { starts, operation }: ListingTask): void {
  const kept = starts.filter(({ receipt }) => receipt.status === 'kept' && receipt.failure === null);
  if (kept.length === 0) return;
  const isKnown = kept.every(({ receipt }) => receipt.entries > 0);
  const all = kept.reduce((sum, { receipt }) => sum + listingCost(receipt.entries), 0);
  const cost = isKnown ? `about ${credits(all)}` : '1 credit per page';
  const them = kept.length === 1 ? 'it' : 'them';
  const update = operation.updatable
    ? `--update brings ${them} up to date (free if there is nothing new), `
    : '';
  session.stderr.warn(
    `${count(kept.length, 'complete export is', 'complete exports are')} kept; ${update}--restart exports ${them} again (${cost})`,
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
  const parts: string[] = [];
  if (problems.length > 0) parts.push(firstOf(problems));
  if (lost.length > 0)
    parts.push(
      `${folder} has ${count(lost.length, 'export', 'exports')} without a memory in ${folder}/${memoryFolder}: ${shortNames(lost)}`,
    );
  if (parts.length > 0)
    session.stderr.warn(
      `${parts.join('; ')}; the exports are used as they are, which takes a few more requests`,
    );
}

/** The references with those first that the last run interrupted or did not reach. */
function interruptedFirst(
  starts: readonly ListingStart[],
  index: IdIndex,
  interrupted: ReadonlySet<string>,
  format: FileFormat,
): ListingStart[] {
  const isFirst = (start: ListingStart): boolean => {
    const memory = index.memoryOf(start);
    const id = start.id ?? memory?.id;
    return memory?.interrupted === true || (id !== undefined && interrupted.has(`${id}.${format}`));
  };
  return [...starts.filter(isFirst), ...starts.filter((start) => !isFirst(start))];
}

/** Creates a folder durably. Throws a usage error if no file can be created in it. */
async function makeFolder(folder: string): Promise<void> {
  try {
    const first = makeFolders(folder);
    if (first === null) return await access(folder, constants.W_OK | constants.X_OK);
    const top = dirname(resolve(first));
    for (let at = dirname(resolve(folder)); ; at = dirname(at)) {
      await nodeFileOps.syncFolder(at);
      if (at === top || at === dirname(at)) break;
    }
  } catch (error) {
    const code = systemCode(error) ?? '';
    const taken = ['EEXIST', 'ENOTDIR'].includes(code);
    const missing = code === 'ENOENT' ? 'nothing can be created there' : readProblem(error);
    const why = taken ? 'something that is not a folder has its name' : missing;
    throw usage(`the folder ${folder} cannot be used: ${why}`, 'choose another --output-dir');
  }
}
