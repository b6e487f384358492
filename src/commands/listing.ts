import { effectiveFormat, type ListingOptions, tableInFile } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { gravest, usage } from '../errors.ts';
import { parseFields } from '../output/fields.ts';
import { Stderr } from '../output/stderr.ts';
import { perPage, printDryRun } from '../run/dry-run.ts';
import { openRun, type Run } from '../run/open.ts';
import { outputTarget } from '../run/output.ts';
import { printListings } from '../run/print-listing.ts';
import { noReferences, readReferences, sameAs } from '../run/references.ts';
import { report } from '../run/report.ts';
import { newSubject } from '../run/results.ts';
import type { PagedOperation } from '../service/contract.ts';
import { checkParameters } from '../service/parameters.ts';

/** Lists references to stdout, or exports them into files; returns the exit code. */
export async function runListing(
  operation: PagedOperation,
  options: ListingOptions,
  context: Context,
): Promise<number> {
  const { continuation: token, outputDir } = options;
  const [first] = operation.parameters;
  parseFields(options.fields, operation);
  if (token !== null && options.references.length > 0)
    throw usage('--continuation takes no reference', 'the token says where to start');
  const target = await outputTarget(options, context);
  const { inputs, distinct, several } =
    token !== null
      ? noReferences
      : await readReferences(options, operation.reference, context, ({ value }) =>
          checkParameters(operation, { [first.name]: value }),
        );
  const open = async (subjects: Run['subjects'], concurrency: number): Promise<Run> => {
    const run = await openRun({ operation, subjects, concurrency }, options, context);
    for (const { repeats, label } of inputs)
      if (repeats !== null) run.warn('duplicate', label, sameAs(repeats));
    return run;
  };

  if (outputDir === null && target?.kind !== 'file') {
    const listings = token === null ? distinct : [{ ...newSubject(null), value: null, id: null }];
    if (options.dryRun) {
      const requests = listings.map(({ reference, value }) => {
        const parameters = value === null ? { continuation: token ?? '' } : { [first.name]: value };
        return { reference, operation, parameters, next: perPage };
      });
      return await printDryRun(requests, options, context);
    }
    await using run = await open(listings, 1);
    const results = printListings(run, operation, listings, options, { target, several });
    return await report(run, results, options.output);
  }

  const format = outputDir === null ? effectiveFormat(options, false) : (options.format ?? 'ndjson');
  if (format === 'table') throw tableInFile();
  if (outputDir === null && distinct.length > 1)
    throw usage('-o FILE takes one reference', 'write several with --output-dir DIR');
  const { destinationOf, exportAll } = await import('../export/folder.ts');
  const destination = destinationOf(options, format, target);
  if (options.dryRun) {
    const { firstRequests } = await import('../export/dry-run.ts');
    const { requests, failures } = await firstRequests(operation, distinct, options, destination, context);
    const exit = await printDryRun(requests, options, context);
    for (const failure of failures) new Stderr(context, options).printFailure(failure);
    return gravest([exit, ...failures.map((failure) => failure.exit)]);
  }
  await using run = await open(distinct, options.concurrency);
  const results = exportAll(run, operation, distinct, options, destination);
  return await report(run, results, outputDir ?? options.output);
}
