import { existsSync } from 'node:fs';
import type { RunOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { Failure, usage } from '../errors.ts';
import { isFolder } from '../fs/files.ts';
import { inputName, type Line, readLines } from '../fs/text-input.ts';
import { newTally, type Tally } from '../service/budget.ts';
import type { ReferenceKind } from '../service/contract.ts';
import {
  expectedReference,
  isReference,
  type ParsedReference,
  parseReference,
} from '../service/parse-reference.ts';
import { shellQuote } from '../text/command.ts';
import { excerpt, truncate } from '../text/truncate.ts';

export interface Reference extends Omit<ParsedReference, 'given'> {
  /** As the user gave it; null with `--continuation`. */
  readonly given: string | null;
  /** The name of the reference in messages: with its file and line, if it comes from `--from`. */
  readonly label: string | null;
  /** The first input with the same reference; null if this is the first. */
  readonly repeats: Reference | null;
  /** Shared with the reference that it repeats. */
  readonly tally: Tally;
  /** Why a line of the list is not a reference (nothing is sent for it); null if it is one. */
  readonly failure: Failure | null;
}

/** Selects the references that can be requested: all but the bad lines of a list. */
export const validReferences = (references: readonly Reference[]): readonly Reference[] =>
  references.filter(({ failure }) => failure === null);

/** Removes repeated references. */
export const uniqueReferences = (references: readonly Reference[]): readonly Reference[] =>
  references.filter(({ repeats }) => repeats === null);

export const newReference = (
  parsed: Pick<Reference, 'given' | 'value' | 'id'>,
  label = parsed.given,
  repeats: Reference | null = null,
  failure: Failure | null = null,
): Reference => ({ ...parsed, label, repeats, tally: repeats?.tally ?? newTally(parsed.given), failure });

/**
 * Reads the references of a command line, including the bad lines of its list, in input order. `validate` throws for a
 * reference that cannot be sent. Throws a usage error for a bad argument, and if there is no reference at all.
 */
export async function readReferences(
  options: Pick<RunOptions, 'references' | 'from'>,
  kind: ReferenceKind | 'channel or playlist',
  context: Context,
  validate: (reference: ParsedReference) => void = () => {},
): Promise<readonly Reference[]> {
  const { from } = options;
  const references: Reference[] = [];
  const firsts = new Map<string, Reference>();
  for await (const { text, place, problem } of inputsOf(options, context)) {
    try {
      if (problem !== null) throw usage(problem, 'expected a text file of one reference per line');
      const parsed = kind === 'channel or playlist' ? parseEither(text) : parseReference(text, kind);
      validate(parsed);
      const { given, value } = parsed;
      const label = place === null ? given : `${place} ${given}`;
      const repeats = firsts.get(value) ?? null;
      const input = newReference(parsed, label, repeats);
      references.push(input);
      if (repeats === null) firsts.set(value, input);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (place === null) {
        const flag = from === null && isList(text) ? '--from' : isFieldList(text) ? '--fields' : null;
        throw flag === null ? error : error.with({ step: `did you mean ${flag} ${shellQuote(text)}?` });
      }
      const line = { given: excerpt(problem ?? text), value: '', id: null };
      references.push(newReference(line, place, null, error.with({ scope: 'reference' })));
    }
  }
  if (references.length > 0) return references;
  if (from !== null)
    throw usage(`${inputName(from)} contains no ${kind} reference`, 'expected one reference per line');
  const expected = kind === 'channel or playlist' ? 'a reference' : expectedReference[kind];
  throw usage(`missing ${kind}: expected ${expected}`);
}

/** Whether a text looks like a list of fields: `title,videoId`. */
const isFieldList = (text: string): boolean => /^\w+(?:\.\w+)*(?:,\w+(?:\.\w+)*)+$/.test(text);

const isList = (text: string): boolean => text === '-' || (existsSync(text) && !isFolder(text));

/** Patterns that recognize a list in another format by its first line. */
const forms: readonly (readonly [line: RegExp, form: string])[] = [
  [/^(?:\[|\{)\s*(?:["[{]|$)/, 'JSON'],
  [/^<(?:\?xml|opml|outline)\b/i, 'OPML'],
  [/[,;\t]/, 'CSV'],
];

/** Throws a usage error if all lines of the list are bad. */
export function assertSomeGoodLine(
  references: readonly Reference[],
  options: Pick<RunOptions, 'references' | 'from'>,
  kind: string,
): void {
  const lines = references.slice(options.references.length);
  const [first] = lines;
  if (options.from === null || first === undefined || validReferences(lines).length > 0) return;
  const [, form] = forms.find(([pattern]) => pattern.test(first.given ?? '')) ?? [];
  const shown = lines.slice(0, 3).map(({ label, given }) => `${label} '${truncate(given ?? '', 60)}'`);
  const step = form && `it looks like ${form}: see "Lists from other programs" in docs/scripts.md`;
  const message = `no line of ${inputName(options.from)} is a ${kind} reference: ${shown.join(', ')}`;
  throw usage(message, step ?? first.failure?.step ?? 'expected one reference per line');
}

/** Yields the arguments, then the lines of the list without comments. `place`: `refs.txt:17`; null for an argument. */
async function* inputsOf(
  { references, from }: Parameters<typeof readReferences>[0],
  context: Context,
): AsyncGenerator<Omit<Line, 'number'> & { readonly place: string | null }, void> {
  for (const text of references) yield { text, problem: null, place: null };
  if (from === null) return;
  // Access `stdin` only here: the getter opens it.
  const { stdin, stop } = context;
  const unreadable = (why: string): Failure =>
    usage(`--from: cannot read ${from}: ${why}`, 'expected a text file, or - for stdin');
  const lines = readLines(from === '-' ? stdin : from, unreadable, stop);
  for await (const { number, text: line, problem } of lines) {
    const text = withoutComment(line);
    if (text !== '' || problem !== null) yield { text, problem, place: `${inputName(from)}:${number}` };
  }
}

/** Removes a comment (`#` at the start or after white space), outer white space and a bullet. */
function withoutComment(line: string): string {
  const start = line.search(/(?<!\S)#/);
  return (start === -1 ? line : line.slice(0, start))
    .trim()
    .replace(/^(?:[-*•–—]|\d+[.)])\s+(?:\[[ xX]?\]\s+)?/, '');
}

/** Parses a channel, or else a playlist. Throws what `parseReference` throws for a channel. */
export const parseEither = (text: string): ParsedReference =>
  parseReference(
    text,
    isReference(text, 'playlist') && !isReference(text, 'channel') ? 'playlist' : 'channel',
  );
