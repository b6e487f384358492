import { type JsonText, quoteJson } from '../json/json-text.ts';
import type { RecordShape } from './format.ts';

/** Columns that are not named with `--fields`, at most. */
export const maxColumns = 1000;

interface Records {
  /** The list of records inside the body, or the body itself; null if the whole body is one record. */
  readonly list: JsonText | null;
  /** The member of the body that is the list; null if the body is the list, or there is none. */
  readonly key: string | null;
  readonly records: readonly JsonText[];
}

/**
 * The records of a whole response: a resolve result is one (docs/service.md, 2.1); so is a body without a list where the
 * specification leaves the shape open.
 */
export function records(body: JsonText, kind: RecordShape['body'] = 'list'): Records {
  const whole = { list: null, key: null, records: [body] };
  if (kind === 'record') return whole;
  if (body.kind === 'array') return { list: body, key: null, records: body.elements() };
  const arrays = [...memberMap(body)].filter(([, value]) => value.kind === 'array');
  const found = arrays.find(([key]) => key === 'results') ?? (arrays.length === 1 ? arrays[0] : undefined);
  if (found === undefined) return whole;
  const [key, list] = found;
  return { list, key, records: list.elements() };
}

/** The text of a response with another list of records in place of its own; everything else as sent. */
export function withList(body: JsonText, { key }: Records, list: string): string {
  if (key === null) return list;
  const members = [...body.members()];
  const last = members.findLastIndex(([name]) => name === key);
  return `{${members.map(([name, value], i) => `${quoteJson(name)}:${i === last ? list : value}`).join(',')}}`;
}

/** A record's members in order, with duplicates; a record that is not an object has one, `value`. */
export function membersOf(record: JsonText): Iterable<readonly [key: string, value: JsonText]> {
  return record.kind === 'object' ? record.members() : [['value', record]];
}

/** The same by key: the last of equal ones. */
export function memberMap(record: JsonText): ReadonlyMap<string, JsonText> {
  return new Map(membersOf(record));
}

/** The keys of all records, in order of first appearance. */
export function recordKeys(list: readonly JsonText[]): string[] {
  const keys = new Set<string>();
  let last: JsonText | null = null;
  for (const record of list) {
    // Most entries of a page have the same keys.
    if (last === null || !record.hasKeysOf(last)) for (const [key] of membersOf(record)) keys.add(key);
    last = record;
  }
  return [...keys];
}
