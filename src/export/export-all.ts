import { existsSync, rmdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { changeRecord } from '../archive/record.ts';
import { ReferenceIndex } from '../archive/reference-index.ts';
import { Failure } from '../errors.ts';
import { makeFolders, withFileErrors } from '../fs/files.ts';
import { forEachConcurrently } from '../run/map-concurrently.ts';
import { type Reference, validReferences } from '../run/read-references.ts';
import { type Result, resultOf } from '../run/results.ts';
import type { Job, Run } from '../run/run.ts';
import { operations } from '../service/contract.ts';
import { resolvedId } from '../service/parse-reference.ts';
import { type ExportFolder, nameOf, pathOf } from './export-item.ts';
import { exportOne, lockExport, mergeResults } from './export-one.ts';
import { assertExportable, firstRequests } from './first-requests.ts';

export const exportJob = (exportFolder: ExportFolder, references: readonly Reference[]): Job => ({
  references,
  destination: exportFolder.file?.path ?? exportFolder.path,
  assertPossible: () => assertExportable(exportFolder, validReferences(references)),
  firstRequests: () => firstRequests(exportFolder, references),
  work: async (run) => {
    using _folders = createFolders(exportFolder);
    return await exportAll(run, exportFolder);
  },
});

/**
 * Creates the folders that exports need, before anything is sent. Throws usage errors for folders that cannot be used.
 * Disposing of the result removes the created folders that are still empty.
 */
function createFolders({ file, path, privateFolder }: ExportFolder): Disposable {
  const missing: string[] = [];
  const removeEmpty = (): void => {
    privateFolder.removeIfUnused();
    for (const folder of missing)
      try {
        rmdirSync(folder);
      } catch {
        // It is not empty, or was never created.
      }
  };
  try {
    withFileErrors(path, 'usage', () => {
      let folder = resolve(path);
      while (!existsSync(folder)) {
        missing.push(folder);
        folder = dirname(folder);
      }
      if (file === null) makeFolders(path);
    });
    privateFolder.ensure();
  } catch (error) {
    removeEmpty();
    throw error;
  }
  return { [Symbol.dispose]: removeEmpty };
}

interface ResolvedReference {
  readonly reference: Reference;
  readonly id: string;
}

/** What the exports of a run share. */
interface ExportState {
  readonly run: Run;
  readonly exportFolder: ExportFolder;
  readonly index: ReferenceIndex;
  /** Results so far. */
  readonly results: Map<Reference, Result>;
  /** The first reference of each ID, so far. */
  readonly claimed: Map<string, Reference>;
  /** References whose ID an earlier reference has claimed. They get no result of their own. */
  readonly aliases: ResolvedReference[];
}

/**
 * Exports each reference into its FILE, or brings it up to date. Returns the results in input order. Archives come first: they
 * do not wait for new references, or for references that cannot be resolved.
 */
async function exportAll(run: Run, exportFolder: ExportFolder): Promise<readonly Result[]> {
  const { options, feeds } = exportFolder;
  const index = new ReferenceIndex(exportFolder);
  const results = new Map<Reference, Result>();
  const state: ExportState = { run, exportFolder, index, results, claimed: new Map(), aliases: [] };
  const nameFor = (reference: Reference): string => {
    const id = index.knownId(reference);
    return id === null ? '' : nameOf(exportFolder, id);
  };
  const queue = run.references.toSorted((a, b) => index.compare(nameFor(a), nameFor(b), options.all));
  const now = exportFolder.context.clock.now();
  const isArchive = (reference: Reference): boolean => index.comesFirst(nameFor(reference), now);
  await exportEach(state, queue.filter(isArchive));
  await exportEach(
    state,
    queue.filter((reference) => !isArchive(reference)),
  );
  for (const alias of state.aliases) await recordAlias(state, alias);
  const explained = feeds.explain(run.references.flatMap((reference) => results.get(reference) ?? []));
  run.warnings.push(...explained.warnings);
  if (explained.outage !== null && run.endedBy?.code === 'no_feed')
    run.fail(explained.outage, { replaces: true });
  return explained.results;
}

/** Exports each reference as soon as it is resolved: each page that is bought shows that the service works. */
async function exportEach(state: ExportState, references: readonly Reference[]): Promise<void> {
  const { run, exportFolder, index, results, claimed, aliases } = state;
  const { feeds, options } = exportFolder;
  await forEachConcurrently(references, options, async (reference) => {
    const id = await resolveId(run, index, reference);
    if (id instanceof Failure) results.set(reference, resultOf(reference, { failure: id }));
    else if (claimed.has(id)) aliases.push({ reference, id });
    else {
      claimed.set(id, reference);
      await exportOrUpdate(state, { reference, id });
    }
  });
  // An earlier call may have deferred references before a feed in this call showed that the service works.
  const due = feeds.replaceable([...results.values()]);
  await forEachConcurrently(due, options, async (id) => {
    const reference = claimed.get(id);
    if (reference !== undefined) await exportOrUpdate(state, { reference, id });
    feeds.deferred.delete(id);
  });
}

/** Adds an alias to the record of an archive. Ignores failures: the next run would resolve the alias again, for free. */
async function recordAlias(
  { run, exportFolder, index }: ExportState,
  { reference, id }: ResolvedReference,
): Promise<void> {
  const alias = reference.given;
  if (alias === null || index.knownId(reference) !== null) return;
  try {
    using _lock = await lockExport(run, exportFolder, id);
    changeRecord(exportFolder.privateFolder, nameOf(exportFolder, id), id, ({ aliases }) => ({
      aliases: [...aliases, alias],
    }));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}

async function exportOrUpdate(
  { run, exportFolder, index, results }: ExportState,
  { reference, id }: ResolvedReference,
): Promise<void> {
  const result = await run.attempt(reference, () => exportOne(run, exportFolder, reference, id));
  const file = pathOf(exportFolder, id);
  // FILE was not replaced: its record says how many entries it has.
  const isKept = result.failure !== null && result.entries === 0 && existsSync(file);
  const recorded = index.records.get(nameOf(exportFolder, id))?.entries ?? 0;
  const located = { ...result, id, file, entries: isKept ? recorded : result.entries };
  const earlier = results.get(reference);
  results.set(reference, earlier === undefined ? located : mergeResults(earlier, located));
}

/** Returns the ID of a reference, or the failure to find it. Asks the service only if no record or pages file has the ID. */
async function resolveId(run: Run, index: ReferenceIndex, reference: Reference): Promise<string | Failure> {
  const known = reference.failure ?? index.knownId(reference);
  if (known !== null) return known;
  const parameters = { input: reference.value };
  const id = await run.request(async () =>
    resolvedId(await run.client.call(operations.resolve, parameters, reference.tally)),
  );
  if (id instanceof Failure) run.progress.referenceDone(reference);
  return id;
}
