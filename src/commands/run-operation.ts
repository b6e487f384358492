import { effectiveFormat, type RunOptions, tableInFile } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { toFailure, usage } from '../errors.ts';
import { parseFields } from '../output/fields.ts';
import type { Stderr } from '../output/stderr.ts';
import { assertSummaryFile, outputTarget } from '../run/named-files.ts';
import { openRun } from '../run/open-run.ts';
import { printDryRun } from '../run/print-dry-run.ts';
import { distinct, newReference, type References, readReferences } from '../run/read-references.ts';
import { badResults } from '../run/results.ts';
import { type Job, perform, unreachedResults } from '../run/run.ts';
import { startSummary } from '../run/summary.ts';
import { newTally } from '../service/budget.ts';
import { assertParameters, type Operation, type RequestParameters } from '../service/contract.ts';

/**
 * Runs an operation from top to bottom; returns the exit code. `more`: parameters of each request. A run that is refused
 * writes its summary, too.
 */
export async function runOperation(
  operation: Operation,
  options: RunOptions,
  context: Context,
  stderr: Stderr,
  more: RequestParameters = {},
): Promise<number> {
  const { dryRun } = options;
  await assertSummaryFile(options, context);
  const writeSummary = startSummary(operation.name, dryRun ? null : options.summary, context.clock);
  let inputs: References = { references: [], bad: [] };
  if (options.from === '-') stderr.announceInput(context.stdin);
  try {
    const job = await chooseJob(operation, options, context, more);
    inputs = job;
    await job.refuse();
    if (dryRun) {
      const { requests, results } = await job.firstRequests();
      return await printDryRun(
        { requests, results: [...results, ...badResults(job.bad)] },
        options,
        context,
        stderr,
      );
    }
    await using run = await openRun(operation, job, options, context, stderr);
    return await perform(run, job, writeSummary);
  } catch (error) {
    const failure = toFailure(error);
    const end = { exit: failure.exit, failure, total: newTally() };
    // The refusal matters more than a summary that cannot be written.
    await writeSummary(unreachedResults(inputs, failure), end).catch(() => {});
    throw error;
  }
}

/** An export, a listing or responses. Throws usage errors for options that do not fit, and for references that are none. */
async function chooseJob(
  operation: Operation,
  options: RunOptions,
  context: Context,
  more: RequestParameters,
): Promise<Job> {
  const { continuation, outputDir } = options;
  const [{ name }] = operation.parameters;
  const parametersOf = (value: string): RequestParameters =>
    continuation === null ? { [name]: value, ...more } : { continuation };
  parseFields(options.fields, operation);
  const target = await outputTarget(options, context);
  const isPaged = operation.body === 'page';
  const isExport = isPaged && (target !== null || outputDir !== null);
  assertFlags(options, isExport);
  const { references: inputs, bad } =
    continuation !== null
      ? { references: [newReference({ reference: null, value: continuation, id: null })], bad: [] }
      : await readReferences(options, operation.reference, context, ({ value }) =>
          assertParameters(operation, parametersOf(value)),
        );
  const references = distinct(inputs);
  if (isExport) {
    const format = effectiveFormat(options, false);
    if (format === 'table') throw tableInFile();
    if (outputDir === null && references.length > 1)
      throw usage('-o FILE takes one reference', 'write several with --output-dir DIR');
    const { openExports } = await import('../export/exports.ts');
    const { exportJob } = await import('../export/export-all.ts');
    return exportJob(openExports(operation, options, context, format, target), { references, bad });
  }
  const firstRequests = async () => {
    const requests = references.map(({ reference, value }) => {
      return { reference, operation, parameters: parametersOf(value), ...(isPaged && { nextCost: 0 }) };
    });
    return { requests, results: [] };
  };
  if (isPaged) {
    const { printListings } = await import('../run/print-listings.ts');
    return { references, bad, destination: null, refuse: async () => {}, firstRequests, work: printListings };
  }
  const { assertOutputFile, printResponses } = await import('../run/print-responses.ts');
  return {
    references: inputs,
    bad,
    destination: options.output,
    refuse: () => assertOutputFile(target, operation),
    firstRequests,
    work: (run) => printResponses(run, parametersOf, target),
  };
}

function assertFlags({ continuation, references, update, restart }: RunOptions, isExport: boolean): void {
  if (continuation !== null && references.length > 0)
    throw usage('--continuation takes no reference', 'the token says where to start');
  if (update && !isExport) throw usage('--update needs a file', 'give it with -o FILE or --output-dir DIR');
  if (restart && !isExport) throw usage('--restart needs a file', 'give it with -o FILE');
}
