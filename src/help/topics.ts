import type { Terms } from '../cli/command-module.ts';
import { globalFlagGroups } from '../cli/flags.ts';
import { exitCodes, failureCodes, severityOrder } from '../errors.ts';
import { extensions, formatNames, formats } from '../output/formats.ts';
import { defaultNamespace, operations, pagedNames } from '../service/contract.ts';
import { type Block, flagTerms, type TopicName } from './blocks.ts';

const sums = '{"confirmed", "possibly_charged"}';

const terms = (heading: string, meanings: Readonly<Record<string, string>>): Terms => ({
  heading,
  rows: Object.entries(meanings),
});

const fieldMeanings: Readonly<Record<string, string>> = {
  channel_id: 'canonical ID, beginning with UC',
  resolved_from: 'the reference that was resolved',
  videoId: 'ID of the video',
  title: 'its title',
  channelId: 'canonical ID of its channel',
  channelTitle: 'display name of the channel',
  channelHandle: 'handle of the channel, beginning with @',
  lengthText: 'duration as text: 12:34, 142:27, 1:02:33, LIVE; see _seconds',
  viewCountText: 'view count, and often age, as text; see _views',
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

const fieldTerms = (heading: string, fields: readonly string[]): Terms => ({
  heading,
  rows: fields.map((field) => [field, fieldMeanings[field] ?? '']),
});

const { resolve, uploads, search, latest } = operations;
const paged = pagedNames.join(' and ');
const unspecified = uploads.documentedFields.slice(uploads.fields.length);

/** The text of each help topic; the man page contains these texts, too. */
export const topics: Readonly<Record<TopicName, readonly Block[]>> = {
  flags: [
    'Most commands take these flags, before or after their name; for their variables see: chanlist help environment.',
    'search, resolve, latest and show replace an existing FILE of -o; uploads and playlist replace it only with --restart, ' +
      'because its pages cost credits. Every --max-credits bound applies.',
    ...Object.entries(globalFlagGroups).map(([heading, flags]) => ({ heading, rows: flagTerms(flags) })),
  ],
  fields: [
    '--fields a,b.c,d.0 prints these fields, in this order, in table, json, ndjson and csv. Dots reach inside: ' +
      'thumbnails.0.url. A missing value is null (csv: empty). * stands for all fields as sent. The flag may repeat.',
    fieldTerms('Fields of resolve:', resolve.fields),
    fieldTerms(`Fields of ${paged}:`, uploads.fields),
    fieldTerms(`Not specified, but known to be sent by ${paged}:`, unspecified),
    fieldTerms('Not specified, but known to be sent by search:', search.documentedFields),
    fieldTerms('Not specified, but known to be sent by latest:', latest.documentedFields),
    terms('Computed fields:', {
      _reference: 'the channel or playlist as given; null in show',
      _seconds: 'duration as a number, from lengthText; null: it is not a duration',
      _views: 'view count as a number, from viewCount, else viewCountText: 434K views is 434000',
    }),
    {
      examples: [
        ['write a spreadsheet', 'chanlist uploads @demo --sandbox --fields index,videoId,_views -o demo.csv'],
        ['print the views', 'chanlist uploads @demo --sandbox --limit 5 --fields _views | jq ._views'],
      ],
    },
  ],
  reports: [
    terms('Records of check:', {
      'file, reference, id': 'the archive, its reference, and its channel or playlist ID',
      entries: 'number of its entries',
      missing: 'numVideos less entries, at the last page',
      newest: 'ID of its first entry',
      checked: 'last successful check (ISO 8601)',
      whole: 'when its list was last read whole; null: never',
      problem: '{"code", "message", "fix"}; null: none. See: chanlist help check',
    }),
    terms('Records of credits:', {
      account: 'origin of the service, and last four characters of the key',
      month: 'YYYY-MM',
      'today, total': `${sums} of today and of the month; today is null for another month`,
      'day, command, reference': 'with --by, in place of today and total: the part, and its sums',
    }),
    terms('Records of auth list, and the object of auth status:', {
      'active, profile': 'whether the profile is the active one, and its name',
      'origin, namespace': 'where its requests go',
      max_credits: 'its bounds of credits; null: none',
      last_four: 'last four characters of the key',
      status: 'auth status: accepted, rejected or could not verify',
      store: 'auth status: the file of the stored accounts',
      key_source: 'auth status: where the key comes from',
    }),
    terms('Records of --dry-run (with -f json or ndjson):', {
      reference: 'as given',
      'method, url': 'of its first request; null: no request is needed',
      cost: 'credits of that request',
    }),
    terms('The summary (--summary):', {
      'command, started, seconds': 'what ran, when it started (ISO 8601), and how long it took',
      exit: 'exit code; null: the run is in progress, or was killed',
      error: 'what ended the run: {"code", "status", "message"}; null: nothing',
      credits: `${sums}: complete responses of paid requests, and paid requests without one`,
      'requests, retries': 'requests sent, and those of them that were retries',
      counts: 'number of references of each status',
      references: 'one object per reference, in input order; one for several of the same channel or playlist',
    }),
    terms('Each of its references:', {
      'reference, id, file': 'as given, its channel or playlist ID, and the file of -o or --output-dir',
      status:
        'complete; limited: more is listed; unchanged: nothing is new; unchecked: the feed is missing, the next page is ' +
        'not due; kept: it was exported before; interrupted: the run ended first; failed',
      'entries, new': 'entries in the file, or printed; those that an update added',
      missing: 'numVideos less entries',
      unlisted: 'after an update of every page: {"count", "ids"} of what the list no longer has',
      'pages, credits': 'of this run',
      resumed: 'entries that an interrupted run had',
      continuation_token: 'token of the first page not fully printed',
      'error, exit': `its failure, and the exit code of it. Codes: ${failureCodes.join(', ')}`,
    }),
    'A value that is unknown or does not apply is null. In json, records are an array; in csv, problem, today and total ' +
      'have a column for each member: problem.code.',
  ],
  'exit-codes': [
    terms('Exit codes:', exitCodes),
    'An error is one line on stderr that names the next step. If references fail in different ways, the exit code is ' +
      `that of the most serious failure, in this order: ${severityOrder.join(', ')}.`,
  ],
  formats: [
    {
      heading: 'Formats (-f, --format; --json and --ndjson for short):',
      rows: formatNames.map((name) => [name, formats[name].meaning]),
    },
    `Without --format: with -o by the extension of the file (${extensions.join(', ')}), ndjson without one; another ` +
      'extension needs --format. Without -o: table if stdout is a terminal, else ndjson.',
    '--output-dir and --update work with ndjson. check, credits and auth print all formats but id.',
    'Every format streams: each page is written before the next is requested.',
    'With several references, or --from, json is an array of {"reference", "result"} in input order. After a failure ' +
      'json has {"error": {"code", "status", "message", "next"}}, even if nothing was requested.',
    { examples: [['print titles', 'chanlist uploads @demo --sandbox --limit 5 | jq -r .title']] },
  ],
  environment: [
    terms('Environment variables:', {
      CHANLIST_PROFILE: 'stored account to use; see --profile',
      CHANLIST_BASE_URL: 'address of the service; see --base-url',
      CHANLIST_NAMESPACE: `path segment after /api/v2/ (default: ${defaultNamespace}); see --namespace`,
      CHANLIST_API_KEY: 'the key; takes precedence over CHANLIST_API_KEY_FILE and a stored key',
      CHANLIST_API_KEY_FILE: 'file with the key; see --key-file',
      CHANLIST_MAX_CREDITS: 'bounds, separated by commas; see --max-credits',
      CHANLIST_DEBUG: '1: print the stack of an error',
      NO_COLOR: 'not empty: print no colour; see --no-color',
      PAGER: 'what shows a table at a terminal (default: less -FRX, but not on Windows; empty: nothing)',
      'HTTPS_PROXY, HTTP_PROXY, ALL_PROXY': 'proxy between this machine and the service',
      NO_PROXY: 'hosts to reach without it, separated by commas; loopback is always reached directly',
      NODE_EXTRA_CA_CERTS: 'file of further certificates to trust',
      XDG_CONFIG_HOME: 'folder of the stored accounts (default: ~/.config; not on macOS and Windows)',
      XDG_STATE_HOME: 'folder of the credit ledger (default: ~/.local/state; Windows: %LOCALAPPDATA%)',
    }),
    'A flag takes precedence over its variable, a variable over the profile. An empty variable counts as unset, except PAGER.',
    terms('Files:', {
      accounts: 'in ~/.config/chanlist (macOS: ~/Library/Preferences; Windows: %APPDATA%)',
      ledger: 'credits-*.ndjson in $XDG_STATE_HOME/chanlist: every paid request',
      '.chanlist': 'beside FILE: what updates and interrupted runs need; keep it with FILE',
      '--from': 'one reference per line; blank lines and comments (# ...) are skipped',
      '--seen': 'one ID or reference per line',
    }),
  ],
};
