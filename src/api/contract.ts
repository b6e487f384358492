/**
 * The service's five operations as data (service specification, sections 1, 2, 4 and 8). Paths, validation,
 * --dry-run, help, completions and the sandbox's routes are driven by this table.
 */

export type OperationName = 'resolve' | 'search' | 'uploads' | 'latest' | 'playlist';

export interface Parameter {
  readonly name: string;
  readonly type: 'string' | 'integer';
  /** `first page` and `next pages` exclude each other: a request carries exactly one of them (4.3, 4.5). */
  readonly when: 'required' | 'optional' | 'first page' | 'next pages';
  readonly kind?: 'channel' | 'playlist' | 'token';
  /** Strings: length in Unicode code points. Integers: value. */
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

export interface Operation {
  readonly name: OperationName;
  /** Path below `{base_url}/api/v2/{namespace}/`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Credits debited by a 200 response: of a call, or of each page where `paged`. */
  readonly credits: 0 | 1;
  readonly paged: boolean;
}

const continuation = { name: 'continuation', type: 'string', when: 'next pages', kind: 'token' } as const;

export const operations = {
  resolve: {
    name: 'resolve',
    path: 'channel/resolve',
    parameters: [
      { name: 'input', type: 'string', when: 'required', kind: 'channel', minimum: 1, maximum: 200 },
    ],
    credits: 0,
    paged: false,
  },
  search: {
    name: 'search',
    path: 'channel/search',
    parameters: [
      { name: 'channel', type: 'string', when: 'required', kind: 'channel' },
      { name: 'q', type: 'string', when: 'required', minimum: 1, maximum: 200 },
      { name: 'limit', type: 'integer', when: 'optional', minimum: 1, maximum: 50, default: 30 },
    ],
    credits: 1,
    paged: false,
  },
  uploads: {
    name: 'uploads',
    path: 'channel/videos',
    parameters: [{ name: 'channel', type: 'string', when: 'first page', kind: 'channel' }, continuation],
    credits: 1,
    paged: true,
  },
  latest: {
    name: 'latest',
    path: 'channel/latest',
    parameters: [{ name: 'channel', type: 'string', when: 'required', kind: 'channel' }],
    credits: 0,
    paged: false,
  },
  playlist: {
    name: 'playlist',
    path: 'playlist/videos',
    parameters: [{ name: 'playlist', type: 'string', when: 'first page', kind: 'playlist' }, continuation],
    credits: 1,
    paged: true,
  },
} as const satisfies Record<OperationName, Operation>;

/** The nine fields of a video entry, in the specification's order (2.2). */
export const videoFields = [
  'videoId',
  'title',
  'channelId',
  'channelTitle',
  'channelHandle',
  'lengthText',
  'viewCountText',
  'thumbnails',
  'index',
] as const;

/** The fields of a resolve result (2.1). */
export const resolveFields = ['channel_id', 'resolved_from'] as const;

/** Entries on a full page of uploads: "about 100" (section 8). Only for estimates. */
export const pageSize = 100;

/** Credits that an account needs for the free operations too (sections 5 and 8). */
export const minimumCredits = 1;

/** How many uploads `latest` returns (section 8). */
export const latestSize = 15;

/** The path word where none is configured (section 1, rule 2). */
export const defaultNamespace = 'media';

/** Path of an operation below the base address (sections 4 and 9). */
export function operationPath(operation: Operation, namespace: string): string {
  return `/api/v2/${namespace}/${operation.path}`;
}

/** Length of a text as the specification counts it: in Unicode code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
