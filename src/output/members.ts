import type { JsonText } from '../json/json-text.ts';

/** Lists a record's members in order, with duplicates; a record that is not an object has one, `value`. */
export function membersOf(record: JsonText): Iterable<readonly [key: string, value: JsonText]> {
  return record.kind === 'object' ? record.members() : [['value', record]];
}

/** Maps the members of a record by key: of a key given twice the last one. */
export function memberMap(record: JsonText): ReadonlyMap<string, JsonText> {
  return new Map(membersOf(record));
}

/** Lists the keys of all records, in order of first appearance. */
export function recordKeys(records: readonly JsonText[]): string[] {
  const keys = new Set<string>();
  for (const record of records)
    for (const key of record.kind === 'object' ? record.keys() : ['value']) keys.add(key);
  return [...keys];
}
