/**
 * Does `work` for each item, at most `concurrency` at once, and yields each with its result, in input order. `lookahead`: most
 * items in progress or finished ahead of the one that is yielded next. `work` must not reject.
 */
export async function* inOrder<Item, Result>(
  items: readonly Item[],
  { concurrency, lookahead = items.length }: { readonly concurrency: number; readonly lookahead?: number },
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<[Item, Result], void> {
  const results: Promise<Result>[] = [];
  let running = 0;
  let taken = 0;
  const start = (): void => {
    while (results.length < items.length && running < concurrency && results.length - taken < lookahead) {
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
  for (; taken < items.length; taken++) {
    start();
    yield [items[taken] as Item, (await results[taken]) as Result];
    // Results that were yielded can be freed.
    delete results[taken];
  }
}
