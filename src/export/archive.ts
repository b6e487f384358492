import { isUtf8 } from 'node:buffer';
import { closeSync, constants, openSync } from 'node:fs';
import { Failure } from '../errors.ts';
import { guardFile } from '../fs/files.ts';
import { chunksOf, linesOf } from '../fs/line-chunks.ts';
import type { Target } from '../fs/output-target.ts';
import { JsonText } from '../json/json-text.ts';
import { count } from '../text/count.ts';
import type { Export } from './exports.ts';
import { commandFor } from './messages.ts';

/** What an ndjson file holds. */
export interface Contents {
  readonly entries: number;
  /** The first line that is no entry: `line 12 is not JSON`; null if all are. */
  readonly damage: string | null;
  /** The number of such lines. */
  readonly badLines: number;
  /** The first `videoId`; null if there is none. */
  readonly newest: string | null;
}

const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/**
 * Reads an ndjson file line by line: which lines are entries of a channel or playlist. An entry is a JSON object with a
 * `videoId` (null, too) and, of a channel, no other `channelId`; without an `id`, any JSON, as the service has sent it.
 * `onEntry` is given each of them, without its line end; valid until it returns. Throws as `chunksOf`.
 */
export async function readArchive(
  target: Target,
  id: string | null,
  stop: AbortSignal,
  onEntry: (line: Buffer, videoId: string | null) => void = () => {},
): Promise<Contents> {
  let [entries, badLines, number] = [0, 0, 0];
  let damage: string | null = null;
  let newest: string | null = null;
  for await (const lines of linesOf(bytesOf(target, stop))) {
    for (const line of lines) {
      number++;
      if (line?.length === 0) continue;
      const entry = line !== null && isUtf8(line) ? JsonText.parse(line) : null;
      const problem = problemOf(line, entry, id);
      if (problem !== null || line === null || entry === null) {
        damage ??= `line ${number} ${problem}`;
        badLines++;
        continue;
      }
      const videoId = entry.get('videoId')?.string() || null;
      entries++;
      newest ??= videoId;
      onEntry(line, videoId);
    }
  }
  return { entries, damage, badLines, newest };
}

/** All bytes of a file, as `chunksOf`. */
async function* bytesOf({ path, real }: Target, stop: AbortSignal): AsyncGenerator<Buffer> {
  // A FIFO that has taken its place would block for ever.
  const fd = guardFile(path, 'open', () => openSync(real, O_RDONLY | O_NONBLOCK));
  try {
    yield* chunksOf(fd, path, stop);
  } finally {
    closeSync(fd);
  }
}

/** Why a line is no entry of a channel or playlist; null if it is one. */
function problemOf(line: Buffer | null, entry: JsonText | null, id: string | null): string | null {
  if (line === null) return 'is longer than 64 MiB';
  if (entry === null) return 'is not JSON';
  if (id === null) return null;
  if (entry.get('videoId') === undefined) return 'has no videoId';
  const channel = entry.get('channelId')?.string();
  return id.startsWith('UC') && channel && channel !== id ? `is an entry of ${channel}` : null;
}

/** FILE as an archive, which is read at most once, and only if something needs its content. */
export class Archive {
  readonly #one: Export;
  /** Null: it is as recorded, so that each line is what the service sent. */
  readonly #id: string | null;
  /** Lines that are no entries are left out. */
  readonly #isRepaired: boolean;
  readonly #ids = new Set<string>();
  #contents: Contents | null = null;
  /** Once it is read. */
  hasEntriesWithoutId = false;

  /** `all`: `--update --all`, which repairs it. */
  constructor(one: Export, all: boolean) {
    this.#one = one;
    this.#id = one.existing.file === 'archive' ? null : one.id;
    this.#isRepaired = all && one.record !== null;
  }

  /** As recorded until it is read. */
  get entries(): number {
    return this.#contents?.entries ?? this.#one.record?.entries ?? 0;
  }

  /** The lines that `copy` leaves out, and the first of them. */
  get leftOut(): Pick<Contents, 'badLines' | 'damage'> {
    return this.#isRepaired && this.#contents !== null ? this.#contents : { badLines: 0, damage: null };
  }

  /** Reads it, and returns its IDs. Throws `damaged` or `lost` as `assertIntact`. */
  async read(): Promise<ReadonlySet<string>> {
    const { target, context } = this.#one;
    this.#contents ??= await readArchive(target, this.#id, context.stop, (_, videoId) => {
      if (videoId === null) this.hasEntriesWithoutId = true;
      else this.#ids.add(videoId);
    });
    if (this.#id !== null && !this.#isRepaired) assertIntact(this.#one, this.#contents);
    return this.#ids;
  }

  /** Passes on what stays of it: all of its bytes or, if lines are left out, the other ones, in chunks. */
  async copy(write: (chunk: Buffer | string) => void): Promise<void> {
    const { target, context } = this.#one;
    if (this.leftOut.badLines === 0) for await (const chunk of bytesOf(target, context.stop)) write(chunk);
    else
      await readArchive(target, this.#id, context.stop, (line) => {
        write(line);
        write('\n');
      });
  }
}

/** Throws `damaged` for an archive with a line that is no entry, `lost` for one with fewer entries than recorded. */
function assertIntact(one: Export, { damage, entries }: Contents): void {
  const { record, target } = one;
  const { path } = target;
  const all = commandFor(one, 'restore it, or add what is missing', '--update', '--all');
  if (damage !== null) {
    const what = record === null ? 'is not an archive of this channel' : 'is damaged';
    const next = record === null ? 'choose another file name' : all;
    throw new Failure('damaged', `${path} ${what}: ${damage}`, { next });
  }
  if (record === null || entries >= record.entries) return;
  const had = `but had ${count(record.entries, 'entry', 'entries')}`;
  throw new Failure('lost', `${path} has ${count(entries, 'entry', 'entries')}, ${had}`, { next: all });
}
