import { basename } from 'node:path';
import { Failure } from '../errors.ts';
import { pagesName } from '../fs/archive-names.ts';
import { withDescriptor } from '../fs/files.ts';
import type { Target } from '../fs/output-target.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import type { Operation } from '../service/contract.ts';
import { type ParsedReference, parseReference } from '../service/parse-reference.ts';
import { dayMs, hourMs } from '../text/duration.ts';
import { headerOf, type PagesHeader } from './pages-format.ts';
import { type ArchiveRecord, readRecord, recordedFiles } from './record.ts';

/** Milliseconds after which a failing archive is updated after first exports: three days, less two hours of slack. */
const maxFailingMs = 3 * dayMs - 2 * hourMs;

interface IndexedFolder {
  /** FILE of `-o`; null for all FILEs of the folder. */
  readonly file: Target | null;
  readonly privateFolder: PrivateFolder;
  readonly operation: Pick<Operation, 'reference'>;
}

/** Maps the references in records and pages files to IDs. Skips files that cannot be read: their own exports report them. */
export class ReferenceIndex {
  readonly records = new Map<string, ArchiveRecord>();
  readonly #interrupted = new Set<string>();
  readonly #ids = new Map<string, string>();

  constructor({ file, privateFolder, operation }: IndexedFolder) {
    const addReference = (reference: string, id: string): void => {
      this.#ids.set(parseReference(reference, operation.reference).value, id);
    };
    for (const name of file === null ? recordedFiles(privateFolder) : [basename(file.real)])
      try {
        const header = readHeader(privateFolder, name);
        if (header !== null) this.#interrupted.add(name);
        const record = readRecord(privateFolder, name);
        if (record !== null) this.records.set(name, record);
        if (header !== null) addReference(header.reference, header.request.id);
        if (record !== null)
          for (const other of [record.reference, ...record.aliases]) addReference(other, record.id);
      } catch (error) {
        // Skip a damaged record, and a reference that only the other command accepts.
        if (!(error instanceof Failure)) throw error;
      }
  }

  /** Returns the ID that a reference contains, or else the ID in a record or pages file for it; null if there is none. */
  knownId({ id, value }: Pick<ParsedReference, 'id' | 'value'>): string | null {
    return id ?? this.#ids.get(value) ?? null;
  }

  /**
   * Whether FILE is updated before first exports: it must be an archive that has not been failing for days. Five failures
   * in a row end a run, so archives that always fail must not delay first exports forever.
   */
  comesFirst(name: string, now: number): boolean {
    const record = this.records.get(name);
    if (record === undefined) return false;
    const { failure } = record.checks;
    if (failure === null || failure.code === 'no_feed') return true;
    return now - Date.parse(failure.since) < maxFailingMs;
  }

  /** Orders FILEs: 1. interrupted; 2. others, oldest check first (`all`: oldest full read); 3. failed, oldest first. */
  compare(a: string, b: string, all: boolean): number {
    const [left, right] = [this.#sortKey(a, all), this.#sortKey(b, all)];
    return left.rank - right.rank || left.time.localeCompare(right.time);
  }

  #sortKey(name: string, all: boolean): { readonly rank: number; readonly time: string } {
    const record = this.records.get(name);
    const { failure = null, checked = null } = record?.checks ?? {};
    // The archive that failed longest ago comes first, so that each gets its turn.
    if (failure !== null) return { rank: 2, time: failure.last };
    return { rank: this.#interrupted.has(name) ? 0 : 1, time: (all ? record?.whole : checked) ?? '' };
  }
}

/** Reads the header of a pages file. Returns null if there is no pages file, or this version cannot read it. */
function readHeader(folder: PrivateFolder, name: string): PagesHeader | null {
  const fd = folder.openRead(pagesName(name));
  const header = fd === null ? null : withDescriptor(fd, headerOf);
  return header === 'of another version' ? null : header;
}
