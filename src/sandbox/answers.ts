import { isPaged, type OperationName, operations, type PagedName } from '../service/contract.ts';
import type { Catalog } from './catalog.ts';
import { listByCode, uploadsOf, type VideoList } from './channels.ts';
import { latestEntry, searchEntry, videoEntry } from './entries.ts';
import type { FaultKind } from './faults.ts';
import { advertisement, isOdd, oddCount, oddPageSize } from './odd.ts';
import { Refusal } from './parameters.ts';
import { findChannel, findPlaylist, resolveId } from './references.ts';
import { maxTurn, type Place, readToken, writeToken } from './tokens.ts';
import { isoTime, published, title, type Video } from './videos.ts';

/** Number of uploads, from the newest, that a search reads. */
const searchDepth = 3000;

/** Numbers of the uploads of the fault `feed-ahead`; no list reaches them. */
const neverListed = 6_000_000;

/** The data and settings of the responses. */
export interface Data {
  readonly catalog: Catalog;
  /** Entries per page. */
  readonly pageSize: number;
  readonly plainTokens: boolean;
}

type Parameters = ReadonlyMap<string, string>;

/** Builds the bodies of the 200 responses. */
export class Answers {
  readonly #data: Data;

  constructor(data: Data) {
    this.#data = data;
  }

  /** The body of a 200 response: JSON in UTF-8. Throws a `Refusal` for any other response. */
  body(operation: OperationName, parameters: Parameters, faults: readonly FaultKind[]): Buffer {
    const value = (name: string): string => parameters.get(name) ?? '';
    if (isPaged(operation)) return this.#page(operation, parameters, faults);
    switch (operation) {
      case 'resolve': {
        const input = value('input');
        return json({ channel_id: resolveId(input, 'input'), resolved_from: input });
      }
      case 'search':
        return this.#search(
          value('channel'),
          value('q'),
          Number(parameters.get('limit') ?? operations.search.parameters[2].default),
        );
      case 'latest':
        return this.#latest(value('channel'), faults);
    }
  }

  /** Uploads whose title holds every word of the query, newest first. */
  #search(reference: string, query: string, limit: number): Buffer {
    const { catalog } = this.#data;
    const channel = findChannel(reference, 'channel');
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const count = catalog.count(channel);
    const depth = words.length === 0 ? 0 : Math.min(searchDepth, count);
    const results: object[] = [];
    for (let position = 0; position < depth && results.length < limit; position++) {
      const video = catalog.upload(channel, position, count);
      const text = title(video).toLowerCase();
      if (!words.every((word) => text.includes(word))) continue;
      const entry = searchEntry(video);
      if (entry !== null) results.push(entry);
      if (results.length === 1 && limit > 1 && isOdd(channel)) results.push(advertisement);
    }
    return json({ results, result_count: results.length });
  }

  #latest(reference: string, faults: readonly FaultKind[]): Buffer {
    const channel = findChannel(reference, 'channel');
    if (faults.includes('feed-404')) throw new Refusal(404, 'feed not found');
    if (faults.includes('feed-500')) throw new Refusal(500, 'the feed is not available');
    const feed = this.#data.catalog.feed(channel);
    const oldest = feed.at(-1);
    let videos: readonly Video[] = feed;
    if (faults.includes('feed-behind')) videos = feed.slice(5);
    if (faults.includes('feed-ahead') && oldest !== undefined) {
      const publishedAt = published(oldest);
      const ahead = [1, 2].map((extra) => ({ channel, number: neverListed + extra, publishedAt }));
      videos = [...ahead, ...videos].slice(0, feed.length);
    }
    const results = faults.includes('feed-empty') ? [] : videos.map(latestEntry);
    return json({
      channel: {
        channelId: channel.id,
        title: channel.title,
        author: channel.title,
        url: `https://video.example/channel/${channel.id}`,
        published: isoTime(published({ channel, number: 1 })),
      },
      results,
      result_count: results.length,
    });
  }

  #page(operation: PagedName, parameters: Parameters, faults: readonly FaultKind[]): Buffer {
    const token = parameters.get('continuation');
    const { list, offset, turn } =
      token === undefined
        ? { list: firstList(operation, parameters), offset: 0, turn: 0 }
        : placeOf(token, operation, faults);
    return this.#pageAt(list, { operation, list: list.code, offset, turn }, faults);
  }

  #pageAt(list: VideoList, place: Place, faults: readonly FaultKind[]): Buffer {
    const { catalog, pageSize, plainTokens } = this.#data;
    const { operation, offset, turn } = place;
    const count = list.playlist?.size ?? catalog.count(list.owner);
    const length = isOdd(list.owner) ? oddPageSize(offset, pageSize) : pageSize;
    let first = offset;
    let last = Math.min(count, offset + length);
    let next: Place = { ...place, offset: last, turn: 0 };
    let hasMore = last < count;
    if (faults.includes('page-overlap')) first = Math.max(0, offset - 1);
    if (faults.includes('page-repeat') && offset > 0) {
      first = Math.max(0, offset - pageSize);
      last = offset;
    }
    if (faults.includes('page-empty') && turn < maxTurn) {
      last = first;
      hasMore = true;
      next = { ...place, turn: turn + 1 };
    }
    if (faults.includes('loop')) {
      hasMore = true;
      next = place;
    }
    const missing = faults.find((kind): kind is keyof typeof missingTokens => kind in missingTokens);
    const results: object[] = [];
    for (let at = first; at < last; at++) {
      results.push(videoEntry(list.playlist?.video(at) ?? catalog.upload(list.owner, at, count), at));
    }
    return json({
      results,
      playlist_info: {
        title: list.title,
        numVideos: isOdd(list.owner) && !list.playlist ? oddCount(count) : String(count),
        ownerName: list.owner.title,
        viewCount: list.viewCount,
        ...(operation === 'playlist' && { description: list.description }),
      },
      continuation_token:
        missing !== undefined
          ? missingTokens[missing]
          : hasMore
            ? writeToken(next, plainTokens)
            : list.lastToken,
      has_more: hasMore || missing !== undefined,
    });
  }
}

/** The `continuation_token` of these faults. */
const missingTokens = { 'empty-token': '', 'null-token': null, 'no-token': undefined } as const;

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function firstList(operation: PagedName, parameters: Parameters): VideoList {
  const [{ name }] = operations[operation].parameters;
  const reference = parameters.get(name) ?? '';
  return operations[operation].reference === 'playlist'
    ? findPlaylist(reference, name)
    : uploadsOf(findChannel(reference, name));
}

function placeOf(
  token: string,
  operation: PagedName,
  faults: readonly FaultKind[],
): { list: VideoList; offset: number; turn: number } {
  const place = readToken(token);
  const list = place === null ? undefined : listByCode(place.list);
  if (place === null || list === undefined) {
    throw badToken('this is not a continuation token of this service');
  }
  if (place.operation !== operation) {
    throw badToken(`this continuation token belongs to ${operations[place.operation].path}`);
  }
  if (faults.includes('expire')) {
    throw new Refusal(410, { code: 'expired_token', message: 'this continuation token has expired' });
  }
  return { list, offset: place.offset, turn: place.turn };
}

function badToken(message: string): Refusal {
  return new Refusal(400, { code: 'bad_token', message });
}
