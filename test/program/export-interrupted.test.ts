import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type ExportFixture, exportFixture, type Outcome, uninterrupted } from '../support/exports.ts';
import { fileFormats } from '../support/file-formats.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { entry, page, scriptedService } from '../support/service.ts';

const list = '@size-35'; // 4 pages of 10
const credits = 4;

interface Way {
  readonly exit: number | null;
  readonly says: RegExp;
  /** Pages that may be paid twice. */
  readonly again: number;
  /** Credits of the stopped run that the next one reports; null: a full disk may lose them. */
  readonly resumed: number | null;
  /** Runs the export until it stops after its second page. */
  stop(fixture: ExportFixture, proxy: FlakyProxy, args: readonly string[]): Promise<Outcome>;
}

const resume = '20 entries in 2 pages kept; run: chanlist uploads @size-35 [^\\n]*to resume';

/** Acts when the service decides the third request of the export. */
async function atThird(
  fixture: ExportFixture,
  proxy: FlakyProxy,
  args: readonly string[],
  act: (kill: (signal: NodeJS.Signals) => void) => void,
): Promise<Outcome> {
  const before = fixture.requests.length;
  let kill: (signal: NodeJS.Signals) => void = () => {};
  fixture.onRequest = (_, number) => {
    if (number === before + 3) act((signal) => kill(signal));
  };
  const outcome = await fixture.run(args, {
    baseUrl: proxy.url,
    started: (child) => {
      kill = (signal) => child.kill(signal);
    },
  });
  fixture.onRequest = () => {};
  return outcome;
}

const bySignal = (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', exit: number): Way => ({
  exit,
  says: new RegExp(`stopped by ${signal}; 2 credits spent, 1 more possibly charged; ${resume}`),
  again: 1,
  resumed: 3,
  stop: (fixture, proxy, args) =>
    atThird(fixture, proxy, args, (kill) => {
      proxy.hold();
      kill(signal);
    }),
});

const ways: Readonly<Record<string, Way>> = {
  'the budget': {
    exit: 9,
    says: new RegExp(`--max-credits allows 2 credits; about 2 more are needed; 2 credits spent; .*${resume}`),
    again: 0,
    resumed: 2,
    stop: (fixture, proxy, args) => fixture.run([...args, '--max-credits', '2'], { baseUrl: proxy.url }),
  },
  'no credits (402)': {
    exit: 4,
    says: new RegExp(`no credits \\(402: .*; 2 credits spent; .*${resume}`),
    again: 0,
    resumed: 2,
    stop: async (fixture, proxy, args) => {
      fixture.sandbox.account.credits = 2;
      const outcome = await fixture.run(args, { baseUrl: proxy.url });
      fixture.sandbox.account.credits = 1000;
      return outcome;
    },
  },
  'the network gone': {
    exit: 7,
    says: new RegExp(`cannot reach .*; 2 credits spent; .*${resume}`),
    again: 0,
    resumed: 2,
    stop: async (fixture, proxy, args) => {
      const before = fixture.requests.length;
      fixture.onRequest = (_, number) => {
        if (number === before + 2) proxy.closeAfterAnswer();
      };
      const outcome = await fixture.run([...args, '--retries', '0'], { baseUrl: proxy.url });
      fixture.onRequest = () => {};
      await proxy.reopen();
      return outcome;
    },
  },
  'a connection that breaks off': {
    exit: 7,
    says: new RegExp(`no complete response: .*; 2 credits spent, 1 more possibly charged; .*${resume}`),
    again: 1,
    resumed: 3,
    stop: (fixture, proxy, args) =>
      atThird(fixture, proxy, [...args, '--retries', '0'], () => proxy.breakOff()),
  },
  SIGINT: bySignal('SIGINT', 130),
  SIGTERM: bySignal('SIGTERM', 143),
  SIGHUP: bySignal('SIGHUP', 129),
  'kill -9': {
    exit: null,
    says: /^$/,
    again: 1,
    resumed: 2,
    stop: (fixture, proxy, args) =>
      atThird(fixture, proxy, args, (kill) => {
        proxy.hold();
        kill('SIGKILL');
      }),
  },
  'a full disk': {
    exit: 1,
    says: /out\.part: the file is larger than allowed \(EFBIG\); 3 credits spent; allow larger files \(ulimit -f\); 20 entries in 2 pages kept; run: chanlist /,
    again: 1,
    resumed: null,
    // 20 KiB: room for two pages of NDJSON.
    stop: (fixture, proxy, args) =>
      fixture.run(args, {
        baseUrl: proxy.url,
        within: ['bash', '-c', 'ulimit -f 20; exec "$@"', 'bash'],
      }),
  },
};

async function setUp(t: TestContext): Promise<{ fixture: ExportFixture; proxy: FlakyProxy }> {
  const fixture = await exportFixture(t);
  return { fixture, proxy: await openFlakyProxy(t, fixture.sandbox.baseUrl) };
}

for (const [name, way] of Object.entries(ways)) {
  test(`stopped by ${name}: the old FILE stays, and the export resumes with the next page`, async (t) => {
    const { fixture, proxy } = await setUp(t);
    const expected = await uninterrupted(fixture, ['uploads', list]);
    await writeFile(join(fixture.folder, 'out'), 'the old one\n');
    const args = ['uploads', list, '-o', 'out'];
    const stopped = await way.stop(fixture, proxy, [...args, '--restart']);
    assert.equal(stopped.exit, way.exit, stopped.stderr);
    assert.match(stopped.stderr, way.says);
    // The limit of the file size is one of the ledger, too.
    const lines = stopped.stderr.split('\n').filter((line) => !line.includes('the ledger of credits'));
    assert.equal(lines.length, way.exit === null ? 1 : 2, stopped.stderr);
    assert.equal(stopped.charged, 2 + way.again);
    assert.equal(await fixture.read('out'), 'the old one\n');
    if (way.exit !== null) {
      const { status, exit, entries } = stopped.only;
      assert.deepEqual(
        { status, exit, entries },
        { status: way.exit === 7 && way.again ? 'failed' : 'interrupted', exit: way.exit, entries: 20 },
      );
      assert.deepEqual(await fixture.files(), ['out', 'out.part', 'out.part.json']);
    }
    proxy.release();
    const again = await fixture.run([...args, '-v'], { baseUrl: proxy.url });
    assert.equal(again.exit, 0, again.stderr);
    assert.match(
      again.stderr,
      /out: resuming the export of \d{4}-\d\d-\d\dT[\d:.]+Z: 20 entries in 2 pages are there/,
    );
    assert.equal(again.charged, credits - 2);
    assert.equal(again.only.resumed?.entries, 20);
    if (way.resumed !== null) assert.equal(again.only.resumed?.credits, way.resumed);
    assert.equal(await fixture.read('out'), expected);
    assert.deepEqual(await fixture.files(), ['out']);
  });
}

for (const format of fileFormats) {
  test(`interrupted at every page (${format}): the bytes are those of an uninterrupted run, every page is paid once`, async (t) => {
    const fixture = await exportFixture(t);
    const fields = format === 'csv' ? ['--fields', 'index,title,videoId'] : [];
    const expected = await uninterrupted(fixture, ['uploads', list, '-f', format, ...fields]);
    const args = ['uploads', list, '-o', 'out', '-f', format, ...fields, '--max-credits', '1'];
    const exits: (number | null)[] = [];
    let charged = 0;
    for (let runs = 0; runs < credits; runs++) {
      const outcome = await fixture.run(args);
      if (runs < 3) assert.match(outcome.stderr, /^chanlist: [^\n]* kept; run the same command to resume\n$/);
      exits.push(outcome.exit);
      charged += outcome.charged;
    }
    assert.deepEqual(exits, [9, 9, 9, 0]);
    assert.equal(charged, credits);
    assert.equal(await fixture.read('out'), expected);
    assert.deepEqual(await fixture.files(), ['out']);
  });
}

test('stopped before the first page: nothing is left, and nothing is said to be kept', async (t) => {
  const fixture = await exportFixture(t);
  const result = await fixture.run(['uploads', list, '-o', 'out', '--max-credits', '0']);
  assert.equal(result.exit, 9);
  assert.doesNotMatch(result.stderr, /kept/);
  assert.deepEqual(await fixture.files(), []);
  assert.equal((await fixture.run(['uploads', '@gone', '-o', 'out'])).exit, 5);
  assert.deepEqual(await fixture.files(), []);
  fixture.sandbox.account.credits = 0;
  assert.equal((await fixture.run(['uploads', list, '-o', 'out'])).exit, 4);
  assert.deepEqual(await fixture.files(), []);
});

test('a rate limit that takes too long: 6 says when to come back, and the same command resumes', async (t) => {
  let limited = true;
  const service = await scriptedService(t, ({ query }) => {
    const token = query.get('continuation');
    if (token === null) return { body: page(0, 3, 'next', 5) };
    return limited
      ? { status: 429, headers: { 'retry-after': '3600' }, body: { detail: 'slow down' } }
      : { body: page(3, 5, null, 5) };
  });
  const fixture = await exportFixture(t);
  const args = ['uploads', '@test', '-o', 'out', '-f', 'id'];
  const on = { baseUrl: service.url, unwatched: true };
  const stopped = await fixture.run(args, on);
  assert.equal(stopped.exit, 6);
  assert.match(
    stopped.stderr,
    /rate limited \(429: slow down\); 1 credit spent; try again in 1 h.*run the same command to resume/,
  );
  limited = false;
  const result = await fixture.run(args, on);
  assert.equal(result.exit, 0);
  assert.equal(service.seen.length, 3);
  assert.deepEqual(result.only.credits, { confirmed: 1, possibly_charged: 0 });
  assert.equal((await fixture.read('out')).split('\n').length - 1, 5);
});

test('--restart discards an interrupted export once new pages are there, and is resumed without the flag', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', list, '-o', 'out', '-f', 'id'];
  assert.equal((await fixture.run([...args, '--max-credits', '3'])).exit, 9);
  assert.equal((await fixture.run([...args, '--restart', '--max-credits', '0'])).exit, 9);
  const kept = await fixture.run([...args, '--max-credits', '0', '-v']);
  assert.match(kept.stderr, /30 entries in 3 pages are there/);
  const stopped = await fixture.run([...args, '--restart', '--max-credits', '2'], { noSummary: true });
  assert.equal(stopped.exit, 9);
  assert.match(
    stopped.stderr,
    /20 entries in 2 pages kept; run: chanlist uploads @size-35 --format id --output out --max-credits 2 to resume\n$/,
  );
  const result = await fixture.run(args);
  assert.equal(result.exit, 0);
  assert.equal(result.charged, 2);
  assert.equal(await fixture.read('out'), await uninterrupted(fixture, ['uploads', list, '-f', 'id']));
  assert.equal((await fixture.run([...args, '--restart'])).charged, 4);
  assert.deepEqual(await fixture.files(), ['out']);
});

test('--restart carries over the publication dates that FILE has', async (t) => {
  const service = await scriptedService(t, ({ path }) =>
    path.endsWith('latest')
      ? { body: { results: [{ ...entry(0), published: '2026-01-03T00:00:00Z' }] } }
      : { body: page(0, 3, null) },
  );
  const fixture = await exportFixture(t);
  const [first, second, third] = [entry(0), entry(1), entry(2)].map(({ videoId }) => videoId);
  await writeFile(
    join(fixture.folder, 'out.csv'),
    `videoId,@published\n${first},\n${second},2026-01-02T00:00:00Z\n${third},\n`,
  );
  const args = ['uploads', '@test', '-o', 'out.csv', '--fields', 'videoId,@published', '--restart'];
  const result = await fixture.run(args, { baseUrl: service.url, unwatched: true });
  assert.equal(result.exit, 0, result.stderr);
  assert.equal(
    await fixture.read('out.csv'),
    `videoId,@published\n${first},2026-01-03T00:00:00Z\n${second},2026-01-02T00:00:00Z\n${third},\n`,
  );
});

test('arguments that do not match the interrupted export: 2 says what differs, nothing is sent, the export stays', async (t) => {
  const fixture = await exportFixture(t);
  const other = await exportFixture(t);
  const args = ['uploads', list, '-o', 'out.csv', '--fields', 'videoId,title'];
  assert.equal((await fixture.run([...args, '--max-credits', '2'])).exit, 9);
  const before = await readFile(join(fixture.folder, 'out.csv.part.json'), 'utf8');
  const sent = fixture.requests.length;
  for (const [words, says, baseUrl] of [
    [['uploads', '@size-36', '-o', 'out.csv', '--fields', 'videoId,title'], /of @size-35, not @size-36/],
    [['playlist', 'PLdemo', '-o', 'out.csv', '--fields', 'videoId,title'], /by uploads, not playlist/],
    [[...args, '-f', 'json'], /as csv, not json/],
    [['uploads', list, '-o', 'out.csv'], /with --fields videoId,title, not without --fields/],
    [
      ['uploads', list, '-o', 'out.csv', '--fields', 'title,videoId'],
      /videoId,title, not with --fields title,videoId/,
    ],
    [args, /from http:\S+ media, not http:\S+ media/, other.sandbox.baseUrl],
    [[...args, '--namespace', 'word'], /media, not http:\S+ word/],
    [[...args, '-n', '15'], /20 entries.*--limit/],
  ] as const) {
    const result = await fixture.run(words, baseUrl === undefined ? {} : { baseUrl });
    assert.equal(result.exit, 2, words.join(' '));
    assert.match(result.stderr, says);
    assert.match(result.stderr, /--restart/);
    assert.match(result.stderr, /^chanlist: [^\n]+\n$/);
  }
  // Whether two references are one channel is known after a free request.
  assert.deepEqual(
    fixture.requests.slice(sent).filter((line) => !line.includes('/resolve')),
    [],
  );
  assert.deepEqual(other.requests, []);
  assert.equal(await readFile(join(fixture.folder, 'out.csv.part.json'), 'utf8'), before);
  const result = await fixture.run(args);
  assert.equal(result.exit, 0);
  assert.equal(result.charged, 2);
});

test('a reference matches an interrupted export by its meaning, not by its spelling', async (t) => {
  const fixture = await exportFixture(t);
  assert.equal((await fixture.run(['uploads', list, '-o', 'out', '--max-credits', '2'])).exit, 9);
  const result = await fixture.run(['uploads', `www.example.com/${list}/videos/`, '-o', './out']);
  assert.equal(result.exit, 0, result.stderr);
  assert.equal(result.charged, 2);
});

for (const status of [400, 404, 410, 422]) {
  test(`a token that the service no longer accepts (${status}): 8 names --restart, its cost, and FILE.part`, async (t) => {
    let expired = false;
    const service = await scriptedService(t, ({ query }) => {
      const token = query.get('continuation');
      if (token === null) return { body: page(0, 10, 'second', 25) };
      if (expired) return { status, body: { detail: 'no such token' } };
      return { body: token === 'second' ? page(10, 20, 'third', 25) : page(20, 25, null, 25) };
    });
    const fixture = await exportFixture(t);
    const args = ['uploads', '@test', '-o', 'out', '-f', 'id'];
    const on = { baseUrl: service.url, unwatched: true };
    assert.equal((await fixture.run([...args, '--max-credits', '2'], on)).exit, 9);
    expired = true;
    for (let time = 0; time < 2; time++) {
      const result = await fixture.run(args, on);
      assert.equal(result.exit, 8);
      assert.match(
        result.stderr,
        /^chanlist: @test: the service no longer accepts the continuation token: [^\n]*out\.part[^\n]*--restart\n$/,
      );
      assert.match(result.stderr, /^chanlist: [^\n]+\n$/);
      assert.deepEqual(result.only.credits, { confirmed: 0, possibly_charged: 0 });
      assert.deepEqual(await fixture.files(), ['out.part', 'out.part.json']);
    }
    expired = false;
    const result = await fixture.run([...args, '--restart'], on);
    assert.equal(result.exit, 0);
    assert.deepEqual(result.only.credits, { confirmed: 3, possibly_charged: 0 });
    assert.equal((await fixture.read('out')).split('\n').length - 1, 25);
  });
}

test('ten consecutive empty pages are counted across the runs of an export', async (t) => {
  const service = await scriptedService(t, (_, number) => ({ body: page(0, 0, `token${number}`, 100) }));
  const fixture = await exportFixture(t);
  const args = ['uploads', '@test', '-o', 'out', '--max-credits', '4'];
  const exits: (number | null)[] = [];
  for (let night = 0; night < 4; night++) {
    exits.push((await fixture.run(args, { baseUrl: service.url, unwatched: true })).exit);
  }
  assert.deepEqual(exits, [9, 9, 8, 8]);
  assert.equal(service.seen.length, 4 + 4 + 2 + 1);
});

test('tokens that lead in a circle are noticed across the runs of an export: no page is paid twice', async (t) => {
  const service = await scriptedService(t, (_, number) => ({
    body: page(number * 3, 3, ['a', 'b', 'c'][number % 3] ?? null, 100),
  }));
  const fixture = await exportFixture(t);
  const args = ['uploads', '@test', '-o', 'out', '--max-credits', '1'];
  const exits: (number | null)[] = [];
  for (let night = 0; night < 4; night++)
    exits.push((await fixture.run(args, { baseUrl: service.url, unwatched: true })).exit);
  // The fourth page is that of token c; the service says that a follows it, which the second run has sent.
  assert.deepEqual(exits, [9, 9, 9, 8]);
  assert.equal(service.seen.length, 4);
});

test('a page that repeats when an export is resumed: 8 names --restart', async (t) => {
  const service = await scriptedService(t, (_, number) => ({ body: page(0, 3, `token${number}`, 100) }));
  const fixture = await exportFixture(t);
  const args = ['uploads', '@test', '-o', 'out'];
  const on = { baseUrl: service.url, unwatched: true };
  assert.equal((await fixture.run([...args, '--max-credits', '1'], on)).exit, 9);
  const result = await fixture.run(args, on);
  assert.equal(result.exit, 8);
  assert.match(
    result.stderr,
    /the same page twice; out\.part keeps 1 page[^\n]*; 1 credit spent; [^\n]*--restart\n$/,
  );
});

test('--limit below the entries of an interrupted export: 2 says to leave it out', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', list, '-o', 'out'];
  assert.equal((await fixture.run([...args, '--max-credits', '2'])).exit, 9);
  const result = await fixture.run([...args, '-n', '15']);
  assert.equal(result.exit, 2);
  assert.equal(result.charged, 0);
  assert.match(
    result.stderr,
    /has 20 entries, which does not fit --limit; resume it without --limit, or with a larger one, /,
  );
});

test('a 404 to a token is never 5: 8, and the pages so far are kept', async (t) => {
  const service = await scriptedService(t, ({ query }) =>
    query.has('continuation') ? { status: 404 } : { body: page(0, 10, 'second', 25) },
  );
  const fixture = await exportFixture(t);
  const result = await fixture.run(['uploads', '@test', '-o', 'out'], {
    baseUrl: service.url,
    unwatched: true,
  });
  assert.equal(result.exit, 8);
  assert.match(
    result.stderr,
    /no longer accepts the continuation token: [^\n]*out\.part keeps 1 page[^\n]*--restart\n$/,
  );
});

test('uploads added during an interruption: no entry is written twice', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', list, '-o', 'out', '-f', 'id'];
  const expected = await uninterrupted(fixture, ['uploads', list, '-f', 'id']);
  assert.equal((await fixture.run([...args, '--max-credits', '2'])).exit, 9);
  fixture.sandbox.setUploads(list, 38);
  const result = await fixture.run(args);
  assert.equal(result.exit, 0);
  assert.equal(await fixture.read('out'), expected);
  assert.equal(result.only.entries, 35);
});

test('another --limit than that of a complete export is another export', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['playlist', 'PLdemo', '-o', 'out', '-f', 'id'];
  assert.equal((await fixture.run([...args, '-n', '25', '--max-credits', '2'])).exit, 9);
  const limited = await fixture.run([...args, '-n', '25']);
  assert.deepEqual([limited.exit, limited.charged, limited.only.status], [0, 1, 'limited']);
  const other = await fixture.run([...args, '-n', '12']);
  assert.deepEqual([other.exit, other.charged, other.only.entries], [0, 2, 12]);
});
