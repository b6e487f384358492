/** `latest --seen FILE`: a free feed of new uploads. */
import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync } from 'node:fs';
import { test } from 'node:test';
import { feedEntry, videos } from '../support/simulated-service.ts';
import { idsIn, idsOf, nightlyRuns } from './fixture.ts';

const line = ['latest', '@a', '@b', '--seen', 'seen.txt'];

async function watched(t: Parameters<typeof nightlyRuns>[0]) {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 20) });
  const b = nights.service.addChannel('b', { list: videos(0, 20, {}, 'b_') });
  const first = await nights.run(line);
  return { nights, a, b, first };
}

test('the first look is the baseline: nothing printed, one line counts the channels', async (t) => {
  const { nights, a, b, first } = await watched(t);
  assert.deepEqual([first.exit, first.stdout, first.mail.length], [0, '', 1], first.stderr);
  assert.match(first.stderr, /^chanlist: first look: 2 channels are new in seen\.txt; /);
  const seen = (await nights.read('seen.txt')).split('\n');
  assert.equal(seen.pop(), '');
  const ids = [...idsIn(videos(5, 20)), ...idsIn(videos(5, 20, {}, 'b_')), a.id, b.id];
  assert.deepEqual(new Set(seen), new Set(ids));
  assert.equal(seen.length, 32);
  const quiet = await nights.run(line);
  assert.deepEqual([quiet.exit, quiet.stdout, quiet.stderr, quiet.credits], [0, '', '', 0]);
});

test('new entries are printed once; a channel that joins is a baseline of its own', async (t) => {
  const { nights, a } = await watched(t);
  a.list = videos(0, 23);
  nights.service.addChannel('c', { list: videos(0, 5, {}, 'c_') });
  const more = ['latest', '@a', '@b', '@c', '--seen', 'seen.txt'];
  const news = await nights.run(more);
  assert.deepEqual(idsOf(news.stdout), idsIn(videos(20, 23)));
  assert.deepEqual([news.exit, news.mail.length, news.credits], [0, 1, 0], news.stderr);
  assert.match(news.stderr, /^chanlist: first look: 1 channel is new in seen\.txt; /);
  const quiet = await nights.run(more);
  assert.deepEqual([quiet.stdout, quiet.stderr], ['', '']);
});

test('a channel without entries is looked at, too: its first upload is printed', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { feed: 'empty' });
  const one = ['latest', '@a', '--seen', 'seen.txt'];
  assert.equal((await nights.run(one)).stdout, '');
  a.feed = [feedEntry('v_1')];
  assert.deepEqual(idsOf((await nights.run(one)).stdout), ['v_1']);
});

test('a feed without entries may not name its channel: the reference stands for it', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { feed: { body: [] } });
  const one = ['latest', '@a', '--seen', 'seen.txt'];
  assert.equal((await nights.run(one)).stdout, '');
  assert.equal(await nights.read('seen.txt'), '@a\n');
  a.feed = { body: [{ ...feedEntry('v_1'), channelId: a.id }] };
  assert.deepEqual(idsOf((await nights.run(one)).stdout), ['v_1']);
  assert.deepEqual((await nights.read('seen.txt')).split('\n').sort(), ['', a.id, 'v_1']);
  assert.equal((await nights.run(one)).stdout, '');
});

test('all entries of a known channel are new: stderr says that some may have been missed', async (t) => {
  const { nights, a } = await watched(t);
  a.list = videos(20, 50);
  const news = await nights.run(line);
  assert.deepEqual(idsOf(news.stdout), idsIn(videos(35, 50)));
  assert.deepEqual([news.exit, news.mail.length], [0, 1], news.stderr);
  assert.equal(
    news.stderr,
    'chanlist: @a: all entries are new since the last look; some may have been missed\n',
  );
});

test('IDs are added only after stdout has accepted the entries', async (t) => {
  if (!existsSync('/dev/full')) return t.skip('no /dev/full');
  const { nights, a } = await watched(t);
  const before = await nights.read('seen.txt');
  a.list = videos(0, 22);
  const stdout = openSync('/dev/full', 'w');
  assert.equal((await nights.run(line, { stdout })).exit, 1);
  closeSync(stdout);
  assert.equal(await nights.read('seen.txt'), before);
  assert.deepEqual(idsOf((await nights.run(line)).stdout), idsIn(videos(20, 22)));
});

test('IDs are added only after -o FILE is written: a failure of one channel loses no entry', async (t) => {
  const { nights, a, b } = await watched(t);
  const before = await nights.read('seen.txt');
  a.list = videos(0, 22);
  b.feed = 500;
  const toFile = [...line, '-o', 'new.ndjson', '--retries', '0', '-v'];
  const failed = await nights.run(toFile);
  assert.equal(failed.exit, 7);
  assert.match(failed.stderr, /^chanlist: new\.ndjson is not written: 1 of 2 references failed$/m);
  assert.doesNotMatch(failed.stderr, /written to/);
  assert.equal(await nights.read('seen.txt'), before);
  b.feed = 'list';
  assert.equal((await nights.run(toFile)).exit, 0);
  assert.deepEqual(idsOf(await nights.read('new.ndjson')), idsIn(videos(20, 22)));
  assert.deepEqual((await nights.run(line)).stdout, '');
});

test('--limit: entries that it leaves out stay unseen, and are printed by the next call', async (t) => {
  const { nights, a } = await watched(t);
  a.list = videos(0, 23);
  const two = [...line, '--limit', '2'];
  const printed = [];
  for (const _ of [1, 2, 3]) printed.push(idsOf((await nights.run(two)).stdout).length);
  assert.deepEqual(printed, [2, 1, 0]);
});

test('a channel that fails: the others are printed, its own entries when it answers', async (t) => {
  const { nights, a, b } = await watched(t);
  a.list = videos(0, 21);
  b.feed = 500;
  const night = await nights.run([...line, '--retries', '0']);
  assert.equal(night.exit, 7);
  assert.deepEqual(idsOf(night.stdout), ['a_000000020']);
  b.feed = 'list';
  b.list = videos(0, 21, {}, 'b_');
  assert.deepEqual(idsOf((await nights.run(line)).stdout), ['b_000000020']);
});

test('two runs on one FILE: the second ends at once with 10', async (t) => {
  const { nights } = await watched(t);
  let second: Promise<{ exit: number | null; requests: readonly unknown[] }> | undefined;
  const remove = nights.service.on(async () => {
    remove();
    second = nights.run(line, { noReceipt: true });
    await second;
  });
  const first = await nights.run(line);
  assert.deepEqual([first.exit, (await second)?.exit], [0, 10]);
});

test('--seen names no input and no output of this call', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 5) });
  await nights.write('refs.txt', '@a\n');
  for (const args of [
    ['--from', 'refs.txt', '--seen', 'refs.txt'],
    ['@a', '--seen', 'same', '-o', 'same'],
  ]) {
    const { exit, requests, stderr } = await nights.run(['latest', ...args]);
    assert.deepEqual([exit, requests], [2, []], stderr);
    assert.match(stderr, /^chanlist: --seen \S+ and --(?:from|output) \S+ are the same file, /);
  }
  assert.equal(await nights.read('refs.txt'), '@a\n');
});
