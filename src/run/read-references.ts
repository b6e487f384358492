import type { Context } from '../context.ts';
import { Failure, usage } from '../errors.ts';
import { readText } from '../fs/read-input.ts';
import {
  expectedReference,
  parseReference,
  type Reference,
  type ReferenceKind,
} from '../service/references.ts';

/** A reference as it was given. */
export interface InputReference extends Reference {
  /** How messages name it: `refs.txt:17 @a`, if it comes from a list. */
  readonly label: string;
  /** Index of the first input with the same reference; its own for the first one. */
  readonly first: number;
}

/** The references of one call. */
export interface References {
  /** All inputs, in order. */
  readonly inputs: readonly InputReference[];
  /** Whether the output has the form for several references: more than one, or a list from `--from`. */
  readonly several: boolean;
}

/**
 * Reads the references of a command line and of `--from` (`-`: stdin), all of them before anything is sent. In a list,
 * blank lines and comments (`#` at the start or after white space), a BOM and CR are skipped. Throws a usage error
 * that names every line that cannot be a reference, or that `check` refuses.
 */
export async function readReferences(
  words: readonly string[],
  from: string | null,
  kind: ReferenceKind | 'channel or playlist',
  context: Context,
  check: (reference: Reference) => void = () => {},
): Promise<References> {
  const inputs: InputReference[] = [];
  const seen = new Map<string, number>();
  const bad: { at: string; failure: Failure }[] = [];
  const add = (text: string, at: string | null): void => {
    try {
      const reference = kind === 'channel or playlist' ? parseEither(text) : parseReference(text, kind);
      check(reference);
      const first = seen.get(reference.value) ?? inputs.length;
      seen.set(reference.value, first);
      const label = at === null ? reference.given : `${at} ${reference.given}`;
      inputs.push({ ...reference, label, first });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      bad.push({ at: at ?? '', failure: error });
    }
  };
  for (const word of words) add(word, null);
  if (from !== null) {
    const name = from === '-' ? 'stdin' : from;
    const text = await readText(from === '-' ? context.stdin : from, maxListBytes, {
      problem: `--from: cannot read ${from}`,
      hint: 'expected a text file, or - for stdin',
      stop: context.stop,
    });
    const lines = text.replace(/^\ufeff/, '').split('\n');
    for (const [index, line] of lines.entries()) {
      const text = line.replace(/(?:^|\s)#.*$/s, '').trim();
      if (text !== '') add(text, `${name}:${index + 1}`);
    }
    if (inputs.length === 0 && bad.length === 0)
      throw usage(`${name} has no ${kind} reference`, 'expected one reference per line');
  }
  const [first, ...others] = bad;
  if (first !== undefined) {
    const { message, hint } = first.failure;
    const next = hint ?? 'nothing was sent';
    if (others.length === 0) throw usage(first.at === '' ? message : `${first.at}: ${message}`, next);
    const places = bad.flatMap(({ at }) => (at === '' ? [] : [at]));
    const where =
      places.length === bad.length
        ? `${places.join(', ')}: `
        : places.length > 0
          ? `${places.join(', ')} and arguments: `
          : '';
    throw usage(`${where}${bad.length} are not ${kind} references; the first: ${message}`, next);
  }
  if (inputs.length === 0) {
    const expected = kind === 'channel or playlist' ? 'a reference' : expectedReference[kind];
    throw usage(`no ${kind} reference is given`, `expected ${expected}`);
  }
  return { inputs, several: seen.size > 1 || inputs.length > 1 || from !== null };
}

function parseEither(text: string): Reference {
  try {
    return parseReference(text, 'channel');
  } catch (error) {
    try {
      return parseReference(text, 'playlist');
    } catch {
      throw error;
    }
  }
}

/** Maximum size of a list (bytes): some ten million references. */
const maxListBytes = 256 * 1024 * 1024;
