/**
 * A pipeline of POSIX tools that prints the names of the stored profiles, from the store's text on its stdin, and
 * nothing else of it. In the store, an object of objects, only `profiles` and the profiles themselves are keys of
 * objects, `profiles` first. Names with quotes or backslashes are left out.
 */
export const profileNames = [
  `tr -d '\\r\\n'`,
  `grep -o '"[^"\\\\]*"[[:space:]]*:[[:space:]]*{'`,
  `sed -e 1d -e 's/^"//' -e 's/"[[:space:]]*:[[:space:]]*{$//'`,
] as const;

/** First lines of a generated script. */
export const generatedNotice = [
  '# Generated from the program by: npm run generate. Changes made here are lost.',
] as const;

/** A word in single quotes, as POSIX shells and zsh read it. */
export function shQuote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
