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
  /** The default is a string. */
  readonly type?: 'integer';
  /** Never set in a paged operation: its requests have exactly one of two parameters (4.3, 4.5). */
  readonly isRequired?: true;
  /** Limits of the length of a string, in Unicode code points, or of the value of an integer. */
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface Operation {
  readonly name: OperationName;
  readonly summary: string;
  readonly path: string;
  readonly parameters: readonly [Parameter, ...Parameter[]];
  /** Credits debited by a 200 response: per call, or per page. */
  readonly credits: 0 | 1;
  readonly reference: ReferenceKind;
  /** The body: one object, a list in a shape that the specification does not show, or a page envelope (2.4). */
  readonly body: 'object' | 'list' | 'page';
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

const channel = { name: 'channel', argument: '<channel>', isRequired: true } as const;
const continuation = { name: 'continuation', argument: '--continuation' } as const;
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
    body: 'object',
    fields: resolveFields,
    documentedFields: resolveFields,
    idField: 'channel_id',
  },
  search: {
    name: 'search',
    summary: 'search one channel',
    path: 'channel/search',
    parameters: [
      channel,
      { name: 'q', argument: '<query>', isRequired: true, ...length },
      { name: 'limit', argument: '--limit', type: 'integer', ...searchLimit },
    ],
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
    parameters: [{ name: 'channel', argument: '<channel>' }, continuation],
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
    parameters: [{ name: 'playlist', argument: '<playlist>' }, continuation],
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

/** The operation that lists the videos of a reference, for each kind of reference. */
export const listingCommands = { channel: 'uploads', playlist: 'playlist' } as const;

/** The path segment after `/api/v2/` unless one is configured (section 1, rule 2). */
export const defaultNamespace = 'media';

export function operationPath(operation: Operation, namespace: string): string {
  return `/api/v2/${namespace}/${operation.path}`;
}

export const countCodePoints = (text: string): number => Array.from(text).length;

export type RequestParameters = Readonly<Record<string, string | number | undefined>>;

/** Returns the parameters of a request: for the page of a token or, if `token` is null, for a reference. */
export const parametersFor = (
  { parameters: [{ name }] }: Operation,
  value: string,
  token: string | null,
): RequestParameters => (token === null ? { [name]: value } : { continuation: token });

/** Throws a usage error for a parameter beyond its limits in the contract (docs/service.md, 8). */
export function assertParameters(operation: Operation, values: RequestParameters): void {
  for (const {
    name,
    argument,
    type,
    minimum = 0,
    maximum = Number.POSITIVE_INFINITY,
  } of operation.parameters) {
    const value = values[name];
    if (value === undefined) continue;
    const isInteger = type === 'integer';
    const size = isInteger ? Number(value) : countCodePoints(String(value));
    if (size >= minimum && size <= maximum && Number.isInteger(size)) continue;
    throw isInteger
      ? usage(`${argument} is ${value}: expected a whole number from ${minimum} to ${maximum}`)
      : usage(`${argument} has ${thousands(size)} characters: expected ${minimum} to ${maximum}`);
  }
}
