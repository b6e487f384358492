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

interface Route {
  readonly operation: Operation;
  /** A request carries exactly one of them. */
  readonly parameters: readonly string[];
  readonly price: number;
}

const routes: Readonly<Record<string, Route>> = {
  'channel/resolve': { operation: 'resolve', parameters: ['input'], price: 0 },
  'channel/search': { operation: 'search', parameters: ['channel'], price: 1 },
  'channel/videos': { operation: 'uploads', parameters: ['channel', 'continuation'], price: 1 },
  'channel/latest': { operation: 'latest', parameters: ['channel'], price: 0 },
  'playlist/videos': { operation: 'playlist', parameters: ['playlist', 'continuation'], price: 1 },
};

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

/** A body that is text is sent as it is. */
interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const refusal = (status: number, detail: string): Reply => ({ status, body: { detail } });

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
  readonly #faults = new Map<number, { readonly fault: Fault; readonly arrived: () => void }>();
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
    return this.addPlaylist(id, list, id, feed);
  }

  /** `owner`: the channel of its entries. */
  addPlaylist(id: string, entries: readonly Entry[], owner = channelId('a'), feed: Feed = 404) {
    const list = [...entries];
    const added: SimulatedChannel = { id, owner, list, feed, numVideos: null, pageSizes: [], gone: false };
    this.lists.set(id, added);
    return added;
  }

  /** Calls the hook before each response; returns a function that removes it. */
  on(hook: RequestHook): () => void {
    this.#hooks.add(hook);
    return () => this.#hooks.delete(hook);
  }

  /** The nth paid request from now on (1 is the next) fails, once; returns a function that cancels this. */
  failPaid(nth: number, fault: Fault, arrived = () => {}): () => void {
    const number = this.#paid + nth;
    this.#faults.set(number, { fault, arrived });
    return () => this.#faults.delete(number);
  }

  #issueToken(position: Position): string {
    const number = ++this.#issued;
    const token = `4qmFsg${Buffer.from(`${number}:${number * 7919}`).toString('base64url')}%3D%3D`;
    this.#tokens.set(token, position);
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
    const route = routes[pathname.replace('/api/v2/media/', '')] ?? null;
    const position = this.#positionOf(query);
    const logged: LoggedRequest = {
      operation: route?.operation ?? null,
      parameters: Object.fromEntries(query),
      list: position?.list ?? null,
      status: 0,
      credits: 0,
    };
    this.log.push(logged);
    const nthPaid = route?.price ? ++this.#paid : 0;
    for (const hook of this.#hooks) await hook(logged);
    const planned = this.#faults.get(nthPaid);
    this.#faults.delete(nthPaid);
    planned?.arrived();
    const fault = planned?.fault ?? this.fault(logged);
    if (fault === 'reset') return void request.socket.destroy();
    const isRefused = typeof fault === 'number';
    const reply = isRefused ? refusal(fault, 'a test') : this.#reply(request, route, query, position);
    const { status, body } = reply;
    logged.status = status;
    if (route !== null && status === 200) logged.credits = route.price;
    this.credits -= logged.credits;
    if (fault === 'reset-charged') return void request.socket.destroy();
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  #reply(
    { method, headers }: IncomingMessage,
    route: Route | null,
    query: URLSearchParams,
    position: Position | null,
  ): Reply {
    if (route === null || method !== 'GET') return refusal(404, 'no such path');
    if (!headers['user-agent']) return refusal(403, 'no user agent');
    if (headers.authorization !== `Bearer ${this.key}`) return refusal(401, 'bad key');
    if (this.credits < 1) return refusal(402, 'no credits');
    const { operation, parameters } = route;
    if (parameters.filter((name) => query.get(name)).length !== 1)
      return refusal(400, parameters.join(' or '));
    if (position === null) return refusal(404, 'no such channel, or a token that has expired');
    if (operation === 'resolve')
      return { status: 200, body: { channel_id: position.list, resolved_from: query.get('input') } };
    const list = this.lists.get(position.list);
    if (list === undefined || list.gone) return refusal(404, 'not found');
    if (operation === 'latest') return feedReply(list);
    if (operation !== 'search') return { status: 200, body: this.#page(list, position) };
    const found = list.list.filter(({ title }) => String(title).includes(query.get('q') ?? ''));
    const results = found.slice(0, 30);
    return { status: 200, body: { results, result_count: results.length } };
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
  #page({ id, owner, list, pageSizes, numVideos }: SimulatedChannel, { offset, page }: Position): object {
    const end = offset + (pageSizes[page] ?? this.pageSize);
    const hasMore = end < list.length;
    return {
      results: list.slice(offset, end).map((entry, i) => {
        const { channelId = owner, index = String(offset + i) } = entry;
        return { ...entry, channelId, index };
      }),
      playlist_info: {
        title: 'Uploads',
        numVideos: numVideos ?? String(list.length),
        ownerName: 'A',
        viewCount: null,
      },
      continuation_token: hasMore ? this.#issueToken({ list: id, offset: end, page: page + 1 }) : null,
      has_more: hasMore,
    };
  }
}

function feedReply({ id, list, feed }: SimulatedChannel): Reply {
  if (typeof feed === 'number') return refusal(feed, 'no feed');
  if (feed === 'garbage') return { status: 200, body: '<html>Something went wrong</html>' };
  if (typeof feed === 'object' && 'body' in feed) return { status: 200, body: feed.body };
  const results = typeof feed === 'string' ? { list: feedOf(list), empty: [] }[feed] : feed;
  const url = `https://video.example/channel/${id}`;
  const channel = { channelId: id, title: 'Uploads', author: 'A', url, published: '2020-01-01T00:00:00Z' };
  return { status: 200, body: { channel, results, result_count: results.length } };
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
      throw error;
    });
  });
  service.url = await listen(t, server);
  return service;
}
