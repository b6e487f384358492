import type { Example, Terms } from '../cli/command.ts';
import { globalFlags } from '../cli/global-flags.ts';
import { exitCodes, failureCodes, gravity } from '../errors.ts';
import { type FormatName, formatNames, formats } from '../output/formats.ts';
import { operations, pagedNames } from '../service/contract.ts';
import { exampleLines, flagTerms, inBlocks, type TopicName, termLines, wrap } from './document.ts';

const extensions = (name: FormatName): string =>
  formats[name].extensions.map((extension) => `.${extension}`).join(', ');

const extensionList = formatNames
  .filter((name) => extensions(name) !== '')
  .map((name) => `${extensions(name)} for ${name}`)
  .join('; ');

const sums = '{"confirmed", "possibly_charged"}';

const terms = (heading: string, ...rows: Terms['rows']): Terms => ({ heading, rows });

const fieldMeanings: Readonly<Record<string, string>> = {
  channel_id: 'canonical ID, beginning with UC',
  resolved_from: 'the reference that was resolved',
  videoId: 'ID of the video',
  title: 'its title',
  channelId: 'canonical ID of its channel',
  channelTitle: 'display name of the channel',
  channelHandle: 'handle of the channel, beginning with @',
  lengthText: 'duration as text: 12:34, 1:02:33, LIVE; see @seconds',
  viewCountText: 'view count, and often age, as text; see @views',
  thumbnails: 'list of images: thumbnails.0.url is the address of the first one',
  index: 'position in the list, a number as text; the first is 0',
  publishedTimeText: 'age as text: 2 years ago',
  members_only: 'whether only members can watch it',
  type: 'video, or something else',
  channelVerified: 'whether the channel is verified',
  hasCaptions: 'whether the video has captions',
  author: 'display name of the channel',
  published: 'date of publication (ISO 8601); in the future: scheduled',
  updated: 'date of the last change (ISO 8601)',
  link: 'address of the video; that of a Short contains /shorts/',
  description: 'its description',
  thumbnail: 'one image: thumbnail.url, thumbnail.width, thumbnail.height',
  viewCount: 'exact view count, a number as text',
  starRating: 'rating: starRating.average, starRating.count',
};

const fieldTerms = (heading: string, fields: readonly string[]): Terms =>
  terms(heading, ...fields.map((field) => [field, fieldMeanings[field] ?? ''] as const));

const { resolve, uploads, search, latest } = operations;
const paged = pagedNames.join(' and ');
const unspecified = uploads.documentedFields.filter(
  (field) => !(uploads.fields as readonly string[]).includes(field),
);

/** The paragraphs and terms of each topic, which the man page has, too. */
export const topics: Readonly<Record<TopicName, readonly (string | Terms)[]>> = {
  flags: [
    'Global flags stand before or after the command. The help of a command names those that it takes; another one is ' +
      'an error. A flag takes precedence over its variable, a variable over the profile.',
    ...[...new Set(globalFlags.map(({ group = '' }) => group))].map((group) =>
      terms(group, ...flagTerms(globalFlags.filter((flag) => flag.group === group))),
    ),
  ],
  fields: [
    '--fields a,b.c,d.0 prints these fields, in this order, in table, json, ndjson and csv. Dots reach inside: ' +
      'thumbnails.0.url. A missing value is null (csv: empty); * stands for all fields as sent.',
    fieldTerms('Fields of resolve:', resolve.fields),
    fieldTerms(`Fields of ${paged}:`, uploads.fields),
    fieldTerms(`Not specified, but known to be sent by ${paged}:`, unspecified),
    fieldTerms('Not specified, but known to be sent by search:', search.documentedFields),
    fieldTerms('Not specified, but known to be sent by latest:', latest.documentedFields),
    terms(
      'Computed fields:',
      ['@reference', 'the channel or playlist as given'],
      ['@seconds', 'duration as a number, from lengthText; null: it is not a duration'],
      ['@views', 'view count as a number, from viewCount, else viewCountText: 434K views is 434000'],
      [
        '@published',
        'date of publication as latest sends it; in ndjson exports of uploads the date that latest gave when the entry ' +
          'was first seen; null: not known',
      ],
    ),
    'In jq, quote the names of computed fields: jq \'."@views"\'.',
    terms(
      'Fields of the summary (--summary):',
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
      [
        'unlisted',
        'after an update that fetched every page: {"count", "ids"} of the entries that no page contained; null: not known',
      ],
      ['pages, credits', 'of this run'],
      ['resumed', 'entries that an earlier, interrupted run had'],
      ['why', 'why the update paid for a page; null: for new uploads in the feed, or it paid for none'],
      ['continuation_token', 'token of the first page not fully written; null: the first page, or none'],
      ['error', `{"code", "status", "message"}; null: none. code is one of ${failureCodes.join(', ')}`],
      ['exit', 'exit code of its failure; null: it did not fail'],
    ),
    terms(
      'Fields of check:',
      ['file, reference, id', 'the export, its reference, and its channel or playlist ID; null: not known'],
      ['entries, limit', 'number of entries, and the --limit of the export; null: not known, or none'],
      ['missing', 'numVideos less entries, at the last page; null: not known'],
      ['newest', 'ID of the first entry; null: not known, or no ndjson'],
      ['checked', 'last successful check (ISO 8601); null: not known'],
      ['problem', '{"code", "message", "fix"}, the codes are in chanlist help check; null: none'],
    ),
    terms(
      'Fields of credits:',
      ['account', 'origin of the service, and last four characters of the key'],
      ['month', 'YYYY-MM'],
      ['today, total', `${sums} today and in the month; today is null for another month`],
      ['day, command, reference', `with --by in place of today and total: the part, and its sums`],
    ),
    terms(
      'Fields of --dry-run:',
      ['reference', 'as given'],
      ['method, url', 'of its first request; null: no request is needed'],
      ['cost', 'credits of that request'],
    ),
  ],
  'exit-codes': [
    terms('Exit codes:', ...Object.entries(exitCodes)),
    'An error is one line on stderr that names the next step. If references fail in different ways, the exit code is ' +
      `that of the most serious failure, in this order: ${gravity.join(', ')}.`,
  ],
  formats: [
    terms(
      'Formats (-f, --format; --json and --ndjson for short):',
      ...formatNames.map((name) => [name, formats[name].meaning] as const),
    ),
    `Without --format: with -o by the extension of the file (${extensionList}), ndjson without an extension; another ` +
      'extension needs --format, and a format that contradicts the extension is an error. Without -o: table if stdout ' +
      'is a terminal, else ndjson. No stored setting changes that.',
    'check, credits and auth print table, json, ndjson and csv. --output-dir writes ndjson; show makes the other formats of it.',
    'On stdout every format of a listing streams: each page is written before the next is requested.',
    'With several references, or --from, json is an array of {"reference", "result"} in input order. After a failure ' +
      'json has {"error": {"code", "status", "message"}}, also if nothing was requested.',
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
      ['ALL_PROXY', 'the same if neither is set (or all_proxy)'],
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

const topicExamples: { readonly [Name in TopicName]?: readonly Example[] } = {
  fields: [
    ['write a spreadsheet', 'chanlist uploads @demo --sandbox --fields index,videoId,@views -o demo.csv'],
    ['print the views', `chanlist uploads @demo --sandbox --fields @views | jq '."@views"'`],
  ],
  formats: [
    ['print the titles of the first 5 uploads', 'chanlist uploads @demo --sandbox --limit 5 | jq -r .title'],
    ['write a spreadsheet', 'chanlist uploads @demo --sandbox -o demo.csv'],
  ],
};

export function topicText(name: TopicName, width: number): string {
  const blocks = topics[name].map((block) =>
    typeof block === 'string' ? wrap(block, width) : termLines(block, width),
  );
  const examples = topicExamples[name];
  return inBlocks(examples === undefined ? blocks : [...blocks, exampleLines(examples)]);
}
