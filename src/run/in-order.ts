/**
 * Does work for each input, at most `concurrency` at a time, and yields the results in input order. No more work
 * is begun once the caller stops taking results. `work` must not reject.
 */
export async function* inOrder<Input, Result>(
  inputs: readonly Input[],
  concurrency: number,
  work: (input: Input) => Promise<Result>,
): AsyncGenerator<Result, void> {
  const running: Promise<Result>[] = [];
  let next = 0;
  for (;;) {
    while (running.length < concurrency && next < inputs.length) {
      const input = inputs[next++];
      if (input !== undefined) running.push(work(input));
    }
    const first = running.shift();
    if (first === undefined) return;
    yield await first;
  }
}
