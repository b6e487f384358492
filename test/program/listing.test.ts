import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { run, serviceEnvironment, temporaryFolder, testKey } from '../support/program.ts';
import { entry, page, scriptedService } from '../support/service.ts';
import { onlyError, said } from '../support/stderr.ts';
import { printedCommand } from '../support/world.ts';

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
  onlyError(result, 'about 1 more', '2 credits spent');
  assert.ok(
    printedCommand(result.stderr)
      ?.join(' ')
      .match(/^uploads .*--continuation[= ]token-2\b/),
    result.stderr,
  );

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
  onlyError(result, 'about 1 more', '1 credit spent');
  assert.equal(service.seen.length, 1);
});

test('--max-credits: what is left is named; the command of one reference is as it was meant, each flag once', async (t) => {
  const service = await scriptedService(t, reply);
  const env = serviceEnvironment(service.url);
  const several = await run(['uploads', '@a', '@b', '@c', '--max-credits', '3', '-f', 'id'], { env });
  assert.deepEqual([several.exit, service.seen.length], [9, 3]);
  const line = onlyError(several, '--max-credits 3', '@b', '@c', '3 credits spent');
  assert.ok(!line.includes('chanlist uploads'), line);
  const args = ['--timeout', '5', '-v', 'uploads', '@a', '--timeout', '10', '--max-credits', '1', '-n', '7'];
  const { stderr } = await run([...args, '-f', 'id', '--fields', 'videoId'], { env });
  const words = printedCommand(stderr)?.join(' ') ?? '';
  assert.match(words, /^uploads /);
  for (const word of [
    '--timeout 10',
    '--continuation',
    't+1/=&% ü',
    '--limit',
    '--format id',
    '--fields videoId',
  ])
    assert.equal(words.split(word).length, 2, `${word}: ${words}`);
  assert.ok(!words.includes('--timeout 5'), words);
});

test('every reference has its place in the document and in the receipt, even if the run ends before its turn', async (t) => {
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
      [['@a', 'complete', null], ...['@b', '@c', '@d'].map((reference) => [reference, 'interrupted', 4])],
    );
  }
  assert.equal(service.seen.length, 4);
});

test('--max-credits 0: nothing is sent, nothing was spent', async (t) => {
  const service = await scriptedService(t, reply);
  const env = serviceEnvironment(service.url);
  for (const args of [['@a'], ['@a', '@b'], ['--continuation', 'token-2']]) {
    const result = await run(['uploads', ...args, '--max-credits', '0', '-f', 'id'], { env });
    assert.deepEqual([result.exit, result.stdout], [9, ''], result.stderr);
    const line = onlyError(result, '--max-credits 0', '0 credits spent');
    // Both would stop again.
    assert.doesNotMatch(line, /same command|chanlist uploads/);
  }
  assert.equal(service.seen.length, 0);
});

test('the command that resumes a listing lists the rest', async (t) => {
  const service = await scriptedService(t, reply);
  const env = serviceEnvironment(service.url);
  const first = await run(['uploads', '@test', '--max-credits', '1', '-f', 'id'], { env });
  assert.match(first.stderr, /--continuation[= ]'t\+1\/=&% ü'/);
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
  const { errors } = said(result.stderr);
  assert.equal(errors.length, 1, result.stderr);
  assert.match(errors[0] ?? '', /@gone.*404/);
  // Only if nothing else was found may the address be wrong.
  assert.doesNotMatch(result.stderr, /--namespace/);
  const alone = await run(['uploads', '@gone'], { env: serviceEnvironment(service.url) });
  assert.match(alone.stderr, /--namespace/);
});

test('a failure of the account ends the run; its code is graver than that of a reference', async (t) => {
  const service = await scriptedService(t, ({ query }) => {
    if (query.get('channel') === '@gone') return { status: 404 };
    return query.get('channel') === '@poor'
      ? { status: 402, body: { detail: { message: 'none left' } } }
      : { body: page(0, 1, null) };
  });
  const references = ['@ok', '@gone', '@poor', '@never'];
  const result = await run(['uploads', ...references], { env: serviceEnvironment(service.url) });
  assert.equal(result.exit, 4);
  assert.equal(service.seen.length, 3);
  const { errors } = said(result.stderr);
  assert.equal(errors.length, 2);
  // The 404 cost nothing; the run, which the other one ends, cost a credit.
  assert.match(errors[0] ?? '', /^@gone: .*404.*0 credits spent/);
  assert.match(errors[1] ?? '', /402.*@poor, @never.*1 credit spent/);
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
  onlyError(result, 'stdin:2', 'stdin:5');
  assert.equal(service.seen.length, 0);
});

test('specification 8: limits are checked in code points before anything is sent', async (t) => {
  const service = await scriptedService(t, () => ({ body: { channel_id: 'UCx', resolved_from: 'x' } }));
  const env = serviceEnvironment(service.url);
  const bad: readonly (readonly [args: readonly string[], ...named: string[]])[] = [
    [['resolve', `@${'a'.repeat(200)}`], '201', '200'],
    [['search', '@a', '']],
    [['search', '@a', '👍'.repeat(201)], '201', '200'],
    ...['0', '51', '1.5'].map(
      (limit) => [['search', '@a', 'x', '--limit', limit], '--limit', limit, '50'] as const,
    ),
  ];
  for (const [args, ...named] of bad) {
    const result = await run(args, { env });
    assert.equal(result.exit, 2, args.join(' '));
    onlyError(result, ...named);
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
  for (const [args, ...requests] of [
    [['uploads', '@a', '@b', '--max-credits', '5'], 'videos?channel=%40a 1', 'videos?channel=%40b 1'],
    [['latest', '@a'], 'latest?channel=%40a 0'],
    [['search', '@a', 'x y'], 'search?channel=%40a&q=x%20y 1'],
  ] as const) {
    const text = await run([...args, ...base]);
    assert.equal(text.exit, 0, text.stderr);
    const records = await run([...args, ...base, '-f', 'ndjson']);
    const expected = requests.map((request, i) => {
      const [url = '', cost] = request.split(' ');
      assert.ok(text.lines[i]?.includes(`GET ${at}/${url}`), text.stdout);
      assert.match(text.lines[i] ?? '', cost === '0' ? /free/ : /1 credit/);
      return { reference: i === 0 ? '@a' : '@b', method: 'GET', url: `${at}/${url}`, cost: Number(cost) };
    });
    assert.deepEqual(
      records.lines.map((line) => JSON.parse(line)),
      expected,
    );
  }
  assert.equal(service.seen.length, 0);
});

const loops: readonly [name: string, reply: (n: number) => unknown, requests: number, rows: number][] = [
  ['a token seen before', (n) => page(n, n + 1, 'same'), 2, 2],
  ['has_more without a token', () => ({ ...page(0, 1, 'x'), continuation_token: null }), 1, 1],
  ['has_more with an empty token', () => ({ ...page(0, 1, 'x'), continuation_token: '' }), 1, 1],
  ['a token that is no string', () => ({ ...page(0, 1, 'x'), continuation_token: 7 }), 1, 1],
  ['a page equal to the one before', (n) => page(0, 2, `token-${n}`), 2, 2],
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
    const line = onlyError(result, '@a', requests === 1 ? '1 credit spent' : `${requests} credits spent`);
    assert.doesNotMatch(line, /same command|chanlist uploads/);
  }
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

test('--continuation with a token that is refused: a document that is cut short, without the token', async (t) => {
  for (const status of [400, 404, 422]) {
    const service = await scriptedService(t, () => ({ status, body: { detail: 'expired' } }));
    const env = serviceEnvironment(service.url);
    const result = await run(['uploads', '--continuation', 'token-2', '--json'], { env });
    assert.equal(result.exit, 8);
    const { error, ...document } = JSON.parse(result.stdout);
    assert.deepEqual([error.code, error.status], ['refused', status]);
    const empty = { playlist_info: null, results: [], continuation_token: null, has_more: true };
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

test('five references that fail in a row with 7 or 8 end the run; one line per cause names three', async (t) => {
  const input = Array.from({ length: 8 }, (_, n) => `@a${n}\n`).join('');
  for (const [command, statuses, exit] of [
    ['uploads', [500], 7],
    ['latest', [500], 7],
    ['latest', [500, 422], 8],
  ] as const) {
    const service = await scriptedService(t, (_, n) => ({ status: statuses[n % statuses.length] ?? 500 }));
    const args = [command, '--from', '-', '--retries', '0'];
    const result = await run(command === 'latest' ? [...args, '--concurrency', '1'] : args, {
      env: serviceEnvironment(service.url),
      input,
    });
    assert.deepEqual([result.exit, service.seen.length], [exit, 5], result.stderr);
    const { errors } = said(result.stderr);
    assert.equal(errors.length, statuses.length + 1);
    for (const [n, status] of statuses.entries())
      assert.match(errors[n] ?? '', new RegExp(`\\b${status}\\b`));
    if (statuses.length === 1) assert.match(errors[0] ?? '', /5 .*stdin:1 @a0.*stdin:2 @a1.*stdin:3 @a2/);
    assert.match(errors.at(-1) ?? '', /stdin:6 @a5.*stdin:7 @a6.*stdin:8 @a7/);
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
    onlyError(result, '5', '500');
    assert.equal(result.lines.length, references.filter((name) => name.startsWith('@ok')).length);
  }
});

test('failures with one code and status are one line: a count, three references and the first message', async (t) => {
  const service = await scriptedService(t, ({ query }) => ({
    status: 404,
    body: { detail: `no channel ${query.get('input')}` },
  }));
  const references = ['@a', '@ab', 'UC_A-b', '@a.b', '@日本'];
  const result = await run(['resolve', ...references], { env: serviceEnvironment(service.url) });
  assert.equal(result.exit, 5);
  const line = onlyError(result, '5', '404', '@a', '@ab', 'UC_A-b', 'no channel @a');
  assert.ok(!line.includes('@a.b'), line);
});

test('a token that is too long for a command line is left out of it', async (t) => {
  const token = 'x'.repeat(4097);
  const service = await scriptedService(t, ({ query }) =>
    query.has('continuation') ? { status: 500 } : { body: page(0, 3, token, 8) },
  );
  const result = await run(['uploads', '@a', '--retries', '0'], { env: serviceEnvironment(service.url) });
  assert.equal(result.exit, 7);
  assert.ok(!result.stderr.includes(token));
  onlyError(result, '1 credit spent');
});
