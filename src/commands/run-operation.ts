import { effectiveFormat, type RunOptions, tableInFile } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import { parseFields } from '../output/fields.ts';
import type { Stderr } from '../output/stderr.ts';
import { openRun } from '../run/open-run.ts';
import { outputTarget } from '../run/output.ts';
import { printDryRun } from '../run/print-dry-run.ts';
import { distinct, newReference, readReferences } from '../run/read-references.ts';
import { assertParameters, type Operation, type RequestParameters } from '../service/contract.ts';

/** Runs an operation from top to bottom; returns the exit code. `more`: parameters of each request. */
export async function runOperation(
  operation: Operation,
  options: RunOptions,
  context: Context,
  stderr: Stderr,
  more: RequestParameters = {},
): Promise<number> {
  const { continuation, output, outputDir, update, restart, dryRun, seen: seenPath } = options;
  const [{ name }] = operation.parameters;
  const parametersOf = (value: string): RequestParameters =>
    continuation === null ? { [name]: value, ...more } : { continuation };
  parseFields(options.fields, operation);
  if (continuation !== null && options.references.length > 0)
    throw usage('--continuation takes no reference', 'the token says where to start');
  const target = await outputTarget(options, context);
  if ((update || restart) && target === null && outputDir === null)
    throw usage(
      `${update ? '--update' : '--restart'} needs a file`,
      update ? 'name it with -o FILE or --output-dir DIR' : 'name it with -o FILE',
    );
  const inputs =
    continuation !== null
      ? [newReference({ reference: null, value: continuation, id: null })]
      : await readReferences(options, operation.reference, context, ({ value }) =>
          assertParameters(operation, parametersOf(value)),
        );
  const references = distinct(inputs);

  const isPaged = operation.body === 'page';
  if (isPaged && (target !== null || outputDir !== null)) {
    const format = effectiveFormat(options, false);
    if (format === 'table') throw tableInFile();
    if (outputDir === null && references.length > 1)
      throw usage('-o FILE takes one reference', 'write several with --output-dir DIR');
    const { openExports } = await import('../export/exports.ts');
    const exports = openExports(operation, options, context, format, target);
    const { assertExportable, createFolders, exportAll, firstRequests } = await import(
      '../export/export-all.ts'
    );
    await assertExportable(exports, references);
    if (dryRun) {
      const first = await firstRequests(exports, references);
      return await printDryRun(first.requests, options, context, stderr, first.results);
    }
    await using run = await openRun(operation, references, options, context, stderr);
    createFolders(exports);
    try {
      return await run.perform(() => exportAll(run, exports), outputDir ?? output);
    } finally {
      exports.folder.removeIfUnused();
    }
  }

  const responses = isPaged ? null : await import('../run/print-responses.ts');
  await responses?.assertOutputFile(target, operation);
  if (dryRun) {
    const requests = references.map(({ reference, value }) => {
      return { reference, operation, parameters: parametersOf(value), ...(isPaged && { nextCost: 0 }) };
    });
    return await printDryRun(requests, options, context, stderr);
  }
  if (responses === null) {
    await using run = await openRun(operation, references, options, context, stderr);
    const { printListings } = await import('../run/print-listings.ts');
    return await run.perform(() => printListings(run), null);
  }
  using seen =
    seenPath === null ? null : await (await import('../run/seen.ts')).openSeenFile(seenPath, context.stop);
  await using run = await openRun(operation, inputs, options, context, stderr);
  return await run.perform(() => responses.printResponses(run, parametersOf, target, seen), output);
}
