import assert from 'node:assert/strict';
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { assertFreeSpace, fileError, makeFolders } from '../../src/fs/files.ts';
import { replaceFs, whileFailing } from '../support/failing.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';
import { asUser, nobody, notRoot } from '../support/users.ts';

test('missing folders are created with the mode', async (t) => {
  const folder = await temporaryFolder(t);
  for (const _ of ['new', 'there']) makeFolders(join(folder, 'a', 'b', 'c'), 0o700);
  for (const name of ['a', 'a/b', 'a/b/c'])
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o700, name);
  symlinkSync('a', join(folder, 'link'));
  makeFolders(join(folder, 'link', 'd'));
  writeFileSync(join(folder, 'file'), '');
  assert.throws(() => makeFolders(join(folder, 'file', 'below')), { code: 'ENOTDIR' });
});

test('without disk space for the next page nothing is sent', async (t) => {
  const folder = await temporaryFolder(t);
  const mebibytes = 1024 * 1024;
  const disk = { blocks: 1000, bfree: 30, bavail: 20, bsize: mebibytes };
  replaceFs(t, { statfsSync: () => disk as never });
  const tooFull = (free: number, required: number) =>
    isFailure(1, `disk space in ${folder}: ${free}.0 MiB free, ${required}.0 MiB required; free some`);
  // Reserved blocks are for root alone.
  await asUser(nobody, async () => {
    assertFreeSpace(folder, 16 * mebibytes);
    assert.throws(() => assertFreeSpace(folder, 17 * mebibytes), tooFull(20, 21));
  });
  if (!notRoot) {
    assertFreeSpace(folder, 26 * mebibytes);
    assert.throws(() => assertFreeSpace(folder, 27 * mebibytes), tooFull(30, 31));
  }
  whileFailing(t, 'accessSync', 'EROFS', () =>
    assert.throws(() => assertFreeSpace(folder, 0), isFailure(1, folder, 'the file system is read-only')),
  );
  // A file system that reports nothing passes.
  Object.assign(disk, { blocks: 0, bfree: 0, bavail: 0 });
  assertFreeSpace(folder, 1);
});

test('system errors in words: a wrong path is 2 before anything is sent, everything else 1', () => {
  const line = (kind: 'input' | 'usage' | 'failure', code: string, errno = 0): string => {
    const failure = fileError(Object.assign(new Error(), { code, errno }), '/a/b', kind);
    assert.ok(failure instanceof Failure);
    return `${failure.exit} ${failure.line()}`;
  };
  const denied = 'permission denied (EACCES); let this user read and write it, or choose another location';
  assert.equal(line('usage', 'ENOENT'), '2 /a/b: the folder /a does not exist (ENOENT); create it first');
  assert.equal(line('usage', 'EACCES'), `2 /a/b: ${denied}`);
  assert.equal(line('failure', 'EACCES'), `1 /a/b: ${denied}`);
  for (const doing of ['usage', 'failure'] as const)
    for (const [code, words] of [
      ['ENOSPC', 'no space left on the device (ENOSPC); free some space'],
      ['EDQUOT', 'the disk quota is used up (EDQUOT); free some space'],
      ['EFBIG', 'the file is larger than allowed (EFBIG); allow larger files (ulimit -f)'],
      ['EIO', 'the device reports an error (EIO); check the disk'],
    ] as const)
      assert.equal(line(doing, code), `1 /a/b: ${words}`);
  assert.match(line('input', 'ENOENT'), /^2 cannot read \/a\/b: there is no such file; give a file/);
  assert.match(line('failure', 'ENOENT'), /^1 \/a\/b: it, or its folder, has been removed/);
  // Node has no name for this error.
  const { EDQUOT } = constants.errno;
  assert.match(
    line('failure', `Unknown system error -${EDQUOT}`, -EDQUOT),
    /disk quota is used up \(EDQUOT\)/,
  );
  const bug = new TypeError('bug');
  assert.equal(fileError(bug, '/a/b', 'failure'), bug);
});
