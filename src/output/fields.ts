import { usage } from '../errors.ts';
import { JsonText, quoteJson } from '../json/json-text.ts';
import { type OperationName, operations, videoFields } from '../service/contract.ts';
import { expectedOneOf, nearest } from '../text/nearest.ts';
import { seconds, views } from './computed.ts';
import type { Field, Format, Item, RecordShape } from './format.ts';
import { bodyRecords, memberMap, recordKeys } from './records.ts';

export type { Field } from './format.ts';

/** The value of a field; null if it is missing. */
export type Value = JsonText | null;

/** The members of an entry, by key. */
export type Members = ReadonlyMap<string, JsonText>;

type ComputedField = (members: Members, item: Item) => Value;

const quoted = (text: string | null | undefined): Value =>
  text === null || text === undefined ? null : JsonText.of(quoteJson(text));
const numeric = (digits: string | null): Value => (digits === null ? null : JsonText.of(digits));

/** The specified and documented fields of an operation's entries. */
export function knownFields(name: OperationName): readonly string[] {
  const { fields, documentedFields } = operations[name];
  return [...new Set([...fields, ...documentedFields, ...(fields.length > 0 ? [] : videoFields)])];
}

/** The first fields of a csv: the specified ones, else the documented ones. */
const firstFields = ({ fields, documentedFields }: RecordShape): readonly string[] =>
  fields.length > 0 ? fields : documentedFields;

/** The computed fields, by name. */
const computed = {
  '@reference': (_members, { reference }) => quoted(reference),
  '@seconds': (members) => numeric(seconds(members.get('lengthText')?.string())),
  '@views': (members) =>
    numeric(views(members.get('viewCount')?.plain(), members.get('viewCountText')?.string())),
  '@published': (members, { published }) => quoted(published?.(members.get('videoId')?.string() ?? '')),
} as const satisfies Record<string, ComputedField>;

/** The names of the computed fields. */
export const computedFields = Object.keys(computed) as readonly (keyof typeof computed)[];

/** In answers of `latest`, `@published` is the date as sent. */
const sentPublished: ComputedField = (members) => members.get('published') ?? null;

function computedField(name: string, operation: RecordShape): ComputedField | undefined {
  if (name === '@published' && operation.name === operations.latest.name) return sentPublished;
  return Object.hasOwn(computed, name) ? computed[name as keyof typeof computed] : undefined;
}

/** All fields of an entry, as sent. */
const everything = '*';

/**
 * The fields of a `--fields` value. Throws a usage error for an empty or repeated name, for a near miss of a
 * specified field, and for an unknown name that begins with `@`.
 */
export function parseFields(value: string, operation: OperationName): Field[] {
  const known = knownFields(operation);
  const fields: Field[] = [];
  for (const name of value.split(',').map((part) => part.trim())) {
    if (fields.some((field) => field.name === name)) throw usage(`--fields names ${name} twice`);
    const path = name.split('.');
    const [first = ''] = path;
    if (path.includes(''))
      throw usage(`--fields: '${value}' has an empty name`, `expected e.g. ${known.slice(0, 2).join(',')}`);
    if (first === everything || first.startsWith('@')) {
      if (first !== everything && !(computedFields as readonly string[]).includes(first))
        throw usage(`--fields: there is no field '${first}'`, expectedOneOf(first, computedFields));
      if (path.length > 1) throw usage(`--fields: there is nothing inside ${first}`);
      fields.push({ name, path: null });
      continue;
    }
    const meant = known.includes(first) ? undefined : nearest(first, known);
    if (meant !== undefined) throw usage(`--fields: there is no field '${first}'`, `did you mean ${meant}?`);
    fields.push({ name, path });
  }
  return fields;
}

/** Reads the values of some fields of one entry, in the fields' order. `members`: the only members to use. */
export type Picker = (entry: JsonText, item: Item, members?: Members) => Value[];

/** A picker for these fields (none of them `*`) that reads each entry once. */
export function picker(fields: readonly Field[], operation: RecordShape): Picker {
  const sources = fields.map(({ name, path }) => ({
    key: path?.[0] ?? '',
    rest: path?.slice(1) ?? [],
    computed: path === null ? computedField(name, operation) : undefined,
  }));
  return (entry, item, members) => {
    const all = members ?? memberMap(entry);
    const isArray = members === undefined && entry.kind === 'array';
    return sources.map(({ key, rest, computed }) => {
      if (computed !== undefined) return computed(all, item);
      const value = isArray ? entry.get(key) : all.get(key);
      return value?.at(rest) ?? null;
    });
  };
}

/** A function that picks fields of an entry into a JSON object; a missing field is null. */
export function recordPicker(
  fields: readonly Field[],
  operation: RecordShape,
): (entry: JsonText, item: Item) => string {
  const named = fields.filter(({ name }) => name !== everything);
  const pick = picker(named, operation);
  const keys = named.map((field) => quoteJson(field.name));
  const names = new Set(named.map(({ name }) => name));
  const star = fields.findIndex(({ name }) => name === everything);
  return (entry, item) => {
    const members = pick(entry, item).map((value, i) => `${keys[i]}:${value}`);
    if (star !== -1) members.splice(star, 0, ...sentMembers(entry, names));
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

/** Adds to a format one warning about paths of `--fields` that no entry of the first page has. */
export function withFieldCheck(format: Format, operation: RecordShape, fields: readonly Field[]): Format {
  let absent: string[] | null = null;
  const check = (entries: readonly JsonText[]): void => {
    if (absent !== null || entries.length === 0) return;
    const paths = fields.filter(
      ({ path }) => path !== null && entries.every((entry) => entry.at(path) === undefined),
    );
    absent = paths.map(({ name }) => name);
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
      const warnings = format.warnings();
      if (absent === null || absent.length === 0) return warnings;
      const warning = `--fields: no entry of the first page has ${absent.join(', ')}`;
      absent = [];
      return [...warnings, warning];
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
