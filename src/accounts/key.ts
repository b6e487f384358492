import { Failure, usage } from '../errors.ts';
import { readPath, readProblem, TooLarge } from '../fs/read-input.ts';

/** Longest key, in characters. */
const longestKey = 4096;
/** Largest key file or standard input read for a key, in bytes. */
export const largestKeyInput = 64 * 1024;

/**
 * A key from what a person gave, without the white space around it. `source` names where it stood. A usage
 * error, which never shows the key, for what cannot stand in an `Authorization` header (section 5).
 */
export function parseKey(text: string, source: string): string {
  const key = text.trim();
  const expected = 'expected one key and nothing else';
  if (key === '') throw usage(`${source}: there is no key in it`, expected);
  if (/\s/.test(key)) throw usage(`${source}: the key has white space or a line end inside`, expected);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw usage(`${source}: the key has characters other than printable ASCII`, expected);
  if (key.length > longestKey)
    throw usage(`${source}: the key is longer than ${longestKey} characters`, expected);
  return key;
}

/**
 * The key that a file, or a pipe such as `<(pass show key)`, holds. Usage errors name `source` and the file; once
 * `stop` is aborted, its reason is thrown.
 */
export async function readKeyFile(path: string, source: string, stop?: AbortSignal): Promise<string> {
  if (path === '') throw usage(`${source}: the file name is empty`);
  return parseKey(await readSmall(path, source, stop), `${source} ${path}`);
}

async function readSmall(path: string, source: string, stop: AbortSignal | undefined): Promise<string> {
  try {
    return (await readPath(path, largestKeyInput, stop)).toString('utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    const hint = 'name a file that holds the key alone';
    if (error instanceof TooLarge) throw usage(`${source}: ${path} is larger than 64 KiB`, hint);
    // A key that was given in place of a file's name must not be shown.
    const shown = /^[\w+=~-]{12,}$/.test(path) ? 'the file' : path;
    throw usage(`${source}: cannot read ${shown}: ${readProblem(error)}`, hint);
  }
}

/** The last four characters, to tell keys apart; of a key shorter than eight characters nothing but dots. */
export function lastFour(key: string): string {
  return key.length < 8 ? '....' : key.slice(-4);
}
