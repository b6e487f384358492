import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, chown, link, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { nodeFileOps } from '../../src/fs/file-ops.ts';
import { openOwned } from '../../src/fs/owned.ts';
import { temporaryFolder } from '../export/temp.ts';
import { asUser, nobody, notRoot } from '../support/users.ts';

const inTheWay =
  (path: string, why: string) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.exit, 2);
    assert.ok(error.message.startsWith(`${path} is in the way: it ${why} (owner `), error.message);
    assert.match(error.hint ?? '', /remove it/);
    return true;
  };

/** Everything that may be done to a name of the program's own is refused, and changes nothing. */
async function isRefused(path: string, why: string): Promise<void> {
  for (const how of ['write', 'read', 'replace'] as const) {
    await assert.rejects(openOwned(path, how), inTheWay(path, why), how);
  }
  await assert.rejects(openOwned(path, 'create'), { code: 'EEXIST' });
  await assert.rejects(nodeFileOps.lstatOwned(path), inTheWay(path, why));
  await assert.rejects(nodeFileOps.unlink(path), inTheWay(path, why));
}

test('new files have mode 0600 under any umask, and are opened again', async (t) => {
  const folder = await temporaryFolder(t);
  const mask = process.umask(0);
  t.after(() => process.umask(mask));
  for (const umask of [0, 0o022, 0o277, 0o777]) {
    process.umask(umask);
    const path = join(folder, `${umask}`);
    const created = await openOwned(path, 'create');
    await created.write('a');
    await created.close();
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    const again = await openOwned(path, 'write');
    await again.write('b', 1);
    await again.close();
    assert.equal(await readFile(path, 'utf8'), 'ab');
    await (await openOwned(path, 'replace')).close();
    assert.equal(await readFile(path, 'utf8'), '');
  }
  await assert.rejects(openOwned(join(folder, 'none'), 'read'), { code: 'ENOENT' });
});

test('anything but a regular file is refused, left unchanged, and never blocks', {
  timeout: 30_000,
}, async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'own');
  await writeFile(join(folder, 'victim'), 'precious', { mode: 0o600 });
  await symlink('victim', path);
  await isRefused(path, 'is a symbolic link');
  await rm(path);
  await symlink('nowhere', path);
  await isRefused(path, 'is a symbolic link');
  await rm(path);
  execFileSync('mkfifo', [path]);
  await isRefused(path, 'is a named pipe');
  await rm(path);
  await mkdir(path);
  await isRefused(path, 'is a folder');
  assert.equal(await readFile(join(folder, 'victim'), 'utf8'), 'precious');
  assert.deepEqual((await readdir(folder)).sort(), ['own', 'victim']);
});

test('a file that others can write is in the way; a hard link is not written through', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'own');
  await writeFile(path, 'forged');
  for (const mode of [0o620, 0o602, 0o666, 0o777]) {
    await chmod(path, mode);
    await isRefused(path, 'can be written by other users');
    assert.equal((await stat(path)).mode & 0o777, mode);
  }
  await chmod(path, 0o644);
  await (await openOwned(path, 'read')).close();
  await link(path, join(folder, 'second'));
  await assert.rejects(openOwned(path, 'write'), inTheWay(path, 'has a second name (a hard link)'));
  assert.equal(await readFile(path, 'utf8'), 'forged');
});

test('a finished part file may have the mode of FILE', async (t) => {
  const path = join(await temporaryFolder(t), 'part');
  await writeFile(path, '');
  await chmod(path, 0o664);
  assert.equal((await nodeFileOps.lstatOwned(path, 0o664))?.size, 0);
  await (await openOwned(path, 'write', 0o664)).close();
  await assert.rejects(openOwned(path, 'write'), inTheWay(path, 'can be written by other users'));
  await assert.rejects(nodeFileOps.lstatOwned(path, 0o660), inTheWay(path, 'can be written by other users'));
});

test("another user's file is in the way, for root and for others: the message names the owner", {
  skip: notRoot,
}, async (t) => {
  const folder = await temporaryFolder(t);
  await chmod(folder, 0o777);
  const path = join(folder, 'own');
  await writeFile(path, 'forged', { mode: 0o600 });
  await chown(path, nobody, nobody);
  await isRefused(path, 'belongs to another user');
  await assert.rejects(openOwned(path, 'read'), (error) =>
    String(error).includes('nobody (65534), mode 0600'),
  );
  await chown(path, 0, 0);
  await asUser(nobody, () => isRefused(path, 'belongs to another user'));
  assert.equal(await readFile(path, 'utf8'), 'forged');
  assert.deepEqual(await readdir(folder), ['own']);
});
