import { type Failure, usage } from '../../errors.ts';
import { videoFields } from '../../service/contract.ts';
import { computedFields } from '../fields.ts';
import type { ReaderOptions } from '../format.ts';

/** An entry as the service sends it has at least this many of the nine specified fields. */
const minSpecified = 5;
/** Maximum number of fields in a message. */
const maxShown = 20;

/**
 * Throws a usage error if the entries of a file were exported with other `--fields`. `keysOf`: the keys of its
 * first entries.
 */
export function checkEntryKeys(
  path: string,
  keysOf: readonly (readonly string[])[],
  fields: ReaderOptions['fields'],
): void {
  const [first] = keysOf;
  if (fields === undefined || first === undefined) return;
  if (fields !== null) checkNames(path, first, fields);
  else if (first.some(isMadeByFields) || keysOf.every((keys) => specified(keys) < minSpecified))
    throw exportedWith(path, first);
}

/** The same for the header of a csv file. */
export function checkHeader(path: string, header: readonly string[], fields: ReaderOptions['fields']): void {
  if (fields === undefined) return;
  if (fields !== null) checkNames(path, header, fields);
  else if (header.some(isMadeByFields) || videoFields.some((name, i) => header[i] !== name))
    throw exportedWith(path, header);
}

const specified = (keys: readonly string[]): number =>
  keys.filter((key) => (videoFields as readonly string[]).includes(key)).length;

/** Whether `--fields` made this key: the service's own keys are neither paths nor computed. */
const isMadeByFields = (key: string): boolean =>
  (computedFields as readonly string[]).includes(key) || /^\w+(?:\.\w+)+$/.test(key);

function checkNames(
  path: string,
  found: readonly string[],
  fields: NonNullable<ReaderOptions['fields']>,
): void {
  const names = fields.map(({ name }) => name);
  const star = names.indexOf('*');
  // The fields of `*` are between those named before and after it.
  const [before, after] = star === -1 ? [names, []] : [names.slice(0, star), names.slice(star + 1)];
  const isSame =
    (star !== -1 || found.length === names.length) &&
    before.every((name, i) => found[i] === name) &&
    after.every((name, i) => found[found.length - after.length + i] === name);
  if (isSame) return;
  throw usage(
    `${path}: its fields are ${shown(found)}, not ${names.join(',')}`,
    'give the --fields that it was exported with, or export it again with --restart',
  );
}

function exportedWith(path: string, found: readonly string[]): Failure {
  return usage(
    `${path}: its fields are ${shown(found)}, but there is no --fields`,
    'give the --fields that it was exported with, or export it again with --restart',
  );
}

const shown = (names: readonly string[]): string =>
  names.length <= maxShown ? names.join(',') : `${names.slice(0, maxShown).join(',')},…`;
