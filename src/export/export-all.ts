import { existsSync } from 'node:fs';
import { changeRecord } from '../archive/record.ts';
import { ReferenceIndex } from '../archive/reference-index.ts';
import { Failure, toFailure } from '../errors.ts';
import { guardFile, makeFolders } from '../fs/files.ts';
import { grouped } from '../run/ending.ts';
import { mapConcurrently } from '../run/map-concurrently.ts';
import { type Reference, validOnly } from '../run/read-references.ts';
import { type Result, resultOf } from '../run/results.ts';
import type { Job, Run } from '../run/run.ts';
import { operations } from '../service/contract.ts';
import { resolvedId } from '../service/parse-reference.ts';
import { exportOne, lockExport, mergeResults } from './export-one.ts';
import { type ExportFolder, nameOf, pathOf } from './exports.ts';
import { minChannels } from './feed-log.ts';
import { assertExportable, firstRequests } from './first-requests.ts';

export const exportJob = (exportFolder: ExportFolder, references: readonly Reference[]): Job => ({
  references,
  destination: exportFolder.file?.path ?? exportFolder.path,
  assertPossible: () => assertExportable(exportFolder, validOnly(references)),
  firstRequests: () => firstRequests(exportFolder, references),
  work: async (run) => {
    createFolders(exportFolder);
    try {
      return await exportAll(run, exportFolder);
    } finally {
      exportFolder.privateFolder.removeIfUnused();
    }
  },
});

/** Creates the folders that exports need: with one that cannot be used, no request could succeed. Throws usage errors. */
function createFolders({ file, path, privateFolder }: ExportFolder): void {
  if (file === null) guardFile(path, 'usage', () => makeFolders(path));
  privateFolder.ensure();
}

/** One FILE of a run: `reference` has its result, `aliases` lead to the same ID. */
interface QueuedExport {
  readonly id: string;
  readonly name: string;
  readonly reference: Reference;
  readonly aliases: readonly Reference[];
}

/** What the exports of a run share. */
interface ExportState {
  readonly run: Run;
  readonly exportFolder: ExportFolder;
  readonly index: ReferenceIndex;
  /** Results so far. An alias has none. */
  readonly results: Map<Reference, Result>;
}

/**
 * Exports each reference into its FILE, or brings it up to date. Returns the results in input order. Archives come first:
 * new references, and those that cannot be resolved, do not keep them waiting.
 */
async function exportAll(run: Run, exportFolder: ExportFolder): Promise<readonly Result[]> {
  const { references } = run;
  const { feeds } = exportFolder;
  const index = new ReferenceIndex(exportFolder);
  const state: ExportState = { run, exportFolder, index, results: new Map() };
  const hasRecord = (reference: Reference): boolean => {
    const id = index.knownId(reference);
    return id !== null && index.records.has(nameOf(exportFolder, id));
  };
  const archives = await queueOf(state, references.filter(hasRecord));
  await exportQueue(state, archives);
  const done = new Set(archives.map(({ id }) => id));
  const others = references.filter((reference) => !hasRecord(reference));
  const resolved = await queueOf(state, others);
  const newExports = resolved.filter(({ id }) => !done.has(id));
  await exportQueue(state, newExports);
  for (const item of resolved) if (done.has(item.id)) await recordAliases(state, item);
  const explained = feeds.explain(references.flatMap((reference) => state.results.get(reference) ?? []));
  run.warnings.push(...explained.warnings);
  if (explained.outage !== null && run.endedBy?.code === 'no_feed')
    run.fail(explained.outage, { replaces: true });
  return explained.results;
}

/** Resolves references, and returns their exports in the order in which they are done. */
async function queueOf(
  { run, exportFolder, index, results }: ExportState,
  references: readonly Reference[],
): Promise<readonly QueuedExport[]> {
  const { concurrency, all } = exportFolder.options;
  const resolved = mapConcurrently(references, { concurrency }, (reference) =>
    resolve(run, index, reference),
  );
  const found: { readonly reference: Reference; readonly id: string }[] = [];
  for await (const [reference, id] of resolved)
    if (id instanceof Failure) results.set(reference, resultOf(reference, { failure: id }));
    else found.push({ reference, id });
  const queue = grouped(found, ({ id }) => id).map(([{ reference, id }, ...others]) => {
    const aliases = others.map((other) => other.reference);
    return { id, reference, aliases, name: nameOf(exportFolder, id) };
  });
  return queue.sort((a, b) => index.compare(a.name, b.name, all));
}

/** Updates archives, then exports what has none. */
async function exportQueue(state: ExportState, queue: readonly QueuedExport[]): Promise<void> {
  const { exportFolder, index, results } = state;
  const { feeds } = exportFolder;
  const updates = queue.filter(({ name }) => index.records.has(name));
  const firstExports = queue.filter(({ name }) => !index.records.has(name));
  feeds.mayBuyPages = updates.length < minChannels;
  await exportEach(state, updates);
  feeds.mayBuyPages = true;
  const deferred = updates.filter(({ id }) => feeds.deferred.has(id));
  if (!feeds.isServiceOut([...results.values()])) await exportEach(state, deferred);
  await exportEach(state, firstExports);
}

/** Records references of an archive that this run has updated under another one, so that they are not resolved again. */
async function recordAliases({ run, exportFolder, results }: ExportState, item: QueuedExport): Promise<void> {
  const { id, name, reference, aliases } = item;
  try {
    using _lock = await lockExport(run, exportFolder, id);
    const others = [reference, ...aliases].flatMap((alias) => alias.reference ?? []);
    changeRecord(exportFolder.privateFolder, name, id, (record) => ({
      others: [...record.others, ...others],
    }));
  } catch (error) {
    results.set(reference, resultOf(reference, { failure: toFailure(error).with({ scope: 'reference' }) }));
  }
}

async function exportEach(
  { run, exportFolder, index, results }: ExportState,
  items: readonly QueuedExport[],
): Promise<void> {
  const { concurrency } = exportFolder.options;
  const done = mapConcurrently(items, { concurrency }, ({ id, reference, aliases }) =>
    run.work(reference, () => exportOne(run, exportFolder, reference, id, aliases)),
  );
  for await (const [{ id, reference, name }, result] of done) {
    const file = pathOf(exportFolder, id);
    // A FILE that stays has the entries that are recorded.
    const isKept = result.failure !== null && result.entries === 0 && existsSync(file);
    const entries = isKept ? (index.records.get(name)?.entries ?? 0) : result.entries;
    const located = { ...result, id, file, entries };
    const earlier = results.get(reference);
    results.set(reference, earlier === undefined ? located : mergeResults(earlier, located));
  }
}

/** Returns the ID of a reference, or why it has none. Asks the service only for what no record knows. */
async function resolve(run: Run, index: ReferenceIndex, reference: Reference): Promise<string | Failure> {
  const known = reference.failure ?? index.knownId(reference);
  if (known !== null) return known;
  const parameters = { input: reference.value };
  const id = await run.request(async () =>
    resolvedId(await run.client.call(operations.resolve, parameters, reference.tally)),
  );
  if (id instanceof Failure) run.progress.referenceDone(reference);
  return id;
}
