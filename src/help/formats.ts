import { memoryFields } from '../export/memory.ts';
import { knownFields } from '../output/fields.ts';
import { type FormatName, formatNames, formats } from '../output/formats.ts';
import { isPaged, type OperationName, operationNames } from '../service/contract.ts';

/** The formats and what each is. */
export const formatRows = formatNames.map((name): readonly [string, string] => [name, formats[name].meaning]);

const extensions = (name: FormatName): string =>
  formats[name].extensions.map((extension) => `.${extension}`).join(', ');

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
  [operationNames.filter(isPaged).join(', '), fieldsOf('uploads')],
  ['search', `not specified; services are known to send ${fieldsOf('search')}`],
  ['latest', `not specified; services are known to send ${fieldsOf('latest')}`],
];

/** Introduces the fields of the folder's memory. */
export const memoryRule =
  'A folder with exports has .chanlist/ with one JSON file per export: what chanlist remembers of it.';

/** The fields of the folder's memory (`.chanlist/*.json`): name and meaning. */
export const memoryRows: readonly (readonly [field: string, meaning: string])[] = Object.entries(
  memoryFields,
).map(([name, [meaning]]) => [name, meaning]);
