import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AtomicFile, assertNotPinned, assertReplaceable, writeFileAtomic } from '../../src/fs/atomic.ts';
import { replaceFile } from '../../src/fs/files.ts';
import { resolveTarget } from '../../src/fs/output-target.ts';
import { recordSyncs, replaceFs, whileFailing } from '../support/failing.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';
import { asUser, nobody, notRoot } from '../support/users.ts';

const mode = (path: string): number => fs.statSync(path).mode & 0o777;

test('a file is replaced whole, through a link, with its mode; a new one has that of the umask', async (t) => {
  const mask = process.umask();
  t.after(() => process.umask(mask));
  const name = 'x'.repeat(255);
  for (const [umask, created] of [
    [0o000, 0o666],
    [0o002, 0o664],
    [0o022, 0o644],
    [0o077, 0o600],
  ] as const) {
    const folder = await temporaryFolder(t);
    const path = join(folder, name);
    process.umask(umask);
    writeFileAtomic(resolveTarget(path), 'old');
    assert.equal(mode(path), created);
    fs.chmodSync(path, 0o604);
    fs.symlinkSync(name, join(folder, 'link'));
    for (const isCommitted of [false, true]) {
      using file = new AtomicFile(resolveTarget(join(folder, 'link')));
      file.write('new ');
      file.write(Buffer.from('text'));
      assert.equal(fs.readFileSync(path, 'utf8'), 'old');
      if (isCommitted) file.commit();
    }
    assert.deepEqual([fs.readFileSync(path, 'utf8'), mode(path)], ['new text', 0o604]);
    assert.deepEqual(fs.readdirSync(folder).sort(), ['link', name]);
  }
});

test('content is durable before it takes its name, and the name after it', async (t) => {
  const path = join(await temporaryFolder(t), 'out');
  const calls = recordSyncs(t);
  writeFileAtomic(resolveTarget(path), 'text');
  assert.deepEqual(calls, ['sync file', 'rename', 'sync folder']);
});

test('content that cannot be made durable replaces nothing, unless the file system never can', async (t) => {
  const path = join(await temporaryFolder(t), 'out');
  fs.writeFileSync(path, 'old');
  const replace = (): void => writeFileAtomic(resolveTarget(path), 'new');
  for (const code of ['EIO', 'ENOSPC', 'EDQUOT'])
    whileFailing(t, 'fsyncSync', code, () => assert.throws(replace, isFailure(1, path, code)));
  assert.equal(fs.readFileSync(path, 'utf8'), 'old');
  whileFailing(t, 'fsyncSync', 'EINVAL', replace);
  assert.equal(fs.readFileSync(path, 'utf8'), 'new');
});

test('a path that cannot be written is found before anything is sent; later it is a failure (1)', async (t) => {
  const folder = await temporaryFolder(t);
  fs.mkdirSync(join(folder, 'sub'));
  const target = resolveTarget(join(folder, 'sub', 'out'));
  assertReplaceable(target);
  assert.deepEqual(fs.readdirSync(join(folder, 'sub')), []);
  if (!notRoot)
    await asUser(nobody, async () =>
      assert.throws(() => assertReplaceable(target), isFailure(2, target.path)),
    );
  fs.mkdirSync(target.path);
  assert.throws(() => writeFileAtomic(target, 'x'), isFailure(1, target.path));
  assert.deepEqual(fs.readdirSync(join(folder, 'sub')), ['out']);
  fs.rmSync(join(folder, 'sub'), { recursive: true });
  assert.throws(() => assertReplaceable(target), isFailure(2, `${join(folder, 'sub')} does not exist`));
});

test('a file of another user in a sticky folder of another user cannot be replaced: 2', {
  skip: notRoot,
}, async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'out');
  fs.writeFileSync(path, 'x');
  for (const [mode, folderOwner, owner, isRefused] of [
    [0o1777, 0, 0, true],
    [0o777, 0, 0, false],
    [0o1777, 0, nobody, false],
    [0o1777, nobody, 0, false],
  ] as const) {
    fs.chmodSync(folder, mode);
    fs.chownSync(folder, folderOwner, folderOwner);
    fs.chownSync(path, owner, owner);
    const target = resolveTarget(path);
    assertNotPinned(target);
    await asUser(nobody, async () => {
      if (isRefused)
        assert.throws(() => assertNotPinned(target), isFailure(2, `${path}: its folder lets only user 0`));
      else assertNotPinned(target);
    });
  }
});

test('only on Windows another program keeps a file from being replaced, for a second', async (t) => {
  const folder = await temporaryFolder(t);
  const [from, to] = [join(folder, 'new'), join(folder, 'out')];
  const { platform } = process;
  t.after(() => Object.defineProperty(process, 'platform', { value: platform }));
  const { renameSync } = fs;
  let failures = 0;
  let code = '';
  replaceFs(t, {
    renameSync: (...paths) => {
      if (failures-- > 0) throw Object.assign(new Error(), { code });
      renameSync(...paths);
    },
  });
  const replace = (value: NodeJS.Platform, failing: number, withCode: string): string => {
    Object.defineProperty(process, 'platform', { value });
    fs.writeFileSync(from, value);
    [failures, code] = [failing, withCode];
    replaceFile(from, to, 'out');
    return fs.readFileSync(to, 'utf8');
  };
  for (const heldCode of ['EACCES', 'EBUSY', 'EPERM']) assert.equal(replace('win32', 2, heldCode), 'win32');
  assert.throws(() => replace('win32', 20, 'EPERM'), {
    name: 'Failure',
    exit: 1,
    scope: 'reference',
    message: 'out cannot be replaced: another program has it open, or it is read-only',
  });
  assert.throws(() => replace('win32', 1, 'ENOSPC'), { code: 'ENOSPC' });
  for (const other of ['linux', 'darwin'] as const)
    assert.throws(() => replace(other, 1, 'EPERM'), { code: 'EPERM' });
});
