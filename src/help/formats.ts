import { failureCodes } from '../errors.ts';
import { knownFields } from '../output/fields.ts';
import { type FormatName, formatNames, formats } from '../output/formats.ts';
import { type OperationName, operations, pagedNames } from '../service/contract.ts';
import type { Rows } from './rows.ts';

/** The formats and what each is. */
export const formatRows: Rows = formatNames.map((name) => [name, formats[name].meaning]);

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
  'check, credits and auth print table, json, ndjson and csv.',
  'Every format streams: each page is written before the next is requested.',
  'With several references, or --from, json is an array of {"reference", "result"} in input order. After a failure ' +
    'json has {"error": {"code", "status", "message"}}, also if nothing was requested.',
];

/** What --fields does, as paragraphs. */
export const fieldRules: readonly string[] = [
  '--fields a,b.c,d.0 picks fields, in this order, in every format. Dots reach inside: thumbnails.0.url. A ' +
    'missing value is null (csv: empty), * stands for all fields as sent.',
  'Computed fields: @reference (as given), @seconds (from lengthText), @views (from viewCount or viewCountText), ' +
    '@published (as latest sends it; in exports the date that latest gave when the entry was first seen). Values that ' +
    'are not known are null.',
];

const fieldsOf = (operation: OperationName): string => knownFields(operations[operation]).join(', ');

/** The fields that each command's entries are known to have; a service may send more. */
export const fieldRows: Rows = [
  ['resolve', fieldsOf('resolve')],
  [pagedNames.join(', '), fieldsOf('uploads')],
  ['search', `not specified; services are known to send ${fieldsOf('search')}`],
  ['latest', `not specified; services are known to send ${fieldsOf('latest')}`],
];

const sums = '{"confirmed", "possibly_charged"}';

/** The fields of a `--summary`. */
export const receiptFields: Rows = [
  ['command', 'the command of the run'],
  ['started, seconds', 'when it started (ISO 8601), and how long it took'],
  ['exit', 'exit code; null: the run is in progress, or was killed'],
  ['error', 'what ended the run: {"code", "status", "message"}; null: nothing'],
  ['credits', `${sums}: complete responses of paid requests, and paid requests without one`],
  ['requests, retries', 'requests sent, and how many of them were retries'],
  ['counts', 'number of references of each status'],
  ['references', 'one object per reference, in input order'],
];

/** The fields of each reference in a `--summary`. */
export const referenceFields: Rows = [
  ['reference', 'as given; null with --continuation'],
  ['id, file', 'channel or playlist ID, and file of the export; null: not known, or none'],
  [
    'status',
    'complete; limited: more is listed; unchanged: nothing is new; unchecked: the feed is missing, the next page is ' +
      'not due; kept: exported before, without --update; interrupted: the run ended first; failed',
  ],
  ['entries, new', 'entries in the file, or printed; those that an update added (null: no update)'],
  ['missing', 'numVideos less entries, if positive; null: no page was paid for'],
  ['pages, credits', 'of this run'],
  ['resumed', 'entries that an earlier, interrupted run had'],
  ['why', 'why the update paid for a page; null: for new uploads in the feed, or it paid for none'],
  ['continuation_token', 'token of the first page that is not fully written; null: the first page, or none'],
  ['error', `{"code", "status", "message"}; null: none. code is one of ${failureCodes.join(', ')}`],
  ['exit', 'exit code of its failure; null: it did not fail'],
];

/** The fields of each export that `chanlist check` prints. */
export const checkFields: Rows = [
  ['file, reference, id', 'the export, its reference, and its channel or playlist ID; null: not known'],
  ['entries, limit', 'number of entries, and the --limit of the export; null: not known, or none'],
  ['missing', 'numVideos less entries, at the last page; null: not known'],
  ['newest', 'ID of the first entry'],
  ['checked', 'last successful check (ISO 8601); null: not known'],
  ['problem', '{"code", "message", "fix"}, the codes are in chanlist help check; null: none'],
];

/** The fields of `chanlist credits`. */
export const creditsFields: Rows = [
  ['account', 'origin of the service, and last four characters of the key'],
  ['month', 'YYYY-MM'],
  ['today, total', `${sums} today and in the month; today is null for another month`],
  ['day, command, reference', `with --by in place of today and total: the part, and its sums`],
];

export const formatExamples: readonly (readonly [what: string, line: string])[] = [
  ['print the titles of the first 5 uploads', 'chanlist uploads @demo --sandbox --limit 5 | jq -r .title'],
  [
    'write a list for a spreadsheet',
    'chanlist uploads @demo --sandbox --fields index,videoId,title -o demo.csv',
  ],
];
