import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure, usage } from '../errors.ts';
import { guardFile, makeFolders } from '../fs/files.ts';
import { resolveTarget, type Target } from '../fs/output-target.ts';
import { privateFolderOf } from '../fs/private-folder.ts';
import { exportName, type FileFormat } from '../output/formats.ts';
import { notMounted } from './messages.ts';
import { recordName } from './record/export-record.ts';

/** Longest name of a file on all common file systems, and of the record of one, in bytes. */
const maxRecordName = 255;
/** IDs that are safe as file names. */
const fileId = /^[A-Za-z0-9_-]+$/;

/** Where exports go: `-o FILE` is a folder run with one item. */
export interface Destination {
  readonly format: FileFormat;
  /** The folder of the exports. */
  readonly folder: string;
  /** FILE of `-o`; null with `--output-dir`. */
  readonly file: Target | null;
}

/** The destination of `-o` (`file`) or `--output-dir`; nothing is created. Throws usage errors for what cannot be one. */
export function destinationOf(folder: string | null, format: FileFormat, file: Target | null): Destination {
  if (file === null) return { format, folder: folder ?? '', file };
  assertName(basename(file.real));
  return { format, folder: dirname(file.real), file };
}

function assertName(name: string): void {
  if (Buffer.byteLength(recordName(name)) > maxRecordName)
    throw usage(`the file name ${name.slice(0, 40)}… is too long`, 'choose a shorter one');
}

/** The path of the private folder. An update does not create `--output-dir`: one that is not mounted looks empty. */
export function preparePrivateFolder({ folder, file }: Destination, isUpdate: boolean): string {
  if (file !== null) return privateFolderOf(folder);
  return guardFile(`--output-dir ${folder}`, 'open', () => {
    if (!isUpdate) makeFolders(folder);
    else if (!existsSync(folder)) throw notMounted(folder);
    return privateFolderOf(folder);
  });
}

/** Whether there is an export without a record: FILE, or an archive in the folder that is named by an ID. */
export const hasExports = ({ file, folder }: Destination): boolean =>
  file !== null
    ? file.stats !== null
    : existsSync(folder) && readdirSync(folder).some((name) => exportName.test(name));

/**
 * FILE of an ID. Throws a usage error for anything but a regular file, and `invalid_response` for an ID that cannot be
 * a file name.
 */
export function targetOf({ file, folder }: Destination, id: string): Target {
  if (file !== null) return file;
  if (!fileId.test(id))
    throw new Failure('invalid_response', 'the ID from the service cannot name a file', { status: 200 });
  const name = `${id}.ndjson`;
  assertName(name);
  return resolveTarget(join(folder, name), { onlyFiles: true });
}
