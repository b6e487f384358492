import type { OperationName } from '../api/contract.ts';
import { byExtension } from '../cli/options.ts';
import { knownFields } from '../output/fields.ts';
import { type FormatName, formatNames } from '../output/format.ts';

/** What each format is. */
const meanings: Readonly<Record<FormatName, string>> = {
  table: 'for people: fits the terminal; elsewhere nothing is truncated; not with -o',
  json:
    'one valid document, also after an error. A listing is the envelope of the service with all pages; cut ' +
    'short, has_more is true and continuation_token resumes it',
  ndjson:
    'one entry per line: exactly the fields that the service sent, in its order, numbers digit for digit',
  csv: 'a header row, then one entry per row (RFC 4180, LF); nested values as JSON',
  id: 'one videoId per line (resolve: channel_id)',
};

/** The formats and what each is. */
export const formatRows = formatNames.map((name): readonly [string, string] => [name, meanings[name]]);

const extensions = (name: FormatName): string =>
  Object.keys(byExtension)
    .filter((extension) => byExtension[extension] === name)
    .map((extension) => `.${extension}`)
    .join(', ');

const extensionList = formatNames
  .filter((name) => extensions(name) !== '')
  .map((name) => `${extensions(name)} for ${name}`)
  .join('; ');

/** Which format is used, as paragraphs. */
export const formatRules: readonly string[] = [
  `Without --format: with -o by the extension of the file (${extensionList}), ndjson without an extension; another ` +
    'extension needs --format. Without -o: table if stdout is a terminal, else ndjson. No stored setting changes that.',
  'Every format streams: each page is written before the next is requested.',
  'With several references, or --from, json is an array of {"reference", "result"} in input order.',
];

/** What --fields does, as paragraphs. */
export const fieldRules: readonly string[] = [
  '--fields a,b.c,d.0 picks fields, in this order, in every format. Dots reach inside: thumbnails.0.url. A ' +
    'missing value is null (csv: empty), * stands for all fields as sent.',
  'Computed fields: @reference (as given), @seconds (from lengthText), @views (from viewCount or viewCountText), ' +
    '@published (the date in latest; in exports the date when the entry was first seen there). Values that are not ' +
    'known are null.',
];

const fieldsOf = (operation: OperationName): string => knownFields(operation).join(', ');

/** The fields that each command's entries are known to have; a service may send more. */
export const fieldRows: readonly (readonly [command: string, fields: string])[] = [
  ['resolve', fieldsOf('resolve')],
  ['uploads, playlist', fieldsOf('uploads')],
  ['search, latest', `not specified; services are known to send ${fieldsOf('latest')}`],
];

/** Introduces the fields of the folder's memory. */
export const memoryRule =
  'A folder with exports has .chanlist/ with one JSON file per export: what chanlist remembers of it.';

/** The fields of the folder's memory (`.chanlist/*.json`): name and meaning. */
export const memoryRows: readonly (readonly [field: string, meaning: string])[] = [];
