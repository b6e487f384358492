const sameAgain = 'run the same command again to resume';
const keyAdvice =
  'a key on the command line is visible to other users; use --key-file FILE, CHANLIST_API_KEY or chanlist auth login';

/** By word, what to use here: one row per advice, with the words that lead to it. */
const pointers = (rows: readonly (readonly [words: string, advice: string])[]): ReadonlyMap<string, string> =>
  new Map(rows.flatMap(([words, advice]) => words.split(' ').map((word) => [word, advice] as const)));

/** Flags of other programs: the flag to use here, or advice. */
export const flagsOfOtherTools = pointers([
  ['--file --batch-file -a', '--from'],
  ['--force --clobber --overwrite --update', '--restart'],
  ['--max --max-results --max-items --first -L', '--limit'],
  ['--out', '--output'],
  ['--outdir', '--output-dir'],
  ['-j --jobs --parallel', '--concurrency'],
  ['--paginate', '--all'],
  ['--download-archive', '--seen'],
  ['--estimate --cost', '--dry-run'],
  ['--silent', '--quiet'],
  ['--retry', '--retries'],
  ['--url', '--base-url'],
  ['--debug', 'use -vv'],
  ['--csv', 'use --format csv'],
  ['--jq', 'pipe the output into jq'],
  ['--with-token', 'the key is read from stdin: chanlist auth login < FILE'],
  ['--continue --resume', sameAgain],
  ['--key --api-key --token --password', keyAdvice],
]);

/** Commands of other programs, and what to use here. */
export const commandsOfOtherTools = pointers([
  ['export download videos list', 'use uploads or playlist'],
  ['convert cat view', 'use show'],
  ['sandbox', 'use serve, or the flag --sandbox'],
  ['balance quota usage', 'use credits'],
  ['feed', 'use latest'],
  ['verify', 'use check'],
  ['sync update', 'use uploads --update'],
  ['resume', sameAgain],
  ['whoami status', 'use auth status'],
  ['login', 'use auth login'],
  ['logout', 'use auth logout'],
  ['version', 'use --version'],
]);
