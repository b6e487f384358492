/** Finds the nearest of `words`: within two typos of `word` (fewer for a short one), ignoring case; undefined if there is none. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  for (const typos of [0, 1, 2]) {
    const isNear = (candidate: string): boolean =>
      typos <= candidate.length / 3 && isWithin(typos, word.toLowerCase(), candidate.toLowerCase());
    const found = words.find(isNear);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `did you mean csv?`: the shortest word that starts with `word` (three letters or more), or the nearest one, if any. */
export function didYouMean(word: string, words: readonly string[]): string | undefined {
  const isLonger = (candidate: string): boolean => /\w{3}/.test(word) && candidate.startsWith(word);
  const [longer] = words.filter(isLonger).sort((a, b) => a.length - b.length);
  const meant = longer ?? nearest(word, words);
  return meant && `did you mean ${meant}?`;
}

/** `did you mean csv? expected one of csv, json` */
export function expectedOneOf(word: string, words: readonly string[]): string {
  const expected = `expected one of ${words.join(', ')}`;
  return [didYouMean(word, words), expected].filter(Boolean).join(' ');
}

/** Whether at most `typos` insertions, deletions, replacements or swaps of neighbours turn `a` into `b`. */
function isWithin(typos: number, a: string, b: string): boolean {
  if (a === b) return true;
  if (a[0] === b[0]) return isWithin(typos, a.slice(1), b.slice(1));
  if (typos === 0) return false;
  /** Whether the rests of both words are near enough, after this many characters of each are skipped. */
  const isRestNear = (ofA: number, ofB: number): boolean => isWithin(typos - 1, a.slice(ofA), b.slice(ofB));
  const isDeletion = isRestNear(1, 0);
  const isInsertion = isRestNear(0, 1);
  const isReplacement = isRestNear(1, 1);
  const isSwap = a[0] === b[1] && a[1] === b[0] && isRestNear(2, 2);
  return isDeletion || isInsertion || isReplacement || isSwap;
}
