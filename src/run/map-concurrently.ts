import { Readable } from 'node:stream';

/**
 * Does `work` for each item, at most `concurrency` at once, and yields the results in input order. About `lookahead` results
 * may wait to be taken. `work` must not reject.
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

/** Does `work` for each item, at most `concurrency` at once. `work` must not reject. */
export async function forEachConcurrently<T>(
  items: readonly T[],
  { concurrency }: { readonly concurrency: number },
  work: (item: T) => Promise<void>,
): Promise<void> {
  for await (const _ of mapConcurrently(items, { concurrency }, work));
}
