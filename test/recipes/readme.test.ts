import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { testKey } from '../support/program.ts';
import { fakeHosts, missing, readmeCommand, type Workshop, workshop } from '../support/shell.ts';

interface Entry {
  readonly videoId: string;
  readonly title: string;
  readonly channelId: string;
  readonly lengthText: string;
}

/** Runs the README's command that begins like this; returns its stdout. Its stderr must be empty. */
async function recipe({ sh }: Workshop, beginning: string, prefix = ''): Promise<string> {
  const { exit, stdout, stderr } = await sh(prefix + (await readmeCommand(beginning)));
  assert.deepEqual([exit, stderr], [0, '']);
  return stdout;
}

const lines = (text: string): string[] => text.split('\n').slice(0, -1);

const read = ({ folder }: Workshop, name: string): Promise<string> => readFile(join(folder, name), 'utf8');

const write = ({ folder }: Workshop, name: string, text: string): Promise<void> =>
  writeFile(join(folder, name), text);

/** All uploads of @demo, as one plain call prints them. */
async function demo({ sh }: Workshop): Promise<Entry[]> {
  const { stdout } = await sh('chanlist uploads @demo');
  return lines(stdout).map((line) => JSON.parse(line) as Entry);
}

const spent = ({ sandbox }: Workshop): number => 1000 - sandbox.account.credits;

/** Seconds of `minutes:seconds`. */
function seconds(lengthText: string): number {
  const [minutes, rest] = lengthText.split(':').map(Number);
  return (minutes ?? 0) * 60 + (rest ?? 0);
}

test('@seconds: the titles of long uploads', { skip: missing('jq') }, async (t) => {
  const at = await workshop(t);
  const titles = lines(await recipe(at, 'chanlist uploads @demo --fields @seconds,videoId,title | jq'));
  const long = (await demo(at)).filter(({ lengthText }) => seconds(lengthText) > 3600);
  assert.ok(long.length > 50);
  assert.deepEqual(
    titles,
    long.map(({ title }) => title),
  );
});

test('@views: the ten uploads with the most views', { skip: missing('jq') }, async (t) => {
  const at = await workshop(t);
  const top = JSON.parse(await recipe(at, 'chanlist uploads @demo --fields @views')) as {
    '@views': number;
  }[];
  const views = top.map((entry) => entry['@views']);
  assert.equal(views.length, 10);
  assert.ok(Math.min(...views) > 100_000_000);
  assert.deepEqual(
    views,
    [...views].sort((a, b) => b - a),
  );
});

test('csv: a header, and a number beside the text that it is computed from', async (t) => {
  const at = await workshop(t);
  await recipe(at, 'chanlist uploads @demo --fields @seconds,lengthText');
  const rows = lines(await read(at, 'lengths.csv'));
  assert.equal(rows.length, 1 + 1234);
  assert.equal(rows[0], '@seconds,lengthText,videoId,title');
  const [first] = await demo(at);
  assert.equal(first?.lengthText, '34:53');
  assert.equal(rows[1], `2093,34:53,${first?.videoId},${first?.title}`);
});

test('head: the first IDs; further pages are not bought', async (t) => {
  const at = await workshop(t);
  const ids = lines(await recipe(at, 'chanlist uploads @demo --format id | head'));
  assert.equal(ids.length, 5);
  assert.ok(spent(at) === 1 || spent(at) === 2, `${spent(at)} credits`);
  const first = (await demo(at)).slice(0, 5);
  assert.deepEqual(
    ids,
    first.map(({ videoId }) => videoId),
  );
});

test('xargs: a command for each ID', { skip: missing('xargs') }, async (t) => {
  const at = await workshop(t);
  const addresses = lines(await recipe(at, 'chanlist latest @demo --format id | xargs'));
  const first = (await demo(at)).slice(0, 15);
  assert.deepEqual(
    addresses,
    first.map(({ videoId }) => `https://video.example/watch?v=${videoId}`),
  );
});

test('comm: the uploads that are not in a playlist', async (t) => {
  const at = await workshop(t);
  await recipe(at, 'chanlist playlist PLdemo --format id');
  await recipe(at, 'chanlist uploads @demo --format id | sort | comm');
  const listed = new Set(lines(await read(at, 'in-playlist.txt')));
  assert.equal(listed.size, 321);
  const rest = (await demo(at)).map(({ videoId }) => videoId).filter((id) => !listed.has(id));
  assert.deepEqual(lines(await read(at, 'not-in-playlist.txt')).sort(), rest.sort());
});

test("join: one's own columns beside the IDs", async (t) => {
  const at = await workshop(t);
  await write(at, 'team.csv', '@size-250,Ben\n@demo,Anna\n');
  await recipe(at, 'cut -d');
  await recipe(at, "chanlist resolve --from refs.txt --fields '@reference");
  assert.deepEqual(lines(await recipe(at, 'sort team.csv')), [
    '@demo,Anna,UCrp-w49rcYgEM7-fcR1_9DQ,@demo',
    '@size-250,Ben,UCQepoH2nf3ukkkaqYVozBTg,@size-250',
  ]);
});

test('while read: every record once, its title whole', { skip: missing('jq') }, async (t) => {
  const at = await workshop(t);
  const printed = lines(await recipe(at, 'chanlist search @demo bread | jq -r'));
  const { stdout } = await at.sh('chanlist search @demo bread');
  const found = lines(stdout).map((line) => JSON.parse(line) as Entry);
  assert.equal(found.length, 30);
  assert.deepEqual(
    printed,
    found.map(({ videoId, title }) => `${videoId}: ${title}`),
  );
});

test('exit codes: a script distinguishes a missing channel, a known one and an empty account', async (t) => {
  const at = await workshop(t);
  const answer = (name: string): Promise<string> => recipe(at, 'chanlist resolve "$name"', `name=${name}; `);
  assert.equal(await answer('@demo'), 'UCrp-w49rcYgEM7-fcR1_9DQ\n');
  assert.equal(await answer('@nobody'), 'there is no channel @nobody\n');
  at.sandbox.account.credits = 0;
  assert.equal(await answer('@demo'), 'no credits left for @demo\n');
  assert.match(await read(at, 'errors.log'), /^chanlist: @nobody: not found .*\nchanlist: .*no credits.*\n$/);
});

test('sqlite3: run every night, each video is there once', { skip: missing('sqlite3') }, async (t) => {
  const at = await workshop(t);
  const rows = async () => {
    const { stdout } = await at.sh(
      "sqlite3 -json uploads.db 'select id, title, channel from videos order by id'",
    );
    return JSON.parse(stdout) as unknown;
  };
  const expected = async () => {
    const entries = (await demo(at)).map(({ videoId: id, title, channelId: channel }) => ({
      id,
      title,
      channel,
    }));
    return entries.sort((a, b) => (a.id < b.id ? -1 : 1));
  };
  const night = () => recipe(at, 'chanlist uploads @demo --output demo.ndjson --update\nsqlite3');
  await night();
  assert.deepEqual(await rows(), await expected());
  await night();
  assert.deepEqual(await rows(), await expected());
  at.sandbox.setUploads('@demo', 1240);
  await night();
  assert.deepEqual(await rows(), await expected());
});

test('the receipt of a night, summed up with jq', { skip: missing('jq') }, async (t) => {
  const at = await workshop(t);
  await write(at, 'refs.txt', '@demo\n@size-250\n');
  const nightly = 'chanlist uploads --from refs.txt --output-dir exports --update --max-credits 3000/month';
  const { exit } = await at.sh(await readmeCommand(nightly));
  assert.equal(exit, 0);
  const [counts, credits] = lines(await recipe(at, 'jq -c')).map((line) => JSON.parse(line));
  assert.equal(counts.complete, 2);
  assert.deepEqual(credits, { confirmed: 16, possibly_charged: 0 });
  assert.deepEqual(lines(await recipe(at, "jq -r '.references[]")), [
    '@demo\tcomplete\t\t',
    '@size-250\tcomplete\t\t',
  ]);
  await recipe(at, nightly);
  assert.equal(await recipe(at, "jq -r '.references[]"), '');
});

test('--print-new: an action for each new upload, and none for the baseline', {
  skip: missing('jq'),
}, async (t) => {
  const at = await workshop(t);
  await write(at, 'refs.txt', '@demo\n@size-250\n');
  const update = 'chanlist uploads --from refs.txt --output-dir exports --update --print-new';
  assert.equal(await recipe(at, `${update} |`), '');
  at.sandbox.setUploads('@demo', 1236);
  const titles = lines(await recipe(at, `${update} |`));
  at.sandbox.setUploads('@demo', 1237);
  await recipe(at, `${update} >>`);
  await recipe(at, `${update} >>`);
  const queue = lines(await read(at, 'queue.ndjson')).map((line) => (JSON.parse(line) as Entry).title);
  assert.deepEqual(
    [...queue, ...titles],
    (await demo(at)).slice(0, 3).map(({ title }) => title),
  );
});

test('latest --seen: new uploads for free', async (t) => {
  const at = await workshop(t);
  await write(at, 'refs.txt', '@demo\n@size-250\n');
  const look = await readmeCommand('chanlist latest --from refs.txt --seen');
  const first = await at.sh(look);
  assert.deepEqual([first.exit, first.stdout], [0, '']);
  assert.match(first.stderr, /^chanlist: first look: 2 channels .*\n$/);
  at.sandbox.setUploads('@size-250', 251);
  assert.equal(lines(await recipe(at, look)).length, 1);
  assert.equal(await recipe(at, look), '');
  assert.equal(spent(at), 0);
});

test('check: its exit code goes to the monitoring service, its problems to a file', {
  skip: missing('curl'),
}, async (t) => {
  const at = await workshop(t);
  const asked: (string | undefined)[] = [];
  const service = createServer((request, response) => {
    asked.push(request.url);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  t.after(() => service.close());
  const prefix = `PING_URL=http://127.0.0.1:${(service.address() as AddressInfo).port}; `;
  await write(at, 'refs.txt', '@size-3\n');
  await recipe(at, 'chanlist uploads --from refs.txt --output-dir exports --max-credits 100');
  await recipe(at, 'chanlist check exports --from', prefix);
  assert.equal(await read(at, 'problems.ndjson'), '');
  await write(at, 'refs.txt', '@size-3\n@size-4\n');
  const { exit, stderr } = await at.sh(prefix + (await readmeCommand('chanlist check exports --from')));
  assert.deepEqual([exit, stderr], [0, 'chanlist: 1 of 2 exports has problems\n']);
  assert.deepEqual(asked, ['/0', '/11']);
  const [problem] = lines(await read(at, 'problems.ndjson')).map((line) => JSON.parse(line));
  assert.deepEqual([problem.reference, problem.problems[0].code], ['@size-4', 'absent']);
});

test('credits: one line per account', { skip: missing('jq') }, async (t) => {
  const at = await workshop(t);
  await at.sh('chanlist uploads @size-250');
  const row = lines(await recipe(at, 'chanlist credits --json | jq')).map((line) => line.split('\t'));
  assert.deepEqual(row, [[`${at.sandbox.baseUrl} …${testKey.slice(-4)}`, '3', '0']]);
});

test('GNU parallel over two keys: a folder each, and one check', { skip: missing('parallel') }, async (t) => {
  const at = await workshop(t);
  await write(at, 'refs.txt', '@demo\n@size-250\n@size-3\n');
  for (const file of ['key-00.txt', 'key-01.txt']) await write(at, file, `${testKey}\n`);
  await recipe(at, 'split -d');
  await recipe(at, 'parallel chanlist');
  assert.equal(spent(at), 13 + 3 + 1);
  const checked = lines(await recipe(at, 'chanlist check exports-00 exports-01')).map((line) =>
    JSON.parse(line),
  );
  assert.deepEqual(checked.map(({ file, reference }) => [file.slice(0, 10), reference]).sort(), [
    ['exports-00', '@demo'],
    ['exports-00', '@size-3'],
    ['exports-01', '@size-250'],
  ]);
});

test('GNU parallel over two hosts: a folder, a HOME and a ledger each', {
  skip: missing('parallel'),
}, async (t) => {
  const at = await workshop(t);
  await fakeHosts(at);
  await write(at, 'refs.txt', '@demo\n@size-250\n');
  await recipe(at, 'split -d');
  await recipe(at, 'parallel --link');
  await recipe(at, 'parallel --link');
  assert.equal(spent(at), 13 + 3);
  const checked = lines(await recipe(at, 'parallel --tag')).map((line) => line.split('\t'));
  assert.deepEqual(checked.map(([host, json = '']) => [host, JSON.parse(json).reference]).sort(), [
    ['host-a', '@demo'],
    ['host-b', '@size-250'],
  ]);
  for (const [host, credits] of [
    ['host-a', 13],
    ['host-b', 3],
  ]) {
    const { stdout } = await at.sh(`HOME=$PWD/hosts/${host} chanlist credits --json`);
    assert.equal(JSON.parse(stdout).accounts[0].month.confirmed, credits);
  }
});

test('serve: its first lines point the shell at it', { skip: missing('curl') }, async (t) => {
  const at = await workshop(t);
  const prefix = 'unset CHANLIST_API_KEY CHANLIST_BASE_URL; ';
  const [count = '', ...answer] = lines(`${await recipe(at, 'chanlist serve --port', prefix)}\n`);
  assert.equal(count.trim(), '250');
  assert.deepEqual(JSON.parse(answer.join('')), {
    channel_id: 'UCrp-w49rcYgEM7-fcR1_9DQ',
    resolved_from: '@demo',
  });
  assert.equal(spent(at), 0);
});
