import type { Context } from '../context.ts';
import { type Failure, usage } from '../errors.ts';
import { readLines } from '../fs/text-input.ts';

const maxKeyLength = 4096;
const maxInputLength = 64 * 1024;
const expected = 'expected one key and nothing else';

/**
 * Parses a key; surrounding white space is trimmed. `source` names where it was given. Throws a usage error, which
 * never shows the key, for a text that is not valid in an `Authorization` header (section 5).
 */
export function parseKey(text: string, source: string): string {
  const key = text.trim();
  if (key === '') throw usage(`${source}: no key found`, expected);
  if (/\s/.test(key)) throw usage(`${source}: the key contains white space or a line break`, expected);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw usage(`${source}: the key contains characters other than printable ASCII`, expected);
  if (key.length > maxKeyLength)
    throw usage(`${source}: the key is longer than ${maxKeyLength} characters`, expected);
  return key;
}

/**
 * Reads a key from a stream, from a file (a path), or from a pipe such as `<(pass show key)`. Usage errors name `source`
 * and the file; once `stop` is aborted, its reason is thrown.
 */
export async function readKey(
  from: string | Context['stdin'],
  source: string,
  stop?: AbortSignal,
): Promise<string> {
  const file = typeof from === 'string' ? keyFileName(from) : null;
  const unreadable = (why: string): Failure =>
    usage(`${source}: cannot read ${file ?? 'it'}: ${why}`, expected);
  let text = '';
  for await (const { number, text: line, problem } of readLines(from, unreadable, stop)) {
    if (problem !== null) throw unreadable(`line ${number}: ${problem}`);
    text += `${line}\n`;
    if (text.length > maxInputLength) throw unreadable('it is too long');
  }
  return parseKey(text, file === null ? source : `${source} ${file}`);
}

/** The name of a key file for messages; `the file` if the name may be a key that was given by mistake. */
export function keyFileName(path: string): string {
  return mayBeKey(path) ? 'the file' : path;
}

/** Whether a word may be a key: it has the usual prefix, or is long and does not look like a path. */
function mayBeKey(word: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(word) || /^(?:\/|\.{1,2}\/|~\/)/.test(word)) return false;
  if (/^(?:sk|pk)[_-]/i.test(word)) return true;
  return word.length >= (/[./]/.test(word) ? 32 : 8);
}

/** The last four characters, to distinguish keys; `....` for a key shorter than eight characters. */
export function lastFour(key: string): string {
  return key.length < 8 ? '....' : key.slice(-4);
}
