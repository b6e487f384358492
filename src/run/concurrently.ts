export interface ConcurrencyOptions {
  /** Maximum number of items in progress. */
  readonly concurrency: number;
  /** Maximum number of items in progress or finished ahead of the one that is yielded next. */
  readonly lookahead: number;
}

/**
 * Runs `work` for each item and yields the results in input order. Starts no more work once the caller stops taking
 * results. `work` must not reject.
 */
export async function* concurrently<Item, Result>(
  items: readonly Item[],
  { concurrency, lookahead }: ConcurrencyOptions,
  work: (item: Item, index: number) => Promise<Result>,
): AsyncGenerator<Result, void> {
  const results = new Map<number, Promise<Result>>();
  let next = 0;
  let atWork = 0;
  for (let taken = 0; taken < items.length; taken++) {
    const start = (): void => {
      while (next < items.length && atWork < concurrency && next - taken < lookahead) {
        const index = next++;
        const item = items[index];
        if (item === undefined) continue;
        atWork++;
        results.set(
          index,
          work(item, index).finally(() => {
            atWork--;
            start();
          }),
        );
      }
    };
    start();
    const result = results.get(taken);
    results.delete(taken);
    if (result !== undefined) yield await result;
  }
}
