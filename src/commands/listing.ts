import { effectiveFormat, type ListingOptions, tableInFile } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import type { FileFormat } from '../export/record.ts';
import { checkFields } from '../output/fields.ts';
import { perPage, printDryRun } from '../run/dry-run.ts';
import { openRun, type Run } from '../run/open.ts';
import { checkPaths, outputTarget } from '../run/output.ts';
import { listingsOf, printListings } from '../run/print-listing.ts';
import { readReferences } from '../run/references.ts';
import { report } from '../run/report.ts';
import type { PagedOperation } from '../service/contract.ts';
import { checkParameters } from '../service/parameters.ts';

/** Lists references to stdout, or exports them into files; returns the exit code. */
export async function runListing(
  operation: PagedOperation,
  options: ListingOptions,
  context: Context,
): Promise<number> {
  const { continuation: token, outputDir, concurrency } = options;
  const [first] = operation.parameters;
  checkFields(options.fields, operation);
  if (token !== null && options.references.length > 0)
    throw usage('--continuation takes no reference', 'the token says where to start');
  await checkPaths(options, context);
  const target = await outputTarget(options);
  const references =
    token === null
      ? await readReferences(options, operation.reference, context, ({ value }) =>
          checkParameters(operation, { [first.name]: value }),
        )
      : { inputs: [], several: false };
  const inputs = references.inputs.filter((input, index) => input.first === index);
  const warnOfRepeated = (run: Run): void => {
    for (const [index, { first, label }] of references.inputs.entries())
      if (first !== index) run.warn('repeated', label, 'given more than once; listed once');
  };
  const plan = { command: operation.name, isPaid: true };

  if (outputDir === null && target?.kind !== 'file') {
    const listings = listingsOf(inputs, token);
    if (options.dryRun) {
      const requests = listings.map(({ reference, value }) => ({
        reference,
        operation,
        parameters: value === null ? { continuation: token ?? '' } : { [first.name]: value },
        next: perPage,
      }));
      return await printDryRun(requests, options, context);
    }
    await using run = await openRun({ ...plan, subjects: listings, concurrency: 1 }, options, context);
    warnOfRepeated(run);
    const { several } = references;
    const results = printListings(run, operation, listings, options, { target, several });
    return await report(run, results, options.output);
  }

  const format = outputDir === null ? effectiveFormat(options, false) : (options.format ?? 'ndjson');
  if (format === 'table') throw tableInFile();
  if (outputDir === null && inputs.length > 1)
    throw usage('-o FILE takes one reference', 'write several with --output-dir DIR');
  const { destinationOf, exportAll } = await import('../export/folder.ts');
  const destination = destinationOf(options, format satisfies FileFormat, target);
  if (options.dryRun) {
    const { plannedRequests } = await import('../export/dry-run.ts');
    return await printDryRun(
      await plannedRequests(operation, inputs, options, destination, context),
      options,
      context,
    );
  }
  await using run = await openRun({ ...plan, subjects: inputs, concurrency }, options, context);
  warnOfRepeated(run);
  const results = exportAll(run, operation, inputs, options, destination);
  return await report(run, results, destination.path);
}
