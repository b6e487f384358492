import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelId, videos } from '../support/simulated-service.ts';
import { World } from '../support/world.ts';

type Feeds = 404 | 503 | 'empty' | 'garbage';

/** Archives of channels whose feeds are all alike, as so many nights have left them. */
async function nights(t: Parameters<typeof World.open>[0], count: number, feed: Feeds) {
  const world = await World.open(t, { pageSize: 100 });
  const names = Array.from({ length: count }, (_, at) => `c${at}`);
  const channels = names.map((name) =>
    world.service.addChannel(name, { list: videos(0, 5, {}, `${name}_`) }),
  );
  world.write('refs.txt', names.map((name) => `@${name}\n`).join(''));
  await world.run('uploads --from refs.txt --output-dir lists');
  for (const channel of channels) channel.feed = feed;
  const night = async (days: number) => {
    world.pass(days);
    return await world.run('uploads --from refs.txt --output-dir lists --concurrency 1 --update');
  };
  return { world, channels, night };
}

const address =
  /^none of the "latest" feeds of \d channels can be read \(.*\); check the address and --namespace$/;
const outage =
  /^\d references \(.*@c0, .*@c1, .*@c2 and others\): the service is not available \((?:503|no response)\): no feed can be read; /;

for (const feed of [404, 'empty', 'garbage'] as const)
  test(`feeds that are all ${feed}: a warning each night that questions the address, also once pages are bought`, async (t) => {
    const { night } = await nights(t, 5, feed);
    const first = await night(1);
    assert.deepEqual([first.exit, first.credits, first.errors.length], [7, 0, 1]);
    assert.match(first.errors[0] ?? '', /; check the address and --namespace$/);
    assert.deepEqual(first.warnings, []);
    const bought = await night(7);
    assert.deepEqual([bought.exit, bought.credits], [0, 5], bought.stderr);
    assert.equal(bought.operations.filter((operation) => operation === 'latest').length, 5);
    assert.match(bought.warnings.join('\n'), new RegExp(address.source, 'm'));
    const unchecked = await night(1);
    assert.deepEqual([unchecked.exit, unchecked.credits, unchecked.warnings.length], [0, 0, 1]);
    assert.match(unchecked.warnings[0] ?? '', address);
  });

test('a service that answers 404 to everything: one line each night, which questions the address', async (t) => {
  const { channels, night } = await nights(t, 5, 404);
  for (const channel of channels) channel.gone = true;
  for (const [days, exit] of [
    [1, 7],
    [7, 5],
  ] as const) {
    const run = await night(days);
    assert.deepEqual([run.exit, run.credits, run.mail.length], [exit, 0, 1], run.stderr);
    assert.match(run.stderr, /; check the address and --namespace/);
  }
});

test('a page in place of a feed is bought before a first export', async (t) => {
  const { world, night } = await nights(t, 5, 404);
  assert.equal((await night(1)).exit, 7);
  world.service.addChannel('new', { list: videos(0, 5) });
  world.write('refs.txt', `@new\n${world.read('refs.txt')}`);
  world.pass(7);
  const line = 'uploads --from refs.txt --output-dir lists --update --max-credits 5';
  const { exit, requests } = await world.run(line);
  const paid = requests.filter(({ operation }) => operation === 'uploads').map(({ list }) => list);
  assert.deepEqual([exit, paid.length, paid.includes(channelId('new'))], [9, 5, false]);
});

test('what an interrupted update adds counts, also if a page then replaces the missing feed', async (t) => {
  const { world, channels } = await nights(t, 5, 404);
  const c0 = channels[0] ?? assert.fail();
  Object.assign(c0, { feed: 'list', list: videos(0, 8, {}, 'c0_'), pageSizes: [2, 2, 2, 2, 2, 2] });
  const line = 'uploads --from refs.txt --output-dir lists --update';
  assert.equal((await world.run(`${line} --max-credits 1`)).credits, 1);
  world.pass(8);
  c0.feed = 404;
  const { summary } = await world.run(line, { noSummary: false });
  const { status, new: added, pages, resumed } = summary?.references[0] ?? assert.fail();
  assert.deepEqual([status, added, pages, resumed], ['unchanged', 3, 2, 2]);
});

for (const count of [5, 6])
  test(`${count} feeds that are all 503: the service is not available (7), one line each night, and no page is bought`, async (t) => {
    const { night } = await nights(t, count, 503);
    // Five failures end the run; once a page could be bought instead, no feed is one.
    for (const [days, feeds] of [
      [1, 5],
      [7, count],
      [1, count],
    ] as const) {
      const { exit, credits, errors, warnings, operations } = await night(days);
      assert.deepEqual([exit, credits, errors.length, warnings], [7, 0, 1, []], errors.join('\n'));
      assert.equal(operations.length, feeds);
      assert.match(errors[0] ?? '', outage);
    }
  });

test("of feeds that cannot be read, those with 5xx are the service's; a page replaces the one of a channel without a feed", async (t) => {
  const { channels, night } = await nights(t, 6, 503);
  Object.assign(channels[5] ?? assert.fail(), { feed: 404 });
  for (const [days, credits] of [
    [1, 0],
    [7, 1],
    [1, 0],
  ] as const) {
    const run = await night(days);
    assert.deepEqual([run.exit, run.credits, run.errors.length], [7, credits, 1], run.stderr);
    assert.match(run.errors[0] ?? '', outage);
    const replaced = 'refs.txt:6 @c5: checked with a page instead of the feed, which is missing (404)';
    assert.deepEqual(run.warnings, credits > 0 ? [replaced] : []);
  }
});

test('feeds without a response are those of a service that is not available, too', async (t) => {
  const { world, night } = await nights(t, 5, 'empty');
  world.service.fault = ({ operation }) => (operation === 'latest' ? 'reset' : null);
  for (const days of [1, 7]) {
    const { exit, credits, errors, warnings } = await night(days);
    assert.deepEqual([exit, credits, errors.length, warnings], [7, 0, 1, []], errors.join('\n'));
    assert.match(errors[0] ?? '', outage);
  }
});

test('feeds that are all 503 while --all buys every page: one warning', async (t) => {
  const { world } = await nights(t, 5, 503);
  world.pass(1);
  const run = await world.run('uploads --from refs.txt --output-dir lists --update --all');
  assert.deepEqual([run.exit, run.credits, run.warnings.length], [0, 5, 1], run.stderr);
  assert.match(run.warnings[0] ?? '', /none of the "latest" feeds of 5 channels can be read/);
});

test('the feeds of four channels do not question the address: each has its own message', async (t) => {
  const { night } = await nights(t, 4, 503);
  assert.match((await night(1)).errors[0] ?? '', /cannot check for new uploads.*no action needed/);
  const { exit, credits } = await night(7);
  assert.deepEqual([exit, credits], [0, 4]);
});

test('an outage that begins with pages of interrupted updates is one line, too', async (t) => {
  const world = await World.open(t, { pageSize: 2 });
  for (let n = 0; n < 9; n++) world.service.addChannel(`c${n}`, { list: videos(0, 25, {}, `c${n}_`) });
  world.write('refs.txt', [...world.service.handles.keys()].join('\n'));
  const line = 'uploads --from refs.txt --output-dir lists';
  assert.equal((await world.run(line)).exit, 0);
  world.pass(1);
  assert.equal((await world.run(`${line} --update --all --max-credits 8`)).exit, 9);
  world.service.fault = () => 503;
  world.pass(1);
  const night = await world.run(`${line} --update`);
  assert.deepEqual([night.exit, night.credits, night.mail.length], [7, 0, 1], night.stderr);
});

test('in an outage that lasts a week no page is bought, whatever its requests were for', async (t) => {
  const world = await World.open(t, { pageSize: 2 });
  for (let n = 0; n < 5; n++) world.service.addChannel(`c${n}`, { list: videos(0, 25, {}, `c${n}_`) });
  world.write('refs.txt', [...world.service.handles.keys()].join('\n'));
  const line = 'uploads --from refs.txt --output-dir lists';
  assert.equal((await world.run(line)).exit, 0);
  // Pages of one update wait: it needs no feed.
  assert.equal((await world.run(`${line} --update --all --max-credits 2 --concurrency 1`)).exit, 9);
  world.pass(8);
  world.service.fault = ({ operation, parameters }) =>
    operation === 'latest' || parameters.continuation !== undefined ? 503 : null;
  const night = await world.run(`${line} --update`);
  assert.deepEqual([night.exit, night.credits, night.mail.length], [7, 0, 1], night.stderr);
});
