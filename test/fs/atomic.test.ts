import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { AtomicFile, assertReplaceable, writeFileAtomic } from '../../src/fs/atomic.ts';
import { fileError } from '../../src/fs/files.ts';
import { assertFreeSpace } from '../../src/fs/free-space.ts';
import { resolveTarget } from '../../src/fs/output-target.ts';
import { whileFailing } from '../support/failing.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';
import { asUser, nobody, notRoot } from '../support/users.ts';

const mode = (path: string): number => statSync(path).mode & 0o777;

test('a file is replaced whole, through a link, with its mode; a new one has that of the umask', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'x'.repeat(255));
  const mask = process.umask(0o027);
  t.after(() => process.umask(mask));
  writeFileAtomic(resolveTarget(path), 'old');
  assert.equal(mode(path), 0o640);
  chmodSync(path, 0o604);
  symlinkSync('x'.repeat(255), join(folder, 'link'));
  for (const isCommitted of [false, true]) {
    using file = new AtomicFile(resolveTarget(join(folder, 'link')));
    file.write('new ');
    file.write(Buffer.from('text'));
    assert.equal(readFileSync(path, 'utf8'), 'old');
    if (isCommitted) file.commit();
  }
  assert.deepEqual([readFileSync(path, 'utf8'), mode(path)], ['new text', 0o604]);
  assert.deepEqual(readdirSync(folder).sort(), ['link', 'x'.repeat(255)]);
});

test('a path that cannot be written is found before anything is sent; later it is a failure (1)', async (t) => {
  const folder = await temporaryFolder(t);
  mkdirSync(join(folder, 'sub'));
  const target = resolveTarget(join(folder, 'sub', 'out'));
  assertReplaceable(target);
  assert.deepEqual(readdirSync(join(folder, 'sub')), []);
  if (!notRoot)
    await asUser(nobody, async () =>
      assert.throws(() => assertReplaceable(target), isFailure(2, target.path)),
    );
  mkdirSync(target.path);
  assert.throws(() => writeFileAtomic(target, 'x'), isFailure(1, target.path));
  assert.deepEqual(readdirSync(join(folder, 'sub')), ['out']);
  rmSync(join(folder, 'sub'), { recursive: true });
  assert.throws(() => assertReplaceable(target), isFailure(2, `${join(folder, 'sub')} does not exist`));
  assert.throws(() => writeFileAtomic(target, 'x'), isFailure(1, target.path, 'removed'));
});

test("another user's FILE in a sticky folder is found before anything is sent", {
  skip: notRoot,
}, async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'out');
  writeFileSync(path, 'theirs');
  chmodSync(folder, 0o1777);
  await asUser(nobody, async () => {
    assert.throws(() => assertReplaceable(resolveTarget(path)), isFailure(2, path, 'user 0', 'sticky'));
    assertReplaceable(resolveTarget(join(folder, 'own')));
  });
  assertReplaceable(resolveTarget(path));
  chownSync(path, nobody, nobody);
  await asUser(nobody, async () => assertReplaceable(resolveTarget(path)));
  chownSync(path, 0, 0);
  chownSync(folder, nobody, nobody);
  await asUser(nobody, async () => assertReplaceable(resolveTarget(path)));
  chownSync(folder, 0, 0);
  chmodSync(folder, 0o777);
  await asUser(nobody, async () => assertReplaceable(resolveTarget(path)));
  assert.deepEqual(readdirSync(folder), ['out']);
});

test('content that cannot be closed is not put in place', async (t) => {
  const path = join(await temporaryFolder(t), 'out');
  writeFileSync(path, 'old');
  whileFailing(t, 'closeSync', 'EIO', () =>
    assert.throws(() => writeFileAtomic(resolveTarget(path), 'new'), isFailure(1, path, 'EIO')),
  );
  assert.equal(readFileSync(path, 'utf8'), 'old');
  assert.deepEqual(readdirSync(join(path, '..')), ['out']);
});

test('another folder in the place of that of FILE: nothing is written there', async (t) => {
  const folder = join(await temporaryFolder(t), 'a');
  mkdirSync(folder);
  const target = resolveTarget(join(folder, 'out'));
  using file = new AtomicFile(target);
  renameSync(folder, `${folder}-moved`);
  symlinkSync('/', folder);
  assert.throws(() => file.commit(), isFailure(1, 'another folder has taken the place'));
  assert.throws(() => writeFileAtomic(target, 'x'), isFailure(1, 'another folder has taken the place'));
});

test('without disk space for the next page nothing is sent; a file system that reports none passes', async (t) => {
  const folder = await temporaryFolder(t);
  assertFreeSpace(folder, 4 * 1024 * 1024);
  assert.throws(
    () => assertFreeSpace(folder, 2 ** 60),
    isFailure(
      1,
      `not enough disk space in ${folder}: `,
      ' MiB free, 1099511627776.0 MiB required; free some space',
    ),
  );
  // The kernel's own tables report 0 bytes of 0.
  assertFreeSpace('/proc', 1);
  assertFreeSpace(join(folder, 'missing'), 1);
});

test('system errors in words: a wrong path is 2 before anything is sent, everything else 1', () => {
  const line = (doing: 'read' | 'open' | 'write', code: string, errno = 0): string => {
    const failure = fileError(Object.assign(new Error(), { code, errno }), '/a/b', doing);
    assert.ok(failure instanceof Failure);
    return `${failure.exit} ${failure.line()}`;
  };
  assert.equal(line('open', 'ENOENT'), '2 /a/b: the folder /a does not exist (ENOENT); create it first');
  assert.equal(
    line('open', 'EACCES'),
    '2 /a/b: permission denied (EACCES); choose another place, or run it as the owner',
  );
  const noSpace = '/a/b: no space left on the device (ENOSPC); free some space';
  for (const doing of ['open', 'write'] as const) assert.equal(line(doing, 'ENOSPC'), `1 ${noSpace}`);
  assert.equal(
    line('read', 'ENOENT'),
    '2 cannot read /a/b: there is no such file; name a file that you can read',
  );
  assert.match(line('write', 'ENOENT'), /^1 \/a\/b: it, or its folder, has been removed/);
  // Node has no name for this error.
  const { EDQUOT } = constants.errno;
  assert.match(
    line('write', `Unknown system error -${EDQUOT}`, -EDQUOT),
    /the disk quota is used up \(EDQUOT\)/,
  );
  const bug = new TypeError('bug');
  assert.equal(fileError(bug, '/a/b', 'write'), bug);
});
