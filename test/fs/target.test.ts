import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, chown, lchown, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { resolveTarget } from '../../src/fs/target.ts';
import { temporaryFolder } from '../export/temp.ts';
import { asUser, nobody, notRoot } from '../support/users.ts';

const isUsage =
  (...words: string[]) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.exit, 2);
    for (const word of words) assert.ok(error.message.includes(word), error.message);
    return true;
  };

test('a new file, and an existing one with its mode', async (t) => {
  const folder = await realpath(await temporaryFolder(t));
  const path = join(folder, 'out.csv');
  assert.deepEqual(await resolveTarget(path), { path, real: path, mode: null, exists: false, kind: 'file' });
  await writeFile(path, '');
  await chmod(path, 0o604);
  assert.deepEqual(await resolveTarget(path), { path, real: path, mode: 0o604, exists: true, kind: 'file' });
});

test('a symbolic link is followed: relative, dangling, in chains, through linked folders', async (t) => {
  const folder = await realpath(await temporaryFolder(t));
  const at = (...names: string[]): string => join(folder, ...names);
  await mkdir(at('deep', 'data'), { recursive: true });
  await mkdir(at('links'));
  await writeFile(at('deep', 'out'), 'x');
  await symlink('../deep/out', at('links', 'one'));
  await symlink(at('links', 'one'), at('two'));
  await symlink('deep/data/new', at('dangling'));
  await symlink('deep/data', at('data'));
  await symlink('data/../out', at('up'));
  const real = async (name: string): Promise<string> => (await resolveTarget(at(name))).real;
  assert.equal(await real('two'), at('deep', 'out'));
  assert.equal(await real('up'), at('deep', 'out'), '.. behind a linked folder is its real parent');
  assert.equal(await real('data/x'), at('deep', 'data', 'x'));
  assert.deepEqual(await resolveTarget(at('dangling')), {
    path: at('dangling'),
    real: at('deep', 'data', 'new'),
    mode: null,
    exists: false,
    kind: 'file',
  });
});

test('refused before anything is paid: anything but a regular file, and paths that do not exist', async (t) => {
  const folder = await temporaryFolder(t);
  const at = (name: string): string => join(folder, name);
  await mkdir(at('folder'));
  await writeFile(at('file'), '');
  await symlink('b', at('a'));
  await symlink('a', at('b'));
  await symlink('folder', at('to-folder'));
  await symlink('nowhere/', at('slash'));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(at('socket'), resolve));
  t.after(() => server.close());
  await assert.rejects(resolveTarget(at('folder')), isUsage(at('folder'), 'a folder'));
  await assert.rejects(resolveTarget(at('to-folder')), isUsage('a folder'));
  await assert.rejects(resolveTarget(at('new/')), isUsage('a folder'));
  await assert.rejects(resolveTarget(at('slash')), isUsage('a folder'));
  await assert.rejects(resolveTarget(at('socket')), isUsage('a socket'));

  await assert.rejects(resolveTarget(at('a')), isUsage('loop'));
  await assert.rejects(resolveTarget(at('missing/out')), isUsage(at('missing'), 'does not exist'));
  await assert.rejects(resolveTarget(at('file/out')), isUsage('not a folder'));
  await assert.rejects(resolveTarget(at('x'.repeat(300))), isUsage('too long'));
  await assert.rejects(resolveTarget('.'), isUsage('a folder'));
  await assert.rejects(resolveTarget(''), isUsage('empty'));
  await assert.rejects(resolveTarget('a\0b'), isUsage('NUL'));
});

test('devices, FIFOs and inherited descriptors are streams, also through a link', async (t) => {
  const folder = await temporaryFolder(t);
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const { kind, descriptor } = await resolveTarget(pipe);
  assert.deepEqual([kind, descriptor], ['stream', undefined]);
  assert.equal((await resolveTarget('/dev/null')).kind, 'stream');
  await symlink('/dev/stderr', join(folder, 'link'));
  for (const [path, number] of [
    ['/dev/stdout', 1],
    ['/dev/stderr', 2],
    ['/dev/fd/1', 1],
    ['/proc/self/fd/2', 2],
    [join(folder, 'link'), 2],
  ] as const) {
    const target = await resolveTarget(path);
    assert.deepEqual([target.kind, target.descriptor], ['stream', number], path);
  }
  await assert.rejects(resolveTarget('/dev/fd/999'), isUsage('/dev/fd/999', 'descriptor 999 is not open'));
});

test('a link of another user is not followed in a folder that others can write', {
  skip: notRoot,
}, async (t) => {
  const folder = await realpath(await temporaryFolder(t));
  const at = (...names: string[]): string => join(folder, ...names);
  await mkdir(at('open'));
  await mkdir(at('closed'));
  await writeFile(at('victim'), '');
  for (const name of ['open', 'closed']) {
    await symlink('../victim', at(name, 'theirs'));
    await lchown(at(name, 'theirs'), nobody, nobody);
    await symlink('../victim', at(name, 'own'));
  }
  await chmod(at('open'), 0o777);
  await symlink('..', at('open', 'folder'));
  await lchown(at('open', 'folder'), nobody, nobody);
  await symlink('open/theirs', at('chain'));
  for (const path of [at('open', 'theirs'), at('open', 'folder', 'victim'), at('chain')]) {
    await assert.rejects(resolveTarget(path), isUsage('nobody (65534)', 'symbolic link'));
  }
  for (const path of [at('open', 'own'), at('closed', 'theirs')]) {
    assert.equal((await resolveTarget(path)).real, at('victim'));
  }
  await chown(at('closed'), nobody, nobody);
  await assert.rejects(resolveTarget(at('closed', 'theirs')), isUsage('nobody (65534)'));
  await chmod(folder, 0o755);
  await chmod(at('open'), 0o1777);
  await asUser(nobody, () =>
    assert.rejects(resolveTarget(at('open', 'own')), isUsage('root (0)', 'symbolic link')),
  );
});

test('a name that is not UTF-8 is refused: two such names would become one', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'a\uFFFDb');
  await assert.rejects(resolveTarget(path), isUsage('not valid UTF-8'));
  await assert.rejects(resolveTarget(join(path, 'x')), isUsage('not valid UTF-8'));
  await writeFile(path, '');
  assert.equal((await resolveTarget(path)).exists, true);
  const bytes = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]);
  await mkdir(bytes);
  await symlink(Buffer.from([0xff]), join(folder, 'link'));
  await assert.rejects(resolveTarget(join(folder, 'link', 'out')), isUsage('not valid UTF-8'));
});
