/** The names of archives, and of the files that their folder `.chanlist` has for each. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { usage } from '../errors.ts';
import type { Target } from './output-target.ts';
import { temporaryName } from './private-folder.ts';

/** The folder of records and pages files of the exports in `parent`. */
export const privateFolderOf = (parent: string): string => join(parent, '.chanlist');

/** Returns the name of the FILE for an ID in a folder of archives. */
export const archiveName = (id: string): string => `${id}.ndjson`;

/** Whether a file has the name that `--output-dir` gives to an archive. */
export const isArchiveName = (name: string): boolean => /^(?:UC|PL|UU|LL|FL|OL)[\w-]+\.ndjson$/.test(name);

export const recordName = (file: string): string => `${file}.json`;

export const pagesName = (file: string): string => `${file}.run`;

/** The temporary name of the new FILE. Without `.new`, FILE `a.json` and the record of FILE `a` would share a name. */
export const newFileName = (file: string): string => temporaryName(`${file}.new`);

/** Suffix of the name under which the file of `--seen` is locked. */
export const seenSuffix = '.seen';

/** Throws a usage error if a file is an archive according to its record: only an export of that archive may replace it. */
export function assertNotArchive({ path, real }: Pick<Target, 'path' | 'real'>): void {
  const record = join(privateFolderOf(dirname(real)), recordName(basename(real)));
  if (!existsSync(record) || !existsSync(real)) return;
  throw usage(`refusing to replace ${path}: it is an archive`, 'choose another file name');
}
