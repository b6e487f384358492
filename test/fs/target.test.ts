import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { resolveTarget } from '../../src/fs/target.ts';
import { temporaryFolder } from '../export/temp.ts';

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
  assert.deepEqual(await resolveTarget(path), { path, real: path, mode: null, exists: false });
  await writeFile(path, '');
  await chmod(path, 0o604);
  assert.deepEqual(await resolveTarget(path), { path, real: path, mode: 0o604, exists: true });
});

test('a symbolic link means what it points to: relative, dangling, in chains, through linked folders', async (t) => {
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
  });
});

test('refused before anything is paid: what is no regular file, and paths that lead nowhere', async (t) => {
  const folder = await temporaryFolder(t);
  const at = (name: string): string => join(folder, name);
  await mkdir(at('folder'));
  await writeFile(at('file'), '');
  await symlink('b', at('a'));
  await symlink('a', at('b'));
  await symlink('folder', at('to-folder'));
  await symlink('nowhere/', at('slash'));
  execFileSync('mkfifo', [at('pipe')]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(at('socket'), resolve));
  t.after(() => server.close());
  await assert.rejects(resolveTarget(at('folder')), isUsage(at('folder'), 'a folder'));
  await assert.rejects(resolveTarget(at('to-folder')), isUsage('a folder'));
  await assert.rejects(resolveTarget(at('new/')), isUsage('a folder'));
  await assert.rejects(resolveTarget(at('slash')), isUsage('a folder'));
  await assert.rejects(resolveTarget(at('pipe')), isUsage('a named pipe'));
  await assert.rejects(resolveTarget(at('socket')), isUsage('a socket'));
  await assert.rejects(resolveTarget('/dev/null'), isUsage('/dev/null', 'a device'));
  await assert.rejects(resolveTarget(at('a')), isUsage('circle'));
  await assert.rejects(resolveTarget(at('missing/out')), isUsage(at('missing'), 'does not exist'));
  await assert.rejects(resolveTarget(at('file/out')), isUsage('not a folder'));
  await assert.rejects(resolveTarget(at('x'.repeat(300))), isUsage('too long'));
  await assert.rejects(resolveTarget('.'), isUsage('a folder'));
  await assert.rejects(resolveTarget(''), isUsage('empty'));
  await assert.rejects(resolveTarget('a\0b'), isUsage('NUL'));
});
