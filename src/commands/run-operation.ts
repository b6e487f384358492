import { redactStoredKeys } from '../accounts/store.ts';
import type { RunOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { type Failure, toFailure, usage } from '../errors.ts';
import type { Target } from '../fs/output-target.ts';
import { parseFields } from '../output/parse-fields.ts';
import type { Streams } from '../output/stdout.ts';
import { assertSummaryFile, outputTarget } from '../run/named-files.ts';
import { openService } from '../run/open-service.ts';
import { printDryRun } from '../run/print-dry-run.ts';
import {
  assertSomeGoodLine,
  newReference,
  type Reference,
  readReferences,
  uniqueReferences,
  validReferences,
} from '../run/read-references.ts';
import { badLineResults, unreachedResult } from '../run/results.ts';
import { createRun, type Job, runJob } from '../run/run.ts';
import { createSummaryWriter, type WriteSummary } from '../run/summary.ts';
import { newTally } from '../service/budget.ts';
import {
  assertParameters,
  isPaged,
  type Operation,
  operations,
  parametersFor,
  type RequestParameters,
} from '../service/contract.ts';

/**
 * Runs an operation from top to bottom; returns the exit code. `more`: additional parameters of each request. A run that is
 * refused writes its summary, too.
 */
export async function runOperation(
  operation: Operation,
  options: RunOptions,
  streams: Streams,
  more: RequestParameters = {},
): Promise<number> {
  const { context, stderr } = streams;
  const { dryRun, continuation, usageError } = options;
  assertSummaryFile(options, context);
  const { clock, env } = context;
  const redact = (text: string): string => stderr.withoutKeys(text);
  const writeSummary = createSummaryWriter(operation.name, dryRun ? null : options.summary, clock, redact);
  let references: readonly Reference[] = [];
  try {
    if (usageError !== null) throw usageError;
    assertFlagsFit(operation, options);
    const target = outputTarget(options, context);
    if (options.from === '-') stderr.announceInput(context.stdin);
    const parametersOf = (value: string): RequestParameters => ({
      ...parametersFor(operation, value, continuation),
      ...more,
    });
    if (continuation !== null) references = [newReference({ given: null, value: continuation, id: null })];
    else
      references = await readReferences(options, operation.reference, context, ({ value, id }) => {
        assertParameters(operation, parametersOf(value));
        // An export resolves this reference first.
        if (isExport(operation, options) && id === null)
          assertParameters(operations.resolve, { input: value });
      });
    // A bad line may contain a stored key.
    if (validReferences(references).length < references.length) redactStoredKeys(env, stderr);
    assertSomeGoodLine(references, options, operation.reference);
    const job = await chooseJob(operation, options, context, target, references, parametersOf);
    references = job.references;
    await job.assertPossible();
    if (dryRun) return await printDryRun(await job.firstRequests(), options, streams);
    await using run = createRun(await openService(operation, job, options, streams));
    return await runJob(run, job, writeSummary);
  } catch (error) {
    redactStoredKeys(env, stderr);
    summarizeRefusal(toFailure(error), writeSummary, references);
    throw error;
  }
}

/** Whether the pages of a list go into files. */
const isExport = (operation: Operation, { output, outputDir }: RunOptions): boolean =>
  isPaged(operation) && (output !== null || outputDir !== null);

/** Writes the summary of a run that is refused. */
function summarizeRefusal(
  failure: Failure,
  writeSummary: WriteSummary,
  references: readonly Reference[],
): void {
  const results = references.map((reference) => unreachedResult(reference, failure));
  try {
    writeSummary(results, { exit: failure.exit, failure, total: newTally() });
  } catch {
    // The refusal matters more than a summary that cannot be written.
  }
}

/** Chooses the job: an export, a listing or responses. Throws usage errors for a FILE that does not fit. */
async function chooseJob(
  operation: Operation,
  options: RunOptions,
  context: Context,
  target: Target | null,
  inputs: readonly Reference[],
  parametersOf: (value: string) => RequestParameters,
): Promise<Job> {
  const references = uniqueReferences(inputs);
  if (isExport(operation, options)) {
    const format = options.format ?? 'ndjson';
    if (format === 'table') throw new Error('a table in a file');
    if (options.outputDir === null && validReferences(references).length > 1)
      throw usage('-o FILE takes one reference', 'write several with --output-dir DIR');
    const { openExportFolder } = await import('../export/export-item.ts');
    const { exportJob } = await import('../export/export-all.ts');
    return exportJob(openExportFolder(operation, options, context, format, target), references);
  }
  const firstRequests = async () => {
    const requests = validReferences(references).map(({ given, value }) => {
      const parameters = parametersOf(value);
      return { reference: given, operation, parameters, ...(isPaged(operation) && { nextCost: 0 }) };
    });
    return { requests, results: badLineResults(references) };
  };
  if (isPaged(operation)) {
    const { printListings } = await import('../run/print-listings.ts');
    return { references, destination: null, assertPossible: () => {}, firstRequests, work: printListings };
  }
  const { assertOutputFile, printResponses } = await import('../run/print-responses.ts');
  return {
    references: inputs,
    destination: options.output,
    assertPossible: () => assertOutputFile(target, operation),
    firstRequests: async () => {
      // A run opens the file of `--seen`; a dry run locks nothing.
      const { seen } = options;
      if (seen !== null) await (await import('../run/seen.ts')).assertSeenFile(seen, context.stop);
      return await firstRequests();
    },
    work: (run) => printResponses(run, parametersOf, target),
  };
}

function assertFlagsFit(operation: Operation, options: RunOptions): void {
  const { fields, continuation, references, output, outputDir, update, restart } = options;
  parseFields(fields, operation);
  if (continuation !== null && references.length > 0)
    throw usage('--continuation takes no reference', 'the token says where to start');
  if (output !== null || outputDir !== null) return;
  if (update) throw usage('--update needs a file', 'give it with -o FILE or --output-dir DIR');
  if (restart) throw usage('--restart needs a file', 'give it with -o FILE');
}
