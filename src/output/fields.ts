import { usage } from '../errors.ts';
import { JsonText, quoteJson } from '../json/json-text.ts';
import { operations, videoFields } from '../service/contract.ts';
import { excerpt } from '../text/excerpt.ts';
import { expectedOneOf, nearest } from '../text/nearest.ts';
import { seconds, views } from './computed.ts';
import type { Field, Format, Item, RecordShape } from './format.ts';
import { bodyRecords, memberMap, recordKeys } from './records.ts';

export type { Field } from './format.ts';

/** The value of a field; null if it is missing. */
export type Value = JsonText | null;

type FieldReader = (entry: JsonText, item: Item) => Value;

const text = (entry: JsonText, key: string): string | undefined => entry.get(key)?.string();
const quoted = (value: string | null): Value => (value === null ? null : JsonText.of(quoteJson(value)));
const numeric = (digits: string | null): Value => (digits === null ? null : JsonText.of(digits));

/** Entries of exports, whichever command wrote them. */
export const shownEntries = {
  name: 'show',
  fields: videoFields,
  documentedFields: [...new Set(Object.values(operations).flatMap((row) => row.documentedFields))],
  idField: 'videoId',
  answer: 'records',
} as const satisfies RecordShape;

/** The fields that entries are known to have: the documented ones, and those of videos where none is specified. */
export function knownFields({ fields, documentedFields }: RecordShape): readonly string[] {
  return [...new Set([...documentedFields, ...(fields.length > 0 ? [] : videoFields)])];
}

/** The first fields of a csv: the specified ones, else the documented ones. */
const firstFields = ({ fields, documentedFields }: RecordShape): readonly string[] =>
  fields.length > 0 ? fields : documentedFields;

/** The computed fields, by name. */
const computed: Readonly<Record<string, FieldReader>> = {
  '@reference': (_entry, { reference }) => quoted(reference),
  '@seconds': (entry) => numeric(seconds(text(entry, 'lengthText'))),
  '@views': (entry) => numeric(views(entry.get('viewCount')?.plain(), text(entry, 'viewCountText'))),
  '@published': (entry, { published }) => quoted(published?.(text(entry, 'videoId') ?? '') ?? null),
};

/** The names of the computed fields. */
export const computedFields = Object.keys(computed);

/** All fields of an entry, as sent. */
const everything = '*';

/** Throws as `parseFields`: before anything is sent. */
export function checkFields(value: string | null, operation: RecordShape): void {
  if (value !== null) parseFields(value, operation);
}

/**
 * The fields of a `--fields` value. Throws a usage error for an empty or repeated name, for a near miss of a
 * specified field, and for an unknown name that begins with `@`.
 */
export function parseFields(value: string, operation: RecordShape): Field[] {
  const known = knownFields(operation);
  const fields: Field[] = [];
  const names = new Set<string>();
  for (const name of value.split(',').map((part) => part.trim())) {
    const path = name.split('.');
    const [first = ''] = path;
    const noField = `--fields: there is no field '${excerpt(first)}'`;
    if (names.has(name)) throw usage(`--fields names ${excerpt(name)} twice`);
    names.add(name);
    if (path.includes(''))
      throw usage(
        `--fields: '${excerpt(value)}' has an empty name`,
        `expected e.g. ${known.slice(0, 2).join(',')}`,
      );
    const isComputed = first === everything || computedFields.includes(first);
    if (first.startsWith('@') && !isComputed) throw usage(noField, expectedOneOf(first, computedFields));
    if (isComputed && path.length > 1) throw usage(`--fields: there is nothing inside ${first}`);
    const meant = isComputed || known.includes(first) ? undefined : nearest(first, known);
    if (meant !== undefined) throw usage(noField, `did you mean ${meant}?`);
    fields.push({ name, path: isComputed ? null : path });
  }
  return fields;
}

/** Reads the values of some fields of one entry, in the fields' order. */
export type Picker = (entry: JsonText, item: Item) => Value[];

/**
 * A picker for these fields; `*` has no value. In files, a key that is written like the field comes first: an export
 * has already picked or computed it.
 */
export function picker(fields: readonly Field[], operation: RecordShape): Picker {
  const readers = fields.map((field): FieldReader => {
    const read = reader(field, operation);
    if (operation.name !== shownEntries.name) return read;
    return (entry, item) => entry.get(field.name) ?? read(entry, item);
  });
  return (entry, item) => readers.map((read) => read(entry, item));
}

function reader({ name, path }: Field, { documentedFields }: RecordShape): FieldReader {
  if (path !== null) return (entry) => valueAt(entry, path);
  // As `latest` sends it.
  if (name === '@published' && documentedFields.includes('published'))
    return (entry) => entry.get('published') ?? null;
  return computed[name] ?? (() => null);
}

/** The value at a path; the whole of a record that is no object is its `value`. */
function valueAt(entry: JsonText, [key = '', ...rest]: readonly string[]): Value {
  const value = entry.get(key) ?? (entry.kind === 'object' ? undefined : memberMap(entry).get(key));
  return value?.at(rest) ?? null;
}

/** A function that picks fields of an entry into a JSON object; a missing field is null. */
export function recordPicker(
  fields: readonly Field[],
  operation: RecordShape,
): (entry: JsonText, item: Item) => string {
  const pick = picker(fields, operation);
  const keys = fields.map((field) => quoteJson(field.name));
  const names = new Set(fields.map(({ name }) => name));
  return (entry, item) => {
    const values = pick(entry, item);
    const members = fields.flatMap(({ name }, i) =>
      name === everything ? sentMembers(entry, names) : `${keys[i]}:${values[i]}`,
    );
    return `{${members.join(',')}}`;
  };
}

/** The members of an entry as sent, without those that are named beside `*`. */
function sentMembers(entry: JsonText, named: ReadonlySet<string>): string[] {
  const members = entry.kind === 'object' ? entry.members() : memberMap(entry);
  const sent: string[] = [];
  for (const [key, value] of members) if (!named.has(key)) sent.push(`${quoteJson(key)}:${value}`);
  return sent;
}

/**
 * The fields with `*` replaced by the keys of these entries: the documented ones first, then the others in order
 * of appearance. Null `fields`: `*` alone.
 */
export function expandFields(
  fields: readonly Field[] | null,
  operation: RecordShape,
  entries: readonly JsonText[],
): Field[] {
  const given = fields ?? [{ name: everything, path: null }];
  const named = new Set(given.map(({ name }) => name));
  return given.flatMap((field) => {
    if (field.name !== everything) return field;
    const keys = new Set([...firstFields(operation), ...recordKeys(entries)]);
    return memberFields([...keys].filter((key) => !named.has(key)));
  });
}

/** Whether `*` is among the fields: then the entries decide which fields there are. */
export function hasEverything(fields: readonly Field[]): boolean {
  return fields.some(({ name }) => name === everything);
}

/** A format that also warns about the paths of `--fields` that no entry on the first page has. */
export function checkedFields(format: Format, operation: RecordShape, fields: readonly Field[]): Format {
  let absent: readonly string[] | null = null;
  const has = (entry: JsonText, { name, path }: Field): boolean =>
    path === null || valueAt(entry, path) !== null || entry.get(name) !== undefined;
  const check = (entries: readonly JsonText[]): void => {
    if (entries.length === 0) return;
    absent ??= fields.filter((field) => !entries.some((entry) => has(entry, field))).map(({ name }) => name);
  };
  return {
    ...format,
    rows: (item, entries) => {
      check(entries);
      return format.rows(item, entries);
    },
    body: (item, body) => {
      if (absent === null) check(bodyRecords(operation, body).records);
      return format.body(item, body);
    },
    warnings: () => {
      const names = (absent ?? []).join(', ');
      const warnings = format.warnings();
      return names === ''
        ? warnings
        : [...warnings, `--fields: no entry on the first page has ${excerpt(names)}`];
    },
  };
}

/** A value as plain text: characters of strings, digits of numbers, nothing for null, nested as JSON. */
export function asText(value: Value): string {
  return value?.plain() ?? '';
}

/** Fields that are top-level members of these names. */
export function memberFields(names: readonly string[]): Field[] {
  return names.map((name) => ({ name, path: [name] }));
}
