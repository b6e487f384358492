import { Failure, toFailure } from '../errors.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import type { Run } from '../run/open.ts';
import type { Reference } from '../run/read-references.ts';
import { operations, type ReferenceKind } from '../service/contract.ts';
import { parseReference, resolvedId } from '../service/parse-reference.ts';
import { type ArchiveRecord, readRecord } from './record.ts';
import { readHeader } from './run-header.ts';

/** The records of a folder: which ID a reference has, and what is known of a FILE. */
export class ReferenceIndex {
  readonly #kind: ReferenceKind;
  readonly #records = new Map<string, ArchiveRecord | Failure | null>();
  readonly #interrupted = new Set<string>();
  readonly #ids = new Map<string, string>();

  /** Reads the records and interrupted runs of these FILEs. What cannot be read stops its own export only. */
  constructor(kind: ReferenceKind, folder: PrivateFolder | null, files: readonly string[]) {
    this.#kind = kind;
    if (folder !== null) for (const file of files) this.#read(folder, file);
  }

  #read(folder: PrivateFolder, file: string): void {
    try {
      const header = readHeader(folder, file);
      if (header !== null) {
        this.#interrupted.add(file);
        this.#note(header.reference, header.request.id);
      }
      const record = readRecord(folder, file);
      this.#records.set(file, record);
      if (record !== null) this.#note(record.reference, record.id);
    } catch (error) {
      this.#records.set(file, toFailure(error));
    }
  }

  /** An archive keeps the ID of its reference. */
  #note(reference: string, id: string): void {
    try {
      this.#ids.set(parseReference(reference, this.#kind).value, id);
    } catch {
      // It is a reference of another command.
    }
  }

  isInterrupted(file: string): boolean {
    return this.#interrupted.has(file);
  }

  /** The record of a FILE. Throws what kept it from being read. */
  recordOf(file: string): ArchiveRecord | null {
    const record = this.#records.get(file) ?? null;
    if (record instanceof Failure) throw record;
    return record;
  }

  /** The ID of a reference: its own, or the one that an archive or an interrupted run has; null otherwise. */
  knownId({ id, value }: Pick<Reference, 'id' | 'value'>): string | null {
    return id ?? this.#ids.get(value) ?? null;
  }

  /** The same; an unknown one is resolved (docs/service.md, 4.1; free). */
  async resolve({ client }: Run, input: Reference): Promise<string> {
    const known = this.knownId(input);
    if (known !== null) return known;
    return resolvedId(await client.call(operations.resolve, { input: input.value }, input.tally));
  }
}
