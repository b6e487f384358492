import { existsSync } from 'node:fs';
import type { RunOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { excerpt, Failure, usage } from '../errors.ts';
import { isFolder } from '../fs/files.ts';
import { inputName, type Line, readLines } from '../fs/text-input.ts';
import { newTally, type Tally } from '../service/budget.ts';
import type { ReferenceKind } from '../service/contract.ts';
import { expectedReference, type ParsedReference, parseReference } from '../service/parse-reference.ts';
import { shellQuote } from '../text/command.ts';
import { thousands } from '../text/count.ts';

export interface Reference extends Omit<ParsedReference, 'reference'> {
  /** As given; null with `--continuation`. */
  readonly reference: string | null;
  /** How messages name it: with its line, if it comes from `--from`. */
  readonly label: string | null;
  /** The first input with the same reference; null if it is that one. */
  readonly repeats: Reference | null;
  /** That of the reference which it repeats, if it does. */
  readonly tally: Tally;
}

export const distinct = (references: readonly Reference[]): readonly Reference[] =>
  references.filter(({ repeats }) => repeats === null);

export const newReference = (
  parsed: Omit<Reference, 'label' | 'repeats' | 'tally'>,
  label = parsed.reference,
  repeats: Reference | null = null,
): Reference => ({ ...parsed, label, repeats, tally: repeats?.tally ?? newTally(parsed.reference) });

const maxNamed = 20;

/**
 * The references of a command line, in input order. Throws a usage error that names the first lines that are no references,
 * or that `check` refuses.
 */
export async function readReferences(
  options: Pick<RunOptions, 'references' | 'from'>,
  kind: ReferenceKind | 'channel or playlist',
  context: Context,
  check: (reference: ParsedReference) => void = () => {},
): Promise<readonly Reference[]> {
  const { from } = options;
  const inputs: Reference[] = [];
  const firsts = new Map<string, Reference>();
  const bad: { readonly place: string; readonly failure: Failure }[] = [];
  for await (const { text, place, problem } of wordsOf(options, context)) {
    try {
      if (problem !== null) throw usage(problem, 'expected a text file of one reference per line');
      const parsed = kind === 'channel or playlist' ? parseEither(text) : parseReference(text, kind);
      check(parsed);
      const { reference, value } = parsed;
      const label = place === null ? reference : `${place} ${reference}`;
      const repeats = firsts.get(value) ?? null;
      const input = newReference(parsed, label, repeats);
      inputs.push(input);
      if (repeats === null) firsts.set(value, input);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      bad.push({ place: place ?? excerpt(text), failure: error });
    }
  }
  const [first] = bad;
  if (first !== undefined) {
    const isList = from === null && existsSync(first.place) && !isFolder(first.place);
    const { message } = first.failure;
    const next = isList
      ? `did you mean --from ${shellQuote(first.place)}?`
      : (first.failure.next ?? 'nothing was sent');
    // A message about an argument quotes it.
    const said = message.includes(first.place) ? message : `${first.place}: ${message}`;
    if (bad.length === 1) throw usage(said, next);
    const places = bad.slice(0, maxNamed).map(({ place }) => place);
    const more = bad.length > maxNamed ? ` and ${thousands(bad.length - maxNamed)} more` : '';
    const what = `${thousands(bad.length)} are not ${kind} references; the first: ${message}`;
    throw usage(`${places.join(', ')}${more}: ${what}`, next);
  }
  if (inputs.length > 0) return inputs;
  if (from != null)
    throw usage(`${inputName(from)} contains no ${kind} reference`, 'expected one reference per line');
  const expected = kind === 'channel or playlist' ? 'a reference' : expectedReference[kind];
  throw usage(`missing ${kind}: expected ${expected}`);
}

/** The arguments, then the lines of the list without comments. `place`: of a line (`refs.txt:17`). */
async function* wordsOf(
  { references, from }: Parameters<typeof readReferences>[0],
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

/** A line up to a `#` at its start or after white space, trimmed. */
function withoutComment(line: string): string {
  const start = line.search(/(?<!\S)#/);
  return (start === -1 ? line : line.slice(0, start)).trim();
}

export function parseEither(text: string): ParsedReference {
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
