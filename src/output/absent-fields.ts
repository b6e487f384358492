import { excerpt, usage } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { nearest } from '../text/nearest.ts';
import { memberOf, valueAt } from './fields.ts';
import type { Field } from './format.ts';
import { recordKeys } from './members.ts';

/** Fields of a page that a warning names, at most. */
const maxNamed = 50;

/** Those of the fields that none of these entries has. */
function absentFrom(fields: readonly Field[], entries: readonly JsonText[]): readonly Field[] {
  const has = (entry: JsonText, { name, path }: Field): boolean =>
    path === null || memberOf(entry, name) !== undefined || valueAt(entry, path) !== undefined;
  return fields.filter((field) => !entries.some((entry) => has(entry, field)));
}

const listed = (names: readonly string[]): string => names.slice(0, maxNamed).map(excerpt).join(', ');

/** A warning that names the fields that none of these entries has; empty if there is none. */
export function absentWarning(fields: readonly Field[], entries: readonly JsonText[]): string {
  const absent = absentFrom(fields, entries);
  const names = excerpt(absent.map(({ name }) => name).join(', '));
  return (
    names &&
    `--fields: no entry on the first page has ${names}; its fields are ${listed(recordKeys(entries))}`
  );
}

/** Throws a usage error for a field that no entry of these batches has, and names the nearest one. Without entries: nothing. */
export async function assertPresent(
  fields: readonly Field[],
  batches: AsyncIterable<readonly JsonText[]>,
): Promise<void> {
  let absent = fields;
  const keys = new Set<string>();
  for await (const batch of batches) {
    absent = absentFrom(absent, batch);
    if (absent.length === 0) return;
    for (const key of recordKeys(batch)) keys.add(key);
  }
  const [field] = absent;
  if (field === undefined || keys.size === 0) return;
  const meant = nearest(field.name, [...keys]);
  const next = meant ? `did you mean ${meant}?` : `their fields are ${listed([...keys])}`;
  throw usage(`--fields: no entry has '${field.name}'`, next);
}
