import { Failure } from '../errors.ts';
import type { Target } from '../fs/output-target.ts';
import { count } from '../text/count.ts';
import type { LockedExport } from './locked-export.ts';
import { commandWith } from './messages.ts';
import { bytesOf, type Contents, readArchive } from './read-archive.ts';
import type { ArchiveRecord } from './record.ts';

/** FILE as an archive, which is read at most once, and only if something needs its content. */
export class Archive {
  readonly #locked: LockedExport;
  readonly #target: Target;
  /** Null: it is as recorded, so that each line is what the service sent. */
  readonly #id: string | null;
  readonly #record: ArchiveRecord | null;
  readonly #stop: AbortSignal;
  /** Lines that are no entries are left out. */
  readonly #isRepaired: boolean;
  readonly #ids = new Set<string>();
  #contents: Contents | null = null;

  /** `all`: `--update --all`, which repairs it. */
  constructor(locked: LockedExport, all: boolean) {
    const { target, item, record, existing, context } = locked;
    this.#locked = locked;
    this.#target = target;
    this.#id = existing.file === 'archive' ? null : item.id;
    this.#record = record;
    this.#stop = context.stop;
    this.#isRepaired = all && record !== null;
  }

  /** As recorded until it is read. */
  get entries(): number {
    return this.#contents?.entries ?? this.#record?.entries ?? 0;
  }

  /** The lines that `copy` leaves out, and the first of them. */
  get leftOut(): Pick<Contents, 'badLines' | 'damage'> {
    return this.#isRepaired && this.#contents !== null ? this.#contents : { badLines: 0, damage: null };
  }

  /** Reads it, and returns its IDs. Throws `damaged` or `lost` as `assertIntact`. */
  async read(): Promise<ReadonlySet<string>> {
    this.#contents ??= await readArchive(this.#target, this.#id, this.#stop, (_, videoId) => {
      if (videoId !== null) this.#ids.add(videoId);
    });
    if (this.#id !== null && !this.#isRepaired) assertIntact(this.#locked, this.#contents);
    return this.#ids;
  }

  /** Passes on what stays of it: all of its bytes or, if lines are left out, the other ones, in chunks. */
  async copy(write: (chunk: Buffer) => void): Promise<void> {
    const start = this.#contents?.start ?? 0;
    if (this.leftOut.badLines === 0)
      for await (const chunk of bytesOf(this.#target, this.#stop, start)) write(chunk);
    else
      await readArchive(this.#target, this.#id, this.#stop, (line) => {
        write(line);
        write(lineEnd);
      });
  }
}

const lineEnd = Buffer.from('\n');

/** Throws `damaged` for an archive with a line that is no entry, `lost` for one with fewer entries than recorded. */
function assertIntact(locked: LockedExport, { damage, entries }: Contents): void {
  const { record, target } = locked;
  const { path } = target;
  const all = `restore it, or keep every line that is an entry and add the others: ${commandWith(locked, '--update', '--all')}`;
  if (damage !== null) {
    const what =
      record === null ? 'is no archive of this channel, and chanlist has no record of it' : 'is damaged';
    const hint = record === null ? 'name another file' : all;
    throw new Failure('damaged', `${path} ${what}: ${damage}`, { hint });
  }
  if (record === null || entries >= record.entries) return;
  const had = `but had ${count(record.entries, 'entry', 'entries')}`;
  throw new Failure('lost', `${path} has ${count(entries, 'entry', 'entries')}, ${had}`, { hint: all });
}
