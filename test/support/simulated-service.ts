/**
 * The service of the specification over lists that a test writes by hand. It shares no code with the program or its
 * sandbox: what both could get wrong together, this one gets right by itself.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { listen } from './listen.ts';
import { testKey } from './program.ts';

/**
 * An entry as it is sent. Filled in then: `index`, its position at that time, if it has none of its own, and a
 * `channelId` that is undefined.
 */
export type Entry = Readonly<Record<string, unknown>>;

/**
 * The response of `latest`: entries, a status, no entries, something that is not JSON, a body of its own, or the first
 * 15 entries of the list.
 */
export type Feed = readonly Entry[] | number | 'empty' | 'garbage' | 'list' | { readonly body: unknown };

/** A list of videos that is read in pages, that of a channel or a playlist; tests change it at will. */
export interface SimulatedChannel {
  readonly id: string;
  readonly owner: string;
  list: Entry[];
  /** As sent; null: the length of the list. */
  numVideos: string | null;
  /** Sizes of the first pages; further ones have the usual size. */
  pageSizes: readonly number[];
  /** 404 to everything but `resolve` of its ID. */
  gone: boolean;
  feed: Feed;
}

export type Operation = 'resolve' | 'search' | 'uploads' | 'latest' | 'playlist';

/** A request as the service saw it, and what it cost. */
export interface LoggedRequest {
  readonly operation: Operation | null;
  readonly parameters: Readonly<Record<string, string>>;
  /** ID of the list that it is about, with a token too; null if there is none. */
  readonly list: string | null;
  status: number;
  credits: number;
}

/** A status (never charged), or a connection that ends without a response (charged or not). */
export type Fault = number | 'reset' | 'reset-charged';

type RequestHook = (request: LoggedRequest) => void | Promise<void>;

export type SimulatedOptions = NonNullable<ConstructorParameters<typeof SimulatedService>[0]>;

const paths: Readonly<Record<string, Operation>> = {
  '/api/v2/media/channel/resolve': 'resolve',
  '/api/v2/media/channel/search': 'search',
  '/api/v2/media/channel/videos': 'uploads',
  '/api/v2/media/channel/latest': 'latest',
  '/api/v2/media/playlist/videos': 'playlist',
};
/** Of these parameters a request carries exactly one. */
const parameters: Readonly<Record<Operation, readonly string[]>> = {
  resolve: ['input'],
  search: ['channel'],
  uploads: ['channel', 'continuation'],
  latest: ['channel'],
  playlist: ['playlist', 'continuation'],
};
const paidOperations: ReadonlySet<Operation | null> = new Set<Operation>(['search', 'uploads', 'playlist']);

/** The ID of a channel of that name: UC and 22 characters. */
export const channelId = (name: string): string => `UC${name.replace(/[^\w-]/g, '').padEnd(22, '-')}`;

/** An entry of an uploads list: the specified fields without `index`; `channelId` is that of its list. */
export function video(videoId: string, more: Entry = {}): Entry {
  return {
    videoId,
    title: `Title of ${videoId}`,
    channelId: undefined,
    channelTitle: 'A',
    channelHandle: '@a',
    lengthText: '1:02',
    viewCountText: '3.2M views',
    thumbnails: [{ url: `https://img.example/${videoId}.jpg`, width: 120, height: 90 }],
    ...more,
  };
}

/** The ID of the nth video of a channel, counted from its oldest: `a_0000000007`. */
export const videoId = (n: number, prefix = 'a_'): string => `${prefix}${String(n).padStart(9, '0')}`;

/** Entries `from` to `to` (exclusive) of a channel, newest first. */
export function videos(from: number, to: number, more: Entry = {}, prefix = 'a_'): Entry[] {
  return Array.from({ length: to - from }, (_, i) => video(videoId(to - 1 - i, prefix), more));
}

export function feedEntry(id: string | null, more: Entry = {}): Entry {
  return {
    videoId: id,
    title: `Title of ${id}`,
    author: 'A',
    published: '2026-01-01T16:00:00Z',
    updated: '2026-01-01T16:00:00Z',
    link: `https://video.example/watch?v=${id}`,
    description: '',
    viewCount: '12345',
    ...more,
  };
}

/** A Short in a feed: its link says so. */
export const short = (id: string): Entry => feedEntry(id, { link: `https://video.example/shorts/${id}` });

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Position {
  readonly list: string;
  readonly offset: number;
  readonly page: number;
}

/** A service whose lists, handles and feeds a test changes between nights; it counts requests and credits. */
export class SimulatedService {
  url = '';
  /** The only key that is accepted. */
  key = testKey;
  credits: number;
  pageSize: number;
  readonly log: LoggedRequest[] = [];
  readonly lists = new Map<string, SimulatedChannel>();
  /** IDs by handle (lower case): rename, hand over and delete here. */
  readonly handles = new Map<string, string>();
  /** Called for each request; null: no fault. */
  fault: (request: LoggedRequest) => Fault | null = () => null;

  readonly #hooks = new Set<RequestHook>();
  readonly #tokens = new Map<string, Position>();
  readonly #faults = new Map<number, Fault>();
  #issued = 0;
  #paid = 0;

  constructor({ pageSize = 100, credits = 1_000_000 } = {}) {
    this.pageSize = pageSize;
    this.credits = credits;
  }

  addChannel(
    name: string,
    { list = [], feed = 'list' }: { readonly list?: readonly Entry[]; readonly feed?: Feed } = {},
  ) {
    const id = channelId(name);
    this.handles.set(`@${name}`.toLowerCase(), id);
    return this.#add(id, id, list, feed);
  }

  addPlaylist(id: string, list: readonly Entry[]): SimulatedChannel {
    return this.#add(id, channelId('a'), list, 404);
  }

  #add(id: string, owner: string, list: readonly Entry[], feed: Feed): SimulatedChannel {
    const settings = { numVideos: null, pageSizes: [], gone: false };
    const added = { ...settings, id, owner, list: [...list], feed };
    this.lists.set(id, added);
    return added;
  }

  /** Calls the hook before each response; returns a function that removes it. */
  on(hook: RequestHook): () => void {
    this.#hooks.add(hook);
    return () => this.#hooks.delete(hook);
  }

  /** The nth paid request from now on (1 is the next) fails, once; returns a function that cancels this. */
  failPaid(nth: number, fault: Fault): () => void {
    const number = this.#paid + nth;
    this.#faults.set(number, fault);
    return () => this.#faults.delete(number);
  }

  /** A token for the page that starts at an offset of a list. */
  issueToken(list: string, offset: number, page: number): string {
    const token = `4qmFsg${Buffer.from(`${++this.#issued}:${this.#issued * 7919}`).toString('base64url')}%3D%3D`;
    this.#tokens.set(token, { list, offset, page });
    return token;
  }

  /** No token issued so far is accepted any more. */
  expireTokens(): void {
    this.#tokens.clear();
  }

  charged(): number {
    return this.log.reduce((sum, { credits }) => sum + credits, 0);
  }

  /** Responds to a request, and logs it with its cost. */
  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://service');
    const operation = paths[pathname] ?? null;
    const position = this.#positionOf(query);
    const logged: LoggedRequest = {
      operation,
      parameters: Object.fromEntries(query),
      list: position?.list ?? null,
      status: 0,
      credits: 0,
    };
    this.log.push(logged);
    const paid = paidOperations.has(operation);
    const nthPaid = paid ? ++this.#paid : 0;
    for (const hook of this.#hooks) await hook(logged);
    const fault = this.#faults.get(nthPaid) ?? this.fault(logged);
    this.#faults.delete(nthPaid);
    if (fault === 'reset') return void request.socket.destroy();
    let body: string;
    try {
      if (typeof fault === 'number') throw new Refusal(fault, 'the fault of a test');
      if (operation === null || request.method !== 'GET') throw new Refusal(404, 'no such path');
      this.#authorize(request);
      body = this.#body(operation, query, position);
      logged.status = 200;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      logged.status = error.status;
      body = JSON.stringify({ detail: error.message });
    }
    if (paid && logged.status === 200) {
      logged.credits = 1;
      this.credits -= 1;
    }
    if (fault === 'reset-charged') return void request.socket.destroy();
    response.writeHead(logged.status, { 'content-type': 'application/json' }).end(body);
  }

  #authorize({ headers }: IncomingMessage): void {
    if (!headers['user-agent']) throw new Refusal(403, 'no user agent');
    if (headers.authorization !== `Bearer ${this.key}`) throw new Refusal(401, 'bad key');
    if (this.credits < 1) throw new Refusal(402, 'no credits');
  }

  #body(operation: Operation, query: URLSearchParams, position: Position | null): string {
    const names = parameters[operation];
    if (names.filter((name) => query.get(name)).length !== 1) throw new Refusal(400, names.join(' or '));
    if (position === null) throw new Refusal(404, 'no such channel, or a token that has expired');
    if (operation === 'resolve') {
      return JSON.stringify({ channel_id: position.list, resolved_from: query.get('input') });
    }
    const list = this.lists.get(position.list);
    if (list === undefined || list.gone) throw new Refusal(404, 'not found');
    if (operation === 'latest') return feedBody(list);
    if (operation !== 'search') return this.#page(list, position);
    const results = list.list
      .filter(({ title }) => String(title).includes(query.get('q') ?? ''))
      .slice(0, 30);
    return JSON.stringify({ results, result_count: results.length });
  }

  /** What a token or reference names; any canonical ID names a list. Null if it is not known. */
  #positionOf(query: URLSearchParams): Position | null {
    const token = query.get('continuation');
    if (token !== null) return this.#tokens.get(token) ?? null;
    const reference = query.get('channel') ?? query.get('playlist') ?? query.get('input') ?? '';
    const id = /(?:^|\/channel\/|[?&]list=)(UC[\w-]{22}(?![\w-])|PL[\w-]+)/.exec(reference)?.[1];
    const handle = /(?:^|\/)(@[^/?#]+)/.exec(reference)?.[1] ?? '';
    const list = id ?? this.handles.get(handle.toLowerCase());
    return list === undefined ? null : { list, offset: 0, page: 0 };
  }

  /** A page is cut out of the list as it is now: entries move to the next one if the list has grown in between. */
  #page(source: SimulatedChannel, { offset, page }: Position): string {
    const end = offset + (source.pageSizes[page] ?? this.pageSize);
    const results = source.list.slice(offset, end).map((entry, i): Entry => {
      const { channelId: channel, index = String(offset + i) } = entry;
      return { ...entry, ...(channel === undefined && { channelId: source.owner }), index };
    });
    const hasMore = end < source.list.length;
    return JSON.stringify({
      results,
      playlist_info: {
        title: 'Uploads',
        numVideos: source.numVideos ?? String(source.list.length),
        ownerName: 'A',
        viewCount: null,
      },
      continuation_token: hasMore ? this.issueToken(source.id, end, page + 1) : null,
      has_more: hasMore,
    });
  }
}

function feedBody({ id, list, feed }: SimulatedChannel): string {
  if (feed === 'garbage') return '<html>Something went wrong</html>';
  if (typeof feed === 'number') throw new Refusal(feed, 'no feed');
  if (typeof feed === 'object' && 'body' in feed) return JSON.stringify(feed.body);
  const results = feed === 'empty' ? [] : feed === 'list' ? feedOf(list) : feed;
  const url = `https://video.example/channel/${id}`;
  const about = { channelId: id, title: 'Uploads', author: 'A', url, published: '2020-01-01T00:00:00Z' };
  return JSON.stringify({ channel: about, results, result_count: results.length });
}

/** The feed of a list that it agrees with: its first 15 videos. */
export function feedOf(list: readonly Entry[]): Entry[] {
  return list
    .flatMap(({ videoId }) => (typeof videoId === 'string' ? [feedEntry(videoId)] : []))
    .slice(0, 15);
}

/** Starts a service on loopback; it ends with the test. */
export async function simulatedService(
  t: TestContext,
  options: SimulatedOptions = {},
): Promise<SimulatedService> {
  const service = new SimulatedService(options);
  const server = createServer({ keepAlive: true }, (request, response) => {
    service.respond(request, response).catch((error: unknown) => {
      response.destroy();
      queueMicrotask(() => {
        throw error;
      });
    });
  });
  service.url = await listen(t, server);
  return service;
}
