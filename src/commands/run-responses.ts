import type { ResponseOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { parseFields } from '../output/fields.ts';
import { openRun } from '../run/open.ts';
import { outputTarget } from '../run/output.ts';
import { printDryRun } from '../run/print-dry-run.ts';
import { assertOutputFile, printResponses } from '../run/print-responses.ts';
import { readReferences } from '../run/read-references.ts';
import type { SeenFile } from '../run/seen.ts';
import type { operations } from '../service/contract.ts';
import { assertParameters, type Parameters } from '../service/parameters.ts';
import type { Reference } from '../service/parse-reference.ts';

/** Requests the whole response for each channel and prints it; returns the exit code. */
export async function runResponses(
  operation: typeof operations.resolve | typeof operations.search | typeof operations.latest,
  options: ResponseOptions,
  context: Context,
  more: Parameters = {},
): Promise<number> {
  const [{ name }] = operation.parameters;
  const parametersOf = ({ value }: Reference): Parameters => ({ [name]: value, ...more });
  parseFields(options.fields, operation);
  const target = await outputTarget(options, context);
  const references = await readReferences(options, operation.reference, context, (reference) =>
    assertParameters(operation, parametersOf(reference)),
  );
  await assertOutputFile(target, operation);
  if (options.dryRun) {
    const requests = references.distinct.map((input) => {
      return { reference: input.reference, operation, parameters: parametersOf(input) };
    });
    return await printDryRun(requests, options, context);
  }
  using seen = await openSeen(options.seen, context);
  const { concurrency, output } = options;
  const subjects = references.inputs;
  await using run = await openRun({ operation, subjects, concurrency }, options, context);
  const results = printResponses(run, parametersOf, references, options, target, seen);
  return await run.report.finish(
    results.finally(() => seen?.save(run.report)),
    output,
  );
}

async function openSeen(path: string | null, { stop }: Context): Promise<SeenFile | null> {
  if (path === null) return null;
  const { SeenFile } = await import('../run/seen.ts');
  return await SeenFile.open(path, stop);
}
