import { basename } from 'node:path';
import { clockProblem, ledgerClockProblem } from '../../accounts/clock-problem.ts';
import { day } from '../../accounts/local-time.ts';
import type { Context } from '../../context.ts';
import { Failure, toFailure } from '../../errors.ts';
import type { Target } from '../../fs/output-target.ts';
import type { PrivateFolder } from '../../fs/private-folder.ts';
import type { Run } from '../../run/open.ts';
import type { InputReference } from '../../run/read-references.ts';
import { operations, type PagedName } from '../../service/contract.ts';
import { assertResolved, resolvedId } from '../../service/parse-reference.ts';
import type { Snapshot } from '../inspect/inspect-export.ts';
import type { ExportItem } from '../locked-export.ts';
import { type ExportRecord, noRecord, readRecord, recordedFile, type StoredRecord } from './export-record.ts';

/** A reference resolved within this time (ms) is not resolved again. */
const resolveInterval = 30 * day;

/** The ID of a reference, and what this run has learned of it. */
export type Resolved = Pick<ExportItem, 'id' | 'references'>;

/** The records of a folder: which ID a reference has, and what is known of a FILE. */
export class ReferenceIndex {
  readonly #command: PagedName;
  readonly #now: number;
  readonly #records = new Map<string, StoredRecord | Failure>();
  /** The record that knows a reference. */
  readonly #byReference = new Map<string, ExportRecord>();

  constructor(command: PagedName, now: number) {
    this.#command = command;
    this.#now = now;
  }

  /** Reads the records with these names, once. One that is refused stops its own export only. */
  read(folder: PrivateFolder, names: readonly string[]): void {
    for (const name of names) {
      const file = recordedFile(name);
      if (file === null) continue;
      try {
        const stored = readRecord(folder, file);
        this.#records.set(file, stored);
        const { record } = stored;
        if (record?.request.command !== this.#command) continue;
        for (const reference of Object.keys(record.references)) this.#byReference.set(reference, record);
      } catch (error) {
        this.#records.set(file, toFailure(error));
      }
    }
  }

  /** The records that can be used, by the name of FILE. */
  get records(): [file: string, record: ExportRecord][] {
    return [...this.#records].flatMap(([file, stored]) =>
      stored instanceof Failure || stored.record === null ? [] : [[file, stored.record]],
    );
  }

  /** A target with its record. Throws what kept the record from being read. */
  snapshotOf(target: Target): Snapshot {
    const stored = this.#records.get(basename(target.real)) ?? noRecord;
    if (stored instanceof Failure) throw stored;
    return { target, ...stored };
  }

  /** Whether a record knows a reference, also one that was resolved long ago. */
  isRecorded({ value }: Pick<InputReference, 'value'>): boolean {
    return this.#byReference.has(value);
  }

  /** The ID of a reference: its own, or the known one, if it was resolved to that not long ago; null otherwise. */
  knownId({ id, value }: Pick<InputReference, 'id' | 'value'>): string | null {
    if (id !== null) return id;
    const record = this.#byReference.get(value);
    const resolved = Date.parse(record?.references[value] ?? '');
    return record && Math.abs(this.#now - resolved) < resolveInterval ? record.request.id : null;
  }

  /**
   * The ID of a reference: its own, a known one, or that of a free `resolve` (docs/service.md, 4.1). A reference
   * keeps its ID: if it now resolves to another one or to none, a warning says so, and the next run asks again.
   */
  async resolve({ session, report }: Run, input: InputReference): Promise<Resolved> {
    const { value, label } = input;
    const knownId = this.knownId(input);
    if (knownId !== null) return { id: knownId, references: {} };
    const known = this.#byReference.get(value)?.request.id ?? null;
    let now: string | null = null;
    try {
      const body = await session.client.call(operations.resolve, { input: value }, input.tally);
      assertResolved(body);
      now = resolvedId(body);
    } catch (error) {
      const failure = toFailure(error);
      if (known === null || failure.scope !== 'reference') throw failure;
      // Without a date, the next run resolves it again.
      if (failure.code !== 'not_found') return { id: known, references: {} };
    }
    const id = known ?? now ?? '';
    if (id === now) return { id, references: { [value]: new Date(this.#now).toISOString() } };
    const [code, where] =
      now === null
        ? (['unresolved', 'no longer resolves'] as const)
        : (['moved', `now resolves to ${now}`] as const);
    report.warn(
      code,
      label,
      `${value} ${where}; still updating ${id}: replace ${value} with ${id} in your list`,
    );
    return { id, references: {} };
  }
}

/** The warning that the clock is behind the ledger, or behind a record; null if it is not. */
export function clockWarning(
  records: Iterable<readonly [path: string, record: ExportRecord]>,
  { clock, env }: Pick<Context, 'clock' | 'env'>,
): string | null {
  const now = clock.now();
  let problem = ledgerClockProblem(now, env);
  const ifRight = 'no action is needed: the next successful check corrects the record';
  for (const [path, { checked }] of records)
    problem ??= clockProblem(now, Date.parse(checked ?? ''), path, ifRight);
  return problem?.line() ?? null;
}
