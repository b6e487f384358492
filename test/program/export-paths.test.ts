import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import {
  chmod,
  lchown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { exportFixture, exportsIn, uninterrupted } from '../support/exports.ts';
import { openFlakyProxy } from '../support/flaky-proxy.ts';
import { launcher } from '../support/program.ts';
import { onlyError, said } from '../support/stderr.ts';

const list = '@size-25'; // 3 pages of 10

test('a symbolic link: its target is replaced and keeps its mode, the link stays', async (t) => {
  const fixture = await exportFixture(t);
  await mkdir(join(fixture.folder, 'real'));
  await writeFile(join(fixture.folder, 'real/data.csv'), 'old\n');
  await chmod(join(fixture.folder, 'real/data.csv'), 0o640);
  await symlink('real/data.csv', join(fixture.folder, 'link.csv'));
  assert.equal((await fixture.run(`uploads ${list} -o link.csv --restart --max-credits 1`)).exit, 9);
  assert.deepEqual(await readdir(join(fixture.folder, 'real')), ['.chanlist', 'data.csv']);
  assert.equal(await fixture.read('link.csv'), 'old\n');
  const result = await fixture.run(`uploads ${list} -o link.csv --restart`);
  assert.equal(result.charged, 2);
  assert.equal(result.only.file, 'link.csv');
  assert.equal(await readlink(join(fixture.folder, 'link.csv')), 'real/data.csv');
  assert.equal((await stat(join(fixture.folder, 'real/data.csv'))).mode & 0o7777, 0o640);
  assert.equal(await fixture.read('link.csv'), await uninterrupted(fixture, `uploads ${list} -f csv`));
  assert.deepEqual(await exportsIn(join(fixture.folder, 'real')), ['data.csv']);
  assert.deepEqual(await fixture.files(), ['link.csv', 'real']);
  await rm(join(fixture.folder, 'real/.chanlist'), { recursive: true });
  for (const args of [`resolve ${list}`, `latest ${list}`, `search ${list} the`]) {
    assert.equal((await fixture.run(`${args} -o link.csv`)).exit, 0);
    assert.ok((await lstat(join(fixture.folder, 'link.csv'))).isSymbolicLink());
    assert.equal((await stat(join(fixture.folder, 'real/data.csv'))).mode & 0o7777, 0o640);
  }
});

test('an output that is not a regular file is 2, before any request', async (t) => {
  const fixture = await exportFixture(t);
  await mkdir(join(fixture.folder, 'folder'));
  assert.equal(spawnSync('mkfifo', [join(fixture.folder, 'pipe')]).status, 0);
  await symlink('folder', join(fixture.folder, 'to-folder'));
  await symlink('round', join(fixture.folder, 'round'));
  for (const [path, named] of [
    ['folder', 'folder'],
    ['folder/', 'folder/'],
    ['to-folder', 'folder'],
    ['round', 'round'],
    ['missing/out', 'missing'],
    ['pipe/out', 'pipe'],
  ] as const) {
    for (const args of [`uploads ${list}`, `uploads ${list} --update`, `latest ${list}`]) {
      const result = await fixture.run(`${args} -o ${path}`);
      assert.equal(result.exit, 2, `${args} ${path}: ${result.stderr}`);
      onlyError(result, named);
    }
  }
  assert.deepEqual(fixture.requests, []);
  assert.deepEqual(await fixture.files(), ['folder', 'pipe', 'round', 'to-folder']);
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
    `uploads ${list} -o out`,
    `uploads ${list} -o out --update`,
    `latest ${list} -o out`,
    `uploads ${list} @size-3 --output-dir .`,
    `uploads ${list} --output-dir new`,
  ]) {
    // The summary could not be written there either: its folder is not open to that user.
    const result = await fixture.run(args, { within: [...nobody], noSummary: true });
    assert.equal(result.exit, 2, `${args}: ${result.stderr}`);
    onlyError(result, /permission|--update/);
    assert.equal(result.charged, 0);
  }
  assert.deepEqual(
    fixture.requests.filter((line) => !line.includes('/resolve')),
    [],
  );
});

test('a folder removed during a run: 1, and no further paid request', async (t) => {
  const fixture = await exportFixture(t);
  await mkdir(join(fixture.folder, 'sub'));
  let pages = 0;
  fixture.onRequest = (line) => {
    if (line.includes('/videos') && ++pages === 2) spawnSync('rm', ['-r', join(fixture.folder, 'sub')]);
  };
  const result = await fixture.run(`uploads ${list} -o sub/out`);
  assert.equal(result.exit, 1);
  assert.equal(result.charged, 2);
  const { errors } = said(result.stderr);
  assert.equal(errors.length, 1, result.stderr);
  assert.match(errors[0] ?? '', /sub.*2 credits spent/);
  assert.deepEqual(await fixture.files(), []);
});

/** The files of one kind in `.chanlist`. */
const kept = async (folder: string, end: string): Promise<string[]> =>
  (await readdir(join(folder, '.chanlist'))).filter((name) => name.endsWith(end));

test('a damaged record is one warning, and FILE counts as one without a record; a newer one is 2; nothing is paid', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', list, '-o', 'out'];
  assert.equal((await fixture.run(args)).exit, 0);
  const before = await fixture.read('out');
  const record = join(fixture.folder, '.chanlist/out.json');
  const whole = JSON.parse(await readFile(record, 'utf8')) as object;
  for (const text of ['', '{', '[]', '{"version":0}', JSON.stringify({ ...whole, request: 7 })]) {
    await writeFile(record, text);
    const result = await fixture.run(args);
    assert.deepEqual([result.exit, result.charged], [2, 0], `${text}: ${result.stderr}`);
    const { errors, warnings } = said(result.stderr);
    assert.deepEqual([errors.length, warnings.length], [1, 1], result.stderr);
    assert.ok(errors[0]?.includes('--update'), result.stderr);
  }
  const newer = JSON.stringify({ ...whole, version: 99 });
  for (const more of [[], ['--update'], ['--restart']]) {
    await writeFile(record, newer);
    const result = await fixture.run([...args, ...more]);
    assert.deepEqual([result.exit, result.charged], [2, 0], result.stderr);
    onlyError(result, 'out.json');
    assert.equal(await readFile(record, 'utf8'), newer);
  }
  await writeFile(record, '{');
  const adopted = await fixture.run([...args, '--update']);
  assert.deepEqual([adopted.exit, adopted.charged], [0, 0], adopted.stderr);
  assert.equal(await fixture.read('out'), before);
});

test('resolve, search and latest replace FILE atomically or not at all', async (t) => {
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

test('a full disk while a response is written: 1, FILE is unchanged, the paid response goes to stdout', async (t) => {
  const fixture = await exportFixture(t);
  await writeFile(join(fixture.folder, 'a'), 'old\n');
  const result = await fixture.run('search @demo the -o a', {
    within: ['bash', '-c', 'ulimit -f 4; exec "$@"', 'bash'],
  });
  assert.equal(result.exit, 1);
  assert.match(result.stderr, /^chanlist: error: .*1 credit spent/m);
  assert.equal(result.stdout, (await fixture.run('search @demo the')).stdout);
  assert.equal(await fixture.read('a'), 'old\n');
  assert.deepEqual(await fixture.files(), ['a']);
});

const onlyRoot = process.getuid?.() === 0 ? false : 'only root can act as another user';

test("nothing is created or replaced through another user's link in a folder that others can write", {
  skip: onlyRoot,
}, async (t) => {
  const fixture = await exportFixture(t);
  await mkdir(join(fixture.folder, 'victim'));
  await mkdir(join(fixture.folder, 'open'));
  await symlink('../victim', join(fixture.folder, 'open/link'));
  await lchown(join(fixture.folder, 'open/link'), 65534, 65534);
  await chmod(join(fixture.folder, 'open'), 0o777);
  for (const args of [
    `uploads ${list} --output-dir open/link/new/folder`,
    `uploads ${list} --output-dir open/link`,
    `uploads ${list} -o open/link/out`,
    `resolve ${list} --summary open/link/summary.json`,
    `latest ${list} --seen open/link/seen.txt`,
  ]) {
    const result = await fixture.run(args, { noSummary: true });
    assert.equal(result.exit, 2, `${args}: ${result.stderr}`);
    onlyError(result, 'a symbolic link of user 65534');
  }
  assert.deepEqual(fixture.requests, []);
  assert.deepEqual(await readdir(join(fixture.folder, 'victim')), []);
});

test("a path in chanlist's own folder is 2, also for check", async (t) => {
  const fixture = await exportFixture(t);
  assert.equal((await fixture.run(`uploads ${list} -o out`)).exit, 0);
  for (const args of [
    'check .chanlist',
    'check .chanlist/out.json',
    'check . --from .chanlist/out.json',
    'show .chanlist/out.json',
    `uploads ${list} -o .chanlist/out`,
    `uploads ${list} --output-dir .chanlist/new`,
  ]) {
    const result = await fixture.run(args, { noSummary: true });
    assert.equal(result.exit, 2, `${args}: ${result.stderr}`);
    onlyError(result, "chanlist's own folder");
  }
  assert.deepEqual(await kept(fixture.folder, ''), ['.gitignore', 'out.json']);
});

test('a working directory that has been removed: relative names are 2, absolute ones work', async (t) => {
  const fixture = await exportFixture(t);
  const within = ['sh', '-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', 'sh'];
  for (const args of [
    `uploads ${list} -o out`,
    `uploads ${list} --output-dir lists`,
    `resolve ${list} --summary summary.json`,
    `latest ${list} --seen seen.txt`,
    'resolve --from refs.txt',
    'check lists',
    'show out.ndjson',
  ]) {
    const result = await fixture.run(args, { within, noSummary: true });
    assert.equal(result.exit, 2, `${args}: ${result.stderr}`);
    onlyError(result, 'the working directory has been removed');
  }
  assert.deepEqual(fixture.requests, []);
  const path = join(fixture.folder, 'out.ndjson');
  const result = await fixture.run(['uploads', list, '-o', path], { within, noSummary: true });
  assert.equal(result.exit, 0, result.stderr);
  assert.deepEqual(await fixture.files(), ['out.ndjson']);
});

test('FILE that appears, or is changed, while pages are requested stays; moved away, the rest is free', async (t) => {
  for (const [before, restart] of [
    [null, []],
    ['old\n', ['--restart']],
  ] as const) {
    const fixture = await exportFixture(t);
    const path = join(fixture.folder, 'out');
    if (before !== null) await writeFile(path, before);
    let pages = 0;
    fixture.onRequest = (line) => {
      if (line.includes('/videos') && ++pages === 2) writeFileSync(path, 'theirs\n');
    };
    const args = ['uploads', list, '-o', 'out'];
    const result = await fixture.run([...args, ...restart]);
    assert.deepEqual([result.exit, result.charged], [1, 3], result.stderr);
    onlyError(result, 'out', 'move it away');
    assert.equal(await fixture.read('out'), 'theirs\n');
    await rename(path, `${path}.theirs`);
    const free = await fixture.run([...args, ...restart]);
    assert.deepEqual([free.exit, free.charged], [0, 0], free.stderr);
    assert.equal(await fixture.read('out'), await uninterrupted(fixture, `uploads ${list}`));
  }
});

test('no umask and no mode of FILE makes a run refuse what an earlier run left', async (t) => {
  const mask = process.umask();
  t.after(() => process.umask(mask));
  for (const [umask, mode] of [
    [0o000, 0o666],
    [0o002, 0o664],
    [0o022, 0o644],
    [0o077, 0o600],
  ] as const) {
    const fixture = await exportFixture(t);
    process.umask(umask);
    const args = `uploads ${list} -o out`;
    assert.equal((await fixture.run(`${args} --max-credits 1`)).exit, 9);
    assert.equal((await fixture.run(args)).exit, 0);
    assert.equal((await stat(join(fixture.folder, 'out'))).mode & 0o777, mode, umask.toString(8));
    await chmod(join(fixture.folder, 'out'), 0o666);
    assert.equal((await fixture.run(`${args} --restart --max-credits 1`)).exit, 9);
    assert.equal((await fixture.run(`${args} --restart`)).exit, 0);
    assert.equal((await stat(join(fixture.folder, 'out'))).mode & 0o777, 0o666, umask.toString(8));
  }
});

test('two runs on one FILE: the second ends at once (10), the first completes', async (t) => {
  const fixture = await exportFixture(t);
  const proxy = await openFlakyProxy(t, fixture.sandbox.baseUrl);
  const id = (await fixture.run(`resolve ${list} -f id`)).stdout.trim();
  const args = ['uploads', id, '-o', 'out'];
  const before = fixture.requests.length;
  let asked: () => void = () => {};
  const waiting = new Promise<void>((resolve) => {
    asked = resolve;
  });
  fixture.onRequest = (_, number) => {
    if (number === before + 2) asked();
  };
  proxy.holdFrom(2);
  const first = fixture.run(args, { baseUrl: proxy.url, unwatched: true });
  await waiting;
  for (const more of [[], ['--restart'], ['--update']]) {
    const second = await fixture.run([...args, ...more], { unwatched: true });
    assert.equal(second.exit, 10, second.stderr);
    onlyError(second, 'out');
    assert.equal(second.only.status, 'failed');
    assert.deepEqual(second.only.credits, { confirmed: 0, possibly_charged: 0 });
  }
  proxy.release();
  assert.equal((await first).exit, 0);
  assert.equal(fixture.requests.length, before + 3, 'the second runs send nothing');
  assert.equal(await fixture.read('out'), await uninterrupted(fixture, `uploads ${list}`));
  assert.deepEqual(await fixture.files(), ['out']);
});

test('.chanlist that is not a folder of this user: 2 before any paid request, and it is not changed', async (t) => {
  const fixture = await exportFixture(t);
  const path = join(fixture.folder, '.chanlist');
  await mkdir(join(fixture.folder, 'elsewhere'), { mode: 0o700 });
  for (const [make, named] of [
    [() => symlink('elsewhere', path), 'mv'],
    [() => writeFile(path, 'mine\n'), 'mv'],
    [() => mkdir(path).then(() => chmod(path, 0o777)), 'chmod'],
  ] as const) {
    await make();
    for (const flags of [[], ['--restart']]) {
      const result = await fixture.run(['uploads', list, '-o', 'out', ...flags]);
      assert.deepEqual([result.exit, result.charged], [2, 0], result.stderr);
      onlyError(result, '.chanlist', named);
    }
    await rm(path, { recursive: true });
  }
  assert.deepEqual(
    fixture.requests.filter((line) => !line.includes('/resolve')),
    [],
  );
  assert.deepEqual(await fixture.files(), ['elsewhere']);
  assert.deepEqual(await readdir(join(fixture.folder, 'elsewhere')), []);
});

test('names in a record are relative: a folder with an interrupted update is copied whole, and resumed', async (t) => {
  const fixture = await exportFixture(t);
  assert.equal((await fixture.run(`uploads ${list} --output-dir old`)).exit, 0);
  fixture.sandbox.setUploads(list, 25 + 15);
  const update = ['uploads', list, '--update', '--output-dir'];
  assert.equal((await fixture.run([...update, 'old', '--max-credits', '1'])).exit, 9);
  assert.equal(spawnSync('cp', ['-a', 'old', 'new'], { cwd: fixture.folder }).status, 0);
  await rm(join(fixture.folder, 'old'), { recursive: true });
  const result = await fixture.run([...update, 'new']);
  assert.deepEqual([result.exit, result.charged, result.only.entries], [0, 1, 40], result.stderr);
  const check = await fixture.run('check new', { noSummary: true });
  assert.deepEqual([check.exit, check.lines.length], [0, 1], check.stdout);
});

test('--summary through a link, or into a linked folder, replaces no export', async (t) => {
  const fixture = await exportFixture(t);
  assert.equal((await fixture.run(`uploads ${list} -o a.ndjson`)).exit, 0);
  const before = await fixture.read('a.ndjson');
  await symlink('a.ndjson', join(fixture.folder, 'link.json'));
  const linked = await fixture.run(`resolve ${list} --summary link.json`, { noSummary: true });
  assert.equal(linked.exit, 2);
  onlyError(linked, 'link.json', 'it is an export');
  assert.equal(await fixture.read('a.ndjson'), before);
  const name = `UC${'a'.repeat(22)}.ndjson`;
  await mkdir(join(fixture.folder, 'lists'));
  await writeFile(join(fixture.folder, 'lists', name), before);
  await symlink('lists', join(fixture.folder, 'also'));
  const inFolder = await fixture.run(`uploads ${list} --output-dir lists --summary also/${name}`, {
    noSummary: true,
  });
  assert.deepEqual([inFolder.exit, inFolder.charged], [2, 0]);
  onlyError(inFolder, 'has the name of an export');
  assert.equal(await fixture.read(`lists/${name}`), before);
});
