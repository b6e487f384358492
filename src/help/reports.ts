import { failureCodes } from '../errors.ts';

type Rows = readonly (readonly [fields: string, meaning: string])[];

/** The fields of a `--summary`. */
export const summaryRows: Rows = [
  ['command', 'the command of the run'],
  ['started, seconds', 'when it started (ISO 8601), and how long it took'],
  ['exit', 'exit code; null: the run is in progress, or was killed'],
  [
    'credits',
    '{"confirmed", "possibly_charged"}: complete responses of paid requests, and paid requests without one',
  ],
  ['requests, retries', 'requests sent, and how many of them were retries'],
  ['counts', 'number of references of each status'],
  ['references', 'one object per reference, in input order'],
];

/** The fields of each reference in a `--summary`. */
export const referenceRows: Rows = [
  ['reference', 'as given; null with --continuation'],
  ['id, file', 'channel or playlist ID, and file of the export; null: not known, or none'],
  [
    'status',
    'complete; limited: more is listed; unchanged: nothing is new; unchecked: the feed is missing; kept: exported ' +
      'before, without --update; interrupted: the call ended first; failed: only this reference failed',
  ],
  ['entries, new', 'entries in the file, or printed; those that an update added (null: no update)'],
  [
    'missing, disappeared',
    'numVideos less entries, and entries less numVideos, if positive; null: no page was bought',
  ],
  ['pages, credits', 'of this run'],
  ['resumed', '{"entries", "credits"} of earlier, interrupted runs of this export; null: there were none'],
  ['why', 'why a page was bought other than for an expected ID that it held; null: none was'],
  ['continuation_token', 'token of the first page that is not fully written; null: the first page, or none'],
  [
    'error, exit',
    'null and 0; or {"code", "status", "message"} and the exit code. status is the HTTP status, or null; code is one of ' +
      failureCodes.join(', '),
  ],
];

/** The fields of each export that `chanlist check` prints. */
export const checkRows: Rows = [
  ['file, reference, id', 'the export, its reference, and its channel or playlist ID; null: not known'],
  ['entries, newest', 'number of entries, and ID of the first one; null: not known'],
  ['checked', 'last successful look (ISO 8601); null: not known'],
  ['failures, credits', 'consecutive failed runs; credits spent on it in all runs'],
  ['missing', 'numVideos less entries, at the last page; null: not known'],
  [
    'problems',
    'list of {"code", "message", "fix", "cost"}: the codes are in chanlist help check; cost is about how many credits ' +
      'the fix takes',
  ],
];

/** The fields of `chanlist credits --json`. */
export const creditsRows: Rows = [
  ['month', 'YYYY-MM'],
  ['accounts', 'one object per account, with the fields below'],
  ['account', 'origin of the service, and last four characters of the key'],
  ['today, month', '{"confirmed", "possibly_charged"} today and in the month'],
  ['by', 'the same per day, command or reference (--by); otherwise empty'],
];
