import type { ResponseOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { parseFields } from '../output/fields.ts';
import { printDryRun } from '../run/dry-run.ts';
import { openRun } from '../run/open.ts';
import { outputTarget } from '../run/output.ts';
import { readReferences } from '../run/references.ts';
import { report } from '../run/report.ts';
import { checkOutputFile, printResponses } from '../run/responses.ts';
import type { operations } from '../service/contract.ts';
import { checkParameters, type Parameters } from '../service/parameters.ts';
import type { Reference } from '../service/references.ts';

/** Asks an operation for the whole response of each channel and prints it; returns the exit code. */
export async function runResponses(
  operation: typeof operations.resolve | typeof operations.search | typeof operations.latest,
  options: ResponseOptions,
  context: Context,
  more: Parameters = {},
): Promise<number> {
  const [{ name }] = operation.parameters;
  const parameters = ({ value }: Reference): Parameters => ({ [name]: value, ...more });
  parseFields(options.fields, operation);
  const target = await outputTarget(options, context);
  const references = await readReferences(options, operation.reference, context, (reference) =>
    checkParameters(operation, parameters(reference)),
  );
  if (options.dryRun) {
    const requests = references.distinct.map((input) => {
      return { reference: input.reference, operation, parameters: parameters(input) };
    });
    return await printDryRun(requests, options, context);
  }
  await checkOutputFile(target, operation);
  const { SeenFile } = options.seen === null ? { SeenFile: null } : await import('../run/seen.ts');
  const seen = (await SeenFile?.open(options.seen ?? '')) ?? null;
  try {
    const { concurrency, output } = options;
    const plan = { operation, subjects: references.inputs, concurrency };
    await using run = await openRun(plan, options, context);
    const task = { operation, parameters, references, options, target, seen };
    const results = printResponses(run, task).finally(() => seen?.save(run));
    return await report(run, results, output);
  } finally {
    seen?.close();
  }
}
