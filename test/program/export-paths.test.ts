import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { exportFixture, exportsIn, uninterrupted } from '../support/exports.ts';
import { openFlakyProxy } from '../support/flaky-proxy.ts';
import { launcher } from '../support/program.ts';

const list = '@size-25'; // 3 pages of 10

test('a symbolic link: its target is replaced and keeps its mode, the link stays', async (t) => {
  const fixture = await exportFixture(t);
  await mkdir(join(fixture.folder, 'real'));
  await writeFile(join(fixture.folder, 'real/data.csv'), 'old\n');
  await chmod(join(fixture.folder, 'real/data.csv'), 0o640);
  await symlink('real/data.csv', join(fixture.folder, 'link.csv'));
  assert.equal(
    (await fixture.run(['uploads', list, '-o', 'link.csv', '--restart', '--max-credits', '1'])).exit,
    9,
  );
  assert.deepEqual(await readdir(join(fixture.folder, 'real')), [
    'data.csv',
    'data.csv.part',
    'data.csv.part.json',
  ]);
  assert.equal(await fixture.read('link.csv'), 'old\n');
  const result = await fixture.run(['uploads', list, '-o', 'link.csv']);
  assert.equal(result.charged, 2);
  assert.equal(result.only.file, 'link.csv');
  assert.equal(await readlink(join(fixture.folder, 'link.csv')), 'real/data.csv');
  assert.equal((await stat(join(fixture.folder, 'real/data.csv'))).mode & 0o7777, 0o640);
  assert.equal(await fixture.read('link.csv'), await uninterrupted(fixture, ['uploads', list, '-f', 'csv']));
  assert.deepEqual(await readdir(join(fixture.folder, 'real')), ['data.csv']);
  for (const args of [
    ['resolve', list],
    ['latest', list],
    ['search', list, 'the'],
  ]) {
    assert.equal((await fixture.run([...args, '-o', 'link.csv'])).exit, 0);
    assert.ok((await lstat(join(fixture.folder, 'link.csv'))).isSymbolicLink());
    assert.equal((await stat(join(fixture.folder, 'real/data.csv'))).mode & 0o7777, 0o640);
  }
});

test('a link that leads nowhere: its target is created', async (t) => {
  const fixture = await exportFixture(t);
  await symlink('later.ndjson', join(fixture.folder, 'link'));
  assert.equal((await fixture.run(['uploads', list, '-o', 'link'])).exit, 0);
  assert.deepEqual(await fixture.files(), ['later.ndjson', 'link']);
  assert.equal((await fixture.read('later.ndjson')).split('\n').length - 1, 25);
});

test('an update of a linked file keeps link and mode', async (t) => {
  const fixture = await exportFixture(t);
  await mkdir(join(fixture.folder, 'real'));
  await symlink('real/data', join(fixture.folder, 'link'));
  assert.equal((await fixture.run(['uploads', list, '-o', 'link', '--update'])).exit, 0);
  await chmod(join(fixture.folder, 'real/data'), 0o600);
  fixture.sandbox.setUploads(list, 27);
  const result = await fixture.run(['uploads', list, '-o', 'link', '--update']);
  assert.equal(result.only.new, 2);
  assert.equal((await stat(join(fixture.folder, 'real/data'))).mode & 0o7777, 0o600);
  assert.deepEqual(await exportsIn(join(fixture.folder, 'real')), ['data']);
});

test('what cannot be replaced as a regular file is 2, before any request', async (t) => {
  const fixture = await exportFixture(t);
  await mkdir(join(fixture.folder, 'folder'));
  assert.equal(spawnSync('mkfifo', [join(fixture.folder, 'pipe')]).status, 0);
  await symlink('folder', join(fixture.folder, 'to-folder'));
  await symlink('round', join(fixture.folder, 'round'));
  for (const [path, says] of [
    ['folder', /is a folder, not a regular file/],
    ['folder/', /^chanlist: folder\/ names a folder, not a regular file; /],
    ['to-folder', /is a folder/],
    ['round', /form a loop/],
    ['missing/out', /missing does not exist/],
    ['pipe/out', /not a folder/],
  ] as const) {
    for (const args of [
      ['uploads', list],
      ['uploads', list, '--update'],
      ['playlist', 'PLdemo'],
      ['latest', list],
    ]) {
      const result = await fixture.run([...args, '-o', path]);
      assert.equal(result.exit, 2, `${args} ${path}: ${result.stderr}`);
      assert.match(result.stderr, says);
      assert.match(result.stderr, /^chanlist: [^\n]+\n$/);
    }
  }
  assert.deepEqual(fixture.requests, []);
  assert.deepEqual(await fixture.files(), ['folder', 'pipe', 'round', 'to-folder']);
});

test('a part file of something else is in the way: 2, nothing is paid, it stays', async (t) => {
  const fixture = await exportFixture(t);
  await writeFile(join(fixture.folder, 'out.part'), 'mine\n');
  const result = await fixture.run(['uploads', list, '-o', 'out']);
  assert.equal(result.exit, 2);
  assert.match(result.stderr, /out\.part is in the way: there is no \S*out\.part\.json to say what it is; /);
  assert.deepEqual(fixture.requests, []);
  assert.equal(await fixture.read('out.part'), 'mine\n');
});

/** Runs a command as a user without rights. */
const nobody =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
const [tool = 'true', ...toolArgs] = [...nobody, 'test', '-r', launcher];
const skip = spawnSync(tool, toolArgs).status === 0 ? false : 'no user without rights can be had here';

test('a folder that cannot be written: 2, before any request', { skip }, async (t) => {
  const fixture = await exportFixture(t);
  await chmod(fixture.folder, 0o555);
  for (const args of [
    ['uploads', list, '-o', 'out'],
    ['uploads', list, '-o', 'out', '--update'],
    ['latest', list, '-o', 'out'],
    ['uploads', list, '@size-3', '--output-dir', '.'],
    ['uploads', list, '--output-dir', 'new'],
  ]) {
    // The summary could not be written there either: its folder is not open to that user.
    const result = await fixture.run(args, { within: [...nobody], noSummary: true });
    assert.equal(result.exit, 2, `${args}: ${result.stderr}`);
    assert.match(
      result.stderr,
      /^chanlist: [^\n]*: (?:no permission to write here \(EACCES\)|permission denied); [^\n]*\n$/,
    );
    assert.equal(result.charged, 0);
  }
  assert.deepEqual(
    fixture.requests.filter((line) => !line.includes('/resolve')),
    [],
  );
});

test('a path that vanishes midway: 1 says so, and no page is bought for it any more', async (t) => {
  const fixture = await exportFixture(t);
  await mkdir(join(fixture.folder, 'sub'));
  fixture.onRequest = (_, number) => {
    if (number === 2) spawnSync('rm', ['-r', join(fixture.folder, 'sub')]);
  };
  const result = await fixture.run(['uploads', list, '-o', 'sub/out']);
  assert.equal(result.exit, 1);
  assert.equal(result.charged, 2);
  assert.match(result.stderr, /^chanlist: [^\n]*sub\/out[^\n]*removed[^\n]*2 credits spent[^\n]*\n$/);
  assert.deepEqual(await fixture.files(), []);
});

test('a partial file that vanishes midway: 1, never a state that refers to missing rows', async (t) => {
  const fixture = await exportFixture(t);
  fixture.onRequest = (_, number) => {
    if (number === 2) spawnSync('rm', [join(fixture.folder, 'out.part')]);
  };
  const result = await fixture.run(['uploads', list, '-o', 'out']);
  assert.equal(result.exit, 1);
  assert.match(result.stderr, /out\.part has been removed or replaced, [^\n]*--restart\n$/);
  const again = await fixture.run(['uploads', list, '-o', 'out']);
  assert.equal(again.exit, 1);
  assert.equal(again.charged, 0);
  assert.equal((await fixture.run(['uploads', list, '-o', 'out', '--restart'])).exit, 0);
  assert.deepEqual(await fixture.files(), ['out']);
});

test('a damaged state: 1 says what to do, nothing is paid, FILE stays', async (t) => {
  const fixture = await exportFixture(t);
  await writeFile(join(fixture.folder, 'out'), 'old\n');
  for (const text of ['', '{', '{"version":1}', '{"version":2}', '[]']) {
    await writeFile(join(fixture.folder, 'out.part.json'), text);
    await writeFile(join(fixture.folder, 'out.part'), 'rows\n');
    for (const args of [[], ['--update']]) {
      const result = await fixture.run(['uploads', list, '-o', 'out', ...args]);
      assert.equal(result.exit, 1, text);
      assert.match(result.stderr, /out\.part\.json.*--restart/);
    }
  }
  assert.ok(fixture.requests.every((line) => line.includes('/resolve')));
  assert.equal(await fixture.read('out'), 'old\n');
});

test('whole answers (resolve, search, latest): FILE is replaced at once or not at all', async (t) => {
  const fixture = await exportFixture(t);
  const commands = [
    ['resolve', list],
    ['search', list, 'the'],
    ['latest', list],
  ];
  for (const args of commands) {
    for (const name of ['a.json', 'a.csv', 'a.ndjson', 'a']) {
      const format = name === 'a' ? 'ndjson' : name.slice(2);
      const result = await fixture.run([...args, '-o', name]);
      assert.equal(result.exit, 0);
      assert.equal(result.stdout, '');
      assert.equal(await fixture.read(name), (await fixture.run([...args, '-f', format])).stdout);
    }
  }
  assert.deepEqual(await fixture.files(), ['a', 'a.csv', 'a.json', 'a.ndjson']);
  const before = await fixture.read('a.json');
  for (const [name = '', , ...rest] of commands) {
    assert.equal((await fixture.run([name, '@gone', ...rest, '-o', 'a.json'])).exit, 5);
    fixture.sandbox.account.credits = 0;
    assert.equal((await fixture.run([name, list, ...rest, '-o', 'a.json'])).exit, 4);
    fixture.sandbox.account.credits = 1000;
    assert.equal(await fixture.read('a.json'), before);
  }
  assert.deepEqual(await fixture.files(), ['a', 'a.csv', 'a.json', 'a.ndjson']);
});

test('a full disk while an answer is written: 1, the old FILE stays, the paid answer goes to stdout', async (t) => {
  const fixture = await exportFixture(t);
  await writeFile(join(fixture.folder, 'a'), 'old\n');
  const result = await fixture.run(['search', '@demo', 'the', '-o', 'a'], {
    within: ['bash', '-c', 'ulimit -f 4; exec "$@"', 'bash'],
  });
  assert.equal(result.exit, 1);
  assert.match(result.stderr, /a: the file is larger than allowed \(EFBIG\).*1 credit spent/);
  assert.equal(result.stdout, (await fixture.run(['search', '@demo', 'the'])).stdout);
  assert.equal(await fixture.read('a'), 'old\n');
  assert.deepEqual(await fixture.files(), ['a']);
});

for (const extra of [[], ['--update']]) {
  test(`two runs on one FILE ${extra}: the second ends at once (10), the first is not disturbed`, async (t) => {
    const fixture = await exportFixture(t);
    const proxy = await openFlakyProxy(t, fixture.sandbox.baseUrl);
    const args = ['uploads', list, '-o', 'out', ...extra];
    let asked: () => void = () => {};
    const waiting = new Promise<void>((resolve) => {
      asked = resolve;
    });
    fixture.onRequest = (_, number) => {
      if (number === (extra.length > 0 ? 3 : 2)) asked();
    };
    proxy.holdFrom(extra.length > 0 ? 3 : 2);
    const first = fixture.run(args, { baseUrl: proxy.url, unwatched: true });
    await waiting;
    for (const words of [args, [...args, '--restart']]) {
      const second = await fixture.run(words, { unwatched: true });
      assert.equal(second.exit, 10);
      assert.match(second.stderr, /^chanlist: @size-25: out: another run is writing this file[^\n]*\n$/);
      assert.equal(second.only.status, 'failed');
      assert.deepEqual(second.only.credits, { confirmed: 0, possibly_charged: 0 });
    }
    proxy.release();
    assert.equal((await first).exit, 0);
    // An update also resolves its reference.
    assert.equal(fixture.requests.filter((line) => !line.includes('/resolve')).length, 3);
    assert.equal(fixture.requests.length, extra.length > 0 ? 4 : 3, 'the second run sends nothing');
    assert.equal(await fixture.read('out'), await uninterrupted(fixture, ['uploads', list]));
    assert.deepEqual(await fixture.files(), ['out']);
  });
}

test('the lock of a killed process does not hold', async (t) => {
  const fixture = await exportFixture(t);
  fixture.onRequest = (_, number) => {
    if (number === 2) kill();
  };
  let kill = (): void => {};
  const killed = await fixture.run(['uploads', list, '-o', 'out'], {
    started: (child) => {
      kill = () => child.kill('SIGKILL');
    },
  });
  assert.equal(killed.signal, 'SIGKILL');
  assert.ok((await fixture.files()).includes('out.lock'));
  const result = await fixture.run(['uploads', list, '-o', 'out']);
  assert.equal(result.exit, 0);
  assert.deepEqual(await fixture.files(), ['out']);
});

test("planted at a name of the program's own: 2 before anything is paid, and it stays", async (t) => {
  const fixture = await exportFixture(t);
  for (const name of ['out.part', 'out.part.tmp', 'out.part.json', 'out.part.json.tmp', 'out.lock']) {
    for (const flags of [[], ['--restart']]) {
      await symlink('victim', join(fixture.folder, name));
      const result = await fixture.run(['uploads', list, '-o', 'out', ...flags]);
      assert.equal(result.exit, 2, `${name} ${flags}: ${result.stderr}`);
      assert.match(result.stderr, /is in the way: it is a symbolic link/);
      assert.equal(await readlink(join(fixture.folder, name)), 'victim');
      await rm(join(fixture.folder, name));
    }
  }
  assert.deepEqual(fixture.requests, []);
  assert.deepEqual(await fixture.files(), []);
});
