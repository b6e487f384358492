import type { Context } from '../context.ts';
import { excerpt, Failure, usage } from '../errors.ts';
import type { ReferenceKind } from '../service/contract.ts';
import { expectedReference, parseReference, type Reference } from '../service/references.ts';
import { thousands } from '../text/count.ts';
import { newSubject, type Subject } from './results.ts';

/** A reference as it was given. */
export interface InputReference extends Reference, Subject {
  readonly reference: string;
  /** The first input with the same reference; null if it is that one. */
  readonly repeats: InputReference | null;
}

/** The references of one run. */
export interface References {
  /** All inputs, in order. */
  readonly inputs: readonly InputReference[];
  /** Those that repeat no other. */
  readonly distinct: readonly InputReference[];
  /** Whether json has the form for several references: more than one, or a list from `--from`. */
  readonly several: boolean;
}

/** With `--continuation`. */
export const noReferences: References = { inputs: [], distinct: [], several: false };

/** Bad lines that are named; the rest is counted. */
const maxNamed = 20;

/**
 * Reads the references of a command line and of `--from` (`-`: stdin), all of them before anything is sent. In a list,
 * blank lines, comments (`#` at the start or after white space), a BOM and CR are skipped. Throws a usage error that
 * names the first lines that are no references, or that `check` refuses. Without `from`, the command takes no list.
 */
export async function readReferences(
  { references, from }: { readonly references: readonly string[]; readonly from?: string | null | undefined },
  kind: ReferenceKind | 'channel or playlist',
  context: Context,
  check: (reference: Reference) => void = () => {},
): Promise<References> {
  const inputs: InputReference[] = [];
  const firsts = new Map<string, InputReference>();
  const bad: string[] = [];
  let problem: Failure | null = null;
  let badCount = 0;
  const add = (text: string, at: string | null): void => {
    try {
      const takesList = from !== undefined;
      const found =
        kind === 'channel or playlist' ? parseEither(text) : parseReference(text, kind, takesList);
      check(found);
      const { given: reference, value } = found;
      const label = at === null ? reference : `${at} ${reference}`;
      const repeats = firsts.get(value) ?? null;
      const input = { ...found, ...newSubject(reference, label), reference, repeats };
      inputs.push(input);
      if (repeats === null) firsts.set(value, input);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problem ??= error;
      if (++badCount <= maxNamed) bad.push(at ?? excerpt(text));
    }
  };
  for (const word of references) add(word, null);
  if (from != null) {
    const name = from === '-' ? 'stdin' : from;
    const { readLines } = await import('../fs/text-input.ts');
    const input = from === '-' ? context.stdin : from;
    const unreadable = (why: string): Failure => usage(`--from: cannot read ${from}: ${why}`, hint);
    let number = 0;
    for await (const line of readLines(input, unreadable, context.stop)) {
      const reference = withoutComment(line);
      number++;
      if (reference !== '') add(reference, `${name}:${number}`);
    }
    if (inputs.length === 0 && badCount === 0)
      throw usage(`${name} contains no ${kind} reference`, 'expected one reference per line');
  }
  if (problem !== null) throw badReferences(problem, kind, bad, badCount);
  if (inputs.length === 0) {
    const expected = kind === 'channel or playlist' ? 'a reference' : expectedReference[kind];
    throw usage(`missing ${kind}: expected ${expected}`);
  }
  return { inputs, distinct: [...firsts.values()], several: inputs.length > 1 || from != null };
}

/** The warning for a reference of a list that another one stands for. */
export const sameAs = ({ label }: Subject): string =>
  `the same channel or playlist as ${label}; listed once: remove one of the two`;

const hint = 'expected a text file, or - for stdin';

/** A line up to a `#` at its start or after white space, trimmed. */
function withoutComment(line: string): string {
  const start = line.search(/(?<!\S)#/);
  return (start === -1 ? line : line.slice(0, start)).trim();
}

function badReferences(
  { message, hint = 'nothing was sent' }: Failure,
  kind: string,
  places: readonly string[],
  all: number,
): Failure {
  const [first = ''] = places;
  // A message about an argument quotes it.
  if (all === 1) return usage(message.includes(first) ? message : `${first}: ${message}`, hint);
  const more = all > places.length ? ` and ${thousands(all - places.length)} more` : '';
  const what = `${thousands(all)} are not ${kind} references; the first: ${message}`;
  return usage(`${places.join(', ')}${more}: ${what}`, hint);
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
