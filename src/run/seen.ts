import { basename, dirname } from 'node:path';
import { type Failure, usage } from '../errors.ts';
import { assertNotArchive, privateFolderOf, seenSuffix } from '../fs/archive-names.ts';
import { assertReplaceable, writeFileAtomic } from '../fs/atomic.ts';
import { acquireLock } from '../fs/file-lock.ts';
import { resolveTarget, type Target } from '../fs/output-target.ts';
import { PrivateFolder } from '../fs/private-folder.ts';
import { readLines } from '../fs/text-input.ts';
import type { JsonText } from '../json/json-text.ts';
import { feedIdOf } from '../service/page.ts';
import { isReference, parseReference } from '../service/parse-reference.ts';
import { count } from '../text/count.ts';
import type { Reference } from './read-references.ts';
import type { Run } from './run.ts';

interface NewEntries {
  readonly entries: readonly JsonText[];
  /** Marks the entries as seen; called once they are written to stdout. */
  accept(): void;
}

/** The locked file of `latest --seen`: IDs of printed videos and known references, one per line. */
export class SeenFile {
  readonly #target: Target;
  /** The lines of the file, and the lines to add. */
  readonly #lines: Set<string>;
  readonly #release: () => void;
  readonly #savedCount: number;
  /** Lines of references that are checked for the first time. Added at the end, so that they hide no entry of another one. */
  readonly #baselines = new Map<string, readonly string[]>();
  readonly #missed: string[] = [];

  private constructor(target: Target, lines: Set<string>, release: () => void) {
    this.#target = target;
    this.#lines = lines;
    this.#savedCount = lines.size;
    this.#release = release;
  }

  /** Opens and locks the file. Throws `locked` while another run uses it, and a usage error for an invalid line. */
  static async open(path: string, stop: AbortSignal): Promise<SeenFile> {
    const found = resolveTarget(path);
    assertNotArchive(found);
    assertReplaceable(found);
    const folder = PrivateFolder.open(privateFolderOf(dirname(found.real))).ensure();
    const lock = await acquireLock(folder, basename(found.real) + seenSuffix, path);
    const release = (): void => {
      lock?.[Symbol.dispose]();
      folder.removeIfUnused();
    };
    try {
      // A run that has just ended may have replaced the file.
      const target = resolveTarget(path);
      return new SeenFile(target, await readIds(target, stop), release);
    } catch (error) {
      release();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#release();
  }

  /** Selects at most `limit` entries that have not been seen; none if the reference is checked for the first time. */
  takeNewEntries(
    entries: readonly JsonText[],
    { value, label }: Reference,
    limit: number | null,
  ): NewEntries {
    const key = lineOf(value);
    const found = new Set<string>();
    const unseen = entries.filter((entry) => {
      const id = idOf(entry);
      const isNew = id === '' || !(this.#lines.has(id) || found.has(id));
      found.add(id);
      return isNew;
    });
    // If most entries were seen, this is a new spelling of a known reference. Different channels may share a few entries.
    const seenBefore = entries.filter((entry) => this.#lines.has(idOf(entry)));
    const isKnown = this.#lines.has(key) || 2 * seenBefore.length > entries.length;
    if (!isKnown) {
      const lines = [...unseen.map(idOf), key];
      return { entries: [], accept: () => void this.#baselines.set(key, lines) };
    }
    if (unseen.length > 0 && unseen.length === entries.length) this.#missed.push(label ?? value);
    const printed = unseen.slice(0, limit ?? undefined);
    return { entries: printed, accept: () => this.#add([...printed.map(idOf), key]) };
  }

  /** Saves the file. Returns a message if references were checked for the first time, else null. */
  save(run: Pick<Run, 'warn'>): string | null {
    for (const lines of this.#baselines.values()) this.#add(lines);
    if (this.#lines.size > this.#savedCount)
      writeFileAtomic(this.#target, `${[...this.#lines].join('\n')}\n`);
    const allNew = 'all entries are new since the last check; older ones may have been missed';
    for (const label of this.#missed) run.warn('all new', label, allNew);
    const { size } = this.#baselines;
    if (size === 0) return null;
    return `added ${count(size, 'reference', 'references')} to ${this.#target.path}; later runs print what is new`;
  }

  #add(lines: readonly string[]): void {
    for (const line of lines) if (line !== '') this.#lines.add(line);
  }
}

/** Throws a usage error for a file that `--seen` cannot use. Changes nothing. */
export async function assertSeenFile(path: string, stop: AbortSignal): Promise<void> {
  const target = resolveTarget(path);
  assertNotArchive(target);
  await readIds(target, stop);
}

/** Returns the ID of an entry as a line of the file; '' if the entry has no ID. */
const idOf = (entry: JsonText): string => lineOf(feedIdOf(entry) ?? '');

/** Maximum length of a text that is written as it is, in UTF-16 code units. */
const maxText = 1000;
/** White space, and characters that some editors and tools do not preserve. */
const notInLine = /[\s,\p{Cc}\p{Cf}\p{Cs}]/u;

/** Returns an ID or a reference as a line of the file. If the text cannot be a line, returns its digest. */
function lineOf(text: string): string {
  if (text.length <= maxText && !notInLine.test(text)) return text;
  const { createHash } = process.getBuiltinModule('node:crypto');
  // UTF-8 would make all lone surrogates equal.
  return `sha256:${createHash('sha256').update(text, 'utf16le').digest('hex')}`;
}

async function readIds({ stats, real, path }: Target, stop: AbortSignal): Promise<Set<string>> {
  const ids = new Set<string>();
  if (stats === null) return ids;
  const unreadable = (why: string): Failure =>
    usage(`--seen: cannot read ${path}: ${why}`, 'give a file of IDs, one per line');
  for await (const { number, text, problem } of readLines(real, unreadable, stop)) {
    const line = text.trim();
    const isNeither = line !== lineOf(line);
    const why = problem ?? (isNeither ? 'it is neither an ID nor a reference' : null);
    if (why !== null) throw unreadable(`line ${number}: ${why}`);
    ids.add(line);
    // A person may have written it as a URL: add it as a run would write it.
    if (line.includes('/') && isReference(line, 'channel')) ids.add(parseReference(line, 'channel').value);
  }
  ids.delete('');
  return ids;
}
