import { resolveBounds } from '../accounts/bounds.ts';
import type { PagedOperation } from '../api/pages.ts';
import type { ReferenceKind } from '../api/references.ts';
import type { ListingOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import type { ListStart } from './listing-plan.ts';
import { readReferences } from './read-references.ts';
import { runCall } from './session.ts';

/** Lists references page after page, to stdout, to a file or to a folder of files; returns the exit code. */
export async function runListing(
  operation: PagedOperation,
  kind: ReferenceKind,
  options: ListingOptions,
  context: Context,
): Promise<number> {
  const { shared, outputDir, invocation, concurrency } = options;
  return await runCall(invocation.name, shared, context, async () => {
    const { starts, several } = await readStarts(kind, options, context);
    const budget = resolveBounds(shared.maxCredits, context.env, []);
    if (shared.output !== null && starts.length > 1) {
      throw usage('-o takes one reference', 'use --output-dir DIR for several: one file each');
    }
    const toFiles = shared.output !== null || outputDir !== null;
    const way = toFiles ? await import('../export/plan.ts') : await import('./list-to-stdout.ts');
    const prepared = await way.prepare({ operation, kind, options, starts, several, context });
    return { ...prepared, maxCredits: budget, concurrency: outputDir === null ? 1 : concurrency };
  });
}

async function readStarts(
  kind: ReferenceKind,
  { continuation, references, from }: ListingOptions,
  context: Context,
): Promise<{ starts: ListStart[]; several: boolean }> {
  if (continuation !== null)
    return { starts: [{ given: null, value: null, id: null, token: continuation }], several: false };
  const read = await readReferences(references, from, kind, context);
  const starts = read.list.map(({ given, value, id }) => ({ given, value, id, token: null }));
  return { starts, several: read.several };
}
