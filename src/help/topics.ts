import { exitCodes, failureCodes } from '../errors.ts';
import { knownFields } from '../output/fields.ts';
import { type FormatName, formatNames, formats } from '../output/formats.ts';
import { type OperationName, operations, pagedNames } from '../service/contract.ts';
import {
  type Example,
  exampleLines,
  type TermRows,
  type Terms,
  type TopicName,
  termLines,
  wrap,
} from './document.ts';

const extensions = (name: FormatName): string =>
  formats[name].extensions.map((extension) => `.${extension}`).join(', ');

const extensionList = formatNames
  .filter((name) => extensions(name) !== '')
  .map((name) => `${extensions(name)} for ${name}`)
  .join('; ');

const fieldsOf = (operation: OperationName): string => knownFields(operations[operation]).join(', ');

const sums = '{"confirmed", "possibly_charged"}';

const terms = (heading: string, ...rows: TermRows): Terms => ({ heading, rows });

/** The paragraphs and terms of each topic, which the man page has, too. */
export const topics: Readonly<Record<TopicName, readonly (string | Terms)[]>> = {
  'exit-codes': [
    terms('Exit codes:', ...Object.entries(exitCodes)),
    'An error is one line on stderr that names the next step. If references fail in different ways, the exit code is ' +
      'that of the most serious failure, in this order: 129, 130, 143, 1, 3, 4, 2, 8, 7, 6, 9, 10, 5.',
  ],
  formats: [
    terms(
      'Formats (-f, --format; --json and --ndjson for short):',
      ...formatNames.map((name) => [name, formats[name].meaning] as const),
    ),
    `Without --format: with -o by the extension of the file (${extensionList}), ndjson without an extension; another ` +
      'extension needs --format. Without -o: table if stdout is a terminal, else ndjson. No stored setting changes that.',
    'check, credits and auth print table, json, ndjson and csv.',
    'Every format streams: each page is written before the next is requested.',
    'With several references, or --from, json is an array of {"reference", "result"} in input order. After a failure ' +
      'json has {"error": {"code", "status", "message"}}, also if nothing was requested.',
    '--fields a,b.c,d.0 picks fields, in this order, in every format. Dots reach inside: thumbnails.0.url. A ' +
      'missing value is null (csv: empty), * stands for all fields as sent.',
    'Computed fields: @reference (as given), @seconds (from lengthText), @views (from viewCount or viewCountText), ' +
      '@published (as latest sends it; in exports the date that latest gave when the entry was first seen). Values that ' +
      'are not known are null.',
    terms(
      'Fields:',
      ['resolve', fieldsOf('resolve')],
      [pagedNames.join(', '), fieldsOf('uploads')],
      ['search', `not specified; services are known to send ${fieldsOf('search')}`],
      ['latest', `not specified; services are known to send ${fieldsOf('latest')}`],
    ),
    terms(
      'Fields of the report of --summary (JSON):',
      ['command', 'the command of the run'],
      ['started, seconds', 'when it started (ISO 8601), and how long it took'],
      ['exit', 'exit code; null: the run is in progress, or was killed'],
      ['error', 'what ended the run: {"code", "status", "message"}; null: nothing'],
      ['credits', `${sums}: complete responses of paid requests, and paid requests without one`],
      ['requests, retries', 'requests sent, and how many of them were retries'],
      ['counts', 'number of references of each status'],
      ['references', 'one object per reference, in input order'],
    ),
    terms(
      'Fields of each of its references:',
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
      ['continuation_token', 'token of the first page not fully written; null: the first page, or none'],
      ['error', `{"code", "status", "message"}; null: none. code is one of ${failureCodes.join(', ')}`],
      ['exit', 'exit code of its failure; null: it did not fail'],
    ),
    terms(
      'Fields of chanlist check:',
      ['file, reference, id', 'the export, its reference, and its channel or playlist ID; null: not known'],
      ['entries, limit', 'number of entries, and the --limit of the export; null: not known, or none'],
      ['missing', 'numVideos less entries, at the last page; null: not known'],
      ['newest', 'ID of the first entry'],
      ['checked', 'last successful check (ISO 8601); null: not known'],
      ['problem', '{"code", "message", "fix"}, the codes are in chanlist help check; null: none'],
    ),
    terms(
      'Fields of chanlist credits:',
      ['account', 'origin of the service, and last four characters of the key'],
      ['month', 'YYYY-MM'],
      ['today, total', `${sums} today and in the month; today is null for another month`],
      ['day, command, reference', `with --by in place of today and total: the part, and its sums`],
    ),
  ],
  environment: [
    terms(
      'Environment variables:',
      ['CHANLIST_PROFILE', 'stored account to use; see --profile'],
      ['CHANLIST_BASE_URL', 'address of the service; see --base-url'],
      ['CHANLIST_NAMESPACE', 'path segment after /api/v2/ (default: media); see --namespace'],
      ['CHANLIST_API_KEY', 'the key; takes precedence over CHANLIST_API_KEY_FILE and a stored key'],
      ['CHANLIST_API_KEY_FILE', 'file with the key; see --key-file'],
      ['CHANLIST_MAX_CREDITS', 'limits on the credits to spend, separated by commas; see --max-credits'],
      ['CHANLIST_DEBUG', '1: print the stack of an error'],
      ['NO_COLOR', 'not empty: print no colour; see --no-color'],
      ['FORCE_COLOR', 'not empty: print colour under TERM=dumb too; 0 or false: print none'],
      ['TERM', 'dumb: no colour, and no progress line'],
      ['COLUMNS', 'width of a terminal that does not report its own'],
      ['HTTPS_PROXY', 'proxy between this machine and the service (or https_proxy)'],
      ['HTTP_PROXY', 'the same if HTTPS_PROXY is not set (or http_proxy)'],
      ['NO_PROXY', 'hosts to reach without it, separated by commas (or no_proxy); loopback always is'],
      ['NODE_EXTRA_CA_CERTS', 'file of further certificates to trust (read by Node.js)'],
      ['XDG_CONFIG_HOME', 'folder of the stored accounts (default: ~/.config; not on macOS and Windows)'],
      ['XDG_STATE_HOME', 'folder of the credit ledger, an absolute path (default: ~/.local/state)'],
      ['HOME', 'home folder, if XDG_CONFIG_HOME or XDG_STATE_HOME is not set'],
      ['APPDATA', 'folder of the stored accounts on Windows'],
      ['USERPROFILE', 'home folder on Windows'],
    ),
    'A flag takes precedence over its variable, a variable over the profile. An empty variable counts as unset.',
    terms(
      'Files:',
      ['accounts', 'mode 0600, in ~/.config/chanlist (macOS: ~/Library/Preferences; Windows: %APPDATA%)'],
      ['ledger', 'credits-YYYY-MM.ndjson in ~/.local/state/chanlist: every paid request, its outcome'],
      ['exports', '.chanlist beside FILE: what updates and interrupted runs need; keep it with FILE'],
      ['--from', 'one reference per line; blank lines and comments (# first or after a space) are skipped'],
      ['--seen', 'one ID or reference per line: videos, and references already requested'],
      ['--key-file', 'the key; white space around it is ignored'],
    ),
  ],
};

const formatExamples: readonly Example[] = [
  ['print the titles of the first 5 uploads', 'chanlist uploads @demo --sandbox --limit 5 | jq -r .title'],
  ['write a spreadsheet', 'chanlist uploads @demo --sandbox --fields index,videoId,title -o demo.csv'],
];

/** The text of a topic, in lines of at most `width` columns. */
export function topicText(name: TopicName, width: number): string {
  const blocks = topics[name].map((block) =>
    typeof block === 'string' ? wrap(block, width) : termLines(block, width),
  );
  if (name === 'formats') blocks.push(exampleLines(formatExamples));
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
