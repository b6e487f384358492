import { createHash } from 'node:crypto';
import { promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode } from '../errors.ts';
import { guarded } from '../fs/file-errors.ts';
import { nodeFileOps } from '../fs/file-ops.ts';
import { acquireLock, type Lock } from '../fs/lock.ts';
import { openOwned } from '../fs/owned.ts';
import { writeWhole } from '../fs/write-whole.ts';

/**
 * Which files of folder exports of one kind are done: after an interruption the same command, also with a reference
 * more or less, does not pay for them again. A file is in it until a call that names it has come through. The first
 * line says which kind of export it is, each further line is the ID of a finished file.
 */
export class FolderJournal {
  /** When the interrupted run was begun that is gone on with (ISO 8601); null: this run is the first. */
  readonly begun: string | null;
  readonly #path: string;
  readonly #done: ReadonlySet<string>;
  readonly #handle: fs.FileHandle;
  readonly #lock: Lock;

  constructor(path: string, { done, begun }: Found, handle: fs.FileHandle, lock: Lock) {
    this.#path = path;
    this.#done = done;
    this.begun = begun;
    this.#handle = handle;
    this.#lock = lock;
  }

  /** True where an interrupted run of the same command has finished this file. */
  has(id: string): boolean {
    return this.#done.has(id);
  }

  /** Notes, durably, that all of a file is paid for: its own state says whether it is in its place. */
  async add(id: string): Promise<void> {
    if (this.#done.has(id)) return;
    await guarded(this.#path, 'exporting', async () => {
      await this.#handle.write(`${id}\n`);
      await this.#handle.datasync();
    });
  }

  /** Ends the journal. `through`: the IDs of a call that has come to its end: the next one starts from nothing. */
  async close(through: ReadonlySet<string> | null): Promise<void> {
    await this.#handle.close();
    if (through !== null) await this.#forget(through).catch(() => {});
    await this.#lock.release();
  }

  async #forget(ids: ReadonlySet<string>): Promise<void> {
    const others = [...this.#done].filter((id) => !ids.has(id));
    if (others.length === 0) return await fs.unlink(this.#path);
    const [head = ''] = (await fs.readFile(this.#path, 'utf8')).split('\n', 1);
    await writeWhole(this.#path, `${[head, ...others].join('\n')}\n`, { own: true });
  }
}

/**
 * Opens the journal of the calls of this `identity` in a folder; `restart`: what it says does not count. Throws
 * a usage error where the folder cannot be written, `locked` while another such call runs. `now`: milliseconds
 * since 1970.
 */
export async function openFolderJournal(
  folder: string,
  identity: string,
  restart: boolean,
  now: number,
): Promise<FolderJournal> {
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 12);
  const path = join(folder, `.chanlist-${hash}.part`);
  const lock = await acquireLock(path, folder);
  try {
    return await guarded(path, 'opening', () => openJournal(path, identity, restart, now, lock));
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Reads the journal and opens it for more; with --restart what it says does not count. */
async function openJournal(
  path: string,
  identity: string,
  restart: boolean,
  now: number,
  lock: Lock,
): Promise<FolderJournal> {
  const found = restart ? nothing : await readJournal(path, identity);
  const handle = await openOwned(path, 'append');
  try {
    if (found.begun === null) {
      await handle.truncate(0);
      await handle.write(`${JSON.stringify({ of: identity, begun: new Date(now).toISOString() })}\n`);
      await handle.sync();
      await nodeFileOps.syncFolder(dirname(path));
    } else if (found.torn) await handle.write('\n');
  } catch (error) {
    await handle.close();
    throw error;
  }
  return new FolderJournal(path, found, handle, lock);
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
    const handle = await openOwned(path, 'read');
    try {
      text = await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
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
