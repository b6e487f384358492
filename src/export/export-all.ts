import { basename } from 'node:path';
import type { ListingOptions } from '../cli/options.ts';
import { Failure, toFailure } from '../errors.ts';
import { PrivateFolder } from '../fs/private-folder.ts';
import { parseFields } from '../output/fields.ts';
import { Stdout } from '../output/stdout.ts';
import { mapConcurrently } from '../run/map-concurrently.ts';
import type { Run } from '../run/open.ts';
import { assertPaths } from '../run/output.ts';
import { type InputReference, sameAs } from '../run/read-references.ts';
import { failedRequest, type Result, resultOf } from '../run/results.ts';
import type { PagedOperation } from '../service/contract.ts';
import { type Destination, hasExports, preparePrivateFolder, targetOf } from './destination.ts';
import { exportItem, rememberReferences } from './export-one.ts';
import type { ExportItem, ExportRun, ExportSetup } from './locked-export.ts';
import { notMounted } from './messages.ts';
import { NewEntriesPrinter } from './perform/print-new.ts';
import { recordName } from './record/export-record.ts';
import { clockWarning, ReferenceIndex, type Resolved } from './record/reference-index.ts';

/**
 * Exports each reference into its FILE, or brings it up to date: first resolves what no record knows, then exports, those
 * that were interrupted first. Returns the results in input order.
 */
export async function exportAll(
  run: Run,
  operation: PagedOperation,
  inputs: readonly InputReference[],
  options: ListingOptions,
  destination: Destination,
): Promise<readonly Result[]> {
  const { session, report } = run;
  const { context, stderr, serviceName } = session;
  const warn = report.warn.bind(report);
  const shared = { context, serviceName, warn, several: inputs.length > 1 };
  const { concurrency, update } = options;
  const path = preparePrivateFolder(destination, update);
  // An update creates the private folder only once it has found a FILE.
  let folder = update ? PrivateFolder.open(path) : PrivateFolder.openOrCreate(path);
  try {
    // Before any request: none could succeed.
    if (folder === null && !hasExports(destination)) throw notMounted(destination.folder);
    const setup = exportSetup(shared, operation, options, destination, folder);
    const index = readRecords(setup, destination);
    if (inputs.length > 1) session.shareProgress(inputs.length);
    const resolved = mapConcurrently(inputs, { concurrency }, async (input) => {
      const response = await report.request(() => index.resolve(run, input));
      if (response instanceof Failure) session.progress.referenceDone();
      return response;
    });
    const { items, results } = await groupById(setup, resolved, index, destination);
    const targets = items.map(({ snapshot }) => snapshot.target);
    await assertPaths({ ...options, output: null }, context, targets);
    folder ??= PrivateFolder.openOrCreate(path);
    const printNew = options.printNew ? new NewEntriesPrinter(new Stdout(context, stderr)) : null;
    const exports: ExportRun = { ...setup, ...run, folder, printNew };
    for (const item of items) await rememberReferences(exports, item);
    const ordered = [...items].sort(byUrgency);
    const done = mapConcurrently(ordered, { concurrency }, (item) =>
      report.work(item, () => exportItem(exports, item)),
    );
    for await (const [item, result] of done) results.set(item.value, withFile(result, item));
    return inputs.flatMap(({ value }) => results.get(value) ?? []);
  } finally {
    folder?.close();
  }
}

/** What all exports of a run share, dry or not. */
export function exportSetup<F extends PrivateFolder | null>(
  shared: Pick<ExportSetup, 'context' | 'serviceName' | 'several' | 'warn'>,
  operation: PagedOperation,
  options: ListingOptions,
  { format }: Destination,
  folder: F,
): ExportSetup & { readonly folder: F } {
  const fields = parseFields(options.fields, operation);
  return { ...shared, operation, options, format, fields, folder, names: folder?.names() ?? [] };
}

/** The records of the destination. */
export function readRecords(
  { context, warn, operation, folder, names }: ExportSetup,
  { file }: Destination,
): ReferenceIndex {
  const index = new ReferenceIndex(operation.name, context.clock.now());
  if (folder !== null) index.read(folder, file === null ? names : [recordName(basename(file.real))]);
  const warning = clockWarning(index.records, context);
  if (warning !== null) warn('clock', null, warning);
  return index;
}

/** The result of an item, reached or not, with its ID and FILE. */
const withFile = (result: Result, { id, snapshot: { target, record } }: ExportItem): Result => ({
  ...result,
  id,
  file: target.path,
  entries:
    result.entries ||
    (result.failure === null || target.stats === null ? 0 : (record?.finished?.entries ?? 0)),
});

/**
 * Merges references with the same ID into one item; `results`, by reference, has the failures of those without an ID or
 * FILE.
 */
export async function groupById(
  { warn }: Pick<ExportSetup, 'warn'>,
  resolved: AsyncIterable<readonly [InputReference, Resolved | Failure]>,
  index: ReferenceIndex,
  destination: Destination,
): Promise<{ readonly items: readonly ExportItem[]; readonly results: Map<string, Result> }> {
  const items = new Map<string, ExportItem>();
  const results = new Map<string, Result>();
  for await (const [input, value] of resolved) {
    if (value instanceof Failure) {
      results.set(input.value, failedRequest(input, value));
      continue;
    }
    const { id, references } = value;
    const first = items.get(id);
    if (first !== undefined) {
      warn('duplicate', input.label, sameAs(first));
      items.set(id, { ...first, references: { ...first.references, ...references } });
      continue;
    }
    try {
      const snapshot = index.snapshotOf(targetOf(destination, id));
      items.set(id, { ...input, id, references, snapshot });
    } catch (error) {
      const failure = toFailure(error);
      results.set(input.value, resultOf(input, { id, failure: failure.with({ scope: 'reference' }) }));
    }
  }
  return { items: [...items.values()], results };
}

/** Interrupted exports first, then those checked longest ago; those that failed last time come last. */
function byUrgency(one: ExportItem, other: ExportItem): number {
  const [a, b] = [urgency(one), urgency(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A text that is smaller the more urgent an export is. */
function urgency({ snapshot: { record } }: ExportItem): string {
  const rank = record?.failure != null ? 2 : record?.progress != null ? 0 : 1;
  return `${rank} ${record?.checked ?? ''}`;
}
