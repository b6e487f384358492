import { basename } from 'node:path';
import type { RunOptions } from '../cli/options.ts';
import { Failure, toFailure } from '../errors.ts';
import { PrivateFolder, privateFolderOf } from '../fs/private-folder.ts';
import { parseFields } from '../output/fields.ts';
import { mapConcurrently } from '../run/map-concurrently.ts';
import type { Run } from '../run/open.ts';
import { assertPaths } from '../run/output.ts';
import type { Reference } from '../run/read-references.ts';
import { failedRequest, type Result, resultOf } from '../run/results.ts';
import type { PagedOperation } from '../service/contract.ts';
import { type Destination, openDestination, targetOf } from './destination.ts';
import { exportOne } from './export-one.ts';
import type { ExportItem, ExportSetup } from './inspect.ts';
import type { ExportRun } from './locked-export.ts';
import { notMounted } from './messages.ts';
import { recordedFile } from './record.ts';
import { ReferenceIndex } from './reference-index.ts';
import { fileOfRun } from './run-header.ts';

/**
 * Exports each reference into its FILE, or brings it up to date: first resolves what no record knows, then exports, those
 * that were interrupted first. Returns the results in input order.
 */
export async function exportAll(
  run: Run,
  operation: PagedOperation,
  inputs: readonly Reference[],
  options: RunOptions,
  destination: Destination,
): Promise<readonly Result[]> {
  const { context, serviceName, report } = run;
  const warn = report.warn.bind(report);
  // Before any request: with a folder that cannot be used, none could succeed.
  const folder = openDestination(destination, options.update);
  const setup = exportSetup({ context, serviceName, warn }, operation, options, destination, folder);
  let results: readonly Result[] = [];
  try {
    results = await exportInto(destination, setup, run, inputs);
    return results;
  } finally {
    // A usage error leaves nothing behind.
    if (results.every(({ failure }) => failure?.exit === 2)) folder?.removeIfUnused();
  }
}

async function exportInto(
  destination: Destination,
  setup: ExportSetup,
  run: Run,
  inputs: readonly Reference[],
): Promise<readonly Result[]> {
  const { report } = run;
  const { folder, options, context } = setup;
  const { concurrency } = options;
  const index = indexOf(setup, destination);
  if (inputs.length > 1) run.shareProgress(inputs.length);
  const resolved = mapConcurrently(inputs, { concurrency }, async (input) => {
    const id = await report.request(() => index.resolve(run, input));
    if (id instanceof Failure) run.progress.referenceDone();
    return id;
  });
  const { items, results } = await groupById(resolved, index, destination);
  const inOrder = (): Result[] => inputs.flatMap(({ value }) => results.get(value) ?? []);
  if (items.length === 0) return inOrder();
  await assertPaths(
    { ...options, output: null },
    context,
    items.map(({ target }) => target.path),
  );
  // An update creates the private folder once it has found a FILE.
  if (folder === null && items.every(({ target: { stats } }) => !stats?.size))
    throw notMounted(destination.folder);
  const created = folder ?? PrivateFolder.openOrCreate(privateFolderOf(destination.folder));
  const exports: ExportRun = { ...run, ...setup, folder: created };
  const ordered = [...items].sort((a, b) => urgency(a, index).localeCompare(urgency(b, index)));
  const done = mapConcurrently(ordered, { concurrency }, (item) =>
    report.work(item, () => exportOne(exports, item)),
  );
  for await (const [item, result] of done) results.set(item.value, withFile(result, item));
  return inOrder();
}

/** What all exports of a run share, dry or not. */
export function exportSetup(
  shared: Pick<ExportSetup, 'context' | 'serviceName' | 'warn'>,
  operation: PagedOperation,
  options: RunOptions,
  { format }: Destination,
  folder: PrivateFolder | null,
): ExportSetup {
  const fields = parseFields(options.fields, operation);
  return { ...shared, operation, options, format, fields, folder, hasFolder: folder !== null };
}

/** The records and interrupted runs of the destination. */
export function indexOf({ operation, folder }: ExportSetup, { file }: Destination): ReferenceIndex {
  const names = file === null ? (folder?.names() ?? []) : [];
  const recorded = names.flatMap((name) => recordedFile(name) ?? fileOfRun(name) ?? []);
  const files = file === null ? new Set(recorded) : [basename(file.real)];
  return new ReferenceIndex(operation.reference, folder, [...files]);
}

/** The result of an item, reached or not, with its ID and FILE. */
const withFile = (result: Result, { id, target: { path, stats }, record }: ExportItem): Result => ({
  ...result,
  id,
  file: path,
  entries: result.entries || (result.failure === null || stats === null ? 0 : (record?.entries ?? 0)),
});

/** A reference, and its ID or why there is none. */
type Resolved = readonly [Reference, string | Failure];

/**
 * Merges references with the same ID into one item; `results`, by reference, has the failures of those without an ID or
 * FILE.
 */
export async function groupById(
  resolved: AsyncIterable<Resolved> | Iterable<Resolved>,
  index: ReferenceIndex,
  destination: Destination,
): Promise<{ readonly items: readonly ExportItem[]; readonly results: Map<string, Result> }> {
  const items = new Map<string, ExportItem>();
  const results = new Map<string, Result>();
  for await (const [input, id] of resolved) {
    if (id instanceof Failure) {
      results.set(input.value, failedRequest(input, id));
      continue;
    }
    if (items.has(id)) continue;
    try {
      const target = targetOf(destination, id);
      items.set(id, { ...input, id, target, record: index.recordOf(basename(target.real)) });
    } catch (error) {
      const failure = toFailure(error);
      results.set(input.value, resultOf(input, { id, failure: failure.with({ scope: 'reference' }) }));
    }
  }
  return { items: [...items.values()], results };
}

/**
 * A text that is smaller the more urgent an export is: interrupted ones first, then those checked longest ago; those that
 * failed last time come last.
 */
function urgency({ target, record }: ExportItem, index: ReferenceIndex): string {
  const rank = record?.checks.failure != null ? 2 : index.isInterrupted(basename(target.real)) ? 0 : 1;
  return `${rank} ${record?.checks.checked ?? ''}`;
}
