import type { OperationName } from '../api/contract.ts';
import { byExtension } from '../cli/options.ts';
import { knownFields } from '../output/fields.ts';
import { type FormatName, formatNames } from '../output/format.ts';

/** What each format is. */
const meanings: Readonly<Record<FormatName, string>> = {
  table: 'for people: fits the terminal; elsewhere nothing is cut; not with -o',
  json:
    'one valid document, also after an error. A listing is the envelope of the service with all pages in it; ' +
    'has_more is true, beside the token to go on with, where it was cut short',
  ndjson: 'one entry a line: exactly the fields that the service sent, in its order, numbers digit for digit',
  csv: 'a header row, then one entry a row (RFC 4180, LF); nested values as JSON',
  id: 'one videoId a line (resolve: channel_id)',
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
  `Without --format: with -o by the extension of the file (${extensionList}), else ndjson. Without -o: table ` +
    'where stdout is a terminal, ndjson where it is not. Nothing stored changes that.',
  'Every format streams: what a page holds is out before the next page is asked for.',
  'Several references, or --from: json is an array of {"reference", "result"}, in the order of the input.',
];

/** What --fields does, as paragraphs. */
export const fieldRules: readonly string[] = [
  '--fields a,b.c,d.0 picks fields, in this order, in every format. Dots reach inside: thumbnails.0.url. A ' +
    'missing value is null (csv: empty). @reference is what was asked for.',
];

const fieldsOf = (operation: OperationName): string => knownFields(operation).join(', ');

/** The fields that each command's entries are known to have; a service may send more. */
export const fieldRows: readonly (readonly [command: string, fields: string])[] = [
  ['resolve', fieldsOf('resolve')],
  ['uploads, playlist', fieldsOf('uploads')],
  ['search, latest', `not specified; services are known to send ${fieldsOf('latest')}`],
];
