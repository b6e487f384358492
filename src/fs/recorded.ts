import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { usage } from '../errors.ts';
import { parseObject } from '../json/shape.ts';
import { ignoreErrors } from './files.ts';
import { PrivateFolder, privateFolderOf } from './private-folder.ts';

type Path = { readonly path: string; readonly real: string };

const recordOf = (real: string): string => join(privateFolderOf(dirname(real)), `${basename(real)}.json`);

/** Whether the record of a file is that of a view (docs/updates.md), with no interrupted run. */
function isViewRecord(record: string): boolean {
  const value = parseObject(ignoreErrors(['ENOENT', 'EACCES'], () => fs.readFileSync(record, 'utf8')) ?? '');
  const { request, progress } = value ?? {};
  const format =
    typeof request === 'object' && request !== null && 'format' in request ? request.format : null;
  return typeof format === 'string' && format !== 'ndjson' && progress === null;
}

/** Throws a usage error for an export that is there and that a record names; `areViewsReplaced`: views pass. */
export function assertNotRecorded({ path, real }: Path, { areViewsReplaced = false } = {}): void {
  const record = recordOf(real);
  if (!fs.existsSync(record) || !fs.existsSync(real) || (areViewsReplaced && isViewRecord(record))) return;
  throw usage(`refusing to replace ${path}: it is an export`, 'name another file');
}

/** Removes the record of a view that another file has replaced. */
export function forgetView({ real }: Path): void {
  if (!isViewRecord(recordOf(real))) return;
  using folder = PrivateFolder.open(privateFolderOf(dirname(real)));
  folder?.remove(basename(recordOf(real)));
}
