import { effectiveFormat, fileOptions, type ListingOptions, tableInFile } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import { parseFields } from '../output/fields.ts';
import type { Stderr } from '../output/stderr.ts';
import { openRun } from '../run/open.ts';
import { outputTarget } from '../run/output.ts';
import { perPage, printDryRun } from '../run/print-dry-run.ts';
import { printListings } from '../run/print-listing.ts';
import { noReferences, readReferences, sameAs } from '../run/read-references.ts';
import { newSubject, type Subject } from '../run/results.ts';
import { assertParameters, type PagedOperation } from '../service/contract.ts';

/** Lists references to stdout, or exports them into files; returns the exit code. */
export async function runListing(
  operation: PagedOperation,
  options: ListingOptions,
  context: Context,
  stderr: Stderr,
): Promise<number> {
  const { continuation: token, outputDir } = options;
  const [first] = operation.parameters;
  parseFields(options.fields, operation);
  if (token !== null && options.references.length > 0)
    throw usage('--continuation takes no reference', 'the token says where to start');
  const target = await outputTarget(options, context);
  const isExport = outputDir !== null || target?.kind === 'file';
  if (!isExport && (options.update || options.restart))
    throw usage(
      `${options.update ? '--update' : '--restart'} needs a file`,
      'name it with -o FILE or --output-dir DIR',
    );
  const { inputs, distinct, several } =
    token !== null
      ? noReferences
      : await readReferences(options, operation.reference, context, ({ value }) =>
          assertParameters(operation, { [first.name]: value }),
        );
  const open = async (subjects: readonly Subject[], concurrency: number): ReturnType<typeof openRun> => {
    const run = await openRun(operation, subjects, concurrency, options, context, stderr);
    for (const { repeats, label } of inputs)
      if (repeats !== null) run.report.warn('duplicate', label, sameAs(repeats));
    return run;
  };

  if (!isExport) {
    const listings = token === null ? distinct : [{ ...newSubject(null), value: null, id: null }];
    if (options.dryRun) {
      const requests = listings.map(({ reference, value }) => {
        const parameters = value === null ? { continuation: token ?? '' } : { [first.name]: value };
        return { reference, operation, parameters, next: perPage };
      });
      return await printDryRun(requests, options, context, stderr);
    }
    await using run = await open(listings, 1);
    const results = printListings(run, operation, listings, options, { target, several });
    return await run.report.finish(results, options.output);
  }

  const ofFile = fileOptions(options);
  const format = effectiveFormat(ofFile, false);
  if (format === 'table') throw tableInFile();
  if (outputDir === null && distinct.length > 1)
    throw usage('-o FILE takes one reference', 'write several with --output-dir DIR');
  const { destinationOf } = await import('../export/destination.ts');
  const destination = destinationOf(outputDir, format, target);
  if (options.dryRun) {
    const { findFirstRequests } = await import('../export/dry-run.ts');
    const { requests, results } = await findFirstRequests(
      operation,
      distinct,
      ofFile,
      destination,
      context,
      stderr,
    );
    return await printDryRun(requests, options, context, stderr, results);
  }
  const { exportAll } = await import('../export/export-all.ts');
  await using run = await open(distinct, options.concurrency);
  const results = exportAll(run, operation, distinct, options, destination);
  return await run.report.finish(results, outputDir ?? options.output);
}
