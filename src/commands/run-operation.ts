import { effectiveFormat, type RunOptions, tableInFile } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import type { Target } from '../fs/output-target.ts';
import { parseFields } from '../output/fields.ts';
import type { Stderr } from '../output/stderr.ts';
import { openRun } from '../run/open-run.ts';
import { outputTarget } from '../run/output.ts';
import { printDryRun } from '../run/print-dry-run.ts';
import { continuedListing, type References, readReferences } from '../run/read-references.ts';
import {
  assertParameters,
  isPaged,
  type Operation,
  type operations,
  type PagedOperation,
  type RequestParameters,
} from '../service/contract.ts';

/** What the runs of all operations share. */
interface Request<O extends Operation> {
  readonly operation: O;
  readonly options: RunOptions;
  readonly references: References;
  readonly target: Target | null;
  readonly context: Context;
  readonly stderr: Stderr;
  parametersOf(value: string): RequestParameters;
}

/** Runs an operation from top to bottom; returns the exit code. `more`: parameters of each request. */
export async function runOperation(
  operation: (typeof operations)[keyof typeof operations],
  options: RunOptions,
  context: Context,
  stderr: Stderr,
  more: RequestParameters = {},
): Promise<number> {
  const { continuation, outputDir, update, restart } = options;
  const [{ name }] = operation.parameters;
  const parametersOf = (value: string): RequestParameters => ({ [name]: value, ...more });
  parseFields(options.fields, operation);
  if (continuation !== null && options.references.length > 0)
    throw usage('--continuation takes no reference', 'the token says where to start');
  const target = await outputTarget(options, context);
  if ((update || restart) && target === null && outputDir === null)
    throw usage(
      `${update ? '--update' : '--restart'} needs a file`,
      update ? 'name it with -o FILE or --output-dir DIR' : 'name it with -o FILE',
    );
  const references =
    continuation !== null
      ? continuedListing(continuation)
      : await readReferences(options, operation.reference, context, ({ value }) =>
          assertParameters(operation, parametersOf(value)),
        );
  const request = { options, references, target, context, stderr, parametersOf };
  if (!isPaged(operation)) return await respond({ ...request, operation });
  if (target === null && outputDir === null) return await list({ ...request, operation });
  return await exportLists({ ...request, operation });
}

/** Prints whole responses: resolve, search, latest. */
async function respond(request: Request<Operation>): Promise<number> {
  const { operation, options, references, target, context, stderr, parametersOf } = request;
  const { assertOutputFile, printResponses } = await import('../run/print-responses.ts');
  await assertOutputFile(target, operation);
  if (options.dryRun) {
    const requests = references.distinct.map(({ reference, value }) => {
      return { reference, operation, parameters: parametersOf(value) };
    });
    return await printDryRun(requests, options, context, stderr);
  }
  const path = options.seen;
  using seen = path === null ? null : await (await import('../run/seen.ts')).openSeenFile(path, context.stop);
  const { concurrency, output } = options;
  await using run = await openRun(operation, references.inputs, concurrency, options, context, stderr);
  const results = printResponses(run, parametersOf, references, target, seen);
  return await run.finish(results, output);
}

/** Prints lists of pages. */
async function list({
  operation,
  options,
  references,
  context,
  stderr,
  parametersOf,
}: Request<PagedOperation>) {
  const { continuation, dryRun } = options;
  const { distinct: listings, several } = references;
  if (dryRun) {
    const requests = listings.map(({ reference, value }) => {
      const parameters = continuation === null ? parametersOf(value) : { continuation };
      return { reference, operation, parameters, nextCost: 0 };
    });
    return await printDryRun(requests, options, context, stderr);
  }
  await using run = await openRun(operation, listings, 1, options, context, stderr);
  const { printListings } = await import('../run/print-listings.ts');
  return await run.finish(printListings(run, operation, listings, several), null);
}

/** Exports lists of pages into files. */
async function exportLists(request: Request<PagedOperation>): Promise<number> {
  const { operation, options, references, target, context, stderr } = request;
  const { outputDir, output, dryRun, concurrency } = options;
  const { distinct } = references;
  const format = effectiveFormat(options, false);
  if (format === 'table') throw tableInFile();
  if (outputDir === null && distinct.length > 1)
    throw usage('-o FILE takes one reference', 'write several with --output-dir DIR');
  const { openExports } = await import('../export/exports.ts');
  const exports = openExports(operation, options, context, format, target);
  const { exportAll, firstRequests } = await import('../export/export-all.ts');
  if (dryRun) {
    const { requests, results } = await firstRequests(exports, distinct);
    return await printDryRun(requests, options, context, stderr, results);
  }
  await using run = await openRun(operation, distinct, concurrency, options, context, stderr);
  return await run.finish(exportAll(run, exports, distinct), outputDir ?? output);
}
