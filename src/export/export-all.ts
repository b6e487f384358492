import { existsSync } from 'node:fs';
import { ReferenceIndex } from '../archive/reference-index.ts';
import { Failure } from '../errors.ts';
import { guardFile, makeFolders } from '../fs/files.ts';
import { grouped } from '../run/ending.ts';
import { mapConcurrently } from '../run/map-concurrently.ts';
import { assertPaths } from '../run/named-files.ts';
import { type Reference, validOnly } from '../run/read-references.ts';
import { type Result, resultOf } from '../run/results.ts';
import type { Job, Run } from '../run/run.ts';
import { operations } from '../service/contract.ts';
import { resolvedId } from '../service/parse-reference.ts';
import { exportOne, mergeResults } from './export-one.ts';
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

/**
 * Exports each reference into its FILE, or brings it up to date. First resolves what no record knows; updates come before
 * first exports. Returns the results in input order.
 */
async function exportAll(run: Run, exportFolder: ExportFolder): Promise<readonly Result[]> {
  const { references } = run;
  const { options, context, feeds } = exportFolder;
  const { concurrency } = options;
  const index = new ReferenceIndex(exportFolder);
  const results = new Map<Reference, Result>();
  const found: { readonly reference: Reference; readonly id: string }[] = [];
  const resolved = mapConcurrently(references, { concurrency }, (reference) =>
    resolve(run, index, reference),
  );
  for await (const [reference, id] of resolved)
    if (id instanceof Failure) results.set(reference, resultOf(reference, { failure: id }));
    else found.push({ reference, id });
  const queue = grouped(found, ({ id }) => id).map(([{ reference, id }, ...others]) => {
    const aliases = others.map((other) => other.reference);
    return { id, reference, aliases, name: nameOf(exportFolder, id), path: pathOf(exportFolder, id) };
  });
  const paths = queue.map(({ path }) => path);
  assertPaths({ ...options, output: null, exports: paths }, context);
  queue.sort((a, b) => index.compare(a.name, b.name, options.all));
  const exportQueue = async (items: typeof queue): Promise<void> => {
    const done = mapConcurrently(items, { concurrency }, ({ id, reference, aliases }) =>
      run.work(reference, () => exportOne(run, exportFolder, reference, id, aliases)),
    );
    for await (const [{ id, reference, name, path }, result] of done) {
      // A FILE that stays has the entries that are recorded.
      const isKept = result.failure !== null && result.entries === 0 && existsSync(path);
      const entries = isKept ? (index.records.get(name)?.entries ?? 0) : result.entries;
      const located = { ...result, id, file: path, entries };
      const earlier = results.get(reference);
      results.set(reference, earlier === undefined ? located : mergeResults(earlier, located));
    }
  };
  // New channels do not keep old ones waiting.
  const updates = queue.filter(({ name }) => index.records.has(name));
  const firstExports = queue.filter(({ name }) => !index.records.has(name));
  feeds.mayBuyPages = updates.length < minChannels;
  await exportQueue(updates);
  feeds.mayBuyPages = true;
  if (!feeds.isServiceOut([...results.values()]))
    await exportQueue(updates.filter(({ id }) => feeds.deferred.has(id)));
  await exportQueue(firstExports);
  const explained = feeds.explain(references.flatMap((reference) => results.get(reference) ?? []));
  run.warnings.push(...explained.warnings);
  if (explained.outage !== null && run.endedBy?.code === 'no_feed') run.fail(explained.outage, true);
  return explained.results;
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
