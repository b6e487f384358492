import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHere as run } from '../support/command.ts';
import { serviceEnvironment } from '../support/program.ts';
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

test('json after a failure: a valid document, even if nothing arrived', async (t) => {
  const service = await scriptedService(t, () => ({ status: 404, body: { detail: 'gone' } }));
  const env = serviceEnvironment(service.url);
  const uploads = JSON.parse((await service.run('uploads @a --json')).stdout);
  assert.deepEqual(uploads, {
    playlist_info: null,
    results: [],
    continuation_token: null,
    has_more: false,
    error: { code: 'not_found', status: 404, message: 'not found (404: gone)' },
  });
  const latest = await run('latest @a --json', { env });
  assert.equal(latest.exit, 5);
  assert.deepEqual(Object.keys(JSON.parse(latest.stdout)), ['error']);
  const usage = await run('uploads nonsense --json', { env });
  assert.equal(JSON.parse(usage.stdout).error.code, 'usage');
});

test('json of several references: an array of reference and result, in input order', async (t) => {
  const service = await scriptedService(t, ({ query }) =>
    query.get('channel') === '@b' ? { status: 404 } : { body: page(0, 1, null) },
  );
  const several = JSON.parse((await service.run('uploads @a @b @c --json')).stdout);
  assert.deepEqual(
    several.map(({ reference }: { reference: string }) => reference),
    ['@a', '@b', '@c'],
  );
  assert.equal(several[1].result.error.status, 404);
  assert.equal(several[2].result.results.length, 1);
  const from = JSON.parse((await service.run('uploads --from - --json', { input: '@a\n' })).stdout);
  assert.equal(from.length, 1);
  const latest = JSON.parse((await service.run('latest @a @b --json')).stdout);
  assert.equal(latest[1].result.error.code, 'not_found');
});

test('--fields reach every format; @reference is as given', async (t) => {
  const service = await scriptedService(t, () => ({ text: listing(wild) }));
  const fields = 'big,gone.deep,@reference';
  const row = '{"big":12345678901234567890123,"gone.deep":null,"@reference":"example.com/@a"}';
  for (const [format, text] of [
    ['ndjson', `${row}\n`],
    ['json', `"results":[${row}]`],
    ['csv', `${fields}\n12345678901234567890123,,example.com/@a\n`],
    ['table', '12345678901234567890123             example.com/@a\n'],
  ] as const) {
    const { stdout } = await service.run(['uploads', 'example.com/@a', '-f', format, '--fields', fields]);
    assert.ok(stdout.includes(text), stdout);
  }
});

test('--fields: a near miss, an empty or a repeated name is a usage error', async (t) => {
  const service = await scriptedService(t, () => ({ body: page(0, 1, null) }));
  for (const [fields, says] of [
    ['vidoeId', "--fields: there is no field 'vidoeId'; did you mean videoId?"],
    ['tittle', "--fields: there is no field 'tittle'; did you mean title?"],
    ['thumbnail.0', "--fields: there is no field 'thumbnail'; did you mean thumbnails?"],
    ['videoId,,title', "--fields: 'videoId,,title' has an empty name; expected e.g. videoId,title"],
    ['title,title', '--fields names title twice'],
    [
      '@refrence',
      "--fields: there is no field '@refrence'; did you mean @reference? expected one of @reference, @seconds, @views, @published",
    ],
    ['', '--fields is empty'],
  ] as const) {
    const result = await service.run(['uploads', '@a', '--fields', fields]);
    assert.equal(result.exit, 2, fields);
    assert.equal(result.stdout, '');
    assert.equal(result.stderr, `chanlist: error: ${says}\n`);
  }
  assert.equal(service.seen.length, 0);
  const known = await service.run('latest @a --fields thumbnail,viewCount,published');
  assert.equal(known.exit, 0);
});

test('--fields: what no entry has, and dates that nobody knows, are warnings', async (t) => {
  const service = await scriptedService(t, () => ({ text: listing('{"videoId":"v","title":"t"}') }));
  const { exit, stdout, stderr } = await service.run('uploads @a --fields members_only,@published --ndjson');
  assert.deepEqual([exit, stdout], [0, '{"members_only":null,"@published":null}\n']);
  assert.equal(
    stderr,
    'chanlist: warning: --fields: no entry on the first page has members_only; its fields are videoId, title\n' +
      'chanlist: warning: --fields: @published is null: only latest and ndjson exports of uploads have dates\n',
  );
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

test('free commands keep the input order, in whatever order the responses arrive', async (t) => {
  const service = await scriptedService(t, async ({ query }) => {
    const input = query.get('input') ?? '';
    // The first response waits until the others have been requested.
    if (input === '@a') await service.arrived(4);
    return { body: { channel_id: `UC${input.slice(1)}`, resolved_from: input } };
  });
  const result = await service.run('resolve @a @b @c @d @e -f id --concurrency 4');
  assert.equal(result.stdout, 'UCa\nUCb\nUCc\nUCd\nUCe\n');
});
