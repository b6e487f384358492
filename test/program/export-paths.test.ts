import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ExportFixture, exportFixture, uninterrupted } from '../support/exports.ts';
import { launcher } from '../support/program.ts';
import { onlyError, said } from '../support/stderr.ts';

const list = '@size-25'; // 3 pages of 10

/** Each of these lines is 2, and names this. */
async function refusesAll(
  fixture: ExportFixture,
  lines: readonly string[],
  named: string | RegExp,
  within?: readonly string[],
): Promise<void> {
  for (const line of lines) {
    const result = await fixture.run(line, { ...(within && { within }), noSummary: true });
    assert.deepEqual([result.exit, result.charged], [2, 0], `${line}: ${result.stderr}`);
    onlyError(result, named);
  }
}

test('a symbolic link: its target is replaced and keeps its mode, the link stays', async (t) => {
  const fixture = await exportFixture(t);
  const [link, target] = [join(fixture.folder, 'link.csv'), join(fixture.folder, 'real/data.csv')];
  await mkdir(join(fixture.folder, 'real'));
  await writeFile(target, 'old\n');
  await chmod(target, 0o640);
  await symlink('real/data.csv', link);
  const line = `uploads ${list} -o link.csv --restart`;
  assert.equal((await fixture.run(`${line} --max-credits 1`)).exit, 9);
  assert.deepEqual(await readdir(join(fixture.folder, 'real')), ['.chanlist', 'data.csv']);
  assert.equal(await fixture.read('link.csv'), 'old\n');
  const result = await fixture.run(line);
  assert.deepEqual([result.charged, result.only.file], [2, 'link.csv']);
  assert.equal(await fixture.read('link.csv'), await uninterrupted(fixture, `uploads ${list} -f csv`));
  assert.deepEqual(await fixture.files(), ['link.csv', 'real']);
  await rm(join(fixture.folder, 'real/.chanlist'), { recursive: true });
  for (const other of [`resolve ${list}`, `latest ${list}`, `search ${list} the`]) {
    assert.equal(await readlink(link), 'real/data.csv');
    assert.equal((await stat(target)).mode & 0o7777, 0o640);
    assert.equal((await fixture.run(`${other} -o link.csv`)).exit, 0);
  }
  assert.equal(await readlink(link), 'real/data.csv');
});

/** Runs a command as a user without rights. */
const nobody =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
const [tool = 'true', ...toolArgs] = [...nobody, 'test', '-r', launcher];
const skip = spawnSync(tool, toolArgs).status === 0 ? false : 'no user without rights can be had here';

test('a folder that cannot be written: 2, before any request', { skip }, async (t) => {
  const fixture = await exportFixture(t);
  await chmod(fixture.folder, 0o555);
  const lines = [
    `uploads ${list} -o out`,
    `uploads ${list} -o out --update`,
    `latest ${list} -o out`,
    `uploads ${list} @size-3 --output-dir .`,
    `uploads ${list} --output-dir new`,
  ];
  await refusesAll(fixture, lines, /permission|--update/, nobody);
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
  const commands = (reference: string) => [
    `resolve ${reference}`,
    `search ${reference} the`,
    `latest ${reference}`,
  ];
  for (const line of commands(list)) {
    for (const format of ['ndjson', 'csv', 'json']) {
      const result = await fixture.run(`${line} -o a.${format}`);
      assert.deepEqual([result.exit, result.stdout], [0, '']);
      assert.equal(await fixture.read(`a.${format}`), (await fixture.run(`${line} -f ${format}`)).stdout);
    }
  }
  const before = await fixture.read('a.json');
  for (const line of commands('@gone')) assert.equal((await fixture.run(`${line} -o a.json`)).exit, 5);
  fixture.sandbox.account.credits = 0;
  for (const line of commands(list)) assert.equal((await fixture.run(`${line} -o a.json`)).exit, 4);
  assert.equal(await fixture.read('a.json'), before);
  assert.deepEqual(await fixture.files(), ['a.csv', 'a.json', 'a.ndjson']);
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

test('a working directory that has been removed: relative names are 2, absolute ones work', async (t) => {
  const fixture = await exportFixture(t);
  const within = ['sh', '-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', 'sh'];
  const lines = [
    `uploads ${list} -o out`,
    `uploads ${list} --output-dir lists`,
    `resolve ${list} --summary summary.json`,
    `latest ${list} --seen seen.txt`,
    'resolve --from refs.txt',
    'check lists',
    'show out.ndjson',
  ];
  await refusesAll(fixture, lines, 'the working directory has been removed', within);
  assert.deepEqual(fixture.requests, []);
  const path = join(fixture.folder, 'out.ndjson');
  const result = await fixture.run(['uploads', list, '-o', path], { within, noSummary: true });
  assert.equal(result.exit, 0, result.stderr);
  assert.deepEqual(await fixture.files(), ['out.ndjson']);
});

test('.chanlist that is not a folder of this user: 2 before any paid request, and it is not changed', async (t) => {
  const fixture = await exportFixture(t);
  const path = join(fixture.folder, '.chanlist');
  await mkdir(join(fixture.folder, 'elsewhere'), { mode: 0o700 });
  await symlink('elsewhere', path);
  const lines = [`uploads ${list} -o out`, `uploads ${list} -o out --restart`];
  await refusesAll(fixture, lines, /\.chanlist.*mv /);
  await rm(path);
  await mkdir(path);
  await chmod(path, 0o777);
  await refusesAll(fixture, lines, /\.chanlist.*chmod /);
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
