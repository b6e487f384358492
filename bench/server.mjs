/**
 * The service of the benchmarks, in a process of its own: answers at once, or after a latency, with canned pages.
 * Prints its address once it listens. The channel says what is wanted: `@pages-1000` or `@pages-1000-20ms`.
 */
import { createServer } from 'node:http';

/** Entries of a page: about 83 KB of JSON together, some of it beyond ASCII. */
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
const resolved = Buffer.from('{"channel_id":"UCbenchbenchbenchbenchbe","resolved_from":"@x"}');

function page(total, latency, number) {
  const info = { title: 'Uploads', numVideos: String(total * entries), ownerName: 'Bench', viewCount: null };
  const last = number + 1 >= total;
  const token = last ? null : `${total}.${latency}.${number + 1}`;
  const rest = `${JSON.stringify(info)},"continuation_token":${JSON.stringify(token)},"has_more":${!last}}`;
  return Buffer.concat([heads[number % 2], Buffer.from(rest)]);
}

const server = createServer((request, response) => {
  const { searchParams: query, pathname } = new URL(request.url, 'http://bench');
  const send = (body) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  };
  if (pathname.endsWith('/channel/resolve')) return send(resolved);
  const [, total = 1, latency = 0] = /^@pages-(\d+)(?:-(\d+)ms)?$/.exec(query.get('channel')) ?? [];
  const start = query.get('continuation')?.split('.') ?? [total, latency, 0];
  const [pages, wait, number] = start.map(Number);
  const body = page(pages, wait, number);
  if (wait > 0) setTimeout(send, wait, body);
  else send(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
// The benchmark has ended, however it ended.
process.stdin.on('end', () => process.exit()).resume();
