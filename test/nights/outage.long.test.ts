/** What a failure stops, and how much mail it makes (product.md, "What a failure stops"). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelId, videos } from '../support/simulated-service.ts';
import { idsIn, long, type Night, nightlyRuns } from './fixture.ts';

const into = ['--output-dir', 'dir', '--concurrency', '1'];

const names = (count: number, prefix = 'c'): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(4, '0')}`);

const statuses = ({ receipt }: Night) => receipt?.references.map(({ status }) => status) ?? [];

const unchangedChannels = long ? 1000 : 200;
test(`a night of ${unchangedChannels} unchanged channels is as many requests and 0 credits`, async (t) => {
  const nights = await nightlyRuns(t, {
    references: ['--from', 'refs.txt'],
    output: ['--output-dir', 'dir'],
  });
  const all = names(unchangedChannels);
  await nights.write('refs.txt', all.map((name) => `@${name}\n`).join(''));
  for (const name of all) nights.service.addChannel(name, { list: videos(0, 3) });
  assert.equal((await nights.night()).credits, unchangedChannels);
  const night = await nights.night();
  assert.deepEqual([night.exit, night.credits, night.stdout, night.stderr], [0, 0, '', '']);
  assert.equal(night.requests.length, unchangedChannels);
  assert.equal(night.receipt?.requests, unchangedChannels);
  assert.deepEqual(night.counts, { unchanged: unchangedChannels });
});

test('five references in a row with 7 end the call; references not reached are interrupted', async (t) => {
  const nights = await nightlyRuns(t);
  const all = names(9);
  for (const name of all) nights.service.addChannel(name, { list: videos(0, 20) });
  nights.service.fault = ({ operation }) => (operation === 'uploads' ? 500 : null);
  const line = ['uploads', ...all.map((name) => `@${name}`), ...into, '--retries', '0'];
  const outage = await nights.run(line);
  assert.equal(outage.exit, 7, outage.stderr);
  assert.equal(outage.operations.filter((operation) => operation === 'uploads').length, 5);
  assert.deepEqual(statuses(outage), [...Array(5).fill('failed'), ...Array(4).fill('interrupted')]);
  // One success in between, and it is no outage.
  nights.service.fault = ({ operation, list }) =>
    operation === 'uploads' && list !== channelId('c0004') ? 500 : null;
  const patchy = await nights.run(line);
  assert.deepEqual([patchy.exit, patchy.credits], [7, 1], patchy.stderr);
  assert.deepEqual(statuses(patchy), [...Array(4).fill('failed'), 'complete', ...Array(4).fill('failed')]);
  assert.match(
    patchy.stderr,
    /^chanlist: 8 references: [^\n]*500[^\n]*; 0 credits spent; try again later: @c0000, @c0001, @c0002 and 5 more\n$/,
  );
  nights.service.fault = () => null;
  const well = await nights.run([...line, '--update']);
  assert.deepEqual([well.exit, well.credits], [0, 8], well.stderr);
});

test('a spent budget stops buying, not looking', async (t) => {
  const nights = await nightlyRuns(t, { references: ['@a', '@b', '@c', '@d'], output: into });
  const [a, b, c] = ['a', 'b', 'c'].map((name) => nights.service.addChannel(name, { list: videos(0, 150) }));
  const d = nights.service.addChannel('d', { list: videos(0, 150) });
  await nights.night();
  if (a) a.list = videos(0, 300);
  if (c) c.list = videos(0, 151);
  const night = await nights.night(['--max-credits', '1']);
  assert.deepEqual([night.exit, night.credits], [9, 1], night.stderr);
  assert.deepEqual(statuses(night), ['interrupted', 'unchanged', 'interrupted', 'unchanged']);
  const looked = night.requests.filter(({ operation }) => operation === 'latest').map(({ list }) => list);
  assert.ok(looked.includes(b?.id ?? null) && looked.includes(d.id));
  const next = await nights.night();
  assert.deepEqual([next.exit, next.credits], [0, 2], next.stderr);
  assert.deepEqual(await nights.ids(`dir/${a?.id}.ndjson`), idsIn(videos(0, 300)));
});

test('failures with one cause are one line: a count, the first three references, with their lines', async (t) => {
  const nights = await nightlyRuns(t, { references: ['--from', 'refs.txt'], output: into });
  const all = names(30, 'typo');
  await nights.write('refs.txt', ['@good', ...all.map((name) => `@${name}`), ''].join('\n'));
  nights.service.addChannel('good', { list: videos(0, 20) });
  const night = await nights.night();
  assert.deepEqual([night.exit, night.credits, night.mail.length], [5, 1, 1], night.stderr);
  assert.match(night.stderr, /\b30\b/);
  for (const line of [2, 3, 4]) assert.match(night.stderr, new RegExp(`refs\\.txt:${line}\\b`));
  assert.doesNotMatch(night.stderr, /refs\.txt:5\b|typo0003/);
  assert.equal(night.receipt?.references.length, 31);
  assert.deepEqual(night.counts, { complete: 1, failed: 30 });
});

test('many channels that fail in different ways: one line of mail per cause', async (t) => {
  const nights = await nightlyRuns(t, { references: ['--from', 'refs.txt'], output: into });
  const all = names(60);
  await nights.write('refs.txt', [...all.map((name) => `@${name}`), ''].join('\n'));
  for (const [i, name] of all.entries()) {
    if (i % 4 > 0) nights.service.addChannel(name, { list: videos(0, 20) });
  }
  nights.service.fault = ({ operation, list }) => {
    const number = Number(list?.slice(3, 7));
    if (operation !== 'uploads') return null;
    return number % 4 === 1 ? 422 : number % 4 === 2 ? 500 : null;
  };
  const night = await nights.night();
  // The first reference is not known, and was never exported: it is not gone.
  assert.equal(night.exit, 5, night.stderr);
  assert.equal(night.mail.length, 3, night.stderr);
  for (const [i, line] of night.mail.entries()) {
    assert.match(line, /^chanlist: 15 references: .* and 12 more$/);
    for (const n of [i, i + 4, i + 8]) assert.ok(line.includes(`refs.txt:${n + 1} @${all[n]}`), line);
  }
  assert.deepEqual(night.counts, { complete: 15, failed: 45 });
});

test('the line that counts further failures names what they cost, too', async (t) => {
  const statuses = [405, 406, 409, 411, 412, 413, 414, 415, 416, 417, 418, 421, 423, 424, 425, 426, 428];
  const all = names(statuses.length);
  const nights = await nightlyRuns(t, { references: all.map((name) => `@${name}`), output: into });
  for (const name of all) nights.service.addChannel(name, { list: videos(0, 150) });
  nights.service.fault = ({ operation, parameters }) =>
    operation === 'uploads' && 'continuation' in parameters ? (statuses.pop() ?? null) : null;
  const night = await nights.night();
  assert.deepEqual([night.exit, night.credits, night.mail.length], [8, 17, 16], night.stderr);
  for (const line of night.mail)
    assert.match(line, line.includes('2 more') ? /; 2 credits spent; / : /; 1 credit spent; /);
});

test('the first failure in input order sets the exit code', async (t) => {
  const nights = await nightlyRuns(t);
  for (const name of ['a', 'b', 'c']) nights.service.addChannel(name, { list: videos(0, 20) });
  nights.service.fault = ({ operation, list }) =>
    operation !== 'uploads' ? null : list === channelId('b') ? 422 : list === channelId('c') ? 500 : null;
  const line = ['uploads', '@a', '@c', '@b', '--output-dir', 'dir', '--retries', '0'];
  assert.equal((await nights.run(line)).exit, 7);
  const other = ['uploads', '@a', '@b', '@c', '--output-dir', 'dir', '--retries', '0'];
  assert.equal((await nights.run(other)).exit, 8);
});

test('a damaged file stops that reference only: 1; so does one of another channel', async (t) => {
  const nights = await nightlyRuns(t, { references: ['@a', '@b', '@c'], output: into });
  const channels = ['a', 'b', 'c'].map((name) => nights.service.addChannel(name, { list: videos(0, 20) }));
  await nights.night();
  await nights.write(`dir/${channelId('a')}.ndjson`, '{"videoId":"a_0000');
  await nights.write(`dir/${channelId('b')}.ndjson`, await nights.read(`dir/${channelId('c')}.ndjson`));
  for (const channel of channels) channel.list = videos(0, 21);
  const night = await nights.night();
  assert.deepEqual([night.exit, night.credits], [1, 1], night.stderr);
  assert.deepEqual(statuses(night), ['failed', 'failed', 'complete']);
  assert.equal(night.mail.length, 2, night.stderr);
  assert.match(night.mail[0] ?? '', /^chanlist: @a: \S+\/dir\/UCa-+\.ndjson:1: cut short; .* --restart$/);
  assert.match(
    night.mail[1] ?? '',
    /^chanlist: @b: dir\/UCb-+\.ndjson holds another channel: UCc-+, not UCb-+; /,
  );
});
