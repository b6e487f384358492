import { excerpt, usage } from '../errors.ts';
import { type ByteWriter, CLOSE_BRACE, COMMA, OPEN_BRACE } from '../json/byte-writer.ts';
import { JsonText, quoteJson } from '../json/json-text.ts';
import { operations, videoFields } from '../service/contract.ts';
import { nearest } from '../text/nearest.ts';
import type { Field, Item, RecordShape } from './format.ts';
import { memberMap, membersOf, recordKeys } from './records.ts';

const text = (entry: JsonText, key: string): string | undefined => entry.get(key)?.string();
const numeric = (digits: string | null): JsonText => JsonText.of(digits ?? 'null');

/** Entries of exports, whichever command wrote them. */
export const shownEntries = {
  fields: videoFields,
  documentedFields: [...new Set(Object.values(operations).flatMap((row) => row.documentedFields))],
  idField: 'videoId',
  body: 'records',
} as const satisfies RecordShape;

/** The fields that entries are known to have: the documented ones, and those of videos where none is specified. */
export function knownFields({ fields, documentedFields }: RecordShape): readonly string[] {
  return [...new Set([...documentedFields, ...(fields.length > 0 ? [] : videoFields)])];
}

const computed: Readonly<Record<string, (entry: JsonText, item: Item) => JsonText | undefined>> = {
  _reference: (_entry, { reference }) => JsonText.of(JSON.stringify(reference)),
  _seconds: (entry) => numeric(durationSeconds(text(entry, 'lengthText'))),
  _views: (entry) => numeric(views(entry.get('viewCount')?.plain(), text(entry, 'viewCountText'))),
};

export const computedFields = Object.keys(computed);

const wildcard = '*';

/** Fields of a page that a warning names, at most. */
const maxNamed = 50;

/** Words that head columns of tables, and the fields that are meant, as far as entries have them. */
const headerWords: Readonly<Record<string, readonly string[]>> = {
  length: ['_seconds', 'lengthText'],
  views: ['_views', 'viewCount', 'viewCountText'],
  age: ['publishedTimeText', 'published'],
  published: ['publishedTimeText'],
  channel: ['channelTitle', 'channelHandle', 'channelId'],
};

/** Names that other programs and `latest` have for fields of uploads and playlists, in lower case. */
const namesElsewhere: readonly (readonly [names: readonly string[], next: string])[] = [
  [['id'], 'did you mean videoId?'],
  [['viewcount'], 'did you mean _views?'],
  [['duration'], 'did you mean _seconds or lengthText?'],
  [['url', 'link'], 'did you mean videoId? only latest has links (link)'],
  [['date', 'published', 'publishedat'], 'did you mean publishedTimeText? only latest has dates (published)'],
  [['updated', 'author', 'description', 'starrating'], 'only latest has it'],
  [['channelverified', 'hascaptions', 'type'], 'only search has it'],
];

/** What is meant by the name of a field that entries do not have; undefined if they may have it. */
function meaningOf(name: string, first: string, operation: RecordShape): string | undefined {
  const known = knownFields(operation);
  if (known.includes(first)) return undefined;
  if (first.startsWith('_')) {
    const meant = nearest(first, computedFields);
    return meant ? `did you mean ${meant}?` : `the computed fields are ${computedFields.join(', ')}`;
  }
  // These entries are specified; others may have such fields.
  if (operation.body === 'page') {
    const path = name.replace(/\[(\d+)\]/g, '.$1');
    if (path !== name) return `did you mean ${path}?`;
    const row = namesElsewhere.find(([names]) => names.includes(first.toLowerCase()));
    if (row !== undefined) return row[1];
  }
  const fields = headerWords[first.toLowerCase()] ?? [];
  const meant = fields.some((field) => known.includes(field))
    ? fields.filter((field) => known.includes(field) || computedFields.includes(field)).join(' or ')
    : nearest(first, [...known, ...computedFields]);
  return meant && `did you mean ${meant}?`;
}

/** Parses `--fields`; null without it. Throws a usage error that names the field meant. */
export function parseFields(value: string | null, operation: RecordShape): readonly Field[] | null {
  if (value === null) return null;
  const fields: Field[] = [];
  for (const name of value.split(',').map((part) => part.trim())) {
    const path = name.split('.');
    const [first = ''] = path;
    if (fields.some((field) => field.name === name)) throw usage(`--fields names ${name} twice`);
    if (path.includes('')) throw usage(`--fields: '${value}' has an empty name`);
    const isComputed = name === wildcard || computedFields.includes(name);
    const meant = isComputed ? undefined : meaningOf(name, first, operation);
    if (meant !== undefined) throw usage(`--fields: there is no field '${name}'`, meant);
    fields.push({ name, path: isComputed ? null : path });
  }
  return fields;
}

/** More fields are looked up in a map: `get` compares all keys of an entry. */
const maxCompared = 50;

/** Reads fields of an entry, null for `*` and what is missing. A key written like the field comes first. */
export function picker(fields: readonly Field[]): (entry: JsonText, item: Item) => JsonText[] {
  const missing = JsonText.of('null');
  return (entry, item) => {
    const members = fields.length > maxCompared ? memberMap(entry) : null;
    return fields.map(({ name, path }) => {
      const member = members === null ? memberOf(entry, name) : members.get(name);
      return member ?? (path === null ? computed[name]?.(entry, item) : valueAt(entry, path)) ?? missing;
    });
  };
}

/** The member of a record; a record that is no object is its own `value`. */
const memberOf = (entry: JsonText, key: string): JsonText | undefined =>
  entry.get(key) ?? (entry.kind === 'object' ? undefined : memberMap(entry).get(key));

/** The value at a path of more than one key. */
const valueAt = (entry: JsonText, [key = '', ...rest]: readonly string[]): JsonText | undefined =>
  rest.length === 0 ? undefined : memberOf(entry, key)?.at(rest);

/** A function that writes an entry as JSON: as sent, or the fields as an object; a missing field is null. */
export function entryWriter(
  fields: readonly Field[] | null,
): (out: ByteWriter, entry: JsonText, item: Item) => void {
  if (fields === null) return (out, entry) => entry.writeTo(out);
  const pick = picker(fields);
  const keyOf = (name: string): Buffer => Buffer.from(`${quoteJson(name)}:`);
  const keys = fields.map(({ name }) => (name === wildcard ? null : keyOf(name)));
  const names = new Set(fields.map(({ name }) => name));
  return (out, entry, item) => {
    out.byte(OPEN_BRACE);
    const start = out.length;
    const write = (key: Buffer, value: JsonText): void => {
      if (out.length > start) out.byte(COMMA);
      out.copy(key);
      value.writeTo(out);
    };
    for (const [i, value] of pick(entry, item).entries()) {
      const key = keys[i];
      if (key) write(key, value);
      else for (const [name, member] of membersOf(entry)) if (!names.has(name)) write(keyOf(name), member);
    }
    out.byte(CLOSE_BRACE);
  };
}

/** The fields (null: `*`) with `*` replaced by the specified ones, else the documented ones, and these keys. */
export function expandFields(
  fields: readonly Field[] | null,
  { fields: specified, documentedFields }: RecordShape,
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

/** Whether fields that are not named are printed. */
export const hasWildcard = (fields: readonly Field[] | null): boolean =>
  fields === null || fields.some(({ name }) => name === wildcard);

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

export const memberField = (name: string): Field => ({ name, path: [name] });

/** Seconds of a `lengthText` (docs/service.md, 2.2), also with hours, as digits; null if it is no duration (`LIVE`). */
export function durationSeconds(lengthText = ''): string | null {
  const match = /^(?:(\d{1,9}):(?=[0-5]\d:))?(\d{1,9}):([0-5]\d)$/.exec(lengthText.trim());
  if (match === null) return null;
  const [, hours = '0', minutes, rest] = match;
  return String(Number(hours) * 3600 + Number(minutes) * 60 + Number(rest));
}

/** Views as digits, of `viewCount`, else of a text such as `3.2M views • 2 years ago`; null if it says none. */
export function views(viewCount = '', viewCountText = ''): string | null {
  return (
    (/^[\d,]+$/.test(viewCount) ? viewsOfText(`${viewCount} views`) : null) ?? viewsOfText(viewCountText)
  );
}

const unitZeros: Readonly<Record<string, number>> = { '': 0, K: 3, M: 6, B: 9 };

function viewsOfText(viewCountText: string): string | null {
  const text = viewCountText.trim();
  if (/^no\s+views?(?![a-z])/i.test(text)) return '0';
  const match =
    /^(\d{1,3}(?:,\d{3}){1,9}|\d{1,99})(?:\.(\d{1,9}))?\s{0,9}(?:([KMB])\s{0,9})?views?(?![a-z])/i.exec(text);
  if (match === null) return null;
  const [, whole = '', fraction = '', unit = ''] = match;
  const zeros = unitZeros[unit.toUpperCase()] ?? 0;
  // More digits than the unit has zeros are not a whole number of views.
  if (fraction.length > zeros) return null;
  return (whole.replaceAll(',', '') + fraction.padEnd(zeros, '0')).replace(/^0+(?=\d)/, '');
}

/** The count and the age in a `viewCountText` (2.2): `434K` and `1 day ago` in `434K views • 1 day ago`. */
export function splitViews(viewCountText: string): readonly [count: string, age: string] {
  const text = viewCountText.trim();
  const separated = /^([^\u2022\u00b7|]*)[\u2022\u00b7|](.*)$/s.exec(text);
  const [, count = text, age = ''] =
    separated ?? /^((?:no |[^a-z]{1,40}[kmb]? ?)views?)\s(.*)$/is.exec(text) ?? [];
  const isCount = viewsOfText(count) !== null;
  const shown = isCount ? count.replace(/^\s*no\b/i, '0').replace(/views?\s*$/i, '') : count;
  return [shown.trim(), age.trim()];
}
