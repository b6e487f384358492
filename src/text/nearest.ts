/** The word of `words` within one or two typos of `word`; undefined if there is none. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = 3;
  for (const candidate of words) {
    const typos = distance(word.toLowerCase(), candidate.toLowerCase());
    const maxTypos = Math.min(2, Math.floor(candidate.length / 3));
    if (typos <= maxTypos && typos < fewest) {
      best = candidate;
      fewest = typos;
    }
  }
  return best;
}

/** The hint for a word that is none of these: `did you mean csv? expected one of csv, json`. */
export function expectedOneOf(
  word: string,
  words: readonly string[],
  meant: string | undefined = nearest(word, words),
): string {
  const expected = `expected one of ${words.join(', ')}`;
  return meant === undefined ? expected : `did you mean ${meant}? ${expected}`;
}

/** Optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : replaced;
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped));
    }
  }
  return at(a.length, b.length);
}
