import { type ByteWriter, CLOSE_BRACE, COMMA, OPEN_BRACE } from '../json/byte-writer.ts';
import { JsonText, quoteJson } from '../json/json-text.ts';
import type { EntryShape, EntrySource, Field } from './format.ts';
import { parseDuration, parseViewCount } from './video-texts.ts';

/** Returns an entry as an object: any other value becomes the member `value` of one. */
export const asObject = (entry: JsonText): JsonText =>
  entry.kind === 'object' ? entry : JsonText.of(`{"value":${entry}}`);

/** Lists the keys of all entries, in order of first appearance. */
export function entryKeys(entries: readonly JsonText[]): string[] {
  const keys = new Set<string>();
  for (const [i, entry] of entries.entries()) {
    const before = entries[i - 1];
    // Most entries have the same keys as the previous one.
    if (before !== undefined && entry.hasKeysOf(before)) continue;
    for (const key of entry.keys()) keys.add(key);
  }
  return [...keys];
}

const text = (entry: JsonText, key: string): string | undefined => entry.get(key)?.string();
const numeric = (digits: string | null): JsonText => JsonText.of(digits ?? 'null');

const computed: Readonly<Record<string, (entry: JsonText, source: EntrySource) => JsonText>> = {
  _reference: (_entry, { given }) => JsonText.of(JSON.stringify(given)),
  _seconds: (entry) => numeric(parseDuration(text(entry, 'lengthText'))),
  _views: (entry) => numeric(parseViewCount(entry.get('viewCount')?.plain(), text(entry, 'viewCountText'))),
};

export const computedFields = Object.keys(computed);

export const wildcard = '*';

/** For more fields than this a map is used, because `get` compares all keys of an entry. */
const maxCompared = 50;

/** Returns the path of a field that is nested in a member; null for a member itself, `*` and a computed field. */
const innerPath = ({ path }: Field): Field['path'] => (path !== null && path.length > 1 ? path : null);

/** Returns the value of a field in an entry. A key that is spelled like the whole field takes precedence over its path. */
export function valueAt(entry: JsonText, field: Field): JsonText | undefined {
  const inner = innerPath(field);
  return entry.get(field.name) ?? (inner === null ? undefined : entry.at(inner));
}

/** Returns a function that reads fields of an entry: null for `*` and for a missing field. */
export function picker(fields: readonly Field[]): (entry: JsonText, source: EntrySource) => JsonText[] {
  const missing = JsonText.of('null');
  return (entry, source) => {
    const members = fields.length > maxCompared ? new Map(entry.members()) : null;
    return fields.map((field) => {
      const { name, path } = field;
      const compute = path === null ? computed[name] : undefined;
      const isMember = innerPath(field) === null;
      const value = members !== null && isMember ? members.get(name) : valueAt(entry, field);
      return value ?? compute?.(entry, source) ?? missing;
    });
  };
}

/** Returns a function that writes an entry as JSON: as sent, or the fields as an object; a missing field is null. */
export function entryWriter(
  fields: readonly Field[] | null,
): (out: ByteWriter, entry: JsonText, source: EntrySource) => void {
  if (fields === null) return (out, entry) => entry.writeTo(out);
  const pick = picker(fields);
  const keyOf = (name: string): Buffer => Buffer.from(`${quoteJson(name)}:`);
  const keys = fields.map(({ name }) => (name === wildcard ? null : keyOf(name)));
  const names = new Set(fields.map(({ name }) => name));
  return (out, entry, source) => {
    out.byte(OPEN_BRACE);
    const start = out.length;
    const write = (key: Buffer, value: JsonText): void => {
      if (out.length > start) out.byte(COMMA);
      out.copy(key);
      value.writeTo(out);
    };
    for (const [i, value] of pick(entry, source).entries()) {
      const key = keys[i];
      if (key) write(key, value);
      else for (const [name, member] of entry.members()) if (!names.has(name)) write(keyOf(name), member);
    }
    out.byte(CLOSE_BRACE);
  };
}

/** Maximum number of csv columns that are not named with `--fields`. */
export const maxColumns = 1000;

/** Replaces `*` in a list of fields (null means `*`) by the specified fields, else the documented ones, and by these keys. */
export function expandFields(
  fields: readonly Field[] | null,
  { fields: specified, documentedFields }: EntryShape,
  keys: Iterable<string>,
): Field[] {
  const requested = fields ?? [{ name: wildcard, path: null }];
  const named = new Set(requested.map(({ name }) => name));
  return requested.flatMap((field) => {
    if (field.name !== wildcard) return field;
    const all = new Set([...(specified.length > 0 ? specified : documentedFields), ...keys]);
    return [...all].filter((key) => !named.has(key)).map(memberField);
  });
}

/** Whether fields that `--fields` does not name are printed, too. */
export const hasWildcard = (fields: readonly Field[] | null): boolean =>
  fields === null || fields.some(({ name }) => name === wildcard);

export const memberField = (name: string): Field => ({ name, path: [name] });
