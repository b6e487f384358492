import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { findAddress } from '../accounts/settings.ts';
import { Failure, toFailure } from '../errors.ts';
import { isLocked, lockedFailure } from '../fs/file-lock.ts';
import { guardFile, makeFolders, withDescriptor } from '../fs/files.ts';
import { type PrivateFolder, pagesName } from '../fs/private-folder.ts';
import { grouped } from '../run/ending.ts';
import { needsPage, type Position, startPosition, tokenOf } from '../run/list-pages.ts';
import { assertPaths } from '../run/named-files.ts';
import type { DryRun, FirstRequest } from '../run/print-dry-run.ts';
import { type Reference, valid } from '../run/read-references.ts';
import { failedRequest, type Result, resultOf } from '../run/results.ts';
import { type Job, mapConcurrently, type Run, sandboxName } from '../run/run.ts';
import { operations } from '../service/contract.ts';
import { parseReference, resolvedId } from '../service/parse-reference.ts';
import { Archive } from './archive.ts';
import { exportOne } from './export-one.ts';
import { type ExportFolder, type ExportItem, inspect, nameOf, pathOf, timeOf } from './exports.ts';
import { minChannels } from './feed-log.ts';
import { refusal } from './messages.ts';
import { nextStep } from './next-step.ts';
import type { PagesFile } from './pages-file.ts';
import { headerOf, type PagesHeader } from './pages-format.ts';
import { type ArchiveRecord, hasStamp, readRecord, recordedFiles } from './record.ts';
import { updateOf } from './update-archive.ts';

/** Exports each reference into its FILE, or brings it up to date. */
export const exportJob = (exports: ExportFolder, references: readonly Reference[]): Job => ({
  references,
  destination: exports.file?.path ?? exports.path,
  refuse: () => assertExportable(exports, valid(references)),
  firstRequests: () => firstRequests(exports, references),
  work: async (run) => {
    createFolders(exports);
    try {
      return await exportAll(run, exports);
    } finally {
      exports.folder.removeIfUnused();
    }
  },
});

/** Creates the folders that exports need: with one that cannot be used, no request could succeed. Throws usage errors. */
function createFolders({ file, path, folder }: ExportFolder): void {
  if (file === null) guardFile(path, 'open', () => makeFolders(path));
  folder.ensure();
}

/** Throws a usage error if FILE of `-o` cannot take this export: before a request, and before the summary is replaced. */
async function assertExportable(exports: ExportFolder, [reference]: readonly Reference[]): Promise<void> {
  if (exports.file === null || reference === undefined) return;
  try {
    const id = new ReferenceIndex(exports).knownId(reference);
    const item = await inspect(exports, reference, id ?? '', serviceOf(exports));
    // There is a record or an interrupted run, and it may be of the ID that is not known yet.
    if (id === null && (item.record ?? item.interrupted) !== null) item.interrupted?.[Symbol.dispose]();
    else await firstRequest(item);
  } catch (error) {
    // Other failures are reported by the run itself.
    if (!(error instanceof Failure) || error.exit === 2) throw error;
  }
}

const serviceOf = ({ options, context }: ExportFolder): string =>
  options.sandbox ? sandboxName : findAddress(options, context.env).serviceName;

/**
 * Exports each reference into its FILE, or brings it up to date: first resolves what no record knows, then exports, those
 * that were interrupted first. Returns the results in input order.
 */
async function exportAll(run: Run, exports: ExportFolder): Promise<readonly Result[]> {
  const { references } = run;
  const { options, context } = exports;
  const { concurrency } = options;
  const index = new ReferenceIndex(exports);
  const resolved = mapConcurrently(references, { concurrency }, async (reference) => {
    const known = reference.failure ?? index.knownId(reference);
    if (known !== null) return known;
    const parameters = { input: reference.value };
    const id = await run.request(async () =>
      resolvedId(await run.client.call(operations.resolve, parameters, reference.tally)),
    );
    if (id instanceof Failure) run.progress.referenceDone(reference);
    return id;
  });
  const results = new Map<Reference, Result>();
  const found: { readonly reference: Reference; readonly id: string }[] = [];
  for await (const [reference, id] of resolved)
    if (id instanceof Failure) results.set(reference, failedRequest(reference, id));
    else found.push({ reference, id });
  const queue = grouped(found, ({ id }) => id).map(([{ reference, id }, ...others]) => {
    const given = others.map((other) => other.reference);
    return { id, reference, given, name: nameOf(exports, id), path: pathOf(exports, id) };
  });
  const paths = queue.map(({ path }) => path);
  assertPaths({ ...options, output: null, exports: paths }, context);
  const sortKey = (name: string): string => index.sortKey(name, options.all);
  queue.sort((a, b) => sortKey(a.name).localeCompare(sortKey(b.name)));
  const exportQueue = async (items: typeof queue): Promise<void> => {
    const done = mapConcurrently(items, { concurrency }, ({ id, reference, given }) =>
      run.work(reference, () => exportOne(run, exports, reference, id, given)),
    );
    for await (const [{ id, reference, name, path }, result] of done) {
      const isKept = result.failure !== null && existsSync(path);
      const entries = result.entries || (isKept && index.records.get(name)?.entries) || 0;
      results.set(reference, { ...result, id, file: path, entries });
    }
  };
  // New channels do not keep old ones waiting.
  const updates = queue.filter(({ name }) => index.records.has(name));
  const firstExports = queue.filter(({ name }) => !index.records.has(name));
  const { feeds } = exports;
  feeds.mayReplace = updates.length < minChannels;
  await exportQueue(updates);
  feeds.mayReplace = true;
  if (!feeds.isServiceOut())
    await exportQueue(updates.filter(({ reference }) => feeds.waiting.has(reference)));
  await exportQueue(firstExports);
  return feeds.explain(
    run,
    references.flatMap((reference) => results.get(reference) ?? []),
  );
}

/** What the records and interrupted runs beside the FILEs say; what cannot be read stops its own export only. */
class ReferenceIndex {
  readonly records = new Map<string, ArchiveRecord>();
  readonly #interrupted = new Set<string>();
  readonly #ids = new Map<string, string>();

  constructor({ file, folder, operation }: ExportFolder) {
    const note = (reference: string, id: string): void => {
      this.#ids.set(parseReference(reference, operation.reference).value, id);
    };
    for (const name of file === null ? recordedFiles(folder) : [basename(file.real)])
      try {
        const header = readHeader(folder, name);
        if (header !== null) this.#interrupted.add(name);
        const record = readRecord(folder, name);
        if (record !== null) this.records.set(name, record);
        if (header !== null) note(header.reference, header.request.id);
        if (record !== null) for (const each of [record.reference, ...record.others]) note(each, record.id);
      } catch (error) {
        // A recorded reference may be of another command.
        if (!(error instanceof Failure)) throw error;
      }
  }

  /** The ID of a reference: its own, or the one that an archive or an interrupted run has; null otherwise. */
  knownId({ id, value }: Reference): string | null {
    return id ?? this.#ids.get(value) ?? null;
  }

  /**
   * Sort key: archives before first exports; within each: interrupted, then oldest check (`all`: oldest full read), then
   * failed last time.
   */
  sortKey(name: string, all: boolean): string {
    const record = this.records.get(name);
    const { failure = null, checked = null } = record?.checks ?? {};
    const rank = failure !== null ? 2 : this.#interrupted.has(name) ? 0 : 1;
    return `${record === undefined ? 1 : 0} ${rank} ${(all ? record?.whole : checked) ?? ''}`;
  }
}

/** What the pages of an interrupted run say about it; null if there are none that this version can read. */
function readHeader(folder: PrivateFolder, name: string): PagesHeader | null {
  const fd = folder.openRead(pagesName(name));
  const header = fd === null ? null : withDescriptor(fd, headerOf);
  return header === 'of another version' ? null : header;
}

/** The first request of each reference, and the results of those that a run would refuse: a run that stops before it. */
async function firstRequests(exports: ExportFolder, references: readonly Reference[]): Promise<DryRun> {
  const { options } = exports;
  const service = serviceOf(exports);
  const index = new ReferenceIndex(exports);
  const ids = new Set<string>();
  const requests: FirstRequest[] = [];
  const results: Result[] = [];
  const { resolve } = operations;
  const nextCost = options.update && !options.all ? 0 : 1;
  for (const reference of references) {
    const id = index.knownId(reference);
    const parameters = { input: reference.value };
    if (reference.failure !== null) results.push(resultOf(reference));
    else if (id === null) requests.push({ ...reference, operation: resolve, parameters, nextCost });
    else if (!ids.has(id))
      try {
        ids.add(id);
        const item = await inspect(exports, reference, id, service);
        const request = await firstRequest(item);
        if (mayBeRefused(item)) await new Archive(item, options.all).read();
        requests.push(request);
      } catch (error) {
        results.push(resultOf(reference, { failure: toFailure(error).with({ scope: 'reference' }) }));
      }
  }
  return { requests, results };
}

/** Whether a run would read FILE before it buys, and could refuse it. */
function mayBeRefused({ exports, existing, interrupted, target: { stats } }: ExportItem): boolean {
  const step = nextStep(existing, exports.options);
  const isResumed = step === 'resume' && interrupted?.header.update && !hasStamp(stats, interrupted.end);
  return existing.file !== 'archive' && (step === 'update' || !!isResumed);
}

async function firstRequest(item: ExportItem): Promise<FirstRequest> {
  const {
    exports,
    reference: { reference },
    id,
    name,
    target,
  } = item;
  const { operation, options } = exports;
  using interrupted = item.interrupted;
  if (await isLocked(exports.folder, name)) throw lockedFailure(target.path);
  const step = nextStep(item.existing, options);
  const parameters = { [operation.parameters[0].name]: id };
  switch (step) {
    case 'export':
      return { reference, operation, parameters, nextCost: 0 };
    case 'update':
      if (operation.name === 'playlist') return { reference, operation, parameters, nextCost: 0 };
      return {
        reference,
        operation: operations.latest,
        parameters: { channel: id },
        nextCost: options.all ? 1 : 0,
      };
    case 'keep':
    case 'resume': {
      const position = interrupted && nextPosition(item, interrupted);
      if (position === null || position.next === 'stuck' || !needsPage(position, options.limit))
        return { reference, operation: null, parameters: {} };
      const continuation = tokenOf(position.next);
      return {
        reference,
        operation,
        parameters: continuation === null ? parameters : { continuation },
        nextCost: 0,
      };
    }
    default:
      throw refusal(step, item);
  }
}

/** Where a run resumes; `--all` starts over after a plain update, or if FILE has changed since. */
function nextPosition(item: ExportItem, pages: PagesFile): Position {
  const { update, all } = item.exports.options;
  const isEnded = hasStamp(item.target.stats, pages.end);
  if (pages.header.update === null || isEnded) return pages.position;
  const isResumed = updateOf(pages, new Archive(item, update && all), timeOf(item)) === pages.header.update;
  return isResumed ? pages.position : startPosition;
}
