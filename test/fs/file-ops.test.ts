import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { fileFailure } from '../../src/fs/file-errors.ts';
import { type FileOps, nodeFileOps } from '../../src/fs/file-ops.ts';
import { checkRoom } from '../../src/fs/room.ts';
import { prepareWhole, writeWhole } from '../../src/fs/write-whole.ts';
import { temporaryFolder } from '../export/temp.ts';

const isFailure =
  (exit: number, ...words: string[]) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.exit, exit);
    for (const word of words) assert.ok(`${error.message}; ${error.hint}`.includes(word), error.message);
    return true;
  };

const systemError = (code: string): Error => Object.assign(new Error(code), { code });

/** Operations of which the one at `step` (from 1) fails; `steps()` counts them. */
function failing(step: number, code: string): FileOps & { steps(): number } {
  let steps = 0;
  const check = (): void => {
    if (++steps === step) throw systemError(code);
  };
  const wrap =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      check();
      return await work(...args);
    };
  return {
    steps: () => steps,
    lstat: wrap(nodeFileOps.lstat),
    lstatOwned: wrap(nodeFileOps.lstatOwned),
    availableBytes: nodeFileOps.availableBytes,
    rename: wrap(nodeFileOps.rename),
    unlink: nodeFileOps.unlink,
    readFile: nodeFileOps.readFile,
    syncFolder: wrap(nodeFileOps.syncFolder),
    open: wrap(async (path, how) => {
      const file = await nodeFileOps.open(path, how);
      return {
        ...file,
        write: wrap(file.write),
        sync: wrap(file.sync),
        chmod: wrap(file.chmod),
      };
    }),
  };
}

test('writes a file whole: new, over an old one with its mode, through a link', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'out.json');
  await writeWhole(path, 'one ü\n');
  assert.equal(await readFile(path, 'utf8'), 'one ü\n');
  const plain = join(folder, 'plain');
  await writeFile(plain, '');
  assert.equal((await stat(path)).mode, (await stat(plain)).mode, 'a new file has the mode of any new file');
  await chmod(path, 0o606);
  await symlink('out.json', join(folder, 'link'));
  await writeWhole(join(folder, 'link'), 'two\n');
  assert.equal(await readFile(path, 'utf8'), 'two\n');
  assert.equal((await stat(path)).mode & 0o777, 0o606);
  assert.deepEqual((await readdir(folder)).sort(), ['link', 'out.json', 'plain']);
});

test('the longest name that the file system allows', async (t) => {
  const path = join(await temporaryFolder(t), 'x'.repeat(255));
  await prepareWhole(path);
  await writeWhole(path, 'x');
  assert.equal(await readFile(path, 'utf8'), 'x');
});

test('after any failure the old file stays and nothing is left beside it', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'out');
  await writeFile(path, 'old');
  const counting = failing(0, '');
  await writeWhole(path, 'old', { ops: counting });
  assert.ok(counting.steps() >= 5);
  for (let step = 1; step < counting.steps(); step++) {
    await assert.rejects(
      writeWhole(path, 'new', { ops: failing(step, 'ENOSPC') }),
      isFailure(1, path, 'no space', 'make room'),
    );
    assert.equal(await readFile(path, 'utf8'), 'old');
    assert.deepEqual(await readdir(folder), ['out']);
  }
});

test('a path that cannot be written is found before anything is sent', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'out');
  await prepareWhole(path);
  assert.deepEqual(await readdir(folder), []);
  await assert.rejects(prepareWhole(join(folder, 'missing', 'out')), isFailure(2, 'does not exist'));
  await mkdir(path);
  await assert.rejects(prepareWhole(path), isFailure(2, path, 'folder'));
  const other = join(folder, 'other');
  for (const code of ['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG']) {
    await assert.rejects(prepareWhole(other, { ops: failing(1, code) }), isFailure(2, other, code));
  }
  for (const code of ['ENOSPC', 'EDQUOT', 'EIO']) {
    await assert.rejects(prepareWhole(other, { ops: failing(1, code) }), isFailure(1, other, code));
  }
});

test('a path that vanishes midway is a failure (1), not a usage error', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'sub', 'out');
  await mkdir(join(folder, 'sub'));
  await prepareWhole(path);
  await rm(join(folder, 'sub'), { recursive: true });
  await assert.rejects(writeWhole(path, 'x'), isFailure(1, path));
});

test('without room for the next page nothing is sent; a file system that does not say is not refused', async (t) => {
  const folder = await temporaryFolder(t);
  const left = (bytes: number | null): FileOps => ({ ...nodeFileOps, availableBytes: async () => bytes });
  const page = 4 * 1024 * 1024;
  await checkRoom(folder, page);
  await checkRoom(folder, page, left(page));
  await checkRoom(folder, page, left(null));
  await assert.rejects(checkRoom(folder, page, left(page - 1)), isFailure(1, 'no room', folder, '4.0 MiB'));
  const path = join(folder, 'out');
  await assert.rejects(prepareWhole(path, { room: page, ops: left(0) }), isFailure(1, 'no room'));
  assert.deepEqual(await readdir(folder), []);
  // The kernel's own tables say 0 bytes of 0.
  await checkRoom('/proc', page);
});

test('once the file is replaced, a folder that cannot be synced is a warning', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'out');
  const ops: FileOps = { ...nodeFileOps, syncFolder: () => Promise.reject(systemError('EIO')) };
  const warning = await writeWhole(path, 'new', { ops });
  assert.ok(warning?.message.includes(path));
  assert.equal(await readFile(path, 'utf8'), 'new');
  assert.equal(await writeWhole(path, 'newer'), null);
});

test('a disk quota that is used up is named, although Node has no name for that error', () => {
  const errno = -constants.errno.EDQUOT;
  const error = Object.assign(new Error(), { errno, code: `Unknown system error ${errno}` });
  const failure = fileFailure(error, '/a', 'writing');
  assert.ok(failure instanceof Failure);
  assert.equal(failure.message, '/a: the disk quota is used up (EDQUOT)');
});
