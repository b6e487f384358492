import { isPaged, type Operation, type PagedOperation } from '../service/contract.ts';
import type { FaultKind, SandboxSettings } from './defaults.ts';
import { demoCatalog, listById, oddFields, oddPageSize, type VideoList } from './lists.ts';
import { ErrorResponse, findChannel, readReference } from './query.ts';
import {
  ageText,
  isoTime,
  lengthText,
  published,
  title,
  type Video,
  videoId,
  viewCount,
  viewsText,
} from './videos.ts';

/** Makes the bodies of 200 responses. They throw an `ErrorResponse` for any other response. */
export function responder({ pageSize, plainTokens, ...settings }: SandboxSettings) {
  const catalog = demoCatalog(settings);

  const page = (
    { name: operation, reference: kind }: PagedOperation,
    parameters: ReadonlyMap<string, string>,
    faults: readonly FaultKind[],
  ): object => {
    const token = parameters.get('continuation');
    const first = (): string => {
      const reference = readReference(parameters.get(kind) ?? '', kind);
      return kind === 'playlist' ? reference : `UU${findChannel(reference).id.slice(2)}`;
    };
    const place = token === undefined ? { operation, list: first(), offset: 0 } : readToken(token);
    if (place?.operation !== operation) {
      const message = 'this is not a continuation token of this operation';
      throw new ErrorResponse(400, { code: 'bad_token', message });
    }
    if (token !== undefined && faults.includes('expire'))
      throw new ErrorResponse(410, { code: 'expired_token', message: 'this continuation token has expired' });
    const { offset } = place;
    const list = listById(place.list, catalog);
    if (list === undefined) throw new ErrorResponse(404, 'playlist not found');
    const { count, info, description } = list;
    const size = list.owner.isOdd ? oddPageSize(offset, pageSize) : pageSize;
    const end = Math.min(count, offset + size);
    const isLoop = faults.includes('loop');
    const next = isLoop || end < count ? { ...place, offset: isLoop ? offset : end } : null;
    return {
      results: Array.from({ length: Math.max(0, end - offset) }, (_, i) =>
        videoEntry(list.at(offset + i), offset + i),
      ),
      playlist_info: { ...info, ...(operation === 'playlist' && { description }) },
      continuation_token: next && writeToken(next, plainTokens),
      has_more: next !== null,
    };
  };

  return (
    operation: Operation,
    parameters: ReadonlyMap<string, string>,
    faults: readonly FaultKind[],
  ): object => {
    if (isPaged(operation)) return page(operation, parameters, faults);
    const value = (name: string): string => parameters.get(name) ?? '';
    if (operation.name === 'resolve') {
      const input = value('input');
      const reference = readReference(input, 'channel', 'input');
      const isCanonical = /^UC[\w-]{22}$/.test(reference);
      return { channel_id: isCanonical ? reference : findChannel(reference).id, resolved_from: input };
    }
    const channel = findChannel(readReference(value('channel'), 'channel'));
    const uploads = catalog(channel);
    if (operation.name === 'search') return search(uploads, value('q'), Number(value('limit') || 30));
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

function search(uploads: VideoList, query: string, limit: number): object {
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

const thumbnailSizes = [
  ['default', 120, 90],
  ['hqdefault', 480, 360],
  ['maxresdefault', 1280, 720],
] as const;

const thumbnailsOf = (id: string) =>
  thumbnailSizes.map(([name, width, height]) => {
    return { url: `https://images.video.example/vi/${id}/${name}.jpg?v=6613a8fe`, width, height };
  });

function firstFields(video: Video, id: string) {
  const { id: channelId, title: channelTitle, handle: channelHandle } = video.channel;
  return { videoId: id, title: title(video), channelId, channelTitle, channelHandle };
}

/** A video entry: the nine fields of docs/service.md, 2.2, in order; for `@odd` others too. `position`: from 0. */
function videoEntry(video: Video, position: number): object {
  const id = videoId(video);
  return {
    ...firstFields(video, id),
    lengthText: lengthText(video),
    viewCountText: `${viewsText(video)} • ${ageText(video)}`,
    thumbnails: thumbnailsOf(id),
    index: String(position),
    ...(video.channel.isOdd && oddFields(video)),
  };
}

/** An entry of a search result, as a known deployment sends it: the specification shows none. */
function searchEntry(video: Video): object {
  const id = videoId(video);
  return {
    type: 'video',
    ...firstFields(video, id),
    channelVerified: video.number % 2 === 0,
    lengthText: lengthText(video),
    viewCountText: viewsText(video),
    publishedTimeText: ageText(video),
    hasCaptions: video.number % 3 === 0,
    thumbnails: thumbnailsOf(id).slice(0, 2),
  };
}

/** An entry of the feed, as a known deployment sends it: other names than in the uploads list. */
function latestEntry(video: Video): object {
  const id = videoId(video);
  const at = published(video);
  const rating = { count: String(viewCount(video) >> 5), average: '4.87', min: '1', max: '5' };
  return {
    videoId: id,
    title: title(video),
    channelId: video.channel.id,
    author: video.channel.title,
    published: isoTime(at),
    updated: isoTime(at + (video.publishedAt === undefined ? 3_600_000 : 0)),
    link: `https://video.example/${video.short ? 'shorts/' : 'watch?v='}${id}`,
    description: `${title(video)}\n\nChapters, links and thanks below.`,
    thumbnail: { url: `https://images.video.example/vi/${id}/hqdefault.jpg`, width: '480', height: '360' },
    viewCount: String(viewCount(video)),
    ...(video.number % 4 === 0 && { starRating: rating }),
  };
}
