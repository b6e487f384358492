import { createHash } from 'node:crypto';
import { constants, promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, systemCode } from '../errors.ts';
import { guarded } from './file-errors.ts';
import { nodeFileOps } from './files.ts';
import { acquireLock, type Lock } from './lock.ts';

const { O_APPEND, O_CREAT, O_RDWR, O_TRUNC } = constants;

/**
 * Which references of a folder export are done: after an interruption the same command does not pay for their
 * files again. It stands in the folder until a call over all of them has come through. The first line says what
 * the call is, each further line is the ID of a finished file.
 */
export class FolderJournal {
  /** When the interrupted run was begun that is gone on with (ISO 8601); null: this run is the first. */
  readonly begun: string | null;
  readonly #path: string;
  readonly #done: ReadonlySet<string>;
  /** Null where another run of the same command writes the journal. */
  readonly #own: { readonly handle: fs.FileHandle; readonly lock: Lock } | null;

  private constructor(
    path: string,
    { done, begun }: Found,
    own: { handle: fs.FileHandle; lock: Lock } | null,
  ) {
    this.#path = path;
    this.#done = done;
    this.begun = begun;
    this.#own = own;
  }

  /**
   * Opens the journal of the calls of this `identity` in a folder; `restart`: what it says does not count. Throws
   * a usage error where the folder cannot be written. `now`: milliseconds since 1970.
   */
  static async open(folder: string, identity: string, restart: boolean, now: number): Promise<FolderJournal> {
    const hash = createHash('sha256').update(identity).digest('hex').slice(0, 12);
    const path = join(folder, `.chanlist-${hash}.part`);
    const lock = await lockUnlessHeld(path);
    const found = restart ? nothing : await readJournal(path, identity);
    if (lock === null) return new FolderJournal(path, found, null);
    return await guarded(path, 'opening', async () => {
      const fresh = found.begun === null ? O_TRUNC : 0;
      const handle = await fs.open(path, O_RDWR | O_CREAT | O_APPEND | fresh);
      if (found.begun === null) {
        await handle.write(`${JSON.stringify({ of: identity, begun: new Date(now).toISOString() })}\n`);
        await handle.sync();
        await nodeFileOps.syncFolder(dirname(path));
      } else if (found.torn) await handle.write('\n');
      return new FolderJournal(path, found, { handle, lock });
    });
  }

  /** True where an interrupted run of the same command has finished this file. */
  has(id: string): boolean {
    return this.#done.has(id);
  }

  /** Notes, durably, that all of a file is paid for: its own state says whether it is in its place. */
  async add(id: string): Promise<void> {
    if (this.#own === null || this.#done.has(id)) return;
    const { handle } = this.#own;
    await guarded(this.#path, 'exporting', async () => {
      await handle.write(`${id}\n`);
      await handle.datasync();
    });
  }

  /** Ends the journal; `finished`: the call came to its end, and the next one starts from nothing. */
  async close(finished: boolean): Promise<void> {
    if (this.#own === null) return;
    await this.#own.handle.close();
    if (finished) await fs.unlink(this.#path).catch(() => {});
    await this.#own.lock.release();
  }
}

async function lockUnlessHeld(path: string): Promise<Lock | null> {
  try {
    return await acquireLock(path);
  } catch (error) {
    if (error instanceof Failure && error.code === 'locked') return null;
    throw error;
  }
}

interface Found {
  readonly done: ReadonlySet<string>;
  readonly begun: string | null;
  /** The last line has no end. */
  readonly torn: boolean;
}

const nothing: Found = { done: new Set(), begun: null, torn: false };

async function readJournal(path: string, identity: string): Promise<Found> {
  let text: string;
  try {
    text = await fs.readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return nothing;
    throw error;
  }
  const lines = text.split('\n');
  const torn = lines.pop() !== '';
  const [head = '', ...done] = lines;
  try {
    const { of, begun } = JSON.parse(head);
    return of === identity && typeof begun === 'string' ? { done: new Set(done), begun, torn } : nothing;
  } catch {
    return nothing;
  }
}
