import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type ExportFixture, exportFixture, type Outcome, uninterrupted } from '../support/exports.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { entry, page, type Reply, type Seen, scriptedService } from '../support/service.ts';
import { onlyError, said } from '../support/stderr.ts';

const list = '@size-35'; // 4 pages of 10
const credits = 4;

const resolved: Reply = { body: { channel_id: entry(0).channelId, resolved_from: '@test' } };

interface Way {
  /** Null: killed. */
  readonly exit: number | null;
  /** Pages that may be paid twice. */
  readonly again: number;
  /** Runs the export until it stops after its second page. */
  stop(fixture: ExportFixture, proxy: FlakyProxy, args: readonly string[]): Promise<Outcome>;
}

/** Whether the service gets a request for this page: counts the pages from now on. */
function isPage(number: number): (line: string) => boolean {
  let pages = 0;
  return (line) => line.includes('/videos') && ++pages === number;
}

/** Acts when the service decides the request of the third page. */
async function atThird(
  fixture: ExportFixture,
  proxy: FlakyProxy,
  args: readonly string[],
  act: (kill: (signal: NodeJS.Signals) => void) => void,
): Promise<Outcome> {
  const isThird = isPage(3);
  let kill: (signal: NodeJS.Signals) => void = () => {};
  fixture.onRequest = (line) => {
    if (isThird(line)) act((signal) => kill(signal));
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

const bySignal = (signal: NodeJS.Signals, exit: number | null): Way => ({
  exit,
  again: 1,
  stop: (fixture, proxy, args) =>
    atThird(fixture, proxy, args, (kill) => {
      proxy.hold();
      kill(signal);
    }),
});

const ways: Readonly<Record<string, Way>> = {
  'the budget': {
    exit: 9,
    again: 0,
    stop: (fixture, proxy, args) => fixture.run([...args, '--max-credits', '2'], { baseUrl: proxy.url }),
  },
  'no credits (402)': {
    exit: 4,
    again: 0,
    stop: async (fixture, proxy, args) => {
      fixture.sandbox.account.credits = 2;
      const outcome = await fixture.run(args, { baseUrl: proxy.url });
      fixture.sandbox.account.credits = 1000;
      return outcome;
    },
  },
  'the network gone': {
    exit: 7,
    again: 0,
    stop: async (fixture, proxy, args) => {
      const isSecond = isPage(2);
      fixture.onRequest = (line) => {
        if (isSecond(line)) proxy.closeAfterAnswer();
      };
      const outcome = await fixture.run([...args, '--retries', '0'], { baseUrl: proxy.url });
      fixture.onRequest = () => {};
      await proxy.reopen();
      return outcome;
    },
  },
  'a connection that breaks off': {
    exit: 7,
    again: 1,
    stop: (fixture, proxy, args) =>
      atThird(fixture, proxy, [...args, '--retries', '0'], () => proxy.breakOff()),
  },
  'a full disk': {
    exit: 1,
    again: 1,
    // 20 KiB: room for two pages of NDJSON.
    stop: (fixture, proxy, args) =>
      fixture.run(args, { baseUrl: proxy.url, within: ['bash', '-c', 'ulimit -f 20; exec "$@"', 'bash'] }),
  },
  SIGINT: bySignal('SIGINT', 130),
  SIGTERM: bySignal('SIGTERM', 143),
  SIGHUP: bySignal('SIGHUP', 129),
  'kill -9': bySignal('SIGKILL', null),
};

for (const [name, way] of Object.entries(ways)) {
  test(`stopped by ${name}: the old FILE stays, and the same command resumes with the next page`, async (t) => {
    const fixture = await exportFixture(t);
    const proxy = await openFlakyProxy(t, fixture.sandbox.baseUrl);
    const expected = await uninterrupted(fixture, `uploads ${list}`);
    await writeFile(join(fixture.folder, 'out'), 'the old one\n');
    const args = ['uploads', list, '-o', 'out', '--restart'];
    const stopped = await way.stop(fixture, proxy, args);
    assert.equal(stopped.exit, way.exit, stopped.stderr);
    assert.equal(stopped.charged, 2 + way.again);
    assert.equal(await fixture.read('out'), 'the old one\n');
    assert.deepEqual(await fixture.files(), ['out']);
    if (way.exit !== null) {
      // The limit of the file size is one of the ledger, too.
      assert.equal(said(stopped.stderr).errors.length, 1, stopped.stderr);
      assert.match(stopped.stderr, /[23] credits spent/);
      const { status, exit, entries } = stopped.only;
      const expectedStatus = way.exit === 7 && way.again ? 'failed' : 'interrupted';
      assert.deepEqual([status, exit, entries], [expectedStatus, way.exit, 20]);
    }
    proxy.release();
    const again = await fixture.run(args, { baseUrl: proxy.url });
    assert.equal(again.exit, 0, again.stderr);
    assert.deepEqual([again.charged, again.only.resumed], [credits - 2, 20]);
    assert.equal(await fixture.read('out'), expected);
    assert.deepEqual(await fixture.files(), ['out']);
  });
}

test('--restart carries over the publication dates that FILE has', async (t) => {
  const service = await scriptedService(t, ({ path }) => {
    if (path.endsWith('resolve')) return resolved;
    return path.endsWith('latest')
      ? { body: { results: [0, 1].map((n) => ({ ...entry(n), published: '2026-01-03T00:00:00Z' })) } }
      : { body: page(0, 3, null) };
  });
  const fixture = await exportFixture(t, { service });
  const row = (id: unknown, published: string | null): string =>
    `${JSON.stringify({ videoId: id, '@published': published })}\n`;
  const [first, second, third] = [entry(0), entry(1), entry(2)].map(({ videoId }) => videoId);
  await writeFile(
    join(fixture.folder, 'out.ndjson'),
    `${row(first, null)}${row(second, '2026-01-02T00:00:00Z')}${row(third, null)}`,
  );
  const args = ['uploads', '@test', '-o', 'out.ndjson', '--fields', 'videoId,@published', '--restart'];
  const result = await fixture.run(args);
  assert.equal(result.exit, 0, result.stderr);
  assert.equal(
    await fixture.read('out.ndjson'),
    `${row(first, '2026-01-03T00:00:00Z')}${row(second, '2026-01-02T00:00:00Z')}${row(third, null)}`,
  );
});

test('a reference is matched with an interrupted export by ID, not by spelling', async (t) => {
  const fixture = await exportFixture(t);
  assert.equal((await fixture.run(`uploads ${list} -o out --max-credits 2`)).exit, 9);
  const result = await fixture.run(`uploads www.example.com/${list}/videos/ -o ./out`);
  assert.equal(result.exit, 0, result.stderr);
  assert.equal(result.charged, 2);
});

/** Three pages of 25 entries; `bad` replaces those after the first, or the last alone. */
const threePages =
  (bad: { reply: Reply; from: 2 | 3 } | null) =>
  ({ path, query }: Seen): Reply => {
    if (path.endsWith('resolve')) return resolved;
    const number = { second: 2, third: 3 }[query.get('continuation') ?? ''] ?? 1;
    if (bad !== null && number >= bad.from) return bad.reply;
    return {
      body: page(10 * number - 10, Math.min(10 * number, 25), [null, 'second', 'third'][number] ?? null, 25),
    };
  };

/** An export by pages that a test can replace. */
async function replaceable(t: TestContext) {
  let bad: Parameters<typeof threePages>[0] = null;
  const service = await scriptedService(t, (request) => threePages(bad)(request));
  const fixture = await exportFixture(t, { service });
  const run = async (more: string, next: typeof bad): Promise<Outcome> => {
    bad = next;
    return await fixture.run(`uploads @test -o out -f id${more}`);
  };
  return { fixture, run };
}

const accepted = /no longer accepts the continuation token/;
for (const [name, reply, why] of [
  ['a token that is refused (404)', { status: 404, body: { detail: 'no such token' } }, accepted],
  ['a token seen before in this run', { body: page(20, 25, 'second', 25) }, /the list repeats itself/],
  ['an invalid answer', { body: { results: 'none' } }, null],
] as const) {
  test(`${name}: 8; ${why ? '--restart exports again' : 'the next run asks for that page again'}`, async (t) => {
    const { fixture, run } = await replaceable(t);
    const first = await run('', { reply, from: 3 });
    assert.equal(first.exit, 8, first.stderr);
    onlyError(first, /[23] credits spent/, ...(why ? ['--restart'] : []));
    assert.doesNotMatch(first.stderr, /--namespace/);
    if (why) {
      const again = await run('', { reply, from: 3 });
      assert.deepEqual([again.exit, again.only.credits.confirmed], [8, 0], again.stderr);
      onlyError(again, '--restart', 'credit', why);
      const { stdout } = await fixture.run('check out', { noSummary: true });
      assert.match(JSON.parse(stdout).problem.fix, /^chanlist uploads UC\S+ -o out --format id --restart$/);
    }
    assert.deepEqual(await fixture.files(), []);
    const last = await run(why ? ' --restart' : '', null);
    assert.deepEqual([last.exit, last.only.credits.confirmed], [0, why ? 3 : 1], last.stderr);
    assert.equal((await fixture.read('out')).split('\n').length - 1, 25);
  });
}

test('a token that is refused after a bound has stopped the export: one run must afford all of it', async (t) => {
  const { run } = await replaceable(t);
  assert.equal((await run(' --max-credits 1', null)).exit, 9);
  const refused = await run(' --max-credits 1', { reply: { status: 410, body: {} }, from: 2 });
  assert.equal(refused.exit, 8);
  // The bound would stop it again.
  onlyError(
    refused,
    '(1 credit per 100 entries, which --max-credits must allow in one run)',
    /start over: chanlist uploads @test --output out --format id --restart \(/,
  );
});

test('an interrupted export as id that --limit cuts counts as an uninterrupted one, entries without an ID too', async (t) => {
  const service = await scriptedService(t, ({ query, path }) => {
    if (path.endsWith('resolve')) return resolved;
    const from = Number(query.get('continuation') ?? 0);
    const results = Array.from({ length: 5 }, (_, i) => ({
      ...entry(from + i),
      ...(i < 2 && { videoId: null }),
    }));
    return { body: { ...page(0, 0, String(from + 5), 100), results } };
  });
  const fixture = await exportFixture(t, { service });
  const args = ['uploads', '@test', '-f', 'id', '--limit', '12'];
  assert.equal((await fixture.run([...args, '-o', 'whole'])).exit, 0);
  assert.equal((await fixture.run([...args, '-o', 'out', '--max-credits', '1'])).exit, 9);
  assert.equal((await fixture.run([...args, '-o', 'out'])).exit, 0);
  assert.equal(await fixture.read('out'), await fixture.read('whole'));
  assert.equal((await fixture.read('out')).split('\n').length - 1, 6);
});

const { videoId: _, ...unlisted } = entry(0);
const odd = (keys: object, ...numbers: number[]): Record<string, unknown>[] =>
  numbers.map((n) => ({ videoId: `video${n}`, ...keys }));
for (const [name, keys, twice] of [
  ['a key with a dot', { ...unlisted, 'stats.views': 7 }, []],
  ['two of the specified fields', { title: 'x', extra: null }, []],
  ['a video that is twice on a page', {}, [1]],
] as const) {
  test(`entries with ${name}: an interrupted export is resumed, then updated; nothing is paid twice`, async (t) => {
    let top: number[] = [];
    const service = await scriptedService(t, ({ query, path }) => {
      if (path.endsWith('resolve')) return resolved;
      if (path.endsWith('latest')) return { body: { results: odd(keys, ...top, 1, 2, 3, 4) } };
      if (query.has('continuation')) return { body: { ...page(0, 0, null, 4), results: odd(keys, 3, 4) } };
      return { body: { ...page(0, 0, 'next', 4), results: odd(keys, ...top, 1, 2, ...twice) } };
    });
    const fixture = await exportFixture(t, { service });
    const line = 'uploads @test -o out';
    assert.equal((await fixture.run(`${line} --max-credits 1`)).exit, 9);
    const resumed = await fixture.run(line);
    assert.deepEqual([resumed.exit, resumed.only.credits.confirmed], [0, 1], resumed.stderr);
    top = [0];
    const updated = await fixture.run(`${line} --update`);
    assert.deepEqual([updated.exit, updated.only.new], [0, 1], updated.stderr);
  });
}
