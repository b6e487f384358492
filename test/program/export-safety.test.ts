/** What no run may lose, touch or pay twice (docs/updates.md). */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { exportFixture } from '../support/exports.ts';
import { feedOf, type SimulatedChannel, videoId, videos } from '../support/simulated-service.ts';
import { onlyError } from '../support/stderr.ts';
import { World } from '../support/world.ts';

const line = 'uploads @a -o a.ndjson';

/** A world with a channel of 12 uploads, 5 a page. */
async function worldOf(t: TestContext): Promise<{ world: World; channel: SimulatedChannel }> {
  const world = await World.open(t, { pageSize: 5 });
  return { world, channel: world.service.addChannel('a', { list: videos(0, 12) }) };
}

const ids = (...numbers: number[]): string[] => numbers.map((n) => videoId(n));
const down = (from: number, to: number): number[] =>
  Array.from({ length: from - to + 1 }, (_, n) => from - n);

for (const [signal, exit] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)
  test(`stopped by ${signal}: the old FILE stays, and the same command resumes with the next page`, async (t) => {
    const { world } = await worldOf(t);
    // Its summary is written, too.
    Object.assign(world, { isReported: true });
    world.write('a.ndjson', 'the old one\n');
    const stopped = await world.spawn(`${line} --restart`, 3, signal);
    assert.deepEqual([stopped.exit, world.read('a.ndjson')], [exit, 'the old one\n'], stopped.stderr);
    onlyError(stopped, `stopped by ${signal}`, '2 credits spent, 1 more possibly charged', 'same command');
    const again = await world.run(`${line} --restart`);
    assert.deepEqual([again.exit, again.credits], [0, 1], again.stderr);
    assert.deepEqual(world.ids(), ids(...down(11, 0)));
  });

for (const [rows, flag, exit] of [
  ['../victim', '', 1],
  ['../victim', ' --restart', 0],
  ['.gitignore', ' --update', 1],
  ['a.ndjson.json', ' --restart', 0],
] as const)
  test(`a record that names ${rows} as its rows is a damaged one${flag}: no such file is touched`, async (t) => {
    const { world } = await worldOf(t);
    assert.equal((await world.run(line, { at: 2, by: 402 })).exit, 4);
    const path = '.chanlist/a.ndjson.json';
    const record = JSON.parse(world.read(path));
    const progress = { ...record.progress, rows, bytes: 0, entries: 0 };
    world.write(path, JSON.stringify({ ...record, progress }));
    world.write('victim', 'mine\n');
    const run = await world.run(line + flag);
    assert.deepEqual([run.exit, run.credits], [exit, exit === 0 ? 3 : 0], run.stderr);
    assert.deepEqual([world.read('victim'), world.read('.chanlist/.gitignore')], ['mine\n', '*\n']);
    assert.match(run.stderr, /record .* damaged/);
  });

test('an update whose token is refused in the run that got it starts over, once, and keeps the dates of the feed', async (t) => {
  const { world, channel } = await worldOf(t);
  const dated = `${line} --fields videoId,@published`;
  await world.run(dated);
  channel.list = videos(0, 23);
  channel.feed = feedOf(videos(0, 23));
  let left = 1;
  const unhook = world.service.on(({ operation }) => {
    if (operation === 'uploads' && left-- > 0) setImmediate(() => world.service.expireTokens());
  });
  const run = await world.run(`${dated} --update`);
  unhook();
  assert.deepEqual([run.exit, run.credits, run.stderr], [0, 4, '']);
  assert.deepEqual(world.ids('a.ndjson', 'ndjson'), ids(...down(22, 0)));
  // Killed, refused, and no longer in the feed: the date is that of the first time.
  channel.list = videos(0, 40);
  channel.feed = feedOf(videos(0, 40));
  await world.run(`${dated} --update`, { at: 2, by: 'kill' });
  channel.list = videos(0, 60);
  channel.feed = feedOf(videos(0, 60));
  world.service.expireTokens();
  const summary = `--summary ${world.folder}/summary`;
  assert.equal((await world.run(`${dated} --update ${summary}`)).exit, 0);
  const rows = world.read('a.ndjson').trimEnd().split('\n');
  const dates = new Map(rows.map((row) => [JSON.parse(row).videoId, JSON.parse(row)['@published']]));
  assert.equal(dates.size, 60);
  assert.equal(typeof dates.get(videoId(39)), 'string');
  assert.equal(typeof dates.get(videoId(20)), 'string');
  assert.equal(JSON.parse(world.read('summary')).references[0].resumed, 5);
});

test('other fields than those of an archive: show is named where it has them, else only --restart', async (t) => {
  const { world } = await worldOf(t);
  await world.run(`${line} --fields videoId,title`);
  const less = await world.run(`${line} --fields title`);
  onlyError(less, 'chanlist show a.ndjson --format ndjson --fields title;', '--restart');
  const more = await world.run(`${line} --fields title,index`);
  assert.deepEqual([less.exit, more.exit, less.credits + more.credits], [2, 2, 0]);
  assert.doesNotMatch(more.stderr, /chanlist show/);
  assert.equal((await world.run('show a.ndjson --format ndjson --fields title')).exit, 0);
});

for (const what of ['FILE', 'its folder', 'its changed FILE'] as const)
  test(`${what} is another one when the pages are there: 1, it stays, and nothing is paid twice`, async (t) => {
    const { world } = await worldOf(t);
    const folder = join(world.folder, 'sub');
    mkdirSync(folder);
    const isChanged = what === 'its changed FILE';
    if (isChanged) assert.equal((await world.run('uploads @a -o sub/a.ndjson')).exit, 0);
    let left = 2;
    const unhook = world.service.on(({ operation }) => {
      if (operation !== 'uploads' || --left !== 0) return;
      if (what === 'its folder') renameSync(folder, `${folder}.away`);
      if (what === 'its folder') mkdirSync(folder);
      else world.write('sub/a.ndjson', 'mine\n');
    });
    const command = `uploads @a -o sub/a.ndjson${isChanged ? ' --restart' : ''}`;
    const run = await world.run(command);
    unhook();
    assert.equal(run.exit, 1, run.stderr);
    onlyError(run, 'sub', /[23] credits? spent/);
    if (what === 'its folder') {
      assert.deepEqual(readdirSync(folder), []);
      rmSync(folder, { recursive: true });
      renameSync(`${folder}.away`, folder);
    } else {
      assert.equal(world.read('sub/a.ndjson'), 'mine\n');
      execFileSync('mv', ['sub/a.ndjson', 'mine'], { cwd: world.folder });
    }
    const again = await world.run(command);
    assert.deepEqual([again.exit, run.credits + again.credits], [0, 3], again.stderr);
    assert.deepEqual(world.ids('sub/a.ndjson', 'ndjson'), ids(...down(11, 0)));
  });

test('FILE that is a mount point: 1 names it; later runs try again for free', async (t) => {
  const within = [
    ...['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'],
    ...['mount --bind a.ndjson a.ndjson && exec "$@"', 'sh'],
  ];
  const fixture = await exportFixture(t);
  const args = 'uploads @size-15 -o a.ndjson';
  assert.equal((await fixture.run(args)).exit, 0);
  const [tool = '', ...words] = within;
  if (spawnSync(tool, [...words, 'true'], { cwd: fixture.folder }).status !== 0)
    return t.skip('this user may not mount a file');
  fixture.sandbox.setUploads('@size-15', 17);
  for (const charged of [1, 0]) {
    const run = await fixture.run(`${args} --update`, { within });
    assert.deepEqual([run.exit, run.charged], [1, charged], run.stderr);
    onlyError(run, 'a.ndjson', 'mount point');
  }
  const after = await fixture.run(`${args} --update`);
  assert.deepEqual([after.exit, after.charged, after.only.entries], [0, 0, 17], after.stderr);
});

test('an ID that was resolved is not resolved again, also if its export was not reached', async (t) => {
  const { world } = await worldOf(t);
  const addAll = (feed: 'list' | 404): void => {
    for (const name of ['a', 'b', 'c', 'd'])
      world.service.addChannel(name, { list: videos(0, 12, {}, `${name}_`), feed });
  };
  /** Exit code, handles resolved so far, and the other requests. */
  const runs = async (flags: string) => {
    const { exit, operations } = await world.run(
      `uploads @a @b @c @d --output-dir . --concurrency 1${flags}`,
    );
    const resolved = world.service.log.filter(({ operation }) => operation === 'resolve').length;
    return [exit, resolved, operations.filter((operation) => operation !== 'resolve').length];
  };
  addAll('list');
  assert.deepEqual(await runs(' --max-credits 1'), [9, 4, 1]);
  assert.deepEqual(await runs(' --max-credits 1'), [9, 4, 1]);
  assert.deepEqual(await runs(''), [0, 4, 10]);
  // An update without news is one request per channel; a run that keeps the exports sends none.
  for (const flags of [' --update', '']) assert.deepEqual(await runs(flags), [0, 4, flags === '' ? 0 : 4]);
  // Every thirty days, also while there is no feed, and by a run that keeps the exports.
  addAll(404);
  for (const [days, flags, resolved] of [
    [31, ' --update', 8],
    [1, ' --update', 8],
    [31, '', 12],
    [1, '', 12],
  ] as const) {
    world.pass(days);
    assert.deepEqual((await runs(flags)).slice(0, 2), [0, resolved]);
  }
});

test('a reference that is refused, or that fails before its first page, leaves no trace in the record of another channel', async (t) => {
  const { world } = await worldOf(t);
  world.service.addChannel('b', { list: videos(0, 12, {}, 'b_') });
  const other = 'uploads @b -o a.ndjson';
  assert.equal((await world.run(other, { at: 1, by: 402 })).exit, 4);
  assert.equal((await world.run(line, { at: 2, by: 402 })).exit, 4);
  assert.equal((await world.run(other)).exit, 2);
  const resumed = await world.run(line);
  assert.deepEqual([resumed.exit, resumed.credits], [0, 2], resumed.stderr);
  for (const flag of ['', ' --update', ' --restart', '']) {
    const run = await world.run(other + flag);
    assert.deepEqual([run.exit, run.credits], [2, 0], run.stderr);
  }
  world.remove('a.ndjson');
  assert.equal((await world.run(other)).credits, 3);
  assert.equal((await world.run(line)).exit, 2);
  assert.deepEqual(
    world.ids('a.ndjson', 'ndjson'),
    videos(0, 12, {}, 'b_').map(({ videoId: id }) => id),
  );
});

for (const [feed, credits, left] of [
  ['shows new videos', 3, [...down(22, 21), ...down(19, 12), 20, ...down(11, 0)]],
  ['shows nothing new', 0, [...down(22, 18), ...down(11, 0)]],
] as const)
  test(`an update that starts over keeps what it has bought; the feed ${feed}`, async (t) => {
    const { world, channel } = await worldOf(t);
    await world.run(line);
    channel.list = videos(0, 23);
    assert.equal((await world.run(`${line} --update`, { at: 2, by: 402 })).exit, 4);
    // A video that was bought is hidden; only the feed still has it.
    channel.list = videos(0, 23).filter(({ videoId: id }) => id !== videoId(20));
    channel.feed = feedOf(credits === 0 ? videos(0, 12) : videos(0, 23));
    world.service.expireTokens();
    const run = await world.run(`${line} --update`);
    assert.deepEqual([run.exit, run.credits, run.stderr], [0, credits, '']);
    assert.deepEqual(world.ids('a.ndjson', 'ndjson'), ids(...left));
    // It is in FILE: no page is bought for it again.
    world.pass(1);
    assert.equal((await world.run(`${line} --update`)).credits, 0);
  });
