import { expectedReference, parseReference, type Reference, type ReferenceKind } from '../api/references.ts';
import type { Context } from '../context.ts';
import { Failure, usage } from '../errors.ts';
import { readPath, readProblem, readStream, TooLarge } from '../fs/read-input.ts';

/** The references of one call. */
export interface References {
  readonly list: readonly Reference[];
  /** Output is made for several: more than one, or a list by `--from`. */
  readonly several: boolean;
}

/**
 * Reads the references of a command line and of `--from` (`-`: stdin), all of them before anything else is done.
 * Throws a usage error that names every line that cannot be a reference, or that `check` throws for. One given
 * twice is kept once.
 */
export async function readReferences(
  words: readonly string[],
  from: string | null,
  kind: ReferenceKind,
  context: Context,
  check: (reference: Reference) => void = () => {},
): Promise<References> {
  const found = new Map<string, Reference>();
  const add = (text: string): void => {
    const reference = parseReference(text, kind);
    check(reference);
    if (!found.has(reference.value)) found.set(reference.value, reference);
  };
  for (const word of words) add(word);
  if (from !== null) {
    const name = from === '-' ? 'stdin' : from;
    const bad: { at: string; failure: Failure }[] = [];
    const lines = (await readText(from, context)).split('\n');
    for (const [index, line] of lines.entries()) {
      const text = line.trim();
      if (text === '' || text.startsWith('#')) continue;
      try {
        add(text);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        bad.push({ at: `${name}:${index + 1}`, failure: error });
      }
    }
    const [first, ...others] = bad;
    if (first !== undefined) {
      const { message, hint = 'nothing was sent' } = first.failure;
      if (others.length === 0) throw usage(`${first.at}: ${message}`, hint);
      const lines = bad.map(({ at }) => at).join(', ');
      throw usage(`${lines} are not ${kind} references; the first: ${message}`, hint);
    }
    if (found.size === 0) throw usage(`${name} has no ${kind} reference`, 'expected one a line');
  }
  if (found.size === 0) throw usage(`no ${kind} reference is given`, `expected ${expectedReference[kind]}`);
  return { list: [...found.values()], several: found.size > 1 || from !== null };
}

/** Bytes of a list at the most: some ten million references. */
const largestList = 256 * 1024 * 1024;

async function readText(from: string, { stdin, stop }: Context): Promise<string> {
  try {
    const bytes =
      from === '-' ? await readStream(stdin, largestList, stop) : await readPath(from, largestList, stop);
    return bytes.toString('utf8').replace(/^\ufeff/, '');
  } catch (error) {
    if (error instanceof Failure) throw error;
    const why = error instanceof TooLarge ? 'it is larger than 256 MiB' : readProblem(error);
    throw usage(`--from: cannot read ${from}: ${why}`, 'expected a text file, or - for stdin');
  }
}
