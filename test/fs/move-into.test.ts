import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { moveInto } from '../../src/fs/atomic.ts';
import { markOf, resolveTarget } from '../../src/fs/output-target.ts';
import { PrivateFolder } from '../../src/fs/private-folder.ts';
import { whileFailing } from '../support/failing.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';
import { asUser, nobody, notRoot } from '../support/users.ts';

const mode = (path: string): number => statSync(path).mode & 0o777;

/** A folder for exports, its FILE, and rows in its private folder. */
async function exportIn(t: TestContext, content: string | null) {
  const root = await temporaryFolder(t);
  const parent = join(root, 'exports');
  mkdirSync(parent);
  const path = join(parent, 'out');
  if (content !== null) writeFileSync(path, content);
  const own = PrivateFolder.openOrCreate(join(parent, '.chanlist'));
  t.after(() => own.close());
  own.replace('rows', 'new');
  const target = resolveTarget(path);
  const expected = target.stats && markOf(target.stats);
  return { root, parent, path, own, target, expected };
}

/** Does something as a process that is killed before its nth change of files; returns whether that happened. */
function killedBefore(n: number, work: () => void): boolean {
  const { renameSync, fchmodSync, fsyncSync, unlinkSync } = fs;
  const originals = { renameSync, fchmodSync, fsyncSync, unlinkSync };
  let calls = 0;
  for (const [name, original] of Object.entries(originals))
    Object.assign(fs, {
      [name]: (...args: unknown[]) => {
        // A dead process changes nothing any more.
        if (++calls >= n) throw new Error('killed');
        return Reflect.apply(original, fs, args);
      },
    });
  syncBuiltinESMExports();
  try {
    work();
  } catch (error) {
    assert.match(String(error), /killed/);
  } finally {
    Object.assign(fs, originals);
    syncBuiltinESMExports();
  }
  return calls >= n;
}

test('no umask, no mode of FILE and no kill makes a later run refuse the rows; they are private until they are FILE', async (t) => {
  const mask = process.umask();
  t.after(() => process.umask(mask));
  const modes = [null, 0o604, 0o660, 0o666];
  for (const umask of [0o000, 0o002, 0o022, 0o077])
    for (const before of modes)
      for (let n = 1, wasKilled = true; wasKilled; n++) {
        const label = `umask ${umask.toString(8)}, mode ${before?.toString(8)}, killed before change ${n}`;
        process.umask(umask);
        const { path, parent, expected, own } = await exportIn(t, before === null ? null : 'old');
        if (before !== null) chmodSync(path, before);
        const found = resolveTarget(path);
        wasKilled = killedBefore(n, () => moveInto(own, 'rows', found, expected));
        using later = PrivateFolder.openOrCreate(join(parent, '.chanlist'));
        const rows = later.openAppend('rows');
        fs.closeSync(rows);
        const left = join(parent, '.chanlist/rows');
        const isMoved = !existsSync(left) || statSync(left).size === 0;
        if (!isMoved) {
          assert.equal(mode(left), 0o600, label);
          const there = existsSync(path) ? readFileSync(path, 'utf8') : null;
          assert.equal(there, before === null ? null : 'old', label);
          moveInto(later, 'rows', resolveTarget(path), expected);
        }
        assert.equal(readFileSync(path, 'utf8'), 'new', label);
        if (!wasKilled || !isMoved) assert.equal(mode(path), before ?? 0o666 & ~umask, label);
      }
});

test('something else at the name of FILE stays, and the rows wait; once it is moved away, they are FILE', async (t) => {
  const changes: readonly (readonly [what: string, change: (path: string) => void])[] = [
    ['other content', (path) => writeFileSync(path, 'other')],
    ['another time', (path) => utimesSync(path, 1, 1)],
    [
      'another file of that size and time',
      (path) => {
        renameSync(path, `${path}.old`);
        writeFileSync(path, 'old');
        execFileSync('touch', ['-r', `${path}.old`, path]);
      },
    ],
    ['a link to it', (path) => execFileSync('sh', ['-c', 'mv "$0" "$0.old" && ln -s out.old "$0"', path])],
    ['a folder', (path) => execFileSync('sh', ['-c', 'rm "$0" && mkdir "$0"', path])],
    ['a FIFO', (path) => execFileSync('sh', ['-c', 'rm "$0" && mkfifo "$0"', path])],
  ];
  for (const [what, change] of changes) {
    const { path, own, target, expected } = await exportIn(t, 'old');
    change(path);
    const there = fs.lstatSync(path);
    const isKept = isFailure(1, path, 'was changed by others', 'move it away');
    const scoped = (error: unknown) => isKept(error) && (error as { scope: string }).scope === 'reference';
    assert.throws(() => moveInto(own, 'rows', target, expected), scoped, what);
    assert.deepEqual([fs.lstatSync(path).ino, String(own.read('rows'))], [there.ino, 'new'], what);
    renameSync(path, `${path}.away`);
    moveInto(own, 'rows', resolveTarget(path), expected);
    assert.equal(readFileSync(path, 'utf8'), 'new');
  }
  const { path, own, target } = await exportIn(t, null);
  writeFileSync(path, 'theirs');
  assert.throws(() => moveInto(own, 'rows', target, null), isFailure(1, path, 'was created by others'));
  assert.equal(readFileSync(path, 'utf8'), 'theirs');
});

test('another folder in the place of that of FILE: nothing is written there, and the rows wait', async (t) => {
  for (const swap of [
    (parent: string) => mkdirSync(parent),
    (parent: string) => writeFileSync(parent, ''),
    (parent: string) => symlinkSync('elsewhere', parent),
    (parent: string) => symlinkSync('exports-moved', parent),
  ]) {
    const { root, parent, own, target, expected } = await exportIn(t, 'old');
    mkdirSync(join(root, 'elsewhere'));
    renameSync(parent, `${parent}-moved`);
    swap(parent);
    const isKept = isFailure(1, target.path, 'another folder has taken the place of', 'move it away');
    assert.throws(() => moveInto(own, 'rows', target, expected), isKept);
    const contents = ['exports', 'exports-moved', 'elsewhere'].map((name) =>
      existsSync(join(root, name, 'out')) ? readFileSync(join(root, name, 'out'), 'utf8') : null,
    );
    assert.ok(!contents.includes('new') && contents[1] === 'old', String(contents));
    rmSync(parent, { recursive: true });
    renameSync(`${parent}-moved`, parent);
    moveInto(own, 'rows', target, expected);
    assert.equal(readFileSync(target.path, 'utf8'), 'new');
  }
});

test('a folder that can be written, but not read', { skip: notRoot }, async (t) => {
  const { root, parent, path } = await exportIn(t, null);
  rmSync(join(parent, '.chanlist'), { recursive: true });
  chmodSync(root, 0o755);
  chmodSync(parent, 0o333);
  await asUser(nobody, async () => {
    using own = PrivateFolder.openOrCreate(join(parent, '.chanlist'));
    own.replace('rows', 'new');
    moveInto(own, 'rows', resolveTarget(path), null);
  });
  assert.equal(readFileSync(path, 'utf8'), 'new');
});

test('what keeps FILE from being replaced is said, and the rows wait', async (t) => {
  const { path, own, target, expected } = await exportIn(t, 'old');
  const { platform } = process;
  t.after(() => Object.defineProperty(process, 'platform', { value: platform }));
  for (const [code, system, ...words] of [
    ['EBUSY', platform, 'cannot be replaced: it is a mount point (EBUSY); unmount it, then run'],
    ['EPERM', platform, 'it is immutable', 'chattr -i'],
    ['EXDEV', platform, '.chanlist', 'another file system'],
    ['EPERM', 'win32', 'another program has opened it (EPERM); close it there, then'],
    ['EACCES', 'win32', 'another program has opened it'],
    ['EACCES', platform, 'permission denied'],
  ] as const) {
    Object.defineProperty(process, 'platform', { value: system });
    whileFailing(t, 'renameSync', code, () =>
      assert.throws(() => moveInto(own, 'rows', target, expected), isFailure(1, path, ...words)),
    );
    assert.deepEqual([readFileSync(path, 'utf8'), String(own.read('rows'))], ['old', 'new']);
  }
});

test('once FILE is in place, nothing that fails is a failure', async (t) => {
  for (const name of ['fchmodSync', 'fsyncSync', 'closeSync'] as const) {
    const { path, own, target, expected } = await exportIn(t, 'old');
    whileFailing(t, name, 'EIO', () => moveInto(own, 'rows', target, expected));
    assert.deepEqual(own.names(), ['.gitignore']);
    assert.throws(() => moveInto(own, 'rows', resolveTarget(path), null), isFailure(1, 'has been removed'));
    assert.equal(readFileSync(path, 'utf8'), 'new', name);
  }
});
