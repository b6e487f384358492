import { type OperationName, operations } from '../api/contract.ts';
import type { Catalog } from './catalog.ts';
import { latestEntry, searchEntry, videoEntry } from './entries.ts';
import { listByCode, uploadsOf, type VideoList } from './lists.ts';
import type { PageCache } from './page-cache.ts';
import { findChannel, findPlaylist } from './references.ts';
import { Refusal } from './refusal.ts';
import { title } from './titles.ts';
import { readToken, writeToken } from './tokens.ts';
import { published } from './videos.ts';

/** How many uploads, from the newest on, a search looks at. */
const searchDepth = 3000;

/** What the answers are made from. */
export interface Data {
  readonly catalog: Catalog;
  readonly pageSize: number;
  readonly cache: PageCache;
}

export interface AnswerRequest {
  readonly operation: OperationName;
  readonly parameters: ReadonlyMap<string, string>;
  /** Fault: a good token is refused. */
  readonly expire: boolean;
  /** Fault: the page's token leads back to the page. */
  readonly loop: boolean;
}

/** Body of a 200 response: JSON in UTF-8. Throws a `Refusal` for anything else. */
export function answer(request: AnswerRequest, data: Data): Buffer {
  const { operation, parameters } = request;
  const value = (name: string): string => parameters.get(name) ?? '';
  switch (operation) {
    case 'resolve': {
      const input = value('input');
      return json({ channel_id: findChannel(input, 'input').id, resolved_from: input });
    }
    case 'search':
      return search(value('channel'), value('q'), Number(parameters.get('limit') ?? defaultLimit), data);
    case 'latest':
      return latest(value('channel'), data);
    case 'uploads':
    case 'playlist':
      return page({ ...request, operation }, data);
  }
}

const defaultLimit = operations.search.parameters[2].default;

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** Uploads whose title holds every word of the query, newest first. */
function search(reference: string, query: string, limit: number, { catalog }: Data): Buffer {
  const list = uploadsOf(findChannel(reference, 'channel'));
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const depth = words.length === 0 ? 0 : Math.min(searchDepth, catalog.count(list));
  const results: object[] = [];
  for (let position = 0; position < depth && results.length < limit; position++) {
    const video = catalog.video(list, position);
    const text = title(video).toLowerCase();
    if (words.every((word) => text.includes(word))) results.push(searchEntry(video));
  }
  return json({ results, result_count: results.length });
}

function latest(reference: string, { catalog }: Data): Buffer {
  const channel = findChannel(reference, 'channel');
  const results = catalog.latest(channel).map(latestEntry);
  return json({
    channel: {
      channelId: channel.id,
      title: channel.title,
      author: channel.title,
      url: `https://video.example/channel/${channel.id}`,
      published: new Date(published({ channel, number: 1 })).toISOString(),
    },
    results,
    result_count: results.length,
  });
}

function page(request: AnswerRequest & { operation: 'uploads' | 'playlist' }, data: Data): Buffer {
  const { operation, parameters, loop } = request;
  const token = parameters.get('continuation');
  const { list, offset } =
    token === undefined ? { list: firstPage(operation, parameters), offset: 0 } : place(token, request);
  const { catalog, pageSize, cache } = data;
  const key = `${operation} ${list.code} ${offset} ${loop} ${catalog.version}`;
  return cache.get(key, () => {
    const count = catalog.count(list);
    const end = Math.min(count, offset + pageSize);
    const hasMore = loop || end < count;
    const results: object[] = [];
    for (let at = offset; at < end; at++) results.push(videoEntry(catalog.video(list, at), at));
    return json({
      results,
      playlist_info: {
        title: list.title,
        numVideos: String(count),
        ownerName: list.owner.title,
        viewCount: list.viewCount,
        ...(operation === 'playlist' ? { description: list.description } : {}),
      },
      continuation_token: hasMore
        ? writeToken({ operation, list: list.code, offset: loop ? offset : end })
        : null,
      has_more: hasMore,
    });
  });
}

function firstPage(operation: 'uploads' | 'playlist', parameters: ReadonlyMap<string, string>): VideoList {
  const [{ name }] = operations[operation].parameters;
  const reference = parameters.get(name) ?? '';
  return operation === 'playlist' ? findPlaylist(reference, name) : uploadsOf(findChannel(reference, name));
}

function place(token: string, request: AnswerRequest): { list: VideoList; offset: number } {
  const found = readToken(token);
  const list = found === null ? undefined : listByCode(found.list);
  if (found === null || list === undefined) {
    throw new Refusal(400, {
      code: 'bad_token',
      message: 'this is not a continuation token of this service',
    });
  }
  if (found.operation !== request.operation) {
    throw new Refusal(400, {
      code: 'bad_token',
      message: `this continuation token belongs to ${operations[found.operation].path}`,
    });
  }
  if (request.expire) {
    throw new Refusal(410, { code: 'expired_token', message: 'this continuation token has expired' });
  }
  return { list, offset: found.offset };
}
