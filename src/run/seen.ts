import { basename, dirname } from 'node:path';
import { type Failure, usage } from '../errors.ts';
import { assertReplaceable, writeFileAtomic } from '../fs/atomic.ts';
import { acquireLock } from '../fs/file-lock.ts';
import { resolveTarget, type Target } from '../fs/output-target.ts';
import { assertNotArchive, PrivateFolder, privateFolderOf, seenSuffix } from '../fs/private-folder.ts';
import { readLines } from '../fs/text-input.ts';
import type { JsonText } from '../json/json-text.ts';
import { count } from '../text/count.ts';
import { feedIdOf } from './list-pages.ts';
import type { Reference } from './read-references.ts';
import type { Run } from './run.ts';

/**
 * Opens and locks the file of `latest --seen`: IDs of printed videos and known references, one per line. Throws `locked`
 * while another run uses it, and a usage error for any other line.
 */
export async function openSeenFile(path: string, stop: AbortSignal) {
  const found = resolveTarget(path);
  assertNotArchive(found);
  assertReplaceable(found);
  const folder = PrivateFolder.open(privateFolderOf(dirname(found.real))).ensure();
  const lock = await acquireLock(folder, basename(found.real) + seenSuffix, path);
  // A run that has just ended may have replaced it.
  const target = resolveTarget(path);
  const release = (): void => {
    lock?.[Symbol.dispose]();
    folder.removeIfUnused();
  };
  const ids = await readIds(target, stop).catch((error) => {
    release();
    throw error;
  });
  const savedCount = ids.size;
  /** Lines for the reference that is being printed. */
  let pending: readonly string[] = [];
  const baselines = new Set<string>();
  const missed: string[] = [];
  return {
    [Symbol.dispose]: release,
    /** Selects entries that have not been seen, at most `limit`; none of a reference that is checked for the first time. */
    takeNewEntries: (
      entries: readonly JsonText[],
      { value, label }: Reference,
      limit: number | null,
    ): readonly JsonText[] => {
      const key = lineOf(value);
      const unseen = entries.filter((entry) => !ids.has(idOf(entry)));
      if (!ids.has(key)) {
        pending = [...unseen.map(idOf), key];
        baselines.add(key);
        return [];
      }
      if (unseen.length > 0 && unseen.length === entries.length) missed.push(label ?? value);
      const printed = unseen.slice(0, limit ?? undefined);
      pending = printed.map(idOf);
      return printed;
    },
    /** Counts the entries as seen, once stdout has them. */
    accept: (): void => {
      for (const line of pending) if (line !== '') ids.add(line);
    },
    /** Saves what was seen, and says what the next run prints. */
    save: (run: Pick<Run, 'warn'>): void => {
      if (ids.size > savedCount) writeFileAtomic(target, `${[...ids].join('\n')}\n`);
      const added = [...baselines].filter((key) => ids.has(key)).length;
      const what = `added ${count(added, 'reference', 'references')} to ${target.path}`;
      if (added > 0) run.warn('baseline', null, `${what}; later runs print what is new`);
      const allNew = 'all entries are new since the last check; older ones may have been missed';
      for (const label of missed) run.warn('all new', label, allNew);
    },
  };
}

/** Writes the ID of an entry as a line; '' if it has none. */
const idOf = (entry: JsonText): string => lineOf(feedIdOf(entry) ?? '');

/** Longest text that is a line of its own, in UTF-16 code units. */
const maxText = 1000;
/** White space, and what some editors and tools do not keep. */
const notInLine = /[\s,\p{Cc}\p{Cf}\p{Cs}]/u;

/** Writes an ID or a reference as a line: what cannot be one is kept as its digest. */
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
  }
  ids.delete('');
  return ids;
}
