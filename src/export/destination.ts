import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { usage } from '../errors.ts';
import { guardFile, makeFolders } from '../fs/files.ts';
import { resolveTarget, type Target } from '../fs/output-target.ts';
import { PrivateFolder, privateFolderOf, recordName, temporaryName } from '../fs/private-folder.ts';
import { exportName, type FileFormat } from '../output/formats.ts';
import { notMounted } from './messages.ts';

/** Longest name of a file on all common file systems, in bytes. */
const maxName = 255;

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
  const name = basename(file.real);
  if (Buffer.byteLength(temporaryName(recordName(name))) > maxName)
    throw usage(`the file name ${name.slice(0, 40)}… is too long`, 'choose a shorter one');
  return { format, folder: dirname(file.real), file };
}

/**
 * Opens the private folder of a destination, or creates it; an update creates nothing as long as there is no FILE: a folder
 * that is not mounted looks empty. Null: an update, and there is none yet.
 */
export function openDestination({ folder, file }: Destination, isUpdate: boolean): PrivateFolder | null {
  const path = privateFolderOf(folder);
  if (isUpdate && !existsSync(path)) {
    const hasFiles =
      file !== null
        ? Boolean(file.stats?.size)
        : existsSync(folder) && readdirSync(folder).some((name) => exportName.test(name));
    if (!hasFiles) throw notMounted(file?.path ?? folder);
    return null;
  }
  if (file === null) guardFile(`--output-dir ${folder}`, 'open', () => makeFolders(folder));
  return PrivateFolder.openOrCreate(path);
}

/** FILE of an ID. Throws a usage error for anything but a regular file. */
export const targetOf = ({ file, folder }: Destination, id: string): Target =>
  file ?? resolveTarget(join(folder, `${id}.ndjson`));
