/** Nothing is bought twice by accident, and nothing is discarded before its replacement is there. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { channelId, feedEntry, video, videos } from '../support/simulated-service.ts';
import { idsIn, nightlyRuns, outcome, unchanged } from './fixture.ts';

const plain = ['uploads', '@a', '-o', 'a.ndjson'];

test('uploads -o onto a complete FILE: 2, naming --update and --restart with their cost, nothing sent', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 250) });
  assert.deepEqual([(await nights.run(plain)).credits], [3]);
  a.list = videos(0, 251);
  const again = await nights.run(plain);
  assert.deepEqual([again.exit, again.requests], [2, []]);
  assert.match(
    again.stderr,
    /; --update brings it up to date \(free if there is nothing new, else 1 credit per page\); to export it again \(1 credit per page\): chanlist uploads @a --output \S*a\.ndjson --restart\n$/,
  );
  assert.deepEqual(await nights.ids(), idsIn(videos(0, 250)));
  // An empty file is no export, and FILE of a playlist is replaced.
  await nights.write('empty.ndjson', '');
  assert.equal((await nights.run(['uploads', '@a', '-o', 'empty.ndjson'])).exit, 0);
  nights.service.addPlaylist('PLlist', videos(0, 20));
  for (let n = 0; n < 2; n++) {
    const playlist = await nights.run(['playlist', 'PLlist', '-o', 'list.ndjson']);
    assert.deepEqual([playlist.exit, playlist.credits], [0, 1], playlist.stderr);
  }
});

test('the command that exports FILE again works in any folder, with a key file too', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.write('key', 'sk_unused');
  await nights.run(plain);
  const { exit, stderr } = await nights.run([...plain, '--key-file', 'key']);
  assert.equal(exit, 2);
  const paths = ['key', 'a.ndjson'].map((name) => join(nights.folder, name));
  assert.ok(
    stderr.endsWith(`: chanlist uploads @a --key-file ${paths[0]} --output ${paths[1]} --restart\n`),
    stderr,
  );
});

test('--output-dir keeps complete exports, exports the others, and warns once', async (t) => {
  const nights = await nightlyRuns(t);
  for (const name of ['a', 'b', 'c', 'd']) nights.service.addChannel(name, { list: videos(0, 150) });
  const into = ['--output-dir', 'dir'];
  assert.equal((await nights.run(['uploads', '@a', '@b', ...into])).credits, 4);
  const more = await nights.run(['uploads', '@a', '@c', '@b', '@d', ...into]);
  assert.deepEqual([more.exit, more.credits, more.mail.length], [0, 4, 1], more.stderr);
  assert.match(more.stderr, / 2 complete exports are kept; --update brings them up to date \(free if /);
  assert.match(more.stderr, /, --restart exports them again \(about 4 credits\)\n$/);
  assert.deepEqual(
    more.receipt?.references.map(({ status }) => status),
    ['kept', 'complete', 'kept', 'complete'],
  );
  assert.deepEqual(more.counts, { kept: 2, complete: 2 });
  const kept = await nights.run(['uploads', '@a', '@c', '@b', '@d', ...into]);
  assert.deepEqual([kept.exit, kept.credits, kept.counts], [0, 0, { kept: 4 }]);
  // Four files of two pages each.
  assert.match(kept.stderr, /--restart exports them again \(about 8 credits\)/);
});

test('an interrupted folder run is resumed by the same command', async (t) => {
  const nights = await nightlyRuns(t);
  for (const name of ['a', 'b']) nights.service.addChannel(name, { list: videos(0, 250) });
  const line = ['uploads', '@a', '@b', '--output-dir', 'dir', '--concurrency', '1'];
  const exits: (number | null)[] = [];
  let credits = 0;
  for (let n = 0; n < 4; n++) {
    const run = await nights.run([...line, '--max-credits', '2']);
    exits.push(run.exit);
    credits += run.credits;
    if (run.exit === 0) break;
  }
  assert.deepEqual([exits, credits], [[9, 9, 0], 6]);
});

test('--restart: FILE is discarded only once the new pages are there', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 250) });
  await nights.run(plain);
  a.list = [...videos(240, 255), ...videos(0, 230)];
  const seen: unknown[] = [];
  nights.service.on(async ({ operation }) => {
    if (operation === 'uploads') seen.push((await nights.ids()).length);
  });
  const restart = await nights.run([...plain, '--restart']);
  assert.deepEqual([restart.exit, restart.credits, seen], [0, 3, [250, 250, 250]], restart.stderr);
  assert.deepEqual(await nights.ids(), idsIn(a.list));
});

test('an interrupted --restart is resumed without it, by the command that stderr prints', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 250) });
  await nights.run(plain);
  a.list = videos(0, 260);
  const stopped = await nights.run([...plain, '--restart', '--max-credits', '1']);
  assert.deepEqual([stopped.exit, stopped.credits], [9, 1]);
  const [command = ''] = /chanlist uploads @a .*/.exec(stopped.stderr) ?? [];
  assert.match(command, /(?:-o|--output)[ =]\S*a\.ndjson/, stopped.stderr);
  assert.doesNotMatch(command, /--restart/);
  assert.deepEqual(await nights.ids(), idsIn(videos(0, 250)));
  const resumed = await nights.run(plain);
  assert.deepEqual([resumed.exit, resumed.credits], [0, 2], resumed.stderr);
  assert.equal(resumed.only.resumed?.entries, 100);
  assert.deepEqual(await nights.ids(), idsIn(videos(0, 260)));
  assert.equal((await nights.run(plain)).exit, 2);
});

test('--restart of an interrupted export discards it only once there is a new page', async (t) => {
  const nights = await nightlyRuns(t);
  nights.service.addChannel('a', { list: videos(0, 250) });
  assert.equal((await nights.run([...plain, '--max-credits', '2'])).credits, 2);
  nights.service.failPaid(1, 500);
  assert.deepEqual((await nights.run([...plain, '--restart', '--retries', '0'])).credits, 0);
  const resumed = await nights.run(plain);
  assert.deepEqual([resumed.exit, resumed.credits], [0, 1], resumed.stderr);
  assert.deepEqual(await nights.ids(), idsIn(videos(0, 250)));
});

test('--restart with a list that is empty: 8, and the interrupted export stays', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 250) });
  assert.equal((await nights.run([...plain, '--max-credits', '2'])).credits, 2);
  a.list = [];
  const empty = await nights.run([...plain, '--restart']);
  assert.deepEqual([empty.exit, empty.credits], [8, 1], empty.stderr);
  assert.match(empty.stderr, /lists no entries, .*; 1 credit spent; run the same command without --restart/);
  a.list = videos(0, 250);
  const resumed = await nights.run(plain);
  assert.deepEqual([resumed.exit, resumed.credits], [0, 1], resumed.stderr);
  assert.deepEqual(await nights.ids(), idsIn(videos(0, 250)));
});

test('--restart on a folder starts over; references not reached keep their old export', async (t) => {
  const nights = await nightlyRuns(t);
  const [a, b] = ['a', 'b'].map((name) => nights.service.addChannel(name, { list: videos(0, 150) }));
  const line = ['uploads', '@a', '@b', '--output-dir', 'dir', '--concurrency', '1'];
  await nights.run(line);
  for (const channel of [a, b]) if (channel) channel.list = videos(0, 160);
  const stopped = await nights.run([...line, '--restart', '--max-credits', '2']);
  assert.deepEqual([stopped.exit, stopped.credits], [9, 2]);
  assert.match(
    stopped.stderr,
    /; run: chanlist uploads @a @b --output-dir dir (?:(?!--restart).)* to resume; to export the others again: chanlist uploads @b --output-dir dir .*--restart .*\n$/,
  );
  assert.deepEqual(await nights.ids(`dir/${channelId('a')}.ndjson`), idsIn(videos(0, 160)));
  assert.deepEqual(await nights.ids(`dir/${channelId('b')}.ndjson`), idsIn(videos(0, 150)));
});

test('the command for references that --restart has not reached works after the one that resumes', async (t) => {
  const nights = await nightlyRuns(t);
  const names = Array.from({ length: 13 }, (_, i) => `c${i}`);
  for (const name of names) nights.service.addChannel(name, { list: videos(0, 150) });
  await nights.write('refs.txt', names.map((name) => `@${name}\n`).join(''));
  const line = ['uploads', '--from', 'refs.txt', '--output-dir', 'dir', '--concurrency', '1'];
  await nights.run(line);
  const stopped = await nights.run([...line, '--restart', '--max-credits', '3']);
  // Its receipt names the others: the run that resumes must not replace it.
  assert.ok(
    stopped.stderr.includes(
      `; run: chanlist ${line.join(' ')} --max-credits 3 to resume; to export the others again: jq -r `,
    ),
    stopped.stderr,
  );
});

test('on stdout, the command for the rest of many references works after the one that resumes', async (t) => {
  const nights = await nightlyRuns(t);
  const names = Array.from({ length: 13 }, (_, i) => `c${i}`);
  for (const name of names) nights.service.addChannel(name, { list: videos(0, 150) });
  const stopped = await nights.run(['uploads', ...names.map((name) => `@${name}`), '--max-credits', '1']);
  // The receipt names the others: the run that resumes must not replace it.
  const [, resume = '', others = ''] =
    /resume with: (chanlist [^;]+); (jq -r .+)\n$/.exec(stopped.stderr) ?? [];
  assert.match(resume, /^chanlist uploads --max-credits 1 --continuation=\S+$/, stopped.stderr);
  assert.match(others, / \| chanlist uploads --summary \S+ --max-credits 1 --from=-$/);
});

test('--restart carries a known @published over', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 3) });
  const published = '2026-02-03T04:05:06Z';
  const line = [...plain, '--fields', 'videoId,@published'];
  a.feed = videos(0, 3).map(({ videoId }) => feedEntry(String(videoId), { published }));
  assert.equal((await nights.run(line)).exit, 0);
  a.list = [video('v_1'), ...videos(0, 3)];
  a.feed = [feedEntry('v_1', { published: '2026-03-01T00:00:00Z' })];
  const restart = await nights.run([...line, '--restart']);
  assert.deepEqual([restart.exit, restart.credits], [0, 1], restart.stderr);
  assert.equal(
    await nights.read('a.ndjson'),
    [
      '{"videoId":"v_1","@published":"2026-03-01T00:00:00Z"}',
      ...videos(0, 3).map(({ videoId }) => `{"videoId":"${videoId}","@published":"${published}"}`),
      '',
    ].join('\n'),
  );
});

test('a listing without entries never replaces a FILE that has some', async (t) => {
  const nights = await nightlyRuns(t);
  const a = nights.service.addChannel('a', { list: videos(0, 20) });
  await nights.run(plain);
  const before = await nights.read('a.ndjson');
  a.list = [];
  a.feed = 'empty';
  const restart = await nights.run([...plain, '--restart']);
  assert.equal(restart.exit, 8, restart.stderr);
  assert.equal(await nights.read('a.ndjson'), before);
  // An update drops nothing, either.
  a.feed = [feedEntry('v_1')];
  const update = await nights.night();
  assert.equal(await nights.read('a.ndjson'), before, update.stderr);
  a.list = videos(0, 20);
  a.feed = 'list';
  assert.deepEqual(outcome(await nights.night()), unchanged);
  nights.service.addPlaylist('PLlist', videos(0, 20));
  const playlist = ['playlist', 'PLlist', '-o', 'list.ndjson'];
  await nights.run(playlist);
  const list = nights.service.lists.get('PLlist');
  if (list) list.list = [];
  assert.equal((await nights.run(playlist)).exit, 8);
  assert.deepEqual(await nights.ids('list.ndjson'), idsIn(videos(0, 20)));
});

test('a token that is no longer accepted: 8, naming --restart and its cost; nothing more is paid', async (t) => {
  for (const status of [400, 404, 410, 422]) {
    const nights = await nightlyRuns(t);
    nights.service.addChannel('a', { list: videos(0, 250) });
    await nights.run([...plain, '--max-credits', '1']);
    nights.service.expireTokens();
    nights.service.expiredStatus = status;
    const run = await nights.run(plain);
    assert.deepEqual([run.exit, run.credits], [8, 0], run.stderr);
    assert.match(run.stderr, /; a\.ndjson\.part keeps 1 page; /);
    assert.match(
      run.stderr,
      /; to export it again \(about 3 credits\): chanlist uploads @a --output \S*a\.ndjson --restart\n$/,
    );
    assert.ok((await readdir(nights.folder)).includes('a.ndjson.part'));
    const restart = await nights.run([...plain, '--restart']);
    assert.deepEqual([restart.exit, restart.credits], [0, 3]);
  }
});
