import { basename } from 'node:path';
import { resolveService } from '../accounts/settings.ts';
import type { RunOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { Failure, toFailure } from '../errors.ts';
import { guardFile, makeFolders } from '../fs/files.ts';
import { parseFields } from '../output/fields.ts';
import { needsPage } from '../run/list-pages.ts';
import { sandboxName, serviceName } from '../run/open-run.ts';
import { assertPaths } from '../run/output.ts';
import type { FirstRequest } from '../run/print-dry-run.ts';
import type { Reference } from '../run/read-references.ts';
import { failedRequest, type Result, resultOf } from '../run/results.ts';
import { mapConcurrently, type Run } from '../run/run.ts';
import { type Operation, operations } from '../service/contract.ts';
import { type Destination, notMounted, ReferenceIndex, targetOf } from './destination.ts';
import { exportOne } from './export-one.ts';
import { type Export, type Exports, flagsOf, inspect } from './inspect.ts';
import { refusal } from './messages.ts';
import { nextStep } from './next-step.ts';
import { RunFile } from './run-file.ts';

/**
 * Exports each reference into its FILE, or brings it up to date: first resolves what no record knows, then exports, those
 * that were interrupted first. Returns the results in input order.
 */
export async function exportAll(run: Run, destination: Destination): Promise<readonly Result[]> {
  const { operation, references, options, context, serviceName } = run;
  const { file, path, folder } = destination;
  const fields = parseFields(options.fields, operation);
  const shared: Exports = { ...destination, operation, options, context, serviceName, fields };
  // Before any request: with a folder that cannot be used, none could succeed. An update of files without a `.chanlist`
  // creates one when it has found a FILE.
  const isFirst = options.update && !folder.wasThere;
  if (file === null) guardFile(`--output-dir ${path}`, 'open', () => makeFolders(path));
  if (!isFirst) folder.ensure();
  const { concurrency } = options;
  const index = new ReferenceIndex(operation.reference, destination);
  const resolved = mapConcurrently(references, { concurrency }, async (reference) => {
    const id = await run.request(() => index.resolve(run, reference));
    if (id instanceof Failure) run.progress.referenceDone();
    return id;
  });
  const results = new Map<string, Result>();
  try {
    const exports = await groupById(shared, resolved, results);
    const paths = exports.map(({ target }) => target.path);
    await assertPaths({ ...options, output: null }, context, paths);
    if (isFirst && exports.length > 0) {
      if (exports.every(({ target: { stats } }) => !stats?.size)) throw notMounted(path);
      folder.ensure();
    }
    const queue = [...exports].sort((a, b) => urgency(a, index).localeCompare(urgency(b, index)));
    const done = mapConcurrently(queue, { concurrency }, (one) => run.work(one, () => exportOne(run, one)));
    for await (const [one, result] of done) results.set(one.value, withFile(result, one, index));
    return references.flatMap(({ value }) => results.get(value) ?? []);
  } finally {
    // A usage error leaves nothing behind.
    if ([...results.values()].every(({ failure }) => failure?.exit === 2)) folder.removeIfUnused();
  }
}

/** The result of an export, reached or not, with its ID and FILE. */
const withFile = (result: Result, { id, target }: Export, index: ReferenceIndex): Result => ({
  ...result,
  id,
  file: target.path,
  entries:
    result.entries ||
    (result.failure === null || target.stats === null
      ? 0
      : (index.records.get(basename(target.real))?.entries ?? 0)),
});

/** Merges references with the same ID; adds the failures of those without an ID or FILE to `results`, by reference. */
async function groupById(
  shared: Exports,
  resolved: AsyncIterable<readonly [Reference, string | Failure]> | Iterable<readonly [Reference, string]>,
  results: Map<string, Result>,
): Promise<readonly Export[]> {
  const exports = new Map<string, Export>();
  for await (const [reference, id] of resolved) {
    if (id instanceof Failure) results.set(reference.value, failedRequest(reference, id));
    else if (!exports.has(id))
      try {
        exports.set(id, { ...shared, ...reference, id, target: targetOf(shared, id) });
      } catch (error) {
        const failure = toFailure(error).with({ scope: 'reference' });
        results.set(reference.value, resultOf(reference, { id, failure }));
      }
  }
  return [...exports.values()];
}

/**
 * A text that is smaller the more urgent an export is: interrupted ones first, then those checked longest ago; those that
 * failed last time come last.
 */
function urgency({ target }: Export, index: ReferenceIndex): string {
  const name = basename(target.real);
  const { failure = null, checked = null } = index.records.get(name)?.checks ?? {};
  return `${failure !== null ? 2 : index.interrupted.has(name) ? 0 : 1} ${checked ?? ''}`;
}

/**
 * The first request of each export, by the decisions of a run, and the results of those that a run would refuse. Sends and
 * changes nothing.
 */
export async function firstRequests(
  operation: Operation,
  references: readonly Reference[],
  options: RunOptions,
  destination: Destination,
  context: Context,
): Promise<{ readonly requests: readonly FirstRequest[]; readonly results: readonly Result[] }> {
  const service = options.sandbox ? sandboxName : serviceName(await resolveService(options, context));
  const fields = parseFields(options.fields, operation);
  const shared = { ...destination, operation, options, context, serviceName: service, fields };
  const index = new ReferenceIndex(operation.reference, destination);
  const requests = new Map<string, FirstRequest>();
  const known: [Reference, string][] = [];
  for (const reference of references) {
    const id = index.knownId(reference);
    if (id !== null) known.push([reference, id]);
    else {
      const parameters = { input: reference.value };
      const nextCost = options.update ? 0 : 1;
      requests.set(reference.value, { ...reference, operation: operations.resolve, parameters, nextCost });
    }
  }
  const results = new Map<string, Result>();
  for (const one of await groupById(shared, known, results))
    try {
      requests.set(one.value, { ...one, ...(await firstRequest(one)) });
    } catch (error) {
      results.set(one.value, resultOf(one, { failure: toFailure(error) }));
    }
  return {
    requests: references.flatMap(({ value }) => requests.get(value) ?? []),
    results: [...results.values()],
  };
}

/** The first request of an export. Throws what a run would refuse. */
async function firstRequest(one: Export): Promise<Omit<FirstRequest, 'reference'>> {
  const { operation, options, id } = one;
  const [first] = operation.parameters;
  const nothing = { operation: null, parameters: {} };
  const state = await inspect(one);
  using run = state.interrupted instanceof RunFile ? state.interrupted : null;
  const step = nextStep(state.existing, flagsOf(options));
  switch (step) {
    case 'export':
      return { operation, parameters: { [first.name]: id }, nextCost: 0 };
    case 'keep':
      return nothing;
    case 'resume': {
      const token = run?.position.token ?? null;
      if (run === null || token === null || !needsPage(run.position, options.limit)) return nothing;
      return { operation, parameters: { continuation: token }, nextCost: 0 };
    }
    case 'update':
      return { operation: operations.latest, parameters: { channel: id }, nextCost: 0 };
    default:
      throw refusal(step, state).with({ scope: 'reference' });
  }
}
