import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure, usage } from '../errors.ts';
import { resolveTarget, type Target } from '../fs/output-target.ts';
import { PrivateFolder, privateFolderOf, recordName, temporaryName } from '../fs/private-folder.ts';
import { exportName, type FileFormat } from '../output/formats.ts';
import type { Reference } from '../run/read-references.ts';
import type { Run } from '../run/run.ts';
import { operations, type ReferenceKind } from '../service/contract.ts';
import { parseReference, resolvedId } from '../service/parse-reference.ts';
import { type ArchiveRecord, readRecord, recordedFile } from './record.ts';
import { fileOfRun, readHeader, runName } from './run-header.ts';

/** Longest name of a file on all common file systems, in bytes. */
const maxName = 255;

/** Where exports go: `-o FILE` is a folder with one export. */
export interface Destination {
  readonly format: FileFormat;
  /** The folder of the FILEs. */
  readonly path: string;
  /** FILE of `-o`; null with `--output-dir`. */
  readonly file: Target | null;
  /** The `.chanlist` beside them. */
  readonly folder: PrivateFolder;
}

/**
 * Opens the destination of `-o` (`file`) or `--output-dir`, and creates nothing. Throws usage errors for what cannot be one;
 * for an update that is no `.chanlist` and no FILE: a folder that is not mounted looks empty.
 */
export function openDestination(
  outputDir: string | null,
  format: FileFormat,
  file: Target | null,
  isUpdate: boolean,
): Destination {
  const path = file === null ? (outputDir ?? '') : dirname(file.real);
  const name = file === null ? '' : basename(file.real);
  if (Buffer.byteLength(temporaryName(recordName(name))) > maxName)
    throw usage(`the file name ${name.slice(0, 40)}… is too long`, 'choose a shorter one');
  const folder = PrivateFolder.open(privateFolderOf(path));
  const hasFiles = (): boolean =>
    file === null
      ? existsSync(path) && readdirSync(path).some((each) => exportName.test(each))
      : Boolean(file.stats?.size);
  if (isUpdate && !folder.wasThere && !hasFiles()) throw notMounted(file?.path ?? path);
  return { format, path, file, folder };
}

export const notMounted = (place: string): Failure =>
  usage(
    `there is no archive at ${place}, and no .chanlist beside it`,
    'is the disk mounted? For a first run, omit --update',
  );

/** FILE of an ID. Throws a usage error for anything but a regular file. */
export const targetOf = ({ file, path }: Destination, id: string): Target =>
  file ?? resolveTarget(join(path, `${id}.ndjson`));

/** The records and interrupted runs of a destination, by FILE, and the IDs of their references. */
export class ReferenceIndex {
  readonly records = new Map<string, ArchiveRecord>();
  readonly interrupted = new Set<string>();
  readonly #kind: ReferenceKind;
  readonly #ids = new Map<string, string>();

  /** Reads them. What cannot be read stops its own export only. */
  constructor(kind: ReferenceKind, { file, folder }: Destination) {
    this.#kind = kind;
    const own = file === null ? '' : basename(file.real);
    const names = file === null ? folder.names() : [recordName(own), runName(own)];
    for (const name of names)
      try {
        this.#read(folder, name);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
      }
  }

  #read(folder: PrivateFolder, name: string): void {
    const archive = recordedFile(name);
    const record = archive === null ? null : readRecord(folder, archive);
    if (archive !== null && record !== null) {
      this.records.set(archive, record);
      this.#note(record.reference, record.id);
    }
    const file = fileOfRun(name);
    const header = file === null ? null : readHeader(folder, file);
    if (file === null || header === null) return;
    this.interrupted.add(file);
    this.#note(header.reference, header.request.id);
  }

  /** An archive keeps the ID of its reference. */
  #note(reference: string, id: string): void {
    try {
      this.#ids.set(parseReference(reference, this.#kind).value, id);
    } catch {
      // It is a reference of another command.
    }
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
