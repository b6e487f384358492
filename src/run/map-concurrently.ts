/**
 * Does `work` for each item, at most `concurrency` at once, and yields each with its result, in input order. At most
 * `lookahead` items are in progress or finished and not yet yielded. `work` must not reject.
 */
export async function* mapConcurrently<Item, Result>(
  items: readonly Item[],
  { concurrency, lookahead = items.length }: { readonly concurrency: number; readonly lookahead?: number },
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<[Item, Result], void> {
  const results: Promise<Result>[] = [];
  let running = 0;
  let yielded = 0;
  const start = (): void => {
    while (results.length < items.length && running < concurrency && results.length - yielded < lookahead) {
      const item = items[results.length] as Item;
      running++;
      results.push(
        work(item).finally(() => {
          running--;
          start();
        }),
      );
    }
  };
  for (; yielded < items.length; yielded++) {
    start();
    yield [items[yielded] as Item, (await results[yielded]) as Result];
    delete results[yielded];
  }
}
