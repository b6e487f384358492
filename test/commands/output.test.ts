import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page, scriptedService } from '../support/service.ts';
import { searchFields } from '../support/specified-fields.ts';

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

test('ndjson: exactly the fields the service sent, in its order, digit for digit', async (t) => {
  const service = await scriptedService(t, () => ({ text: listing(`${wild} , ${wild}`) }));
  const result = await service.run('uploads @a --ndjson');
  assert.equal(result.stdout, `${canonical}\n${canonical}\n`);
});

test('json: one envelope with all pages in it, equally faithful', async (t) => {
  const pages = [listing(wild, '"continuation_token":"x","has_more":true'), listing('{"videoId":"2"}')];
  const service = await scriptedService(t, (_, number) => ({ text: pages[number] ?? '' }));
  const result = await service.run('uploads @a --json');
  assert.equal(
    result.stdout,
    `{"playlist_info":{"title":"T","numVideos":"1","viewCount":null},"results":[${canonical},{"videoId":"2"}],"continuation_token":null,"has_more":false}\n`,
  );
});

test('json cut short: has_more true and the token of the first page not fully printed', async (t) => {
  const service = await scriptedService(t, ({ query }) => ({
    body: query.has('continuation') ? page(2, 4, 'third', 6) : page(0, 2, 'second', 6),
  }));
  const cut = async (
    ...args: string[]
  ): Promise<{ token: unknown; more: unknown; rows: number; exit: number | null; error: unknown }> => {
    const result = await service.run(['uploads', '@a', '--json', ...args]);
    const value = JSON.parse(result.stdout);
    assert.deepEqual(Object.keys(value).slice(0, 4), [
      'playlist_info',
      'results',
      'continuation_token',
      'has_more',
    ]);
    return {
      token: value.continuation_token,
      more: value.has_more,
      rows: value.results.length,
      exit: result.exit,
      error: value.error,
    };
  };
  assert.deepEqual(await cut('-n', '1'), { token: null, more: true, rows: 1, exit: 0, error: undefined });
  assert.deepEqual(await cut('-n', '2'), { token: 'second', more: true, rows: 2, exit: 0, error: undefined });
  assert.deepEqual(await cut('-n', '3'), { token: 'second', more: true, rows: 3, exit: 0, error: undefined });
  const budget = await cut('--max-credits', '2');
  assert.deepEqual([budget.token, budget.more, budget.rows, budget.exit], ['third', true, 4, 9]);
  assert.deepEqual(Object.keys(budget.error as object), ['code', 'status', 'message']);
});

test('a response of more than a million values is 8', async (t) => {
  const service = await scriptedService(t, () => ({ text: listing(`{"a":[${'0,'.repeat(1_000_000)}0]}`) }));
  const { exit, stdout, stderr } = await service.run('uploads @a --ndjson');
  assert.deepEqual([exit, stdout], [8, '']);
  assert.match(stderr, /the response has more than 1,000,000 values/);
});

test('a response of unknown shape is printed, in every format', async (t) => {
  const body = [{ a: 1 }, 2, 'x', null];
  const service = await scriptedService(t, () => ({ body }));
  const empty = ','.repeat(12);
  for (const [line, text] of [
    ['latest @a -f ndjson', '{"a":1}\n2\n"x"\nnull\n'],
    ['latest @a -f json', '[{"a":1},2,"x",null]\n'],
    ['search @a x -f csv', `${searchFields},a,value\n${empty}1,\n${empty},2\n${empty},x\n${empty},\n`],
    ['search @a x -f table', 'a  value\n────────\n1\n   2\n   x\n\n'],
    // No entry has a videoId.
    ['search @a x -f id', ''],
  ] as const) {
    const { exit, stdout } = await service.command(line);
    assert.deepEqual([exit, stdout], [0, text], line);
  }
});

test('resolve prints the body as sent; one without a channel_id is 8', async (t) => {
  const service = await scriptedService(t, ({ query }) => ({
    text:
      query.get('input') === '@a'
        ? '{ "extra":1.0, "channel_id":"UCx", "resolved_from":"@a" }'
        : '{"resolved_from":"@b"}',
  }));
  assert.equal(
    (await service.run('resolve @a --json')).stdout,
    '{"extra":1.0,"channel_id":"UCx","resolved_from":"@a"}\n',
  );
  assert.equal((await service.run('resolve @b')).exit, 8);
});
