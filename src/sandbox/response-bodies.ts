import { isPaged, type Operation, type PagedOperation } from '../service/contract.ts';
import type { FaultKind, SandboxSettings } from './defaults.ts';
import { demoCatalog, listById, oddFields, oddPageSize, type VideoList } from './lists.ts';
import { ErrorResponse, findChannel, readReference } from './query.ts';
import { isoTime, latestEntry, published, searchEntry, title, videoEntry } from './videos.ts';

/** Makes the bodies of 200 responses. They throw an `ErrorResponse` for any other response. */
export function responder({ pageSize, plainTokens, ...settings }: SandboxSettings) {
  const catalog = demoCatalog(settings);

  return (operation: Operation, parameters: ReadonlyMap<string, string>, faults: readonly FaultKind[]) => {
    const value = (name: string): string => parameters.get(name) ?? '';
    if (isPaged(operation)) {
      const place = placeOf(operation, parameters, faults.includes('expire'));
      const list = listById(place.list, catalog);
      if (list === undefined) throw new ErrorResponse(404, 'playlist not found');
      const size = list.owner.isOdd ? oddPageSize(place.offset, pageSize) : pageSize;
      const end = Math.max(place.offset, Math.min(list.count, place.offset + size));
      const after = end < list.count ? { ...place, offset: end } : null;
      const next = faults.includes('loop') ? place : after;
      return {
        results: entriesOf(list, place.offset, end),
        playlist_info: list.info(operation.name === 'playlist'),
        continuation_token: next && writeToken(next, plainTokens),
        has_more: next !== null,
      };
    }
    if (operation.name === 'resolve') {
      const input = value('input');
      const reference = readReference(input, 'channel', 'input');
      const isCanonical = /^UC[\w-]{22}$/.test(reference);
      return { channel_id: isCanonical ? reference : findChannel(reference).id, resolved_from: input };
    }
    const channel = findChannel(readReference(value('channel'), 'channel'));
    const uploads = catalog(channel);
    if (operation.name === 'search') return searchUploads(uploads, value('q'), Number(value('limit') || 30));
    if (faults.includes('feed-404')) throw new ErrorResponse(404, 'feed not found');
    const videos = faults.includes('feed-empty') ? [] : uploads.feed();
    const { id: channelId, title } = channel;
    const url = `https://video.example/channel/${channelId}`;
    const first = isoTime(published({ channel, number: 1 }));
    return {
      channel: { channelId, title, author: title, url, published: first },
      results: videos.map(latestEntry),
      result_count: videos.length,
    };
  };
}

/** The page that a request asks for; refuses a token that is not of this operation, or has expired. */
function placeOf(
  { name: operation, reference: kind }: PagedOperation,
  parameters: ReadonlyMap<string, string>,
  isExpired: boolean,
): Place {
  const token = parameters.get('continuation');
  if (token === undefined) {
    const reference = readReference(parameters.get(kind) ?? '', kind);
    const list = kind === 'playlist' ? reference : `UU${findChannel(reference).id.slice(2)}`;
    return { operation, list, offset: 0 };
  }
  const place = readToken(token);
  const refused = (status: number, code: string, message: string) =>
    new ErrorResponse(status, { code, message });
  if (place?.operation !== operation)
    throw refused(400, 'bad_token', 'this is not a continuation token of this operation');
  if (isExpired) throw refused(410, 'expired_token', 'this continuation token has expired');
  return place;
}

const entriesOf = (list: VideoList, start: number, end: number): object[] =>
  Array.from({ length: end - start }, (_, i) => {
    const video = list.at(start + i);
    return { ...videoEntry(video, start + i), ...(video.channel.isOdd && oddFields(video)) };
  });

function searchUploads(uploads: VideoList, query: string, limit: number): object {
  const words = query.toLowerCase().split(/\s+/);
  const results: object[] = [];
  for (let position = 0; position < uploads.count && results.length < limit; position++) {
    const video = uploads.at(position);
    const text = title(video).toLowerCase();
    if (words.every((word) => text.includes(word))) results.push(searchEntry(video));
  }
  return { results, result_count: results.length };
}

/** The page that a continuation token names. The token contains all of it: the sandbox stores nothing. */
interface Place {
  readonly operation: string;
  readonly list: string;
  readonly offset: number;
}

/** Begins a token: text that a query must encode. */
const mark = '+/';
const plainMark = '4qmF';
const form = /^\{"operation":"[a-z]+","list":"[\w-]+","offset":\d{1,9}\}$/;

/** The token of a place: JSON in base64, the same in every process and for every page size. */
function writeToken({ operation, list, offset }: Place, plain: boolean): string {
  const bytes = Buffer.from(JSON.stringify({ operation, list, offset }));
  return plain ? plainMark + bytes.toString('base64url') : mark + bytes.toString('base64');
}

/** The place that a token of either form names; null if `writeToken` writes no such token. */
function readToken(token: string): Place | null {
  const plain = token.startsWith(plainMark);
  const json = Buffer.from(token.slice((plain ? plainMark : mark).length), 'base64').toString();
  if (!form.test(json)) return null;
  const place: Place = JSON.parse(json);
  return writeToken(place, plain) === token ? place : null;
}
