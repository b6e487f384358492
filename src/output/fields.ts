import { type OperationName, resolveFields, videoFields } from '../api/contract.ts';
import { usage } from '../errors.ts';
import { type JsonText, quoteJson } from '../json/json-text.ts';
import { nearest } from '../text/nearest.ts';
import type { Item } from './item.ts';

/** One path of `--fields`. */
export interface Field {
  /** As the user wrote it: the key in the output. */
  readonly name: string;
  /** Keys and indices to follow; null for `@reference`. */
  readonly path: readonly string[] | null;
}

/** Fields that deployments are known to send in search and latest, whose shape the specification leaves open. */
const observedFields = [
  'type',
  'channelVerified',
  'publishedTimeText',
  'hasCaptions',
  'author',
  'published',
  'updated',
  'link',
  'description',
  'thumbnail',
  'viewCount',
  'starRating',
];

/** What was asked for, as a field. */
export const referenceField = '@reference';

/** The fields that an entry of this operation is specified, or known, to have. */
export function knownFields(operation: OperationName): readonly string[] {
  switch (operation) {
    case 'resolve':
      return resolveFields;
    case 'search':
    case 'latest':
      return [...videoFields, ...observedFields];
    case 'uploads':
    case 'playlist':
      return videoFields;
  }
}

/**
 * The paths of a `--fields` value. Throws a usage error for an empty or repeated path and for a near miss of
 * a specified field.
 */
export function parseFields(value: string, operation: OperationName): Field[] {
  const known = knownFields(operation);
  const names = value.split(',').map((name) => name.trim());
  const fields: Field[] = [];
  for (const name of names) {
    if (fields.some((field) => field.name === name)) throw usage(`--fields names ${name} twice`);
    if (name === referenceField) {
      fields.push({ name, path: null });
      continue;
    }
    const path = name.split('.');
    const first = path[0] ?? '';
    if (path.includes(''))
      throw usage(`--fields: '${value}' has an empty name`, `expected e.g. ${known.slice(0, 2).join(',')}`);
    if (first === referenceField)
      throw usage(`--fields: there is nothing inside ${referenceField}`, 'it is a text');
    const meant = known.includes(first) ? undefined : nearest(first, [...known, referenceField]);
    if (meant !== undefined) throw usage(`--fields: there is no field '${first}'`, `did you mean ${meant}?`);
    if (first.startsWith('@'))
      throw usage(`--fields: there is no field '${first}'`, `the only one of its kind is ${referenceField}`);
    fields.push({ name, path });
  }
  return fields;
}

/** The value of a field of one entry; the reference as a string, null where it is missing. */
export function pick(field: Field, entry: JsonText, item: Item): JsonText | string | null {
  return field.path === null ? item.reference : (entry.at(field.path) ?? null);
}

/** The values that some fields have in one entry, in the fields' order; null where one is missing. */
export type Picker = (entry: JsonText, item: Item) => (JsonText | string | null)[];

/** A picker for these fields that reads each entry once. A `string` among its values is the reference. */
export function picker(fields: readonly Field[]): Picker {
  const wanted = new Set(fields.map((field) => field.path?.[0]));
  return (entry, item) => {
    const found = new Map<string, JsonText>();
    for (const [key, value] of entry.members()) if (wanted.has(key)) found.set(key, value);
    return fields.map(({ path }) => {
      if (path === null) return item.reference;
      const [first = '', ...rest] = path;
      const start = entry.kind === 'object' ? found.get(first) : entry.get(first);
      return start?.at(rest) ?? null;
    });
  };
}

/** A function that makes a JSON object of an entry: the fields as keys, null where one is missing. */
export function recordPicker(fields: readonly Field[]): (entry: JsonText, item: Item) => string {
  const pick = picker(fields);
  const keys = fields.map((field) => quoteJson(field.name));
  return (entry, item) => {
    const members = pick(entry, item).map((value, i) => `${keys[i]}:${asJson(value)}`);
    return `{${members.join(',')}}`;
  };
}

/** A picked value as JSON. */
function asJson(value: JsonText | string | null): string {
  return typeof value === 'string' ? quoteJson(value) : String(value);
}

/** A picked value as plain text: characters of strings, digits of numbers, nothing for null, nested as JSON. */
export function asText(value: JsonText | string | null): string {
  return typeof value === 'string' ? value : (value?.plain() ?? '');
}

/** Fields that are top-level members of these names. */
export function memberFields(names: readonly string[]): Field[] {
  return names.map((name) => ({ name, path: [name] }));
}
