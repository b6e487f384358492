/**
 * The service of the benchmarks, in its own process: sends canned pages, at once or after a latency.
 * Prints its address once it listens. The channel says what is wanted: `@pages-1000` or `@pages-1000-20ms`.
 */
import { createServer } from 'node:http';

/** Entries of a page: about 77 KB of JSON together, some of it beyond ASCII. */
const entries = 150;

function entry(page, number) {
  const id = `${page}${String(number).padStart(10, '0')}`;
  return {
    videoId: id,
    title: `Episode ${number}: a talk about ${number % 3 === 0 ? 'café life' : 'the weather'} and what "we" know`,
    channelId: 'UCbenchbenchbenchbenchbe',
    channelTitle: 'Bench channel',
    channelHandle: '@bench',
    lengthText: '12:34',
    viewCountText: '3.2M views',
    thumbnails: ['default', 'hqdefault'].map((size, i) => ({
      url: `https://img.example/vi/${id}/${size}.jpg?variant=${'0123456789abcdef'.repeat(2)}`,
      width: 120 * (i + 1),
      height: 90 * (i + 1),
    })),
    index: String(number),
  };
}

/** Two page bodies that differ, so that no page equals the one before. */
const lists = ['a', 'b'].map((page) =>
  JSON.stringify(Array.from({ length: entries }, (_, number) => entry(page, number))),
);
const heads = lists.map((list) => Buffer.from(`{"results":${list},"playlist_info":`));
/** The ID of `@pages-1000` says how many pages it has, too. */
const resolved = (reference) =>
  Buffer.from(
    JSON.stringify({ channel_id: `UC${reference.slice(1).padEnd(22, '_')}`, resolved_from: reference }),
  );

/** Of the channels `@c0`, `@c1` and so on, which have three uploads each. */
function smallChannel(reference, path) {
  const channelId = reference.startsWith('UC') ? reference : `UC${reference.slice(1).padStart(22, '0')}`;
  if (path.endsWith('/resolve')) return { channel_id: channelId, resolved_from: reference };
  const results = [2, 1, 0].map((n) => ({
    videoId: `${channelId.slice(-9)}_${n}`,
    ...{ title: `Upload ${n}`, channelId, published: `2025-01-0${n + 1}T00:00:00Z` },
  }));
  const info = { title: 'Uploads', numVideos: '3' };
  return { results, playlist_info: info, continuation_token: null, has_more: false };
}

/** The token of the page after page `number`; null after the last. */
function nextToken(total, latency, number) {
  return number + 1 >= total ? null : `${total}.${latency}.${number + 1}`;
}

function page(total, number, next) {
  const info = { title: 'Uploads', numVideos: String(total * entries), ownerName: 'Bench', viewCount: null };
  const rest = `${JSON.stringify(info)},"continuation_token":${JSON.stringify(next)},"has_more":${next !== null}}`;
  return Buffer.concat([heads[number % 2], Buffer.from(rest)]);
}

const server = createServer((request, response) => {
  const { searchParams: query, pathname } = new URL(request.url, 'http://bench');
  const send = (body) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  };
  const reference = query.get('channel') ?? query.get('input') ?? '';
  if (/^@c\d|^UC0/.test(reference))
    return send(Buffer.from(JSON.stringify(smallChannel(reference, pathname))));
  if (pathname.endsWith('/channel/resolve')) return send(resolved(reference));
  const [, total = 1, latency = 0] = /^(?:@|UC)pages-(\d+)(?:-(\d+)ms)?_*$/.exec(query.get('channel')) ?? [];
  const start = query.get('continuation')?.split('.') ?? [total, latency, 0];
  const [pages, wait, number] = start.map(Number);
  const body = page(pages, number, nextToken(pages, wait, number));
  if (wait > 0) setTimeout(send, wait, body);
  else send(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
// The benchmark has ended, however it ended.
process.stdin.on('end', () => process.exit()).resume();
