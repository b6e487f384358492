/** Receipts of nights: `--summary` (product.md, Receipts). */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { feedEntry, feedOf, videos } from '../support/simulated-service.ts';
import { idsIn, idsOf, nightlyRuns, type Receipt } from './fixture.ts';

test('written at the start of the work with a null exit, and replaced at the end', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 250) });
  const seen: Partial<Receipt>[] = [];
  nights.service.on(async () => {
    seen.push(JSON.parse(await readFile(nights.receiptPath, 'utf8').catch(() => '{}')));
  });
  const night = await nights.night();
  assert.ok(seen.length >= 3);
  for (const { command, exit, started } of seen) {
    assert.deepEqual([command, exit, started?.slice(0, 16)], ['uploads', null, '2026-03-01T03:00']);
  }
  const { command, started, seconds, exit, credits, retries, requests } = night.receipt ?? assert.fail();
  assert.deepEqual(
    { command, started: started.slice(0, 16), exit, credits, retries },
    {
      command: 'uploads',
      started: '2026-03-01T03:00',
      exit: 0,
      credits: { confirmed: 3, possibly_charged: 0 },
      retries: 0,
    },
  );
  assert.deepEqual(night.counts, { complete: 1 });
  assert.equal(requests, night.requests.length);
  assert.ok(seconds >= 0 && seconds < 60);
});

test('retries and requests are those of the call', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 50) });
  nights.service.failPaid(1, 503);
  const { receipt, requests } = await nights.night(['--retries', '1']);
  assert.deepEqual([receipt?.retries, receipt?.requests], [1, requests.length]);
});

test('the token of a limited listing is that of the first page that is not fully printed', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 250) });
  const limited = await nights.run(['uploads', '@a', '--limit', '150']);
  assert.deepEqual([limited.exit, limited.only.status, limited.lines.length], [0, 'limited', 150]);
  const token = limited.only.continuation_token ?? assert.fail();
  const rest = await nights.run(['uploads', '--continuation', token]);
  assert.deepEqual(idsOf(rest.stdout), idsIn(videos(0, 150)));
});

test('counts, credits, new and why of each reference', async (t) => {
  const nights = await nightlyRuns(t, {
    references: ['@a', '@b', '@c', '@d', '@none'],
    output: ['--output-dir', 'dir', '--concurrency', '1'],
  });
  const [a, b, c] = ['a', 'b', 'c', 'd'].map((name) =>
    nights.service.addChannel(name, { list: videos(0, 150) }),
  );
  assert.deepEqual((await nights.night()).counts, { complete: 4, failed: 1 });
  if (a) a.list = videos(0, 250);
  if (b) b.feed = [feedEntry('dead'), ...feedOf(b.list)];
  if (c) c.feed = 404;
  const night = await nights.night();
  assert.equal(night.exit, 7, night.stderr);
  assert.deepEqual(
    night.receipt?.references.map(({ reference, status, pages, credits, resumed, exit }) => [
      reference,
      status,
      pages,
      credits.confirmed,
      resumed,
      exit,
    ]),
    [
      ['@a', 'complete', 2, 2, 0, null],
      ['@b', 'unchanged', 1, 1, 0, null],
      ['@c', 'failed', 0, 0, 0, 7],
      ['@d', 'unchanged', 0, 0, 0, null],
      ['@none', 'failed', 0, 0, 0, 5],
    ],
  );
  assert.deepEqual(
    [0, 1, 3].map((n) => night.receipt?.references[n]?.new),
    [100, 0, 0],
  );
  assert.deepEqual(
    night.receipt?.references.map(({ why }) => typeof why),
    ['object', 'string', 'object', 'object', 'object'],
  );
  assert.deepEqual(night.counts, { complete: 1, unchanged: 2, failed: 2 });
  assert.deepEqual(night.receipt?.credits, { confirmed: 3, possibly_charged: 0 });
  const [first] = night.receipt?.references ?? [];
  assert.deepEqual([first?.id, first?.file?.endsWith(`dir/${a?.id}.ndjson`)], [a?.id, true]);
});

test('resumed: entries of earlier, interrupted runs; credits and pages are this run’s', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 350) });
  for (const entries of [0, 100, 200]) {
    const stopped = await nights.run(['uploads', '@a', '-o', 'a.ndjson', '--max-credits', '1']);
    assert.deepEqual([stopped.exit, stopped.only.pages, stopped.only.credits.confirmed], [9, 1, 1]);
    assert.equal(stopped.only.resumed, entries);
    nights.pass(1);
  }
  // No feed has confirmed what the first page had.
  assert.equal((await nights.run(['uploads', '@a', '-o', 'a.ndjson'])).exit, 0);
  const { stdout } = await nights.run(['check', 'a.ndjson'], { noReceipt: true });
  assert.equal(JSON.parse(stdout).checked.slice(0, 16), '2026-03-01T03:00');
});

test('possibly charged: a page without a complete answer', async (t) => {
  for (const [fault, charged] of [
    ['truncate', 1],
    ['reset', 0],
    ['reset-charged', 1],
  ] as const) {
    const nights = await nightlyRuns(t);
    nights.service.addChannel('a', { list: videos(0, 150) });
    nights.service.failPaid(2, fault);
    const night = await nights.night();
    assert.deepEqual([night.exit, night.credits], [7, 1 + charged], night.stderr);
    assert.deepEqual(night.receipt?.credits, { confirmed: 1, possibly_charged: 1 });
    const after = await nights.night();
    assert.deepEqual([after.exit, after.credits], [0, 1], after.stderr);
  }
});

test('a receipt that cannot be created at the start: 1, nothing sent', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 20) });
  const line = ['uploads', '@a', '-o', 'a.ndjson', '--summary', join('missing', 'receipt.json')];
  const run = await nights.run(line, { noReceipt: true });
  assert.deepEqual([run.exit, run.requests], [1, []], run.stderr);
});
