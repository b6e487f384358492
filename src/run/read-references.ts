import type { ResponseOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { excerpt, Failure, usage } from '../errors.ts';
import { inputName, type Line, readLines } from '../fs/text-input.ts';
import type { ReferenceKind } from '../service/contract.ts';
import { expectedReference, parseReference, type Reference } from '../service/parse-reference.ts';
import { thousands } from '../text/count.ts';
import { newSubject, type Subject } from './results.ts';

export interface InputReference extends Reference, Subject {
  readonly reference: string;
  /** The first input with the same reference; null if it is that one. */
  readonly repeats: InputReference | null;
}

export interface References {
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

/** The references of a command line; without `from`, the command takes no list. */
type ReferenceArguments = Pick<ResponseOptions, 'references' | 'from'>;

/**
 * Reads the references of a command line and of `--from` (`-`: stdin), all of them before anything is sent. Throws a usage
 * error that names the first lines that are no references, or that `check` refuses.
 */
export async function readReferences(
  options: ReferenceArguments,
  kind: ReferenceKind | 'channel or playlist',
  context: Context,
  check: (reference: Reference) => void = () => {},
): Promise<References> {
  const { from } = options;
  const inputs: InputReference[] = [];
  const firsts = new Map<string, InputReference>();
  const bad: string[] = [];
  let first: Failure | null = null;
  let badCount = 0;
  for await (const { text, place, problem } of wordsOf(options, context)) {
    try {
      if (problem !== null) throw usage(problem, 'expected a text file of one reference per line');
      const parsed =
        kind === 'channel or playlist' ? parseEither(text) : parseReference(text, kind, from !== undefined);
      check(parsed);
      const { reference, value } = parsed;
      const label = place === null ? reference : `${place} ${reference}`;
      const repeats = firsts.get(value) ?? null;
      const input = { ...newSubject(reference, label), ...parsed, repeats };
      inputs.push(input);
      if (repeats === null) firsts.set(value, input);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      first ??= error;
      if (++badCount <= maxNamed) bad.push(place ?? excerpt(text));
    }
  }
  if (first !== null) throw badReferences(first, kind, bad, badCount);
  if (inputs.length > 0)
    return { inputs, distinct: [...firsts.values()], several: inputs.length > 1 || from != null };
  if (from != null)
    throw usage(`${inputName(from)} contains no ${kind} reference`, 'expected one reference per line');
  const expected = kind === 'channel or playlist' ? 'a reference' : expectedReference[kind];
  throw usage(`missing ${kind}: expected ${expected}`);
}

/**
 * The arguments, then the lines of the list without blank lines, comments (`#` at the start or after white space) and CR.
 * `place`: of a line (`refs.txt:17`).
 */
async function* wordsOf(
  { references, from }: ReferenceArguments,
  context: Context,
): AsyncGenerator<Omit<Line, 'number'> & { readonly place: string | null }, void> {
  for (const text of references) yield { text, problem: null, place: null };
  if (from == null) return;
  // Not before: reading this property opens stdin.
  const { stdin, stop } = context;
  const unreadable = (why: string): Failure =>
    usage(`--from: cannot read ${from}: ${why}`, 'expected a text file, or - for stdin');
  const lines = readLines(from === '-' ? stdin : from, unreadable, stop);
  for await (const { number, text: line, problem } of lines) {
    const text = withoutComment(line);
    if (text !== '' || problem !== null) yield { text, problem, place: `${inputName(from)}:${number}` };
  }
}

export const sameAs = ({ label }: Subject): string => `the same channel or playlist as ${label}; listed once`;

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
