import { Failure, toFailure } from '../errors.ts';
import type { Target } from '../fs/output-target.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import type { Run } from '../run/open.ts';
import type { InputReference } from '../run/references.ts';
import { operations, type PagedName } from '../service/contract.ts';
import { resolvedId } from '../service/references.ts';
import { type Sighting, stampOf } from './inspect.ts';
import type { ExportItem } from './locked-export.ts';
import {
  type ExportRecord,
  type FileFormat,
  type KnownReference,
  readRecord,
  recordedFile,
} from './record.ts';

/** A reference resolved within this time (ms) is not resolved again. */
const resolveInterval = 30 * 24 * 60 * 60 * 1000;

type KnownSighting = Omit<Sighting, 'target'>;

/** The records of a folder: which ID a reference has, and what is known of a FILE. */
export class ReferenceIndex {
  readonly #command: PagedName;
  readonly #format: FileFormat;
  readonly #now: number;
  readonly #sightings = new Map<string, KnownSighting>();
  readonly #byReference = new Map<
    string,
    { readonly record: ExportRecord; readonly known: KnownReference }
  >();

  constructor(command: PagedName, format: FileFormat, now: number) {
    this.#command = command;
    this.#format = format;
    this.#now = now;
  }

  /** Reads the records with these names, once. Throws a usage error for one of a newer version. */
  read(folder: PrivateFolder, names: readonly string[]): void {
    for (const name of names) {
      const file = recordedFile(name);
      if (file === null) continue;
      const stamp = stampOf(folder, file);
      if (stamp === '') continue;
      const found = readRecord(folder, file);
      const isRecordDamaged = found === 'damaged';
      const record = isRecordDamaged ? null : found;
      this.#sightings.set(file, { record, isRecordDamaged, stamp });
      if (record?.request.command === this.#command) this.#add(record);
    }
  }

  #add(record: ExportRecord): void {
    for (const [reference, known] of Object.entries(record.references)) {
      const other = this.#byReference.get(reference);
      // A folder may have exports of a channel in several formats.
      const isBetter = other === undefined || record.request.format === this.#format;
      if (isBetter) this.#byReference.set(reference, { record, known });
    }
  }

  /** What is known of a FILE; null if its record was not read. */
  sightingOf(file: string, target: Target): Sighting | null {
    const found = this.#sightings.get(file);
    return found === undefined ? null : { ...found, target };
  }

  /** The ID of a reference, if it needs no request. */
  knownId({ id, value }: Pick<InputReference, 'id' | 'value'>): string | null {
    if (id !== null) return id;
    const found = this.#byReference.get(value);
    return found !== undefined && this.#isRecent(found.known) ? found.record.request.id : null;
  }

  #isRecent({ resolved }: KnownReference): boolean {
    return Math.abs(this.#now - Date.parse(resolved)) < resolveInterval;
  }

  /**
   * The ID of a reference: its own, a known one, or that of a free `resolve` (docs/service.md, 4.1). A reference
   * keeps its ID: if it now resolves to another one or to none, a warning says so in every run.
   */
  async resolve(run: Run, input: InputReference): Promise<Pick<ExportItem, 'id' | 'references'>> {
    const { id, value, label } = input;
    if (id !== null) return { id, references: {} };
    const found = this.#byReference.get(value);
    if (found !== undefined && this.#isRecent(found.known)) {
      this.#warnOfMove(run, label, value, found.record.request.id, found.known.id);
      return { id: found.record.request.id, references: {} };
    }
    let now: string | null = null;
    try {
      const body = await run.client.call(operations.resolve, { input: value }, input.tally);
      now = resolvedId(body);
      if (now === null) throw new Failure('bad_answer', 'the response has no channel_id', { status: 200 });
    } catch (error) {
      const failure = toFailure(error);
      if (found === undefined || failure.scope !== 'reference') throw failure;
      // Asked again in the next run.
      if (failure.code !== 'not_found') return { id: found.record.request.id, references: {} };
    }
    const known = found?.record.request.id ?? now ?? '';
    this.#warnOfMove(run, label, value, known, now);
    return { id: known, references: { [value]: { resolved: new Date(this.#now).toISOString(), id: now } } };
  }

  #warnOfMove(run: Run, label: string | null, value: string, known: string, now: string | null): void {
    if (known === now) return;
    const where = now === null ? 'no longer resolves' : `now resolves to ${now}`;
    run.warn(
      `moved: ${value}`,
      label,
      `${value} ${where}; still updating ${known}. Replace ${value} with ${known} in your list to silence this`,
    );
  }
}
