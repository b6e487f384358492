import { basename, dirname } from 'node:path';
import { type Failure, usage } from '../errors.ts';
import { assertReplaceable, writeFileAtomic } from '../fs/atomic.ts';
import { acquireLock } from '../fs/file-lock.ts';
import { resolveTarget, type Target } from '../fs/output-target.ts';
import { assertNotRecorded, PrivateFolder, privateFolderOf } from '../fs/private-folder.ts';
import { readLines } from '../fs/text-input.ts';
import type { JsonText } from '../json/json-text.ts';
import { count } from '../text/count.ts';
import type { InputReference } from './read-references.ts';
import type { Report } from './report.ts';

/** Entries that may wait for the file to be replaced: it can be large, and is replaced whole. */
const maxUnsaved = 1000;

/**
 * The file of `latest --seen`: one ID or reference per line, of printed videos and of references already checked.
 * IDs are added after stdout has accepted the entries, or `-o FILE` is written.
 */
export class SeenFile {
  readonly #target: Target;
  readonly #folder: PrivateFolder;
  readonly #lock: Disposable | null;
  readonly #ids: Set<string>;
  /** IDs of the entries that are being printed, and of baselines. */
  #pending: string[] = [];
  #unsaved = 0;
  /** References that are checked for the first time. */
  readonly #baselines = new Set<string>();
  readonly #missed: string[] = [];

  private constructor(target: Target, folder: PrivateFolder, lock: Disposable | null, ids: Set<string>) {
    this.#target = target;
    this.#folder = folder;
    this.#lock = lock;
    this.#ids = ids;
  }

  /**
   * Opens and locks a file. Throws `locked` (10) while another run uses it, a usage error if it is no text, and the
   * reason of `stop`.
   */
  static async open(path: string, stop: AbortSignal): Promise<SeenFile> {
    const target = resolveTarget(path, { onlyFiles: true });
    assertNotRecorded(target);
    assertReplaceable(target);
    const folder = PrivateFolder.openOrCreate(privateFolderOf(dirname(target.real)));
    let lock: Disposable | null = null;
    try {
      lock = await acquireLock(folder, basename(target.real), path);
      // A run that has just ended may have replaced it.
      const locked = resolveTarget(path, { onlyFiles: true });
      return new SeenFile(locked, folder, lock, await readIds(locked, stop));
    } catch (error) {
      lock?.[Symbol.dispose]();
      folder.close();
      throw error;
    }
  }

  /**
   * The entries that have not been seen, at most `limit` (null: all); none for a reference that is checked for the first
   * time, which is its baseline. Entries beyond the limit stay unseen.
   */
  takeNewEntries(
    entries: readonly JsonText[],
    { value, label }: InputReference,
    limit: number | null,
  ): readonly JsonText[] {
    const isKnown = this.#ids.has(value);
    const fresh = entries.filter((entry) => {
      const id = idOf(entry);
      return id === null || !this.#ids.has(id);
    });
    const printed = isKnown ? fresh.slice(0, limit ?? undefined) : [];
    this.#pending.push(...(isKnown ? printed : fresh).flatMap((entry) => idOf(entry) ?? []));
    if (!isKnown) {
      this.#pending.push(value);
      this.#baselines.add(value);
    } else if (fresh.length > 0 && fresh.length === entries.length) this.#missed.push(label ?? value);
    return printed;
  }

  /** stdout or FILE has the entries: their IDs count as seen. */
  accept(): void {
    for (const id of this.#pending) this.#ids.add(id);
    this.#unsaved += this.#pending.length;
    this.#pending = [];
    if (this.#unsaved >= maxUnsaved) this.#save();
  }

  /** Saves what was seen, and says what the next run prints. */
  save(report: Report): void {
    this.#save();
    const { path } = this.#target;
    const added = [...this.#baselines].filter((value) => this.#ids.has(value)).length;
    if (added > 0) {
      const what = `added ${count(added, 'reference', 'references')} to ${path}`;
      report.warn('baseline', null, `${what}; uploads from now on will be printed`);
    }
    for (const label of this.#missed)
      report.warn(
        'all new',
        label,
        'all entries are new since the last check; older ones may have been missed',
      );
  }

  [Symbol.dispose](): void {
    this.#lock?.[Symbol.dispose]();
    this.#folder.close();
  }

  #save(): void {
    if (this.#unsaved === 0) return;
    writeFileAtomic(this.#target, `${[...this.#ids].join('\n')}\n`);
    this.#unsaved = 0;
  }
}

/** The ID of an entry, if it fits on a line of its own. */
function idOf(entry: JsonText): string | null {
  const id = entry.get('videoId')?.string();
  return id === undefined || id === '' || /\s/.test(id) ? null : id;
}

async function readIds({ stats, real, path }: Target, stop: AbortSignal): Promise<Set<string>> {
  const ids = new Set<string>();
  if (stats === null) return ids;
  const unreadable = (why: string): Failure =>
    usage(`--seen: cannot read ${path}: ${why}`, 'name a file of IDs, one per line');
  for await (const { number, text, problem } of readLines(real, unreadable, stop)) {
    if (problem !== null) throw unreadable(`line ${number}: ${problem}`);
    ids.add(text.trim());
  }
  ids.delete('');
  return ids;
}
