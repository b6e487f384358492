import type { ResponseOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { checkFields } from '../output/fields.ts';
import type { operations } from '../service/contract.ts';
import { checkParameters } from '../service/parameters.ts';
import type { Reference } from '../service/references.ts';
import { printDryRun } from './dry-run.ts';
import { openRun } from './open.ts';
import { checkPaths, outputTarget } from './output.ts';
import { readReferences } from './references.ts';
import { report } from './report.ts';
import { checkOutputFile, printResponses } from './responses.ts';

/** Asks a free operation for each channel and prints the responses; returns the exit code. */
export async function askChannels(
  operation: typeof operations.resolve | typeof operations.latest,
  options: ResponseOptions,
  context: Context,
): Promise<number> {
  const [{ name }] = operation.parameters;
  const parameters = ({ value }: Reference) => ({ [name]: value });
  checkFields(options.fields, operation);
  await checkPaths(options, context);
  const target = await outputTarget(options);
  const references = await readReferences(options, operation.reference, context, (reference) =>
    checkParameters(operation, parameters(reference)),
  );
  const { inputs } = references;
  if (options.dryRun) {
    const first = inputs.filter((input, index) => input.first === index);
    const requests = first.map((input) => ({
      reference: input.reference,
      operation,
      parameters: parameters(input),
    }));
    return await printDryRun(requests, options, context);
  }
  await checkOutputFile(target, false);
  const { SeenFile } = options.seen === null ? { SeenFile: null } : await import('./seen.ts');
  const seen = SeenFile === null ? null : await SeenFile.open(options.seen ?? '');
  try {
    const plan = {
      command: operation.name,
      subjects: inputs,
      concurrency: options.concurrency,
      isPaid: false,
    };
    await using run = await openRun(plan, options, context);
    const task = { operation, parameters, references, options, limit: options.limit, target, seen };
    const results = printResponses(run, task).finally(() => seen?.save(run));
    return await report(run, results, options.output);
  } finally {
    seen?.close();
  }
}
