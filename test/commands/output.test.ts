import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page, scriptedService } from '../support/service.ts';

/** An entry as a service may write it: white space, big numbers, unknown fields, odd escapes. */
const wild =
  '{ "videoId" : "a\\u0062c", "big": 12345678901234567890123, "float": 1.50e+3, "minus": -0,\n "title": "T \\"q\\" \\/ \\u65e5 \u202e\u009b \\ud800",' +
  ' "nested": {"z": [1, 2.0, {"k": null}], "a": true}, "members_only": false, "dup": 1, "dup": 2 }';
/** The same in canonical form, written by hand. */
const canonical =
  '{"videoId":"abc","big":12345678901234567890123,"float":1.50e+3,"minus":-0,"title":"T \\"q\\" / 日 \\u202e\\u009b \\ud800",' +
  '"nested":{"z":[1,2.0,{"k":null}],"a":true},"members_only":false,"dup":1,"dup":2}';

const listing = (results: string, rest = '"continuation_token":null,"has_more":false'): string =>
  `{"results":[${results}],"playlist_info":{"title":"T","numVideos":"1","viewCount":null},${rest}}`;

test('ndjson and json: the fields as sent, in their order, digit for digit; json is one envelope of all pages', async (t) => {
  const pages = [listing(wild, '"continuation_token":"x","has_more":true'), listing('{"videoId":"2"}')];
  const service = await scriptedService(t, (_, number) => ({ text: pages[number] ?? '' }));
  assert.equal((await service.run('uploads @a --ndjson')).stdout, `${canonical}\n{"videoId":"2"}\n`);
  service.seen.length = 0;
  assert.equal(
    (await service.run('uploads @a --json')).stdout,
    `{"playlist_info":{"title":"T","numVideos":"1","viewCount":null},"results":[${canonical},{"videoId":"2"}],"continuation_token":null,"has_more":false}\n`,
  );
});

test('json cut short: has_more true and the token of the first page not fully printed', async (t) => {
  const pages = [page(0, 2, 'second', 6), page(2, 4, 'third', 6), page(4, 6, null, 6)];
  const service = await scriptedService(t, ({ query }) => ({
    body: pages[['second', 'third'].indexOf(query.get('continuation') ?? '') + 1],
  }));
  for (const [flags, token, rows, exit] of [
    ['-n 1', null, 1, 0],
    ['-n 2', 'second', 2, 0],
    ['-n 3', 'second', 3, 0],
    ['-n 5', 'third', 5, 0],
    ['--max-credits 2', 'third', 4, 9],
  ] as const) {
    const result = await service.run(`uploads @a --json ${flags}`);
    const { results, continuation_token, has_more, error, ...rest } = JSON.parse(result.stdout);
    assert.deepEqual([result.exit, continuation_token, has_more, results.length], [exit, token, true, rows]);
    assert.deepEqual(Object.keys(rest), ['playlist_info']);
    assert.deepEqual(Object.keys(error ?? {}), exit === 9 ? ['code', 'status', 'message', 'next'] : []);
  }
});

test('resolve prints the body as sent; one without a channel_id is 8', async (t) => {
  const text = '{ "extra":1.0, "channel_id":"UCx", "resolved_from":"@a" }';
  const service = await scriptedService(t, (_, number) => ({ text: number === 0 ? text : '{}' }));
  const { stdout } = await service.run('resolve @a --json');
  assert.equal(stdout, '{"extra":1.0,"channel_id":"UCx","resolved_from":"@a"}\n');
  assert.equal((await service.run('resolve @b')).exit, 8);
});
