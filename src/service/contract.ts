/**
 * The service's operations as data (docs/service.md, sections 1, 2, 4 and 8): one row per operation. Paths,
 * validation, --dry-run, help, completions, output columns and the sandbox's routes derive from these rows.
 */
import { usage } from '../errors.ts';
import { thousands } from '../text/count.ts';

export type ReferenceKind = 'channel' | 'playlist';

export type OperationName = 'resolve' | 'search' | 'uploads' | 'latest' | 'playlist';

interface Parameter {
  readonly name: string;
  /** What the user types for it: `<query>`, `--limit`. */
  readonly argument: string;
  readonly type: 'string' | 'integer';
  /** `first page` and `next pages` exclude each other: a request carries exactly one of them (4.3, 4.5). */
  readonly when: 'required' | 'optional' | 'first page' | 'next pages';
  /** Strings: length in Unicode code points. Integers: value. */
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

export interface Operation {
  readonly name: OperationName;
  readonly summary: string;
  readonly path: string;
  readonly parameters: readonly [Parameter, ...Parameter[]];
  /** Credits debited by a 200 response: per call, or per page. */
  readonly credits: 0 | 1;
  readonly reference: ReferenceKind;
  /** The body: one record, records in a shape that the specification does not show, or a page envelope (2.4). */
  readonly body: 'record' | 'list' | 'page';
  /** The specified fields of an entry, in order (2.1, 2.2); empty if the specification does not show the body. */
  readonly fields: readonly string[];
  /** All fields that a deployment is documented to send, in its order: the specified ones and others. */
  readonly documentedFields: readonly string[];
  readonly idField: string;
}

const words = (text: string): readonly string[] => text.split(' ');

/** The nine fields of a video entry, in the specification's order (2.2). */
export const videoFields = words(
  'videoId title channelId channelTitle channelHandle lengthText viewCountText thumbnails index',
);
const resolveFields = ['channel_id', 'resolved_from'] as const;

const videoPages = {
  body: 'page',
  fields: videoFields,
  documentedFields: [...videoFields, 'publishedTimeText', 'members_only'],
  idField: 'videoId',
} as const;

const channel = { name: 'channel', argument: '<channel>', type: 'string', when: 'required' } as const;
const query = { ...channel, name: 'q', argument: '<query>' } as const;
const playlist = { ...channel, name: 'playlist', argument: '<playlist>' } as const;
const continuation = {
  ...channel,
  name: 'continuation',
  argument: '--continuation',
  when: 'next pages',
} as const;
const limit = { name: 'limit', argument: '--limit', type: 'integer', when: 'optional' } as const;
const length = { minimum: 1, maximum: 200 } as const;

export const searchLimit = { minimum: 1, maximum: 50, default: 30 } as const;

export const latestSize = 15;

export const operations = {
  resolve: {
    name: 'resolve',
    summary: 'find the canonical ID of a channel',
    path: 'channel/resolve',
    parameters: [{ ...channel, ...length, name: 'input' }],
    credits: 0,
    reference: 'channel',
    body: 'record',
    fields: resolveFields,
    documentedFields: resolveFields,
    idField: 'channel_id',
  },
  search: {
    name: 'search',
    summary: 'search one channel',
    path: 'channel/search',
    parameters: [channel, { ...query, ...length }, { ...limit, ...searchLimit }],
    credits: 1,
    reference: 'channel',
    body: 'list',
    fields: [],
    documentedFields: words(
      'type videoId title channelId channelTitle channelHandle channelVerified lengthText viewCountText publishedTimeText hasCaptions thumbnails',
    ),
    idField: 'videoId',
  },
  uploads: {
    name: 'uploads',
    summary: 'list all uploads',
    path: 'channel/videos',
    parameters: [{ ...channel, when: 'first page' }, continuation],
    credits: 1,
    reference: 'channel',
    ...videoPages,
  },
  latest: {
    name: 'latest',
    summary: `list the latest ${latestSize} uploads`,
    path: 'channel/latest',
    parameters: [channel],
    credits: 0,
    reference: 'channel',
    body: 'list',
    fields: [],
    documentedFields: words(
      'videoId title channelId author published updated link description thumbnail viewCount starRating',
    ),
    idField: 'videoId',
  },
  playlist: {
    name: 'playlist',
    summary: 'list a public playlist',
    path: 'playlist/videos',
    parameters: [{ ...playlist, when: 'first page' }, continuation],
    credits: 1,
    reference: 'playlist',
    ...videoPages,
  },
} as const satisfies { [Name in OperationName]: Operation & { name: Name } };

export type PagedOperation = Extract<(typeof operations)[OperationName], { body: 'page' }>;

export const isPaged = (operation: Operation): operation is PagedOperation => operation.body === 'page';

export const pagedNames = Object.values(operations)
  .filter(isPaged)
  .map(({ name }) => name);

/** The path segment after `/api/v2/` unless one is configured (section 1, rule 2). */
export const defaultNamespace = 'media';

export function operationPath(operation: Operation, namespace: string): string {
  return `/api/v2/${namespace}/${operation.path}`;
}

export const codePoints = (text: string): number => Array.from(text).length;

export type RequestParameters = Readonly<Record<string, string | number | undefined>>;

/** Throws a usage error for a parameter beyond its limits in the contract (docs/service.md, 8). */
export function assertParameters(operation: Operation, values: RequestParameters): void {
  for (const { name, argument, type, minimum = 0, maximum = Infinity } of operation.parameters) {
    const value = values[name];
    if (value === undefined) continue;
    if (type === 'integer') {
      if (!Number.isInteger(value) || Number(value) < minimum || Number(value) > maximum)
        throw usage(`${argument} is ${value}: expected a whole number from ${minimum} to ${maximum}`);
      continue;
    }
    const length = codePoints(String(value));
    if (length < minimum || length > maximum)
      throw usage(`${argument} has ${thousands(length)} characters: expected ${minimum} to ${maximum}`);
  }
}
