import { type Infer, isCount, isString, objectOf, parseObject } from '../json/shape.ts';
import { isPaged, type Operation, type PagedOperation, searchLimit } from '../service/contract.ts';
import type { FaultKind, SandboxSettings } from './defaults.ts';
import { demoCatalog, listById, oddFields, oddPageSize, type VideoList } from './lists.ts';
import { ErrorResponse, readReference } from './query.ts';
import * as videos from './videos.ts';

/** Returns a function that makes the body of a 200 response; for any other response it throws an `ErrorResponse`. */
export function responder({ pageSize, plainTokens, ...settings }: SandboxSettings) {
  const catalog = demoCatalog(settings);

  return (operation: Operation, query: URLSearchParams, faults: readonly FaultKind[]): object => {
    if (isPaged(operation)) {
      const place = placeOf(operation, query, faults.includes('expire'));
      const list = listById(place.list, catalog);
      if (list === undefined) throw new ErrorResponse(404, 'playlist not found');
      const { owner, count, info, description } = list;
      const size = owner === videos.oddChannel ? oddPageSize(place.offset, pageSize) : pageSize;
      const end = Math.max(place.offset, Math.min(count, place.offset + size));
      const after = end < count ? { ...place, offset: end } : null;
      const next = faults.includes('loop') ? place : after;
      return {
        results: videoEntries(list, place.offset, end),
        playlist_info: operation.name === 'playlist' ? { ...info, description } : info,
        continuation_token: next && writeToken(next, plainTokens),
        has_more: next !== null,
      };
    }
    const reference = readReference(operation, query);
    if (operation.name === 'resolve') {
      const isCanonical = /^UC[\w-]{22}$/.test(reference);
      const id = isCanonical ? reference : requireChannel(reference).id;
      return { channel_id: id, resolved_from: query.get('input') };
    }
    const channel = requireChannel(reference);
    const uploads = catalog(channel);
    if (operation.name === 'search') {
      const limit = query.get('limit') ?? searchLimit.default;
      return searchUploads(uploads, query.get('q') ?? '', Number(limit));
    }
    if (faults.includes('feed-404')) throw new ErrorResponse(404, 'feed not found');
    const feed = faults.includes('feed-empty') ? [] : uploads.feed();
    const { id: channelId, title } = channel;
    const url = `https://video.example/channel/${channelId}`;
    const published = videos.isoTime(videos.upload(channel, 1).published);
    return {
      channel: { channelId, title, author: title, url, published },
      results: feed.map(videos.latestEntry),
      result_count: feed.length,
    };
  };
}

function requireChannel(reference: string): videos.Channel {
  const channel = videos.findChannel(reference);
  if (channel === undefined) throw new ErrorResponse(404, 'channel not found');
  return channel;
}

/** Returns the page that a request asks for; throws a 400 for a token of another operation, and a 410 if `isExpired`. */
function placeOf(operation: PagedOperation, query: URLSearchParams, isExpired: boolean): PagePlace {
  const token = query.get('continuation');
  if (token === null) {
    const reference = readReference(operation, query);
    const isPlaylist = operation.reference === 'playlist';
    const list = isPlaylist ? reference : `UU${requireChannel(reference).id.slice(2)}`;
    return { operation: operation.name, list, offset: 0 };
  }
  const place = readToken(token);
  if (place?.operation !== operation.name) {
    const message = 'this is not a continuation token of this operation';
    throw new ErrorResponse(400, { code: 'bad_token', message });
  }
  if (!isExpired) return place;
  throw new ErrorResponse(410, { code: 'expired_token', message: 'this continuation token has expired' });
}

const videoEntries = (list: VideoList, start: number, end: number): object[] =>
  Array.from({ length: end - start }, (_, i) => {
    const video = list.at(start + i);
    const entry = videos.videoEntry(video, start + i);
    return list.owner === videos.oddChannel ? { ...entry, ...oddFields(video) } : entry;
  });

function searchUploads(uploads: VideoList, query: string, limit: number): object {
  const words = query.toLowerCase().split(/\s+/);
  const results: object[] = [];
  for (let position = 0; position < uploads.count && results.length < limit; position++) {
    const video = uploads.at(position);
    const title = videos.titleOf(video).toLowerCase();
    if (words.every((word) => title.includes(word))) results.push(videos.searchEntry(video));
  }
  return { results, result_count: results.length };
}

/** The place of a page in a list. A continuation token contains all of it, because the sandbox stores nothing. */
const isPagePlace = objectOf({ operation: isString, list: isString, offset: isCount });
type PagePlace = Infer<typeof isPagePlace>;

/** The prefixes of tokens: one that has to be encoded in a query, and one that has not. */
const [prefix, plainPrefix] = ['+/', '4qmF'];

/** Returns the token of a place: JSON in base64, the same in every process and for every page size. */
function writeToken({ operation, list, offset }: PagePlace, isPlain: boolean): string {
  const bytes = Buffer.from(JSON.stringify({ operation, list, offset }));
  return isPlain ? plainPrefix + bytes.toString('base64url') : prefix + bytes.toString('base64');
}

/** Returns the place in a token of either form; null if `writeToken` never writes this token. */
function readToken(token: string): PagePlace | null {
  const isPlain = token.startsWith(plainPrefix);
  const encoded = token.slice((isPlain ? plainPrefix : prefix).length);
  const place = parseObject(Buffer.from(encoded, 'base64').toString());
  return isPagePlace(place) && writeToken(place, isPlain) === token ? place : null;
}
