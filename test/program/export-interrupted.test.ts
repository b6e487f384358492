import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { exportFixture, type Outcome } from '../support/exports.ts';
import { entry, page, type Reply, type Seen, scriptedService } from '../support/service.ts';
import { onlyError } from '../support/stderr.ts';

const list = '@size-35'; // 4 pages of 10

const resolved: Reply = { body: { channel_id: entry(0).channelId, resolved_from: '@test' } };

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

test('a video that is twice on a page: an interrupted export is resumed, then updated; nothing is paid twice', async (t) => {
  const videos = (...numbers: number[]) => numbers.map((n) => ({ videoId: `video${n}` }));
  let top: number[] = [];
  const service = await scriptedService(t, ({ query, path }) => {
    if (path.endsWith('resolve')) return resolved;
    if (path.endsWith('latest')) return { body: { results: videos(...top, 1, 2, 3, 4) } };
    if (query.has('continuation')) return { body: { ...page(0, 0, null, 4), results: videos(3, 4) } };
    return { body: { ...page(0, 0, 'next', 4), results: videos(...top, 1, 2, 1) } };
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
