/** Nights over several channels: their order, what a failure or a spent budget stops, and how much mail it makes. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { channelId, videos } from '../support/simulated-service.ts';
import { onlyError } from '../support/stderr.ts';
import { statuses } from '../support/summary.ts';
import type { WorldRun } from '../support/world.ts';
import { idsIn, nightlyRuns } from './fixture.ts';

const fileOf = (name: string) => `dir/${channelId(name)}.ndjson`;

/** A folder with archives of so many channels (150 entries each), `@c0` and on, after two nights. */
async function folderOf(t: TestContext, count: number) {
  const nights = await nightlyRuns(t, {
    references: '--from refs.txt',
    output: '--output-dir dir --concurrency 1',
  });
  const names = Array.from({ length: count }, (_, n) => `c${n}`);
  nights.write('refs.txt', names.map((name) => `@${name}\n`).join(''));
  const channels = names.map((name) => nights.service.addChannel(name, { list: videos(0, 150) }));
  assert.equal((await nights.night()).credits, 2 * count);
  const second = await nights.night();
  assert.deepEqual([second.exit, second.credits, second.stderr], [0, 0, '']);
  const channel = (n: number) => channels[n] ?? assert.fail();
  return { nights, channel };
}

const paid = ({ requests }: WorldRun) =>
  requests.filter(({ operation }) => operation === 'uploads').map(({ list }) => list);

test('updates before first exports; interrupted ones first, then those checked longest ago, then those that failed', async (t) => {
  const { nights, channel } = await folderOf(t, 3);
  const [a, b, c] = [channel(0), channel(1), channel(2)];
  b.list = videos(0, 290);
  assert.deepEqual(paid(await nights.night('--max-credits 1')), [b.id]);
  nights.service.addChannel('new', { list: videos(0, 5) });
  nights.write('refs.txt', '@new\n@c0\n@c1\n@c2\n');
  for (const one of [a, c]) one.list = videos(0, 151);
  // The new one waits until the updates are done.
  const night = await nights.night('--max-credits 3');
  assert.equal(night.exit, 9);
  assert.deepEqual(paid(night), [b.id, a.id, c.id]);
  const next = await nights.night();
  assert.deepEqual([next.exit, paid(next)], [0, [channelId('new')]], next.stderr);
  assert.equal((await nights.run('uploads @c0 --output-dir dir --update')).exit, 0);
  nights.pass(1);
  for (const one of [a, c]) one.list = videos(0, 152);
  c.feed = 500;
  assert.equal((await nights.night()).exit, 7);
  c.feed = 'list';
  a.list = videos(0, 153);
  assert.deepEqual(paid(await nights.night()), [a.id, c.id]);
});

test('references that cannot be resolved do not keep archives waiting, even if five of them end the run', async (t) => {
  const { nights, channel } = await folderOf(t, 1);
  channel(0).list = videos(0, 151);
  const refused = Array.from({ length: 6 }, (_, n) => `@refused${n}`);
  nights.service.fault = ({ parameters }) => (refused.includes(parameters.input ?? '') ? 422 : null);
  nights.write('refs.txt', [...refused, '@c0'].map((name) => `${name}\n`).join(''));
  const night = await nights.night();
  assert.deepEqual(
    [night.exit, paid(night), statuses(night.summary).at(-1)],
    [8, [channel(0).id], 'complete'],
    night.stderr,
  );
  onlyError(night, 'refs.txt:1 @refused0', '1 more not reached');
});

test('a new channel is exported before the bad references below it end the run', async (t) => {
  const { nights } = await folderOf(t, 1);
  nights.service.addChannel('good', { list: videos(0, 5) });
  const bad = Array.from({ length: 5 }, (_, n) => `@bad${n}`);
  nights.service.fault = ({ parameters }) => (bad.includes(parameters.input ?? '') ? 422 : null);
  nights.write('refs.txt', ['@good', ...bad, '@c0'].map((name) => `${name}\n`).join(''));
  const night = await nights.night();
  assert.deepEqual([night.exit, paid(night)], [8, [channelId('good')]], night.stderr);
});

test('archives that have failed for three days do not keep a new channel waiting', async (t) => {
  const { nights, channel } = await folderOf(t, 5);
  nights.service.addChannel('other', { list: videos(0, 5) });
  const names = ['c0', 'c1', 'c2', 'c3', 'c4'];
  for (const n of names.keys()) channel(n).list = videos(0, 152);
  const failing = names.map(channelId);
  nights.service.fault = ({ operation, list }) =>
    operation === 'uploads' && failing.includes(list ?? '') ? 422 : null;
  nights.write('refs.txt', ['@other', ...names.map((name) => `@${name}`)].join('\n'));
  const isExported: boolean[] = [];
  for (let night = 0; night < 4; night++) {
    const run = await nights.night();
    assert.equal(run.exit, 8, run.stderr);
    isExported.push(paid(run).includes(channelId('other')));
  }
  assert.deepEqual(isExported, [false, false, false, true]);
});

test('of archives that failed last time, those that were not reached come first', async (t) => {
  const { nights, channel } = await folderOf(t, 7);
  for (let n = 0; n < 7; n++) channel(n).feed = 404;
  assert.equal((await nights.night()).exit, 7);
  for (let n = 0; n < 7; n++) channel(n).feed = n < 5 ? 500 : 'list';
  for (const n of [5, 6]) channel(n).list = videos(0, 151);
  const night = await nights.night('--retries 0');
  assert.deepEqual([night.exit, paid(night)], [7, []], night.stderr);
  onlyError(night, '2 more not reached');
  assert.deepEqual(paid(await nights.night('--retries 0')), [channel(5).id, channel(6).id]);
});

test('five new channels that fail end the run, although each could be resolved', async (t) => {
  const { nights } = await folderOf(t, 1);
  const names = Array.from({ length: 8 }, (_, n) => `new${n}`);
  for (const name of names) nights.service.addChannel(name, { list: videos(0, 5) });
  nights.service.fault = ({ operation }) => (operation === 'uploads' ? 500 : null);
  nights.write('refs.txt', names.map((name) => `@${name}\n`).join(''));
  const night = await nights.night('--retries 0');
  assert.deepEqual([night.exit, paid(night).length], [7, 5], night.stderr);
  onlyError(night, '3 more not reached');
});

test('in an outage of the feeds no page replaces one, also if the archives are listed under new names', async (t) => {
  const { nights, channel } = await folderOf(t, 6);
  for (let n = 0; n < 6; n++) {
    channel(n).feed = 500;
    nights.service.handles.set(`@renamed${n}`, channel(n).id);
  }
  nights.pass(8);
  nights.write('refs.txt', Array.from({ length: 6 }, (_, n) => `@renamed${n}\n`).join(''));
  const night = await nights.night('--retries 0');
  assert.deepEqual([night.exit, night.credits], [7, 0], night.stderr);
});

test('a new spelling of an archive is no second list, and is resolved once', async (t) => {
  const { nights, channel } = await folderOf(t, 1);
  nights.service.handles.set('@new_name', channel(0).id);
  nights.write('refs.txt', '@new_name\n@c0\n');
  channel(0).list = videos(0, 151);
  const operations: unknown[] = [];
  for (let n = 0; n < 2; n++) operations.push((await nights.night()).operations);
  assert.deepEqual(operations, [['latest', 'uploads', 'resolve'], ['latest']]);
});

test('a feed under a new name shows that the service works: pages replace the missing feeds of the others', async (t) => {
  const { nights, channel } = await folderOf(t, 6);
  for (let n = 0; n < 5; n++) channel(n).feed = 500;
  nights.service.handles.set('@renamed', channel(5).id);
  nights.pass(8);
  nights.write('refs.txt', '@c0\n@c1\n@c2\n@c3\n@c4\n@renamed\n');
  // The last check is eight days old: a page is due for each.
  const night = await nights.night('--retries 0');
  assert.deepEqual([night.exit, night.credits, paid(night).length], [0, 5, 5], night.stderr);
});

test('an update that a failure has interrupted comes last in the next run', async (t) => {
  const { nights, channel } = await folderOf(t, 2);
  const update = 'uploads --from refs.txt --output-dir dir --update --concurrency 1 --retries 0';
  channel(0).list = videos(0, 290);
  nights.service.failPaid(2, 500);
  assert.equal((await nights.run(update)).exit, 7);
  channel(1).list = videos(0, 151);
  assert.deepEqual(paid(await nights.run(update)), [channel(1).id, channel(0).id]);
});

test('a 403 of one channel stops only that one: a free request shows that the key is accepted', async (t) => {
  const { nights, channel } = await folderOf(t, 3);
  channel(0).feed = 403;
  const night = await nights.night();
  assert.deepEqual([night.exit, statuses(night.summary)], [3, ['failed 3', 'unchanged', 'unchanged']]);
  assert.deepEqual(night.operations, ['latest', 'resolve', 'latest', 'latest']);
  onlyError(night, '@c0: access was refused (403: no feed)', 'or remove the reference');
});

test('a 403 of every request ends the run: the key is not accepted any more', async (t) => {
  const { nights } = await folderOf(t, 3);
  nights.service.fault = () => 403;
  const night = await nights.night();
  assert.deepEqual(statuses(night.summary), ['interrupted 3', 'interrupted 3', 'interrupted 3']);
  assert.deepEqual(night.operations, ['latest', 'resolve']);
  onlyError(night, 'access was refused (403: a test); stopped, 2 more not reached', 'replace the key');
});

test('private channels on top of a list do not keep new ones below them waiting', async (t) => {
  const { nights } = await folderOf(t, 1);
  const secret = ['s0', 's1', 's2', 's3', 's4', 's5'];
  for (const name of [...secret, 'new']) nights.service.addChannel(name, { list: videos(0, 5) });
  const ids = secret.map(channelId);
  nights.service.fault = ({ list }) => (ids.includes(list ?? '') ? 403 : null);
  nights.write('refs.txt', [...secret, 'c0', 'new'].map((name) => `@${name}\n`).join(''));
  const night = await nights.night();
  assert.deepEqual([night.exit, night.credits, paid(night).at(-1)], [3, 1, channelId('new')], night.stderr);
  // The key has been accepted: nothing asks for that again.
  const resolved = night.requests.filter(({ operation }) => operation === 'resolve');
  assert.equal(resolved.length, secret.length + 1);
});

test('a spent budget stops paid requests, not checks', async (t) => {
  const { nights, channel } = await folderOf(t, 4);
  channel(0).list = videos(0, 300);
  channel(2).list = videos(0, 151);
  const night = await nights.night('--max-credits 1');
  assert.deepEqual([night.exit, night.credits], [9, 1], night.stderr);
  assert.deepEqual(statuses(night.summary), ['interrupted 9', 'unchanged', 'interrupted 9', 'unchanged']);
  assert.equal(night.operations.filter((operation) => operation === 'latest').length, 4);
  const next = await nights.night();
  assert.deepEqual([next.exit, next.credits], [0, 2], next.stderr);
  assert.deepEqual(nights.ids(fileOf('c0')), idsIn(videos(0, 300)));
});

test('a run that ends early does not overwrite a record that another run has written', async (t) => {
  const { nights, channel } = await folderOf(t, 2);
  for (const n of [0, 1]) channel(n).list = videos(0, 151);
  const remove = nights.service.on(async ({ operation }) => {
    if (operation !== 'uploads') return;
    remove();
    const other = await nights.run('uploads @c1 --output-dir dir --update', { noSummary: true });
    assert.deepEqual([other.exit, other.stderr], [0, '']);
    nights.service.fault = ({ operation }) => (operation === 'uploads' ? 402 : null);
  });
  const night = await nights.night([], { noSummary: true });
  assert.deepEqual([night.exit, night.credits], [4, 1], night.stderr);
  assert.deepEqual(nights.ids(fileOf('c1')), idsIn(videos(0, 151)));
  assert.equal((await nights.run('check dir -q')).exit, 0);
  nights.service.fault = () => null;
  const next = await nights.night();
  assert.deepEqual([next.exit, next.credits], [0, 1]);
});
