import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type ExportFixture, exportFixture, type Outcome, uninterrupted } from '../support/exports.ts';
import { fileFormats } from '../support/file-formats.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { takesSignals } from '../support/process-state.ts';
import { run } from '../support/program.ts';
import { entry, page, type Reply, scriptedService } from '../support/service.ts';
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

async function setUp(t: TestContext): Promise<{ fixture: ExportFixture; proxy: FlakyProxy }> {
  const fixture = await exportFixture(t);
  return { fixture, proxy: await openFlakyProxy(t, fixture.sandbox.baseUrl) };
}

for (const [name, way] of Object.entries(ways)) {
  test(`stopped by ${name}: the old FILE stays, and the same command resumes with the next page`, async (t) => {
    const { fixture, proxy } = await setUp(t);
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

for (const format of fileFormats) {
  test(`interrupted at every page (${format}): the bytes are those of an uninterrupted run, every page is paid once`, async (t) => {
    const fixture = await exportFixture(t);
    const fields = format === 'csv' ? ['--fields', 'index,title,videoId'] : [];
    const expected = await uninterrupted(fixture, ['uploads', list, '-f', format, ...fields]);
    const args = ['uploads', list, '-o', 'out', '-f', format, ...fields, '--max-credits', '1'];
    const runs: (readonly [number | null, number, number])[] = [];
    for (let run = 0; run < credits; run++) {
      const { exit, charged, only } = await fixture.run(args);
      runs.push([exit, charged, only.resumed]);
    }
    assert.deepEqual(runs, [
      [9, 1, 0],
      [9, 1, 10],
      [9, 1, 20],
      [0, 1, 30],
    ]);
    assert.equal(await fixture.read('out'), expected);
    assert.deepEqual(await fixture.files(), ['out']);
  });
}

test('stopped before the first page: there is no FILE', async (t) => {
  const fixture = await exportFixture(t);
  for (const [reference, exit, more] of [
    [list, 9, ['--max-credits', '0']],
    ['@gone', 5, []],
  ] as const) {
    assert.equal((await fixture.run(['uploads', reference, '-o', 'out', ...more])).exit, exit);
    assert.deepEqual(await fixture.files(), []);
  }
  fixture.sandbox.account.credits = 0;
  assert.equal((await fixture.run(`uploads ${list} -o out`)).exit, 4);
  assert.deepEqual(await fixture.files(), []);
  assert.deepEqual(await readdir(join(fixture.folder, '.chanlist')), ['.gitignore', 'out.json']);
});

for (const [signal, exit] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test(`${signal} before the first request of -o FILE: ${exit}, never 0`, async (t) => {
    const fixture = await exportFixture(t);
    // The reference list does not end before the signal has come.
    const args = ['uploads', '--from', '-', '-o', 'out', '-f', 'id'];
    const result = await fixture.run(args, {
      keepStdin: true,
      noSummary: true,
      started: async (child) => {
        await takesSignals(child);
        child.kill(signal);
        child.stdin?.end(`${list}\n`);
      },
    });
    assert.equal(result.exit, exit, result.stderr);
    assert.equal(result.charged, 0);
    assert.equal(said(result.stderr).errors.length, 1, result.stderr);
    assert.deepEqual(await fixture.files(), []);
  });
}

test('--restart that gets no page does not change an interrupted export', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', list, '-o', 'out', '-f', 'id'];
  assert.equal((await fixture.run([...args, '--max-credits', '3'])).exit, 9);
  assert.equal((await fixture.run([...args, '--restart', '--max-credits', '0'])).exit, 9);
  const result = await fixture.run(args);
  assert.deepEqual([result.exit, result.charged, result.only.resumed], [0, 1, 30]);
  assert.equal(await fixture.read('out'), await uninterrupted(fixture, `uploads ${list} -f id`));
});

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

test('a limited export that was interrupted after its last page is finished for free, as of its first page', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', list, '-o', 'out.id', '-f', 'id'];
  assert.equal((await fixture.run([...args, '-n', '20', '--max-credits', '1'])).exit, 9);
  const name = join(fixture.folder, '.chanlist/out.id.json');
  const { progress, ...record } = JSON.parse(await readFile(name, 'utf8'));
  const started = '2026-01-02T03:04:05.678Z';
  const ended = { ...progress, started, request: { ...progress.request, limit: 10 } };
  await writeFile(name, JSON.stringify({ ...record, progress: ended }));
  const result = await fixture.run([...args, '-n', '10']);
  assert.deepEqual([result.exit, result.charged, result.only.status], [0, 0, 'limited'], result.stderr);
  assert.equal(await fixture.read('out.id'), await uninterrupted(fixture, `uploads ${list} -f id -n 10`));
  assert.equal(JSON.parse(await readFile(name, 'utf8')).checked, started);
});

test('a reference is matched with an interrupted export by ID, not by spelling', async (t) => {
  const fixture = await exportFixture(t);
  assert.equal((await fixture.run(`uploads ${list} -o out --max-credits 2`)).exit, 9);
  const result = await fixture.run(`uploads www.example.com/${list}/videos/ -o ./out`);
  assert.equal(result.exit, 0, result.stderr);
  assert.equal(result.charged, 2);
});

/** Three pages of 25 entries, the last of which a test can replace. */
function threePages(token: string | null, last: () => Reply | null): Reply {
  if (token === null) return { body: page(0, 10, 'second', 25) };
  if (token === 'second') return { body: page(10, 20, 'third', 25) };
  return last() ?? { body: page(20, 25, null, 25) };
}

for (const [name, reply, endsForGood] of [
  ...[400, 404, 410, 422].map(
    (status) =>
      [`a token that is refused (${status})`, { status, body: { detail: 'no such token' } }, true] as const,
  ),
  ['a token seen before in this run', { body: page(20, 25, 'second', 25) }, true],
  ['an invalid answer', { body: { results: 'none' } }, false],
] as const) {
  test(`${name}: 8; ${endsForGood ? '--restart exports again' : 'the next run asks for that page again'}`, async (t) => {
    let isBad = true;
    const service = await scriptedService(t, ({ query, path }) =>
      path.endsWith('resolve')
        ? resolved
        : threePages(query.get('continuation'), () => (isBad ? reply : null)),
    );
    const fixture = await exportFixture(t, { service });
    const args = ['uploads', '@test', '-o', 'out', '-f', 'id'];
    const first = await fixture.run(args);
    assert.equal(first.exit, 8, first.stderr);
    onlyError(first, /[23] credits spent/, ...(endsForGood ? ['--restart'] : []));
    assert.doesNotMatch(first.stderr, /--namespace/);
    if ('status' in reply) assert.match(first.stderr, /no longer accepts the continuation token/);
    if (endsForGood) {
      const again = await fixture.run(args);
      assert.deepEqual([again.exit, again.only.credits.confirmed], [8, 0], again.stderr);
      onlyError(again, '--restart', 'credit');
      const why = 'status' in reply ? /no longer accepts the continuation token/ : /the list repeats itself/;
      assert.match(again.stderr, why);
      const { stdout } = await run(['check', 'out'], { cwd: fixture.folder });
      assert.match(JSON.parse(stdout).problem.fix, /^chanlist uploads UC\S+ -o out --format id --restart$/);
    }
    assert.deepEqual(await fixture.files(), []);
    isBad = false;
    const last = await fixture.run(endsForGood ? [...args, '--restart'] : args);
    assert.deepEqual([last.exit, last.only.credits.confirmed], [0, endsForGood ? 3 : 1], last.stderr);
    assert.equal((await fixture.read('out')).split('\n').length - 1, 25);
  });
}

/** Runs an export until only FILE has to be replaced: a folder has its name. */
async function notInPlace(fixture: ExportFixture, args: readonly string[]): Promise<void> {
  const path = join(fixture.folder, 'out');
  fixture.onRequest = (line) => {
    if (line.includes('/videos') && !existsSync(path)) mkdirSync(path);
  };
  const { exit, stderr } = await fixture.run(args);
  assert.equal(exit, 1, stderr);
  fixture.onRequest = () => {};
  rmdirSync(path);
}

test('a run of another request puts a finished FILE in place, as that was asked for, then does what the table says of it', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', list, '-o', 'out', '-f', 'csv'];
  await notInPlace(fixture, [...args, '--limit', '15']);
  const other = await fixture.run([...args, '--fields', 'title']);
  assert.deepEqual([other.exit, other.charged, other.only.entries], [2, 0, 15], other.stderr);
  onlyError(other, 'with all fields and --limit 15', '--restart');
  const lines = (await fixture.read('out')).split('\n');
  assert.deepEqual([lines.length, lines[0]?.split(',').length], [17, 9]);
});

test('finished rows that were damaged never become FILE', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', list, '-o', 'out', '-f', 'ndjson'];
  await notInPlace(fixture, args);
  const own = join(fixture.folder, '.chanlist');
  const rows = join(own, (await readdir(own)).find((name) => name.endsWith('.part')) ?? '');
  const bytes = await readFile(rows);
  await writeFile(rows, bytes.fill(0, 500, 1500));
  const { stdout } = await run(['check', 'out'], { cwd: fixture.folder });
  const { problem } = JSON.parse(stdout);
  assert.deepEqual([problem.code, problem.fix.includes('--restart')], ['damaged', true]);
  const dry = await fixture.run([...args, '--dry-run']);
  const refused = await fixture.run(args);
  assert.deepEqual([dry.exit, refused.exit, refused.charged], [1, 1, 0]);
  for (const each of [dry, refused])
    onlyError(each, 'the rows of its interrupted run are damaged', '--output out --format ndjson --restart');
  assert.deepEqual(await fixture.files(), []);
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

test('a page that has a video twice: its interrupted export is resumed, nothing is paid twice', async (t) => {
  const service = await scriptedService(t, ({ query, path }) => {
    if (path.endsWith('resolve')) return resolved;
    if (query.has('continuation')) return { body: page(2, 4, null, 5) };
    return { body: { ...page(0, 2, 'second', 5), results: [entry(0), entry(1), entry(0)] } };
  });
  const fixture = await exportFixture(t, { service });
  const args = ['uploads', '@test', '-o', 'out', '-f', 'id'];
  assert.equal((await fixture.run([...args, '--max-credits', '1'])).exit, 9);
  const resumed = await fixture.run(args);
  assert.deepEqual([resumed.exit, resumed.only.credits.confirmed], [0, 1], resumed.stderr);
});

test('a token that is refused after a bound has stopped the export: one run must afford all of it', async (t) => {
  let isBad = false;
  const service = await scriptedService(t, ({ query, path }) =>
    path.endsWith('resolve')
      ? resolved
      : isBad && query.has('continuation')
        ? { status: 410, body: {} }
        : threePages(query.get('continuation'), () => null),
  );
  const fixture = await exportFixture(t, { service });
  const args = ['uploads', '@test', '-o', 'out', '-f', 'id', '--max-credits', '1'];
  assert.equal((await fixture.run(args)).exit, 9);
  isBad = true;
  const refused = await fixture.run(args);
  assert.equal(refused.exit, 8);
  const message = onlyError(refused, '(1 credit per 100 entries, which --max-credits must allow in one run)');
  isBad = false;
  // The bound would stop it again.
  assert.match(message, /start over: chanlist uploads @test --output out --format id --restart \(/);
  const again = await fixture.run(['uploads', '@test', '-o', 'out', '-f', 'id', '--restart']);
  assert.deepEqual([again.exit, again.only.credits.confirmed], [0, 3]);
});

test('uploads added during an interruption: no entry is written twice', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', list, '-o', 'out', '-f', 'id'];
  const expected = await uninterrupted(fixture, `uploads ${list} -f id`);
  assert.equal((await fixture.run([...args, '--max-credits', '2'])).exit, 9);
  fixture.sandbox.setUploads(list, 38);
  const result = await fixture.run(args);
  assert.equal(result.exit, 0);
  assert.equal(await fixture.read('out'), expected);
  assert.equal(result.only.entries, 35);
});

const { videoId: _, ...unlisted } = entry(0);
for (const [name, keys] of [
  ['a key with a dot', { ...unlisted, 'stats.views': 7 }],
  ['two of the specified fields', { title: 'x', extra: null }],
] as const) {
  test(`entries with ${name}: an interrupted export is resumed, then updated`, async (t) => {
    const ids = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => ({ videoId: `video${from + i}`, ...keys }));
    let isNew = false;
    const service = await scriptedService(t, ({ query, path }) => {
      if (path.endsWith('resolve')) return resolved;
      if (path.endsWith('latest')) return { body: { results: ids(isNew ? 0 : 1, 5) } };
      if (query.has('continuation')) return { body: { ...page(0, 0, null, 4), results: ids(3, 5) } };
      return { body: { ...page(0, 0, 'next', 4), results: ids(isNew ? 0 : 1, 3) } };
    });
    const fixture = await exportFixture(t, { service });
    const args = ['uploads', '@test', '-o', 'out'];
    assert.equal((await fixture.run([...args, '--max-credits', '1'])).exit, 9);
    const resumed = await fixture.run(args);
    assert.deepEqual([resumed.exit, resumed.only.credits.confirmed], [0, 1], resumed.stderr);
    isNew = true;
    const updated = await fixture.run([...args, '--update']);
    assert.deepEqual([updated.exit, updated.only.new, updated.only.entries], [0, 1, 5], updated.stderr);
  });
}
