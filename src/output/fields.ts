import { usage } from '../errors.ts';
import { type ByteWriter, CLOSE_BRACE, COMMA, OPEN_BRACE } from '../json/byte-writer.ts';
import { JsonText, quoteJson } from '../json/json-text.ts';
import { operations, videoFields } from '../service/contract.ts';
import { expectedOneOf, nearest } from '../text/nearest.ts';
import type { Field, Item, RecordShape } from './format.ts';
import { memberMap, membersOf, recordKeys } from './records.ts';

const text = (entry: JsonText, key: string): string | undefined => entry.get(key)?.string();
const quoted = (value: string | null): JsonText => JsonText.of(JSON.stringify(value));
const numeric = (digits: string | null): JsonText => JsonText.of(digits ?? 'null');

/** Entries of exports, whichever command wrote them. */
export const shownEntries = {
  name: 'show',
  fields: videoFields,
  documentedFields: [...new Set(Object.values(operations).flatMap((row) => row.documentedFields))],
  idField: 'videoId',
  body: 'records',
} as const satisfies RecordShape;

/** The fields that entries are known to have: the documented ones, and those of videos where none is specified. */
export function knownFields({ fields, documentedFields }: RecordShape): readonly string[] {
  return [...new Set([...documentedFields, ...(fields.length > 0 ? [] : videoFields)])];
}

/** The first fields of a csv: the specified ones, else the documented ones. */
const firstFields = ({ fields, documentedFields }: RecordShape): readonly string[] =>
  fields.length > 0 ? fields : documentedFields;

const computed: Readonly<Record<string, ReturnType<typeof reader>>> = {
  '@reference': (_entry, { reference }) => quoted(reference),
  '@seconds': (entry) => numeric(durationSeconds(text(entry, 'lengthText'))),
  '@views': (entry) => numeric(views(entry.get('viewCount')?.plain(), text(entry, 'viewCountText'))),
  '@published': (entry, { published }) => quoted(published?.(text(entry, 'videoId') ?? '') ?? null),
};

export const computedFields = Object.keys(computed);

const wildcard = '*';

/** Names that other programs have for fields of uploads and playlists, in lower case. */
const namesElsewhere: Readonly<Record<string, string>> = {
  id: 'videoId',
  views: '@views',
  viewcount: '@views',
  duration: '@seconds',
  length: '@seconds',
  published: '@published',
  url: 'thumbnails.0.url, or videoId',
};

/** The field that is meant by the name of one that entries do not have; undefined if it may be one of theirs. */
function fieldMeant(name: string, first: string, operation: RecordShape): string | undefined {
  const known = knownFields(operation);
  if (known.includes(first)) return undefined;
  // These entries are specified; others may have such fields.
  if (operation.body === 'page') {
    const path = name.replace(/\[(\d+)\]/g, '.$1');
    if (path !== name) return path;
    const key = first.toLowerCase();
    if (Object.hasOwn(namesElsewhere, key)) return namesElsewhere[key];
  }
  return nearest(first, known);
}

/**
 * The fields of a `--fields` value; null without one. Throws a usage error for an empty or repeated name, for a near
 * miss of a specified field or its name elsewhere, and for an unknown name that begins with `@`.
 */
export function parseFields(value: string | null, operation: RecordShape): readonly Field[] | null {
  if (value === null) return null;
  const fields: Field[] = [];
  const names = new Set<string>();
  for (const name of value.split(',').map((part) => part.trim())) {
    const path = name.split('.');
    const [first = ''] = path;
    const noField = `--fields: there is no field '${first}'`;
    if (names.has(name)) throw usage(`--fields names ${name} twice`);
    names.add(name);
    if (path.includes('')) {
      const examples = knownFields(operation).slice(0, 2).join(',');
      throw usage(`--fields: '${value}' has an empty name`, `expected e.g. ${examples}`);
    }
    const isComputed = first === wildcard || computedFields.includes(first);
    if (first.startsWith('@') && !isComputed) throw usage(noField, expectedOneOf(first, computedFields));
    if (isComputed && path.length > 1) throw usage(`--fields: there is nothing inside ${first}`);
    const meant = isComputed ? undefined : fieldMeant(name, first, operation);
    if (meant !== undefined) throw usage(noField, `did you mean ${meant}?`);
    fields.push({ name, path: isComputed ? null : path });
  }
  return fields;
}

/**
 * A function that reads the values of some fields of one entry, in the fields' order; null for a missing one, and for `*`.
 * In files, a key that is written like the field comes first: an export has already picked or computed it.
 */
export function picker(
  fields: readonly Field[],
  operation: RecordShape,
): (entry: JsonText, item: Item) => JsonText[] {
  const missing = JsonText.of('null');
  const isFile = operation.name === shownEntries.name;
  const readers = fields.map((field): ReturnType<typeof reader> => {
    const read = reader(field, operation);
    return isFile ? (entry, item) => entry.get(field.name) ?? read(entry, item) : read;
  });
  return (entry, item) => readers.map((read) => read(entry, item) ?? missing);
}

function reader(
  { name, path }: Field,
  { documentedFields }: RecordShape,
): (entry: JsonText, item: Item) => JsonText | undefined {
  if (path !== null) return (entry) => valueAt(entry, path);
  // As `latest` sends it.
  if (name === '@published' && documentedFields.includes('published'))
    return (entry) => entry.get('published');
  return computed[name] ?? (() => undefined);
}

/** The value at a path; the whole of a record that is no object is its `value`. */
function valueAt(entry: JsonText, [key = '', ...rest]: readonly string[]): JsonText | undefined {
  const value = entry.get(key) ?? (entry.kind === 'object' ? undefined : memberMap(entry).get(key));
  return value?.at(rest);
}

/** A function that writes fields of an entry as a JSON object; a missing field is null. */
export function recordPicker(
  fields: readonly Field[],
  operation: RecordShape,
): (out: ByteWriter, entry: JsonText, item: Item) => void {
  const pick = picker(fields, operation);
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

/**
 * The fields with `*` replaced by the keys of these entries: the documented ones first, then the others in order
 * of appearance. Null `fields`: `*` alone.
 */
export function expandFields(
  fields: readonly Field[] | null,
  operation: RecordShape,
  entries: readonly JsonText[],
): Field[] {
  const requested = fields ?? [{ name: wildcard, path: null }];
  const named = new Set(requested.map(({ name }) => name));
  return requested.flatMap((field) => {
    if (field.name !== wildcard) return field;
    const keys = new Set([...firstFields(operation), ...recordKeys(entries)]);
    return [...keys].filter((key) => !named.has(key)).map(memberField);
  });
}

export function hasWildcard(fields: readonly Field[]): boolean {
  return fields.some(({ name }) => name === wildcard);
}

/** Whether `@published` is among the fields, and null in all entries: only `latest` and files have dates. */
export function lacksDates(
  fields: readonly Field[],
  { name, documentedFields }: RecordShape,
  { published }: Item,
): boolean {
  const isKnown = documentedFields.includes('published') || (name === 'uploads' && published !== undefined);
  return !isKnown && fields.some((field) => field.name === '@published');
}

export function absentFields(fields: readonly Field[], entries: readonly JsonText[]): readonly string[] {
  const has = (entry: JsonText, { name, path }: Field): boolean =>
    path === null || valueAt(entry, path) !== undefined || entry.get(name) !== undefined;
  return fields.filter((field) => !entries.some((entry) => has(entry, field))).map(({ name }) => name);
}

export const memberField = (name: string): Field => ({ name, path: [name] });

/** Longer texts are no durations and no numbers of views. */
const maxLength = 100;

const shortText = (text: string | undefined): string =>
  text === undefined || text.length > maxLength ? '' : text.trim();

/** Seconds of a `lengthText` (docs/service.md, 2.2), also with hours, as digits; null if it is no duration (`LIVE`). */
export function durationSeconds(lengthText: string | undefined): string | null {
  const match = /^(?:(\d{1,9}):(?=[0-5]\d:))?(\d{1,9}):([0-5]\d)$/.exec(shortText(lengthText));
  if (match === null) return null;
  const [, hours = '0', minutes, rest] = match;
  return String(Number(hours) * 3600 + Number(minutes) * 60 + Number(rest));
}

/**
 * Views, as decimal digits: `viewCount` if it is a whole number, else the number of a `viewCountText` such as
 * `434K views` or `3.2M views • 2 years ago`. Null for units and languages that are not known.
 */
export function views(viewCount: string | undefined, viewCountText: string | undefined): string | null {
  return wholeNumber(viewCount ?? '') ?? viewsOfText(shortText(viewCountText));
}

/** Digits without leading zeros, from digits or groups of three; null for anything else. */
function wholeNumber(text: string): string | null {
  if (!/^\d+$/.test(text) && !/^\d{1,3}(?:,\d{3})+$/.test(text)) return null;
  return text.replaceAll(',', '').replace(/^0+(?=\d)/, '');
}

const unitZeros: Readonly<Record<string, number>> = { '': 0, K: 3, M: 6, B: 9 };

function viewsOfText(text: string): string | null {
  if (/^no\s+views?(?![a-z])/i.test(text)) return '0';
  const match = /^([\d,]+)(?:\.(\d+))?\s*(?:([KMB])\s*)?views?(?![a-z])/i.exec(text);
  if (match === null) return null;
  const [, whole = '', fraction = '', unit = ''] = match;
  const zeros = unitZeros[unit.toUpperCase()] ?? 0;
  const digits = wholeNumber(whole);
  // More digits than the unit has zeros are not a whole number of views.
  if (digits === null || fraction.length > zeros) return null;
  return wholeNumber(digits + fraction.padEnd(zeros, '0'));
}

/** The two parts of a `viewCountText` that combines the view count and the age (2.2): `434K views • 1 day ago`. */
export function splitViews(viewCountText: string): readonly [count: string, age: string] {
  const text = shortText(viewCountText);
  if (text === '') return [viewCountText, ''];
  const separator = /[•·|]/.exec(text);
  if (separator !== null)
    return [text.slice(0, separator.index).trim(), text.slice(separator.index + 1).trim()];
  const [, count = text, age = ''] = /^([^a-z]*\bviews?)\s+(\S.*)$/is.exec(text) ?? [];
  return [count, age];
}
