import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  lchownSync,
  mkdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { descriptorAt, openUnchanged, resolveTarget } from '../../src/fs/output-target.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';
import { asUser, nobody, notRoot } from '../support/users.ts';

/** Paths below a new folder, without links. */
async function inFolder(t: TestContext): Promise<(...names: string[]) => string> {
  const folder = realpathSync(await temporaryFolder(t));
  return (...names) => join(folder, ...names);
}

const isUsage = (...words: string[]) => isFailure(2, ...words);

test('a new file, and an existing one with its mode', async (t) => {
  const at = await inFolder(t);
  const path = at('out.csv');
  const { folder, ...target } = resolveTarget(path);
  assert.deepEqual(target, { path, real: path, kind: 'file', stats: null });
  assert.equal(folder?.ino, statSync(at()).ino);
  writeFileSync(path, '');
  chmodSync(path, 0o604);
  assert.equal((resolveTarget(path).stats?.mode ?? 0) & 0o777, 0o604);
});

test('a symbolic link is followed: relative, dangling, in chains, through linked folders', async (t) => {
  const at = await inFolder(t);
  mkdirSync(at('deep', 'data'), { recursive: true });
  mkdirSync(at('links'));
  writeFileSync(at('deep', 'out'), 'x');
  symlinkSync('../deep/out', at('links', 'one'));
  symlinkSync(at('links', 'one'), at('two'));
  symlinkSync('deep/data/new', at('dangling'));
  symlinkSync('deep/data', at('data'));
  symlinkSync('data/../out', at('up'));
  const real = (path: string): string => resolveTarget(path).real;
  assert.equal(real(at('two')), at('deep', 'out'));
  assert.equal(real(at('up')), at('deep', 'out'), '.. behind a linked folder is its real parent');
  assert.equal(real(`${at('data')}/../out`), at('deep', 'out'));
  assert.equal(real(at('data', 'x')), at('deep', 'data', 'x'));
  assert.equal(real(at('dangling')), at('deep', 'data', 'new'));
  assert.equal(real('new-file'), join(process.cwd(), 'new-file'));
});

test('refused before anything is paid: anything but a regular file, and paths that do not exist', async (t) => {
  const at = await inFolder(t);
  mkdirSync(at('folder'));
  writeFileSync(at('file'), '');
  symlinkSync('b', at('a'));
  symlinkSync('a', at('b'));
  symlinkSync('folder', at('to-folder'));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(at('socket'), resolve));
  t.after(() => server.close());
  const cases: readonly (readonly [path: string, ...words: string[]])[] = [
    [at('to-folder'), 'a folder'],
    [`${at('new')}/`, 'a folder'],
    [at('socket'), 'a socket'],
    [at('a'), 'loop'],
    [at('missing', 'out'), at('missing'), 'does not exist'],
    [at('missing', 'below', 'out'), at('missing', 'below'), 'does not exist'],
    [at('file', 'out'), 'not a folder'],
    [at('x'.repeat(300)), 'too long'],
    ['.', 'a folder'],
    ['', 'a folder'],
  ];
  for (const [path, ...words] of cases) assert.throws(() => resolveTarget(path), isUsage(...words), path);
});

test('devices, FIFOs and inherited descriptors are streams, also through a link; never for a folder', {
  timeout: 30_000,
}, async (t) => {
  const at = await inFolder(t);
  execFileSync('mkfifo', [at('pipe')]);
  symlinkSync('/dev/stderr', at('link'));
  for (const [path, descriptor] of [
    [at('pipe'), null],
    ['/dev/null', null],
    ['/dev/stdout', 1],
    ['/dev/stderr', 2],
    ['/dev/fd/1', 1],
    ['/proc/self/fd/2', 2],
    [at('link'), 2],
  ] as const) {
    const target = resolveTarget(path);
    assert.deepEqual([target.kind, descriptorAt(target.real)], ['stream', descriptor], path);
    assert.throws(() => resolveTarget(path, { onlyFiles: true }), isUsage('not a regular file'), path);
  }
  for (const path of ['/dev/fd/999', '/dev/fd/999999'])
    assert.throws(() => resolveTarget(path), isUsage(`descriptor ${path.slice(8)} is not open for writing`));
});

test('a link of another user is not followed in a folder that others can write', {
  skip: notRoot,
}, async (t) => {
  const at = await inFolder(t);
  mkdirSync(at('open'));
  mkdirSync(at('closed'));
  writeFileSync(at('victim'), '');
  for (const name of ['open', 'closed']) {
    symlinkSync('../victim', at(name, 'theirs'));
    lchownSync(at(name, 'theirs'), nobody, nobody);
    symlinkSync('../victim', at(name, 'own'));
  }
  chmodSync(at('open'), 0o777);
  symlinkSync('..', at('open', 'folder'));
  lchownSync(at('open', 'folder'), nobody, nobody);
  symlinkSync('open/theirs', at('chain'));
  for (const path of [at('open', 'theirs'), at('open', 'folder', 'victim'), at('chain')])
    assert.throws(() => resolveTarget(path), isUsage(`user ${nobody}`, 'symbolic link'));
  for (const path of [at('open', 'own'), at('closed', 'theirs')])
    assert.equal(resolveTarget(path).real, at('victim'));
  chownSync(at('closed'), nobody, nobody);
  assert.throws(() => resolveTarget(at('closed', 'theirs')), isUsage(`user ${nobody}`));
  chmodSync(at(), 0o755);
  chmodSync(at('open'), 0o1777);
  await asUser(nobody, async () =>
    assert.throws(() => resolveTarget(at('open', 'own')), isUsage('user 0', 'symbolic link')),
  );
});

test('nul is a stream, on Windows alone', async (t) => {
  const at = await inFolder(t);
  assert.equal(resolveTarget(at('NUL')).kind, 'file');
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value: 'win32' });
  t.after(() => Object.defineProperty(process, 'platform', { value: platform }));
  for (const path of ['NUL', 'nul', at('nul'), 'C:\\folder\\Nul']) {
    const { kind, real } = resolveTarget(path);
    assert.deepEqual([kind, real], ['stream', '\\\\.\\NUL'], path);
    assert.throws(() => resolveTarget(path, { onlyFiles: true }), isUsage('not a regular file'));
  }
  assert.equal(resolveTarget(at('annul')).kind, 'file');
});

test('openUnchanged: the file that was looked up, and nothing that has taken its place', async (t) => {
  const at = await inFolder(t);
  const path = at('file');
  writeFileSync(path, 'one');
  const target = resolveTarget(path);
  closeSync(openUnchanged(target));
  writeFileSync(at('other'), 'one');
  for (const change of [
    () => writeFileSync(path, 'other'),
    () => symlinkSync(at('other'), path),
    () => execFileSync('mkfifo', [path]),
    () => mkdirSync(path),
  ]) {
    rmSync(path, { recursive: true });
    change();
    assert.throws(() => openUnchanged(target), { name: 'Failure' });
  }
});
