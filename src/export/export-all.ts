import { existsSync } from 'node:fs';
import { changeRecord } from '../archive/record.ts';
import { ReferenceIndex } from '../archive/reference-index.ts';
import { Failure, toFailure } from '../errors.ts';
import { guardFile, makeFolders } from '../fs/files.ts';
import { forEachConcurrently } from '../run/map-concurrently.ts';
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

interface QueuedExport {
  readonly reference: Reference;
  readonly id: string;
}

/** What the exports of a run share. */
interface ExportState {
  readonly run: Run;
  readonly exportFolder: ExportFolder;
  readonly index: ReferenceIndex;
  /** Results so far. A second reference of an ID has none. */
  readonly results: Map<Reference, Result>;
}

/**
 * Exports each reference into its FILE, or brings it up to date. Returns the results in input order. Archives come first: new
 * references, and those that cannot be resolved, do not keep them waiting.
 */
async function exportAll(run: Run, exportFolder: ExportFolder): Promise<readonly Result[]> {
  const { options, feeds } = exportFolder;
  const index = new ReferenceIndex(exportFolder);
  const state: ExportState = { run, exportFolder, index, results: new Map() };
  const nameOfKnown = (reference: Reference): string => {
    const id = index.knownId(reference);
    return id === null ? '' : nameOf(exportFolder, id);
  };
  const references = [...run.references].sort((a, b) =>
    index.compare(nameOfKnown(a), nameOfKnown(b), options.all),
  );
  const isArchive = (reference: Reference): boolean => index.isUpdatable(nameOfKnown(reference));
  const archives = new Map<string, QueuedExport>();
  for (const reference of references.filter(isArchive)) {
    const id = index.knownId(reference);
    if (id !== null && !archives.has(id)) archives.set(id, { reference, id });
  }
  await updateArchives(state, [...archives.values()]);
  const others = references.filter((reference) => !isArchive(reference));
  await exportOthers(state, others, new Set(archives.keys()));
  const results = run.references.flatMap((reference) => state.results.get(reference) ?? []);
  const explained = feeds.explain(results);
  run.warnings.push(...explained.warnings);
  if (explained.outage !== null && run.endedBy?.code === 'no_feed')
    run.fail(explained.outage, { replaces: true });
  return explained.results;
}

async function updateArchives(state: ExportState, archives: readonly QueuedExport[]): Promise<void> {
  const { feeds, options } = state.exportFolder;
  const updateEach = (items: readonly QueuedExport[]): Promise<void> =>
    forEachConcurrently(items, options, (item) => exportItem(state, item));
  feeds.mayBuyPages = archives.length < minChannels;
  await updateEach(archives);
  feeds.mayBuyPages = true;
  const deferred = archives.filter(({ id }) => feeds.deferred.has(id));
  if (!feeds.isServiceOut([...state.results.values()])) await updateEach(deferred);
}

/** Resolves each reference and exports it at once: the pages that are bought show that the service works. */
async function exportOthers(
  state: ExportState,
  references: readonly Reference[],
  done: Set<string>,
): Promise<void> {
  const { run, exportFolder, index, results } = state;
  const aliases: QueuedExport[] = [];
  await forEachConcurrently(references, exportFolder.options, async (reference) => {
    const id = await resolve(run, index, reference);
    if (id instanceof Failure) results.set(reference, resultOf(reference, { failure: id }));
    else if (done.has(id)) aliases.push({ reference, id });
    else {
      done.add(id);
      await exportItem(state, { reference, id });
    }
  });
  for (const alias of aliases) await recordAlias(state, alias);
}

/** Records another reference of an archive, so that it is not resolved again. */
async function recordAlias(state: ExportState, { reference, id }: QueuedExport): Promise<void> {
  const { run, exportFolder, index, results } = state;
  const alias = reference.reference;
  if (alias === null || index.knownId(reference) !== null) return;
  try {
    using _lock = await lockExport(run, exportFolder, id);
    changeRecord(exportFolder.privateFolder, nameOf(exportFolder, id), id, ({ others }) => ({
      others: [...others, alias],
    }));
  } catch (error) {
    results.set(reference, resultOf(reference, { failure: toFailure(error).with({ scope: 'reference' }) }));
  }
}

async function exportItem(
  { run, exportFolder, index, results }: ExportState,
  { reference, id }: QueuedExport,
): Promise<void> {
  const result = await run.work(reference, () => exportOne(run, exportFolder, reference, id));
  const file = pathOf(exportFolder, id);
  // A FILE that stays has the entries that are recorded.
  const isKept = result.failure !== null && result.entries === 0 && existsSync(file);
  const recorded = index.records.get(nameOf(exportFolder, id))?.entries ?? 0;
  const located = { ...result, id, file, entries: isKept ? recorded : result.entries };
  const earlier = results.get(reference);
  results.set(reference, earlier === undefined ? located : mergeResults(earlier, located));
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
