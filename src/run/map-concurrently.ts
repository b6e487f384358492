import { Readable } from 'node:stream';

/**
 * Calls `work` for each item, at most `concurrency` at a time, and yields the results in input order. Buffers about
 * `lookahead` results. `work` must not reject.
 */
export function mapConcurrently<T, R>(
  items: readonly T[],
  { concurrency, lookahead = items.length }: { readonly concurrency: number; readonly lookahead?: number },
  work: (item: T) => Promise<R>,
): AsyncIterable<[T, R]> {
  // The types of Node 20 lack `highWaterMark`.
  const options = { concurrency, highWaterMark: lookahead };
  return Readable.from(items).map(async (item: T) => [item, await work(item)], options);
}

/** Calls `work` for each item, at most `concurrency` at a time. `work` must not reject. */
export async function forEachConcurrently<T>(
  items: readonly T[],
  { concurrency }: { readonly concurrency: number },
  work: (item: T) => Promise<void>,
): Promise<void> {
  for await (const _ of mapConcurrently(items, { concurrency }, work));
}
