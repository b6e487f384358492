import { readFile } from 'node:fs/promises';
import { systemCode, usage } from '../errors.ts';
import { acquireLock, type Lock } from '../fs/lock.ts';
import { readProblem } from '../fs/read-input.ts';
import { resolveTarget } from '../fs/target.ts';
import { prepareWhole, writeWhole } from '../fs/write-whole.ts';
import type { JsonText } from '../json/json-text.ts';
import type { Stderr } from '../output/stderr.ts';
import type { InputReference } from './read-references.ts';

/**
 * The file of `latest --seen`: one ID per line, of printed videos and of channels already looked at. IDs are added
 * after stdout has accepted the entries, or `-o FILE` is written.
 */
export class SeenFile {
  readonly #path: string;
  readonly #lock: Lock;
  readonly #ids: Set<string>;
  /** IDs of entries that are being printed, and of first looks. */
  readonly #pending = new Set<string>();
  /** References that stand for a channel whose ID has become known. */
  readonly #replaced = new Set<string>();
  #pendingBaselines = 0;
  #added: string[] = [];
  #baselines = 0;
  #hasPrinted = false;
  readonly #missed: string[] = [];

  constructor(path: string, lock: Lock, ids: Set<string>) {
    this.#path = path;
    this.#lock = lock;
    this.#ids = ids;
  }

  /**
   * The entries that have not been seen, at most `limit` (null: all); none at the first look at a channel, which is its
   * baseline. Entries beyond the limit stay unseen: the next call prints them.
   */
  newEntries(
    body: JsonText,
    entries: readonly JsonText[],
    input: InputReference,
    limit: number | null,
  ): readonly JsonText[] {
    const name = input.id ?? input.value;
    const channel = channelOf(body, entries) ?? name;
    // A feed without entries may not name its channel: then the reference stands for it until one does.
    const isRenamed = !this.#has(channel) && this.#has(name);
    if (isRenamed && isPlain(channel)) {
      this.#pending.add(channel);
      this.#replaced.add(name);
    }
    const isKnown = this.#has(channel) || isRenamed;
    const fresh = entries.filter((entry) => {
      const id = entry.get('videoId')?.string();
      return id === undefined || !isPlain(id) || !this.#has(id);
    });
    const printed = isKnown && limit !== null ? fresh.slice(0, limit) : fresh;
    const ids = printed.flatMap((entry) => entry.get('videoId')?.string() ?? []).filter(isPlain);
    for (const id of ids) this.#pending.add(id);
    if (isKnown) {
      if (fresh.length > 0 && fresh.length === entries.length) this.#missed.push(input.label);
      this.#hasPrinted ||= printed.length > 0;
      return printed;
    }
    if (isPlain(channel)) this.#pending.add(channel);
    this.#pendingBaselines++;
    return [];
  }

  #has(id: string): boolean {
    return this.#ids.has(id) || this.#pending.has(id);
  }

  /** stdout or FILE has the entries: their IDs are added, atomically. */
  async printed(stderr: Stderr): Promise<void> {
    for (const id of this.#pending) {
      this.#ids.add(id);
      this.#added.push(id);
    }
    this.#pending.clear();
    for (const name of this.#replaced) this.#ids.delete(name);
    this.#replaced.clear();
    this.#baselines += this.#pendingBaselines;
    this.#pendingBaselines = 0;
    // First looks print nothing: they can wait for the end.
    if (this.#hasPrinted) await this.#save();
    this.#hasPrinted = false;
    for (const label of this.#missed.splice(0))
      stderr.warn(`${label}: all entries are new since the last look; some may have been missed`);
  }

  /** Saves the remaining IDs, reports first looks and releases the lock. */
  async close(stderr: Stderr): Promise<void> {
    try {
      await this.#save();
    } finally {
      await this.#lock.release();
    }
    if (this.#baselines > 0) {
      const channels = this.#baselines === 1 ? '1 channel is' : `${this.#baselines} channels are`;
      stderr.warn(`first look: ${channels} new in ${this.#path}; new uploads are printed from now on`);
    }
  }

  async #save(): Promise<void> {
    if (this.#added.length === 0) return;
    await writeWhole(this.#path, `${[...this.#ids].join('\n')}\n`);
    this.#added = [];
  }
}

/** Whether an ID fits on a line of its own. */
const isPlain = (id: string): boolean => id !== '' && !/\s/.test(id);

function channelOf(body: JsonText, entries: readonly JsonText[]): string | null {
  const id =
    body.at(['channel', 'channelId'])?.string() ??
    body.get('channelId')?.string() ??
    entries[0]?.get('channelId')?.string();
  return id?.startsWith('UC') ? id : null;
}

/**
 * Opens and locks the file of `--seen`. Throws `locked` (10) while another run uses it, usage errors if it cannot be
 * read or replaced.
 */
export async function openSeenFile(path: string): Promise<SeenFile> {
  const target = await resolveTarget(path);
  if (target.kind === 'stream') throw usage(`--seen ${path} is not a regular file`, 'name a file');
  await prepareWhole(path);
  const lock = await acquireLock(target.real, path);
  try {
    const ids = new Set((await readIds(target.real, path)).split('\n').map((line) => line.trim()));
    ids.delete('');
    return new SeenFile(path, lock, ids);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function readIds(real: string, path: string): Promise<string> {
  try {
    return await readFile(real, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw usage(`--seen: cannot read ${path}: ${readProblem(error)}`, 'name a file of IDs, one per line');
  }
}
