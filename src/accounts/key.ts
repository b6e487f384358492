import type { Context } from '../context.ts';
import { type Failure, usage } from '../errors.ts';
import { readLines } from '../fs/text-input.ts';
import { isQuoted } from '../text/sanitize.ts';

const expected = 'expected one key and nothing else';

/** Parses a key. Usage errors name `source`, and never show the text. */
export function parseKey(text: string, source: string): string {
  const key = text.trim();
  if (key === '') throw usage(`${source}: no key found`, expected);
  if (isQuoted(key)) throw usage(`${source}: the key has quotes around it`, 'remove the quotes');
  if (!/^[\x21-\x7e]{1,4096}$/.test(key))
    throw usage(`${source}: not a key (a key is at most 4,096 characters of ASCII without spaces)`, expected);
  return key;
}

/** Reads a key from a stream or a file. Usage errors name `source` but not the path, which may be a key that was given by mistake. */
export async function readKey(
  from: string | Context['stdin'],
  source: string,
  stop: AbortSignal,
): Promise<string> {
  const unreadable = (why: string): Failure =>
    usage(`${source}: the key cannot be read: ${why}`, 'give a file with one key and nothing else');
  let text = '';
  for await (const { number, text: line, problem } of readLines(from, unreadable, stop)) {
    if (problem !== null) throw unreadable(`line ${number}: ${problem}`);
    text += `${line}\n`;
    if (text.length > 64 * 1024) throw unreadable('it is too long');
  }
  return parseKey(text, source);
}

/** Returns the last four characters of a key, to distinguish keys; `....` if the key is shorter than eight characters. */
export function lastFour(key: string): string {
  return key.length < 8 ? '....' : key.slice(-4);
}
