/** Parses `--fields`, and describes fields that entries do not have. */
import { usage } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { operations, videoFields } from '../service/contract.ts';
import { nearest } from '../text/nearest.ts';
import { excerpt } from '../text/truncate.ts';
import { computedFields, entryKeys, valueAt, wildcard } from './fields.ts';
import type { EntryShape, Field } from './format.ts';

/** The shape of entries in files of exports, whichever command wrote them. */
export const fileShape = {
  fields: videoFields,
  documentedFields: [...new Set(Object.values(operations).flatMap((row) => row.documentedFields))],
  idField: 'videoId',
  body: 'rows',
} as const satisfies EntryShape;

/** Lists the fields that entries are known to have: the documented ones and, where none is specified, the fields of videos. */
export function knownFields({ fields, documentedFields }: EntryShape): readonly string[] {
  return [...new Set([...documentedFields, ...(fields.length > 0 ? [] : videoFields)])];
}

/** Headers of tables, and the fields that each may stand for, depending on the entries. */
const headerWords: ReadonlyMap<string, readonly string[]> = new Map([
  ['length', ['_seconds', 'lengthText']],
  ['views', ['_views', 'viewCount', 'viewCountText']],
  ['age', ['publishedTimeText', 'published', 'viewCountText']],
  ['published', ['publishedTimeText']],
  ['channel', ['channelTitle', 'channelHandle', 'channelId']],
]);

/** Names that other programs and `latest` have for fields of uploads and playlists, in lower case. */
const namesElsewhere: readonly (readonly [names: readonly string[], step: string])[] = [
  [['id'], 'did you mean videoId?'],
  [['viewcount'], 'did you mean _views?'],
  [['duration'], 'did you mean _seconds or lengthText?'],
  [['url', 'link'], 'did you mean videoId? only latest has links (link)'],
  [
    ['date', 'upload_date', 'uploaddate', 'published', 'publishedat'],
    'did you mean publishedTimeText? only latest has dates (published)',
  ],
  [['updated', 'author', 'description', 'starrating'], 'only latest has it'],
  [['channelverified', 'hascaptions', 'type'], 'only search has it'],
];

/** Returns a suggestion for the name of a field that entries do not have; undefined if they may have it. */
function suggestionFor(name: string, first: string, shape: EntryShape): string | undefined {
  const known = knownFields(shape);
  if (known.includes(first)) return undefined;
  if (first.startsWith('_')) {
    const near = nearest(first, computedFields);
    return near ? `did you mean ${near}?` : `the computed fields are ${computedFields.join(', ')}`;
  }
  // The fields of a page are specified; entries of other shapes may have such fields.
  if (shape.body === 'page') {
    const path = name.replace(/\[(\d+)\]/g, '.$1');
    if (path !== name) return `did you mean ${path}?`;
    const row = namesElsewhere.find(([names]) => names.includes(first.toLowerCase()));
    if (row !== undefined) return row[1];
  }
  const { documentedFields } = shape;
  const fields = headerWords.get(first.toLowerCase()) ?? [];
  const meant = fields.some((field) => documentedFields.includes(field))
    ? fields
        .filter((field) => documentedFields.includes(field) || computedFields.includes(field))
        .join(' or ')
    : nearest(first, [...known, ...computedFields]);
  return meant && `did you mean ${meant}?`;
}

/** Parses `--fields`; null without it. Throws a usage error that names the field meant. */
export function parseFields(value: string | null, shape: EntryShape): readonly Field[] | null {
  if (value === null) return null;
  const fields: Field[] = [];
  for (const name of value.split(',').map((part) => part.trim())) {
    const path = name.split('.');
    const [first = ''] = path;
    if (fields.some((field) => field.name === name)) throw usage(`--fields names ${name} twice`);
    if (path.includes('')) throw usage(`--fields: '${value}' has an empty name`);
    const isComputed = name === wildcard || computedFields.includes(name);
    const suggestion = isComputed ? undefined : suggestionFor(name, first, shape);
    if (suggestion !== undefined) throw usage(`--fields: there is no field '${name}'`, suggestion);
    fields.push({ name, path: isComputed ? null : path });
  }
  return fields;
}

/** Maximum number of fields that a warning names. */
const maxNamed = 50;

/** Finds the fields that none of these entries has. */
function absentFrom(fields: readonly Field[], entries: readonly JsonText[]): readonly Field[] {
  return fields.filter(
    (field) => field.path !== null && entries.every((entry) => valueAt(entry, field) === undefined),
  );
}

const joinNames = (names: readonly string[]): string => names.slice(0, maxNamed).map(excerpt).join(', ');

/** Returns a warning that names the fields that none of these entries has; null if there are none. `where`: ` on the first page`. */
export function absentWarning(
  fields: readonly Field[],
  entries: readonly JsonText[],
  where: string,
): string | null {
  const absent = absentFrom(fields, entries);
  if (absent.length === 0) return null;
  const names = excerpt(absent.map(({ name }) => name).join(', '));
  return `--fields: no entry${where} has ${names}; the fields are ${joinNames(entryKeys(entries))}`;
}

/** Throws a usage error, with the nearest name, for a field that no entry of these batches has, if there are entries. */
export async function assertPresent(
  fields: readonly Field[],
  batches: AsyncIterable<readonly JsonText[]>,
): Promise<void> {
  let absent = fields;
  const keys = new Set<string>();
  for await (const batch of batches) {
    absent = absentFrom(absent, batch);
    if (absent.length === 0) return;
    for (const key of entryKeys(batch)) keys.add(key);
  }
  const [field] = absent;
  if (field === undefined || keys.size === 0) return;
  const near = nearest(field.name, [...keys]);
  const step = near ? `did you mean ${near}?` : `their fields are ${joinNames([...keys])}`;
  throw usage(`--fields: no entry has '${field.name}'`, step);
}
