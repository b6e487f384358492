import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { run, serviceEnvironment, temporaryFolder, testKey } from '../support/program.ts';
import { entry, page, scriptedService } from '../support/service.ts';

/** A listing of three pages: 3 + 3 + 2 entries. */
const threePages: Record<string, unknown> = {
  first: page(0, 3, 't+1/=&% ü', 8),
  't+1/=&% ü': page(3, 6, 'token-2', 8),
  'token-2': page(6, 8, null, 8),
};

const reply = ({ query }: { query: URLSearchParams }) => ({
  body: threePages[query.get('continuation') ?? 'first'],
});

test('specification 4.3 rules 1 to 3: first page by channel, later ones by continuation alone, until has_more is false', async (t) => {
  const service = await scriptedService(t, reply);
  const result = await run(['uploads', '@test'], { env: serviceEnvironment(service.url) });
  assert.equal(result.exit, 0);
  assert.deepEqual(
    service.seen.map(({ path, query }) => [path, [...query]]),
    [
      ['/api/v2/media/channel/videos', [['channel', '@test']]],
      ['/api/v2/media/channel/videos', [['continuation', 't+1/=&% ü']]],
      ['/api/v2/media/channel/videos', [['continuation', 'token-2']]],
    ],
  );
  assert.deepEqual(
    result.lines,
    Array.from({ length: 8 }, (_, n) => JSON.stringify(entry(n))),
  );
  assert.equal(result.stderr, '');
});

test('specification 4.5 rule 1: playlist or continuation, exactly one of them', async (t) => {
  const service = await scriptedService(t, reply);
  const result = await run(['playlist', 'https://www.example.com/playlist?list=PLx'], {
    env: serviceEnvironment(service.url),
  });
  assert.equal(result.exit, 0);
  assert.deepEqual(
    service.seen.map(({ path, query }) => [path, [...query.keys()]]),
    [
      ['/api/v2/media/playlist/videos', ['playlist']],
      ['/api/v2/media/playlist/videos', ['continuation']],
      ['/api/v2/media/playlist/videos', ['continuation']],
    ],
  );
  assert.equal(service.seen[0]?.query.get('playlist'), 'PLx');
});

test('specification 5 rule 1: every request carries the key; known deployment: the User-Agent names the program', async (t) => {
  const service = await scriptedService(t, reply);
  await run(['uploads', '@test'], { env: serviceEnvironment(service.url) });
  assert.equal(service.seen.length, 3);
  for (const { headers, method } of service.seen) {
    assert.equal(method, 'GET');
    assert.equal(headers.authorization, `Bearer ${testKey}`);
    assert.match(headers['user-agent'] ?? '', /^chanlist\/\d+\.\d+\.\d+/);
  }
});

test('a base address with a path and another namespace are used as given', async (t) => {
  const service = await scriptedService(t, reply);
  await run(['uploads', '@test', '-n', '1', '--namespace', 'word'], {
    env: serviceEnvironment(`${service.url}/prefix/`),
  });
  assert.equal(service.seen[0]?.path, '/prefix/api/v2/word/channel/videos');
});

test('--limit N: exactly N entries, and no page more than needed', async (t) => {
  for (const [limit, requests] of [
    [1, 1],
    [3, 1],
    [4, 2],
    [6, 2],
    [8, 3],
    [9, 3],
  ] as const) {
    const service = await scriptedService(t, reply);
    const result = await run(['uploads', '@test', '-n', String(limit)], {
      env: serviceEnvironment(service.url),
    });
    assert.equal(result.exit, 0);
    assert.equal(result.lines.length, Math.min(limit, 8));
    assert.equal(service.seen.length, requests, `limit ${limit}`);
    assert.equal(result.stderr, '');
  }
});

test('--max-credits is never exceeded; 9 says what was spent, what is needed, and the command that resumes', async (t) => {
  const service = await scriptedService(t, reply);
  const env = serviceEnvironment(service.url);
  const result = await run(['uploads', '@test', '--max-credits', '2'], { env });
  assert.equal(result.exit, 9);
  assert.equal(service.seen.length, 2);
  assert.equal(result.lines.length, 6);
  assert.match(result.stderr, /^chanlist: .*about 1 more.*2 credits spent.*\n$/);
  assert.match(result.stderr, /chanlist uploads --max-credits 2 --continuation=token-2\n$/);

  const exact = await run(['uploads', '@test', '--max-credits', '3'], { env });
  assert.equal(exact.exit, 0);
  const none = await run(['uploads', '@test'], { env: { ...env, CHANLIST_MAX_CREDITS: '0' } });
  assert.equal(none.exit, 9);
  assert.equal(service.seen.length, 5);
});

test('a budget that ends where numVideos says that nothing is left: a page costs a credit at least', async (t) => {
  const service = await scriptedService(t, (_, number) => ({
    body: page(2 * number, 2 * number + 2, `t${number}`, 2),
  }));
  const result = await run(['uploads', '@test', '--max-credits', '1'], {
    env: serviceEnvironment(service.url),
  });
  assert.equal(result.exit, 9);
  assert.match(result.stderr, /; about 1 more is needed; 1 credit spent; /);
  assert.equal(service.seen.length, 1);
});

test('a budget that ends between two references: the command for the remaining ones', async (t) => {
  const service = await scriptedService(t, reply);
  const env = serviceEnvironment(service.url);
  const result = await run(['uploads', '@a', '@b', '@c', '--max-credits', '3', '-f', 'id'], { env });
  assert.equal(result.exit, 9);
  assert.equal(service.seen.length, 3);
  assert.match(
    result.stderr,
    /^chanlist: 2 references stopped by the budget: [^\n]*: @b, @c; 3 credits spent; resume with: chanlist uploads @b @c --format id --max-credits 3\n$/,
  );
});

test('a budget that allows no page: stderr states that nothing was spent, and the command that resumes', async (t) => {
  const service = await scriptedService(t, reply);
  const env = serviceEnvironment(service.url);
  const result = await run(['uploads', '@a', '--max-credits', '0', '-f', 'id'], { env });
  assert.deepEqual([result.exit, result.stdout], [9, '']);
  assert.equal(service.seen.length, 0);
  assert.match(
    result.stderr,
    /^chanlist: @a: stopped by the budget: [^\n]*; 0 credits spent; resume with: chanlist uploads @a --format id --max-credits 1\n$/,
  );
});

test('the command that resumes a listing has each flag once, as it was meant', async (t) => {
  const service = await scriptedService(t, reply);
  const args = ['--timeout', '5', '-v', 'uploads', '@a', '--timeout', '10', '--max-credits', '1', '-n', '7'];
  const { stderr } = await run(args, { env: serviceEnvironment(service.url) });
  assert.match(
    stderr,
    / resume with: chanlist uploads --max-credits 1 --timeout 10 --verbose --continuation='t\+1\/=&% ü' --limit 4$/m,
  );
});

test('every reference has its place in the document and in the receipt, even if the call ends before its turn', async (t) => {
  const service = await scriptedService(t, ({ query, path }) => {
    if (query.get('channel') === '@b') return { status: 402, body: { detail: 'no credits' } };
    return { body: path.endsWith('latest') ? { results: [entry(0)] } : page(0, 1, null) };
  });
  const folder = await temporaryFolder(t);
  const summary = join(folder, 'summary.json');
  for (const command of ['uploads', 'latest']) {
    const args = [command, '@a', '@b', '@c', '@d', '--json', '--summary', summary];
    const more = command === 'latest' ? ['--concurrency', '1'] : [];
    const result = await run([...args, ...more], { env: serviceEnvironment(service.url) });
    assert.equal(result.exit, 4);
    const error = { code: 'no_credits', status: 402, message: 'no credits (402: no credits)' };
    const cut = { playlist_info: null, results: [], continuation_token: null, has_more: true, error };
    const whole = command === 'uploads' ? page(0, 1, null) : { results: [entry(0)] };
    const failed = command === 'uploads' ? cut : { error };
    assert.deepEqual(JSON.parse(result.stdout), [
      { reference: '@a', result: whole },
      ...['@b', '@c', '@d'].map((reference) => ({ reference, result: failed })),
    ]);
    const { references } = JSON.parse(await readFile(summary, 'utf8'));
    assert.deepEqual(
      references.map(({ reference, status, exit }: Record<string, unknown>) => [reference, status, exit]),
      [['@a', 'complete', 0], ...['@b', '@c', '@d'].map((reference) => [reference, 'interrupted', 4])],
    );
  }
  assert.equal(service.seen.length, 4);
});

test('--max-credits 0: nothing is sent; the command that resumes allows one credit', async (t) => {
  const service = await scriptedService(t, reply);
  const env = serviceEnvironment(service.url);
  const result = await run(['uploads', '@a', '@b', '--max-credits', '0', '-f', 'id'], { env });
  assert.equal(result.exit, 9);
  assert.equal(service.seen.length, 0);
  assert.match(result.stderr, /resume with: chanlist uploads @a @b --format id --max-credits 1\n$/);
  const page = await run(['uploads', '--continuation', 'token-2', '--max-credits', '0'], { env });
  assert.equal(page.exit, 9);
  assert.equal(service.seen.length, 0);
  assert.match(page.stderr, /resume with: chanlist uploads --max-credits 1 --continuation=token-2\n$/);
});

test('the command that resumes a listing lists the rest', async (t) => {
  const service = await scriptedService(t, reply);
  const env = serviceEnvironment(service.url);
  const first = await run(['uploads', '@test', '--max-credits', '1', '-f', 'id'], { env });
  const command = /resume with: chanlist (.*)\n$/.exec(first.stderr)?.[1] ?? '';
  assert.match(command, /--continuation='t\+1\/=&% ü'/);
  const rest = await run(['uploads', '--continuation', 't+1/=&% ü', '-f', 'id'], { env });
  assert.equal(rest.exit, 0);
  assert.equal(
    first.stdout + rest.stdout,
    Array.from({ length: 8 }, (_, n) => `${entry(n).videoId}\n`).join(''),
  );
});

test('several references: one after another, one given twice is listed once, 404 stops only that one', async (t) => {
  const service = await scriptedService(t, ({ query }) =>
    query.get('channel') === '@gone'
      ? { status: 404, body: { detail: 'no such channel' } }
      : { body: page(0, 2, null) },
  );
  const result = await run(
    ['uploads', '@a', '@gone', '@b', 'https://example.com/@a', '@a', '--fields', '@reference,videoId'],
    {
      env: serviceEnvironment(service.url),
    },
  );
  assert.equal(result.exit, 5);
  assert.deepEqual(
    service.seen.map(({ query }) => query.get('channel')),
    ['@a', '@gone', '@b'],
  );
  assert.deepEqual(
    result.lines.map((line) => JSON.parse(line)['@reference']),
    ['@a', '@a', '@b', '@b'],
  );
  assert.match(
    result.stderr,
    /^chanlist: 1 reference is given more than once and listed once\nchanlist: @gone: not found \(404: no such channel\); 0 credits spent; [^\n]*\n$/,
  );
});

test('a failure of the account ends the call and gives its code', async (t) => {
  const service = await scriptedService(t, ({ query }) => {
    if (query.get('channel') === '@gone') return { status: 404 };
    return query.get('channel') === '@poor'
      ? { status: 402, body: { detail: { message: 'none left' } } }
      : { body: page(0, 1, null) };
  });
  const result = await run(['uploads', '@gone', '@poor', '@never'], { env: serviceEnvironment(service.url) });
  assert.equal(result.exit, 4);
  assert.equal(service.seen.length, 2);
  assert.match(result.stderr, /^chanlist: (?:@poor: )?no credits \(402: none left\); 0 credits spent; /m);
});

test('--from reads a file or stdin, skips blank lines and comments, and takes Windows line ends', async (t) => {
  const service = await scriptedService(t, () => ({ body: page(0, 1, null) }));
  const env = serviceEnvironment(service.url);
  const file = join(await temporaryFolder(t), 'refs.txt');
  await writeFile(file, '\ufeff@a\r\n\r\n# note\r\n  @b  \r\n@a\r\n');
  const result = await run(['uploads', '--from', file], { env });
  assert.equal(result.exit, 0);
  assert.deepEqual(
    service.seen.map(({ query }) => query.get('channel')),
    ['@a', '@b'],
  );
  const piped = await run(['uploads', '--from', '-'], { env, input: '@c\n' });
  assert.equal(piped.exit, 0);
  assert.equal(service.seen.at(-1)?.query.get('channel'), '@c');
});

test('every bad line of --from is named, and nothing is sent', async (t) => {
  const service = await scriptedService(t, () => ({ body: page(0, 1, null) }));
  const result = await run(['uploads', '@a', '--from', '-'], {
    env: serviceEnvironment(service.url),
    input: '@a\nnonsense\n\n#\nPLdemo\n@b\n',
  });
  assert.equal(result.exit, 2);
  assert.equal(result.stdout, '');
  assert.match(result.stderr, /^chanlist: stdin:2, stdin:5: 2 are not channel references; [^\n]*\n$/);
  assert.equal(service.seen.length, 0);
});

test('specification 8: limits are checked in code points before anything is sent', async (t) => {
  const service = await scriptedService(t, () => ({ body: { channel_id: 'UCx', resolved_from: 'x' } }));
  const env = serviceEnvironment(service.url);
  const bad: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [['resolve', `@${'a'.repeat(200)}`], /^chanlist: input has 201 characters: expected 1 to 200[^\n]*\n$/],
    [['search', '@a', ''], /^chanlist: q has 0 characters: expected 1 to 200\n$/],
    [['search', '@a', '👍'.repeat(201)], /^chanlist: q has 201 characters: expected 1 to 200\n$/],
    ...['0', '51', '1.5'].map(
      (limit) =>
        [
          ['search', '@a', 'x', '--limit', limit],
          new RegExp(`^chanlist: --limit is '${limit}': expected a whole number, from 1 to 50\n$`),
        ] as const,
    ),
  ];
  for (const [args, says] of bad) {
    const result = await run(args, { env });
    assert.equal(result.exit, 2, args.join(' '));
    assert.match(result.stderr, says);
    assert.equal(result.stdout, '');
  }
  assert.equal(service.seen.length, 0);
  const good = await run(['resolve', `@${'👍'.repeat(199)}`], { env });
  assert.equal(good.exit, 0);
  const query = await run(['search', '@a', '👍'.repeat(200), '--limit', '50'], { env });
  assert.equal(query.exit, 0);
  assert.equal(service.seen.length, 2);
});

test('specification 4.2: words are joined, the limit is sent only if given', async (t) => {
  const service = await scriptedService(t, () => ({ body: { results: [] } }));
  const env = serviceEnvironment(service.url);
  await run(['search', 'https://example.com/@a/videos', 'two', 'words & more'], { env });
  await run(['search', '@a', 'x', '-n', '7'], { env });
  assert.deepEqual(
    service.seen.map(({ path, query }) => [path, [...query]]),
    [
      [
        '/api/v2/media/channel/search',
        [
          ['channel', '@a'],
          ['q', 'two words & more'],
        ],
      ],
      [
        '/api/v2/media/channel/search',
        [
          ['channel', '@a'],
          ['q', 'x'],
          ['limit', '7'],
        ],
      ],
    ],
  );
});

test('--dry-run prints the first request of each reference and its cost, and sends nothing', async (t) => {
  const service = await scriptedService(t, () => ({ body: {} }));
  const base = ['--base-url', service.url, '--dry-run'];
  const at = `${service.url}/api/v2/media/channel`;
  const uploads = await run(['uploads', '@a', '@b', '--max-credits', '5', ...base]);
  assert.deepEqual(
    [uploads.exit, uploads.lines],
    [
      0,
      [
        `GET ${at}/videos?channel=%40a  1 credit per page`,
        `GET ${at}/videos?channel=%40b  1 credit per page`,
        'at most 5 credits in all',
      ],
    ],
  );
  const latest = await run(['latest', '@a', ...base]);
  assert.equal(latest.stdout, `GET ${at}/latest?channel=%40a  free\n`);
  const search = await run(['search', '@a', 'x y', ...base]);
  assert.equal(search.stdout, `GET ${at}/search?channel=%40a&q=x%20y  1 credit\n`);
  assert.equal(service.seen.length, 0);
});

const loops: readonly [name: string, reply: (n: number) => unknown, requests: number, rows: number][] = [
  ['a token seen before', (n) => page(n, n + 1, 'same'), 2, 2],
  ['has_more without a token', () => ({ ...page(0, 1, 'x'), continuation_token: null }), 1, 1],
  ['has_more with an empty token', () => ({ ...page(0, 1, 'x'), continuation_token: '' }), 1, 1],
  ['a token that is no string', () => ({ ...page(0, 1, 'x'), continuation_token: 7 }), 1, 1],
  ['ten empty pages in a row', (n) => page(0, 0, `token-${n}`), 10, 0],
  ['has_more as a string', () => ({ ...page(0, 2, null), has_more: 'false' }), 1, 2],
  ['no has_more', () => ({ results: [entry(0)] }), 1, 1],
  ['no results', () => ({ has_more: false, continuation_token: null }), 1, 0],
];

test('paging that would never end, or an invalid page: 8 once the entries of the page are printed', async (t) => {
  for (const [name, answer, requests, rows] of loops) {
    const service = await scriptedService(t, (_, number) => ({ body: answer(number) }));
    const result = await run(['uploads', '@a'], { env: serviceEnvironment(service.url) });
    assert.equal(result.exit, 8, name);
    assert.equal(service.seen.length, requests, name);
    assert.equal(result.lines.length, rows, name);
    const credits = requests === 1 ? '1 credit' : `${requests} credits`;
    assert.match(result.stderr, new RegExp(`^chanlist: @a: .*${credits} spent.*\n$`), name);
  }
});

test('a page equal to the one before ends the listing with 8', async (t) => {
  const service = await scriptedService(t, (_, number) => ({ body: page(0, 2, `token-${number}`) }));
  const result = await run(['uploads', '@a'], { env: serviceEnvironment(service.url) });
  assert.equal(result.exit, 8);
  assert.equal(service.seen.length, 2);
  assert.equal(result.lines.length, 2);
  assert.match(result.stderr, /^chanlist: @a: the service sent the same page twice; 2 credits spent; /);
});

test('an entry of uploads that was on the previous page is not repeated; in a playlist it is', async (t) => {
  // A new upload moves the list while it is read: the last entry of a page is the first of the next one.
  const service = await scriptedService(t, ({ query }) => ({
    body: query.has('continuation') ? page(2, 5, null, 5) : page(0, 3, 'next', 5),
  }));
  const env = serviceEnvironment(service.url);
  const ids = (await run(['uploads', '@a', '-f', 'id'], { env })).lines;
  assert.deepEqual(
    ids,
    [0, 1, 2, 3, 4].map((n) => entry(n).videoId),
  );
  assert.equal((await run(['playlist', 'PLx', '-f', 'id'], { env })).lines.length, 6);
});

test('--continuation starts at its page, without a reference', async (t) => {
  const service = await scriptedService(t, reply);
  const env = serviceEnvironment(service.url);
  const rest = await run(['uploads', '--continuation', 'token-2', '-f', 'id'], { env });
  assert.deepEqual([rest.exit, rest.lines], [0, [entry(6).videoId, entry(7).videoId]]);
  for (const args of [
    ['@a', '--continuation', 'token-2'],
    ['--from', '-', '--continuation', 'token-2'],
  ])
    assert.equal((await run(['uploads', ...args], { env, input: '@a\n' })).exit, 2);
  assert.equal(service.seen.length, 1);
});

test('--continuation with a token that is refused: a document that is cut short at it', async (t) => {
  for (const status of [400, 404, 422]) {
    const service = await scriptedService(t, () => ({ status, body: { detail: 'expired' } }));
    const env = serviceEnvironment(service.url);
    const result = await run(['uploads', '--continuation', 'token-2', '--json'], { env });
    assert.equal(result.exit, 8);
    const { error, ...document } = JSON.parse(result.stdout);
    assert.deepEqual([error.code, error.status], ['refused', status]);
    const empty = { playlist_info: null, results: [], continuation_token: 'token-2', has_more: true };
    assert.deepEqual(document, empty);
  }
});

test('latest --limit truncates the results, and leaves the rest of the body as sent', async (t) => {
  const body = { channel: { channelId: 'UCx' }, results: [entry(0), entry(1), entry(2)], result_count: 3 };
  const service = await scriptedService(t, () => ({ body }));
  const env = serviceEnvironment(service.url);
  const result = await run(['latest', '@a', '-n', '2', '--json'], { env });
  assert.deepEqual(JSON.parse(result.stdout), { ...body, results: body.results.slice(0, 2) });
});

test('resolve and latest print their result for every input, in input order; each is requested once', async (t) => {
  const service = await scriptedService(t, ({ query }) =>
    query.get('input') === '@gone'
      ? { status: 404 }
      : { body: { channel_id: `UC${query.get('input')?.slice(1)}`, resolved_from: 'x' } },
  );
  const env = serviceEnvironment(service.url);
  const inputs = ['@b', 'https://example.com/@a', '@gone', '@a', 'example.com/@b/videos', '@b'];
  const result = await run(['resolve', ...inputs, '--fields', '@reference,channel_id', '-f', 'csv'], { env });
  assert.equal(result.exit, 5);
  assert.deepEqual(result.lines, [
    '@reference,channel_id',
    '@b,UCb',
    'https://example.com/@a,UCa',
    '@a,UCa',
    'example.com/@b/videos,UCb',
    '@b,UCb',
  ]);
  assert.equal(service.seen.length, 3);
});

test('a spent budget: the references that need no page are still listed, the rest is interrupted', async (t) => {
  const service = await scriptedService(t, reply);
  const folder = await temporaryFolder(t);
  const summary = join(folder, 'summary.json');
  const result = await run(['uploads', '@a', '@b', '--json', '--max-credits', '3', '--summary', summary], {
    env: serviceEnvironment(service.url),
  });
  assert.equal(result.exit, 9);
  assert.deepEqual(
    JSON.parse(result.stdout).map(({ result }: { result: { results: unknown[]; has_more: boolean } }) => [
      result.results.length,
      result.has_more,
    ]),
    [
      [8, false],
      [0, true],
    ],
  );
  assert.deepEqual(
    JSON.parse(await readFile(summary, 'utf8')).references.map(({ status }: { status: string }) => status),
    ['complete', 'interrupted'],
  );
});

test('five references that fail in a row with 7 end the call; stdout and receipt name the others', async (t) => {
  const service = await scriptedService(t, () => ({ status: 500 }));
  const env = serviceEnvironment(service.url);
  const input = Array.from({ length: 8 }, (_, n) => `@a${n}\n`).join('');
  for (const [command, says] of [
    ['uploads', /^chanlist: 5 references: stdin:1 @a0, stdin:2 @a1, stdin:3 @a2 and 2 more: [^\n]*500/m],
    [
      'latest',
      /^chanlist: 5 references: [^\n]*500[^\n]*: stdin:1 @a0, stdin:2 @a1, stdin:3 @a2 and 2 more$/m,
    ],
  ] as const) {
    service.seen.length = 0;
    const args = [command, '--from', '-', '--retries', '0', '--concurrency', '1'];
    const result = await run(command === 'latest' ? args : args.slice(0, 5), { env, input });
    assert.equal(result.exit, 7);
    assert.equal(service.seen.length, 5, command);
    assert.match(result.stderr, /^chanlist: [^\n]*5 references failed in a row[^\n]*\n/m);
    assert.match(result.stderr, says);
  }
});

test('failures with 7 are no outage if another reference succeeds meanwhile, or if they are one reference', async (t) => {
  let release: () => void = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const service = await scriptedService(t, async ({ query }) => {
    const channel = query.get('channel') ?? '';
    if (channel === '@ok5') release();
    if (channel === '@slow') await isReleased;
    return channel.startsWith('@ok') ? { body: { results: [entry(0)] } } : { status: 500 };
  });
  const env = serviceEnvironment(service.url);
  const meanwhile = ['@slow', '@b', '@ok', '@c', '@d', '@e', '@ok2', '@ok3', '@ok4', '@ok5'];
  const repeated = ['@a', '@a', '@a', '@a', '@a', '@ok'];
  for (const references of [meanwhile, repeated]) {
    const result = await run(['latest', ...references, '-f', 'id', '--retries', '0'], { env });
    assert.equal(result.exit, 7);
    assert.match(result.stderr, /^chanlist: 5 references: [^\n]*\n$/);
    assert.equal(result.lines.length, references.filter((name) => name.startsWith('@ok')).length);
  }
});

test('listings that fail with one cause: one line, which ends with one command for all of them', async (t) => {
  const service = await scriptedService(t, ({ query }) =>
    query.get('channel')?.startsWith('@x') ? { status: 500 } : { body: page(0, 1, null) },
  );
  const args = ['uploads', '@x1', '@ok', '@x2', '--retries', '0', '-f', 'id'];
  const result = await run(args, { env: serviceEnvironment(service.url) });
  assert.equal(result.exit, 7);
  assert.match(
    result.stderr,
    /^chanlist: 2 references: @x1, @x2: [^\n]*500[^\n]*; 0 credits spent; [^\n]*; resume with: chanlist uploads @x1 @x2 --format id --retries 0\n$/,
  );
});

test('failures with one cause are one line, also if the service quotes what was sent to it', async (t) => {
  const service = await scriptedService(t, ({ query }) => ({
    status: 404,
    body: { detail: `no channel ${query.get('input')} (UC_A-b)` },
  }));
  const references = ['@a', '@ab', 'UC_A-b', '@a.b', '@日本'];
  const result = await run(['resolve', ...references], { env: serviceEnvironment(service.url) });
  assert.equal(result.exit, 5);
  assert.match(
    result.stderr,
    /^chanlist: 4 references: not found \(404: no channel REFERENCE \(UC_A-b\)\); check the spelling: @a, @ab, @a\.b and 1 more$/m,
  );
  assert.match(result.stderr, /^chanlist: UC_A-b: not found \(404: no channel UC_A-b \(UC_A-b\)\); /m);
  assert.equal(result.stderr.split('\n').length, 3);
});

test('a token that is too long for a command line is left out of it', async (t) => {
  const token = 'x'.repeat(4097);
  const service = await scriptedService(t, ({ query }) =>
    query.has('continuation') ? { status: 500 } : { body: page(0, 3, token, 8) },
  );
  const result = await run(['uploads', '@a', '--retries', '0'], { env: serviceEnvironment(service.url) });
  assert.equal(result.exit, 7);
  assert.ok(!result.stderr.includes(token));
  assert.match(result.stderr, /1 credit spent; [^\n]*--json prints it\n$/);
});
