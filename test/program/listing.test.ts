import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { Stdout } from '../../src/output/stdout.ts';
import { temporaryFolder, testKey } from '../support/program.ts';
import { entry, page, scriptedService } from '../support/service.ts';
import { runPrinted } from '../support/shell.ts';
import { onlyError } from '../support/stderr.ts';
import { statuses } from '../support/summary.ts';

/** A token that needs quoting, in an address and in a shell. */
const odd = 'it\'s $HOME `x` \\ "q" ! # +1/=&% ü';
/** A listing of three pages: 3 + 3 + 2 entries. */
const threePages: Record<string, unknown> = {
  first: page(0, 3, odd, 8),
  [odd]: page(3, 6, 'token-2', 8),
  'token-2': page(6, 8, null, 8),
};

const reply = ({ query }: { query: URLSearchParams }) => ({
  body: threePages[query.get('continuation') ?? 'first'],
});

test('specification 4.3, 4.5 and 5: first page by reference, later ones by token alone, each request with the key, below the base address', async (t) => {
  for (const [line, operation, first] of [
    ['uploads @test', 'channel/videos', 'channel=@test'],
    ['playlist https://www.example.com/playlist?list=PLx', 'playlist/videos', 'playlist=PLx'],
  ] as const) {
    const service = await scriptedService(t, reply);
    const { exit, lines, stderr } = await service.run(line);
    assert.deepEqual([exit, stderr], [0, '']);
    const queries = [first, `continuation=${odd}`, 'continuation=token-2'];
    assert.deepEqual(
      service.requests(),
      queries.map((query) => `${operation}?${query}`),
    );
    const all = Array.from({ length: 8 }, (_, n) => JSON.stringify(entry(n)));
    assert.deepEqual(lines, all);
    for (const { headers, method } of service.seen) {
      assert.deepEqual([method, headers.authorization], ['GET', `Bearer ${testKey}`]);
      // Known deployment: it names the program.
      assert.match(headers['user-agent'] ?? '', /^chanlist\/\d+\.\d+\.\d+/);
    }
  }
  const service = await scriptedService(t, reply);
  await service.run(`uploads @test -n 1 --namespace word --base-url ${service.url}/prefix/`);
  assert.equal(service.seen[0]?.path, '/prefix/api/v2/word/channel/videos');
});

test('--limit N: exactly N entries, no page more than needed, and no word about more', async (t) => {
  for (const [limit, requests] of [
    [1, 1],
    [3, 1],
    [4, 2],
    [8, 3],
    [9, 3],
  ] as const) {
    const service = await scriptedService(t, reply);
    const result = await service.run(`uploads @test -n ${limit} -v`);
    assert.equal(result.exit, 0);
    assert.match(result.stderr, /^chanlist: \d entr[^;]*\n$/);
    assert.deepEqual([result.lines.length, service.seen.length], [Math.min(limit, 8), requests], `${limit}`);
  }
});

test('--max-credits is never exceeded; 9 says what was spent', async (t) => {
  for (const [line, exit, requests, ...says] of [
    ['@a --max-credits 2', 9, 2, '2 credits spent', / --continuation[= ]token-2\b/],
    ['@a --max-credits 3', 0, 3],
    ['@a @b @c --max-credits 3', 9, 3, '--max-credits 3', '@b', '@c', '; 3 credits spent', /^(?!.*about)/],
    ['@a @b --max-credits 4', 9, 4, '4 credits spent', '; the same command starts over; with --output-dir'],
    // A command that would stop again is not a next step.
    ['@a @b --max-credits 0', 9, 0, '0 credits spent', /^(?!.*(?:same command|chanlist uploads))/],
    [
      '--continuation token-2 --max-credits 0',
      9,
      0,
      '0 credits spent',
      /^(?!.*(?:same command|chanlist uploads))/,
    ],
  ] as const) {
    const service = await scriptedService(t, reply);
    const result = await service.run(`uploads ${line} -f id`);
    assert.deepEqual([result.exit, service.seen.length], [exit, requests], line);
    assert.equal(result.lines.length, { 0: 0, 2: 6, 3: 8, 4: 11 }[requests], line);
    if (exit === 9) onlyError(result, ...says);
  }
});

test('the command that resumes a listing lists the rest, with the flags of the run', async (t) => {
  const service = await scriptedService(t, reply);
  for (const [line, format, count, flags] of [
    ['uploads @test -f id', 'id', 8, []],
    ['uploads --from - -f id', 'id', 8, []],
    [
      '--timeout 5 -v uploads @a --timeout 10 -n 7 -f csv --fields videoId',
      'csv',
      7,
      ['--timeout 10', '$HOME', '--limit', '--fields videoId'],
    ],
  ] as const) {
    const first = await service.run(`${line} --max-credits 1`, { input: '@test\na bad line\n' });
    const [, command = ''] = /resume with: (chanlist .*)$/m.exec(first.stderr) ?? [];
    for (const word of ['--continuation', `--format ${format}`, ...flags])
      assert.equal(command.split(word).length, 2, `${word}: ${command}`);
    const rest = await runPrinted(command.replace(' --max-credits 1', ''), process.cwd(), service.env);
    assert.equal(rest.exit, 0, rest.stderr);
    const ids = `${first.stdout}${rest.stdout}`.match(/^video\d+$/gm);
    assert.deepEqual(
      ids,
      Array.from({ length: count }, (_, n) => entry(n).videoId),
    );
  }
});

test('every page but the last is written in a way that notices a closed pipe', async (t) => {
  const noticing = t.mock.method(Stdout.prototype, 'writePage');
  const service = await scriptedService(t, reply);
  for (const [line, pages] of [
    ['uploads @a', 2],
    ['uploads @a @b', 5],
    ['uploads @a @b -n 1', 1],
  ] as const) {
    noticing.mock.resetCalls();
    await service.run(line);
    assert.equal(noticing.mock.callCount(), pages, line);
  }
});

test('a document whose end cannot be written is not complete: 1', async (t) => {
  const { write } = Stdout.prototype;
  t.mock.method(Stdout.prototype, 'write', async function (this: Stdout, text: string | Buffer) {
    if (String(text).startsWith(']')) throw new Failure('failed', 'stdout cannot be written');
    await write.call(this, text);
  });
  const service = await scriptedService(t, reply);
  const result = await service.run('uploads @a --json');
  assert.equal(result.exit, 1);
  onlyError(result, 'stdout cannot be written');
});

test('several references: one after another, one given twice is listed once, 404 stops only that one', async (t) => {
  const service = await scriptedService(t, ({ query }) =>
    query.get('channel') === '@gone' ? { status: 404, body: {} } : { body: page(0, 2, null) },
  );
  const line = 'uploads @a @gone @b https://example.com/@a @a --fields _reference,videoId';
  const result = await service.run(line);
  assert.equal(result.exit, 5);
  const channels = ['@a', '@gone', '@b'].map((channel) => `channel/videos?channel=${channel}`);
  assert.deepEqual(service.requests(), channels);
  assert.deepEqual(
    result.lines.map((line) => JSON.parse(line)._reference),
    ['@a', '@a', '@b', '@b'],
  );
  // Only if nothing else was found may the address be wrong.
  assert.doesNotMatch(onlyError(result, /@gone.*404/), /--namespace/);
  onlyError(await service.run('uploads @gone'), '--namespace');
});

test('every reference has its place in the document and in the summary, even if the run ends before its turn', async (t) => {
  const service = await scriptedService(t, ({ query, path }) => {
    if (query.get('channel') === '@b') return { status: 402, body: { detail: 'no credits' } };
    return { body: path.endsWith('latest') ? { results: [entry(0)] } : page(0, 1, null) };
  });
  const error = {
    code: 'no_credits',
    status: 402,
    message: 'no credits (402: no credits)',
    next: 'add credits to the account',
  };
  const cut = { playlist_info: null, results: [], continuation_token: null, has_more: true, error };
  for (const [line, whole, failed] of [
    ['uploads @a @b @c @d', page(0, 1, null), cut],
    ['latest @a @b @c @d --concurrency 1', { results: [entry(0)] }, { error }],
  ] as const) {
    const result = await service.report(`${line} --json`);
    assert.equal(result.exit, 4);
    onlyError(result, '@b: ', 'stopped, 2 more not reached');
    const others = ['@b', '@c', '@d'].map((reference) => ({ reference, result: failed }));
    assert.deepEqual(JSON.parse(result.stdout), [{ reference: '@a', result: whole }, ...others]);
    const four = ['complete', 'interrupted 4', 'interrupted 4', 'interrupted 4'];
    assert.deepEqual(statuses(result.summary), four);
  }
  assert.equal(service.seen.length, 4);
  // A list of one reference is several.
  const from = await service.run('latest --from - --json', { input: '@a\n' });
  assert.deepEqual(JSON.parse(from.stdout), [{ reference: '@a', result: { results: [entry(0)] } }]);
});

test('specification 8: limits are checked in code points before anything is sent', async (t) => {
  const service = await scriptedService(t, () => ({ body: { channel_id: 'UCx', resolved_from: 'x' } }));
  for (const [args, exit] of [
    [['resolve', `@${'a'.repeat(200)}`], 2],
    [['search', '@a', '👍'.repeat(201)], 2],
    [['resolve', `@${'👍'.repeat(199)}`], 0],
    // Nothing resolves it first.
    [['latest', `https://example.com/c/${'a'.repeat(201)}`], 0],
    [['search', '@a', '👍'.repeat(200), '--limit', '50'], 0],
  ] as const) {
    service.seen.length = 0;
    const result = await service.run(args);
    assert.deepEqual([result.exit, service.seen.length], [exit, exit === 0 ? 1 : 0], args.join(' '));
    if (exit === 2) onlyError(result, '201', '200');
  }
});

test('--dry-run prints the first request of each reference and its cost, then the sum, and sends nothing', async (t) => {
  const service = await scriptedService(t, () => ({ body: {} }));
  const at = `${service.url}/api/v2/media/channel`;
  for (const [args, sum, ...requests] of [
    [
      ['uploads', '@a', '@b', '--max-credits', '5'],
      '2 requests, at least 2 credits',
      ['@a', '1 credit', 'videos?channel=%40a', 1],
      ['@b', '1 credit', 'videos?channel=%40b', 1],
    ],
    [['latest', '@a'], '1 request, free', ['@a', 'free', 'latest?channel=%40a', 0]],
    [
      ['search', '@a', 'x', 'y&', '-n', '7'],
      '1 request, 1 credit',
      ['@a', '1 credit', 'search?channel=%40a&q=x%20y%26&limit=7', 1],
    ],
  ] as const) {
    const text = await service.run([...args, '--dry-run']);
    const printed = requests.map(([, price, path]) => `${price}  GET ${at}/${path}`);
    assert.deepEqual([text.exit, text.lines, text.stderr], [0, printed, `chanlist: ${sum}\n`]);
    const records = requests.map(([reference, , path, cost]) =>
      JSON.stringify({ reference, method: 'GET', url: `${at}/${path}`, cost }),
    );
    assert.deepEqual((await service.run([...args, '--dry-run', '--ndjson'])).lines, records);
  }
  assert.equal(service.seen.length, 0);
});

test('--continuation starts at its page, without a reference; a refused token is not in the document', async (t) => {
  const service = await scriptedService(t, reply);
  const rest = await service.run('uploads --continuation token-2 -f id');
  assert.deepEqual([rest.exit, rest.lines], [0, [entry(6).videoId, entry(7).videoId]]);
  const ofPlaylist = await service.report('playlist --continuation token-2');
  // The channel of its first video is not the playlist.
  assert.equal(ofPlaylist.summary.references[0]?.id, null);
  for (const line of ['uploads @a --continuation token-2', 'uploads --from - --continuation token-2'])
    assert.equal((await service.run(line, { input: '@a\n' })).exit, 2);
  assert.equal(service.seen.length, 2);
  const refusing = await scriptedService(t, () => ({ status: 404, body: { detail: 'expired' } }));
  const { exit, stdout, stderr } = await refusing.run('uploads --continuation token-2 --json');
  const { error, ...document } = JSON.parse(stdout);
  assert.deepEqual([exit, error.code, error.status], [8, 'unresumable', 404]);
  // A 404 to a token says nothing about the address.
  assert.doesNotMatch(stderr, /--namespace/);
  const empty = { playlist_info: null, results: [], continuation_token: null, has_more: true };
  assert.deepEqual(document, empty);
  // Nothing of the page that failed is printed.
  const first = page(0, 2, 'token-2');
  const broken = await scriptedService(t, ({ query }) =>
    query.has('continuation') ? { status: 302, headers: { location: 'x' } } : { body: first },
  );
  const stopped = await broken.run('uploads @a --json');
  assert.deepEqual([stopped.exit, JSON.parse(stopped.stdout).continuation_token], [8, 'token-2']);
  onlyError(
    stopped,
    /, then resume with: chanlist uploads --format json --base-url \S+ --continuation=token-2$/,
  );
});

test('latest --limit truncates the results, and leaves the rest of the body as sent', async (t) => {
  const body = { channel: { channelId: 'UCx' }, results: [entry(0), entry(1), entry(2)], result_count: 3 };
  const service = await scriptedService(t, () => ({ body }));
  const result = await service.run('latest @a -n 2 --json');
  assert.deepEqual(JSON.parse(result.stdout), { ...body, results: body.results.slice(0, 2) });
});

test('the file of -o has the responses to all references, as stdout has', async (t) => {
  const service = await scriptedService(t, ({ query }) => ({
    body: { results: [entry(query.get('channel') === '@a' ? 1 : 2)] },
  }));
  const file = join(await temporaryFolder(t), 'out');
  for (const format of ['ndjson', 'json', 'csv', 'id']) {
    const line = `latest @a @b -f ${format}`;
    const { stdout } = await service.run(line);
    assert.match(stdout, /video000001.*video000002/s);
    const { exit, summary } = await service.report(`${line} -o ${file}`);
    assert.deepEqual([exit, summary.references.map((each) => each.file)], [0, [file, file]]);
    assert.equal(readFileSync(file, 'utf8'), stdout, format);
  }
});

test('a response that was paid for is printed if the file of -o can no longer be written: 1', async (t) => {
  const folder = join(await temporaryFolder(t), 'folder');
  const file = join(folder, 'out.ndjson');
  let change = (): void => {};
  const service = await scriptedService(t, () => {
    change();
    return { body: { results: [entry(1)] } };
  });
  const entries = [JSON.stringify(entry(1))];
  for (const [words, printed, breaking] of [
    ['search @a x', entries, () => mkdirSync(file)],
    ['search @a x', entries, () => rmSync(folder, { recursive: true })],
    ['latest @a', [], () => mkdirSync(file)],
  ] as const) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    change = breaking;
    const result = await service.report(`${words} -o ${file}`);
    assert.deepEqual([result.exit, result.lines], [1, printed], words);
    assert.deepEqual(statuses(result.summary), ['failed 1']);
    onlyError(result, file);
  }
});

test('resolve and latest print their result for every input, in input order, whatever that of the responses; each is requested once', async (t) => {
  const service = await scriptedService(t, async ({ query }) => {
    const input = query.get('input') ?? '';
    if (input === '@gone') return { status: 404 };
    // The first response waits until the others have been requested.
    if (input === '@b') await service.arrived(3);
    return { body: { channel_id: `UC${input.slice(1)}`, resolved_from: 'x' } };
  });
  const inputs = ['@b', 'https://example.com/@a', '@gone', '@a', 'example.com/@b/videos', '@b'];
  const result = await service.run(['resolve', ...inputs, '--fields', '_reference,channel_id', '-f', 'csv']);
  assert.equal(result.exit, 5);
  assert.deepEqual(result.lines, [
    '_reference,channel_id',
    '@b,UCb',
    'https://example.com/@a,UCa',
    '@a,UCa',
    'example.com/@b/videos,UCb',
    '@b,UCb',
  ]);
  assert.equal(service.seen.length, 3);
});
