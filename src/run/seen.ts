import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { usage } from '../errors.ts';
import { checkWritable, writeFileAtomic } from '../fs/atomic.ts';
import { readProblem } from '../fs/file-error.ts';
import { acquireLock, type Lock } from '../fs/file-lock.ts';
import { resolveTarget, type Target } from '../fs/output-target.ts';
import { PrivateFolder, privateFolderOf, refuseRecorded } from '../fs/private-folder.ts';
import type { JsonText } from '../json/json-text.ts';
import { count } from '../text/count.ts';
import type { Run } from './open.ts';
import type { InputReference } from './references.ts';

/** Entries that may wait for the file to be replaced: it can be large, and is replaced whole. */
const maxUnsaved = 1000;

/**
 * The file of `latest --seen`: one ID or reference per line, of printed videos and of references already checked.
 * IDs are added after stdout has accepted the entries, or `-o FILE` is written.
 */
export class SeenFile {
  readonly #target: Target;
  readonly #folder: PrivateFolder;
  readonly #lock: Lock;
  readonly #ids: Set<string>;
  /** Of entries that are being printed, and of references checked for the first time. */
  #pending: string[] = [];
  #pendingBaselines = 0;
  #unsaved = 0;
  #baselines = 0;
  readonly #missed: string[] = [];

  private constructor(target: Target, folder: PrivateFolder, lock: Lock, ids: Set<string>) {
    this.#target = target;
    this.#folder = folder;
    this.#lock = lock;
    this.#ids = ids;
  }

  /** Opens and locks a file. Throws `locked` (10) while another run uses it; a usage error if it is no text. */
  static async open(path: string): Promise<SeenFile> {
    const target = resolveTarget(path, { onlyFiles: true });
    refuseRecorded(target);
    checkWritable(target);
    const ids = readIds(target);
    const folder = PrivateFolder.open(privateFolderOf(dirname(target.real)), { create: true });
    try {
      return new SeenFile(target, folder, await acquireLock(folder, basename(target.real), path), ids);
    } catch (error) {
      folder.close();
      throw error;
    }
  }

  /**
   * The entries that have not been seen, at most `limit` (null: all); none for a reference that is checked for the first
   * time, which is its baseline. Entries beyond the limit stay unseen.
   */
  newEntries(
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
      this.#pendingBaselines++;
    } else if (fresh.length > 0 && fresh.length === entries.length) this.#missed.push(label ?? value);
    return printed;
  }

  /** stdout or FILE has the entries: their IDs count as seen. */
  async accept(): Promise<void> {
    for (const id of this.#pending) this.#ids.add(id);
    this.#unsaved += this.#pending.length;
    this.#pending = [];
    this.#baselines += this.#pendingBaselines;
    this.#pendingBaselines = 0;
    if (this.#unsaved >= maxUnsaved) this.#save();
  }

  /** Saves what was seen, and says what the next run prints. */
  save(run: Run): void {
    this.#save();
    const { path } = this.#target;
    const added = count(this.#baselines, 'reference', 'references');
    if (this.#baselines > 0)
      run.warn('baseline', null, `added ${added} to ${path}; their future uploads will be printed`);
    for (const label of this.#missed)
      run.warn('all new', label, 'all entries are new since the last check; older ones may have been missed');
  }

  /** Releases the file. */
  close(): void {
    this.#lock.release();
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

function readIds({ stats, real, path }: Target): Set<string> {
  if (stats === null) return new Set();
  let bytes: Buffer;
  try {
    bytes = readFileSync(real);
  } catch (error) {
    throw usage(`--seen: cannot read ${path}: ${readProblem(error)}`, 'name a file of IDs, one per line');
  }
  const text = bytes.toString('utf8');
  if (text.includes('\0') || text.includes('\uFFFD'))
    throw usage(`--seen: ${path} is not a text file`, 'name a file of IDs, one per line');
  const ids = new Set(text.split('\n').map((line) => line.trim()));
  ids.delete('');
  return ids;
}
