/** Trust: a real folder of the effective user, which others cannot write, and never a link. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertNotArchive, recordName } from '../../src/fs/archive-names.ts';
import { resolveTarget } from '../../src/fs/output-target.ts';
import { PrivateFolder, temporaryName } from '../../src/fs/private-folder.ts';
import { recordSyncs, whileFailing } from '../support/failing.ts';
import { isFailure } from '../support/failures.ts';
import { privateFolder } from '../support/private-folder.ts';
import { temporaryFolder } from '../support/program.ts';
import { asUser, nobody, notRoot } from '../support/users.ts';

const mode = (path: string): number => fs.statSync(path).mode & 0o777;
const both = [(path: string) => PrivateFolder.open(path).ensure(), PrivateFolder.open];

test('a folder is created with mode 0700 and a .gitignore, whatever the umask, and opened again', async (t) => {
  const mask = process.umask();
  t.after(() => process.umask(mask));
  for (const umask of [0o000, 0o002, 0o022, 0o077]) {
    const parent = await temporaryFolder(t);
    process.umask(umask);
    const path = join(parent, '.chanlist');
    const [folder, other] = [PrivateFolder.open(path), PrivateFolder.open(path)];
    assert.deepEqual([folder.exists, folder.names(), folder.read('a')], [false, [], null]);
    assert.deepEqual(fs.readdirSync(parent), []);
    folder.ensure();
    assert.deepEqual([folder.exists, folder.created, mode(path)], [true, true, 0o700]);
    assert.deepEqual([folder.names(), String(folder.read('.gitignore'))], [['.gitignore'], '*\n']);
    folder.replace('a', 'text');
    fs.closeSync(folder.openAppend('b'));
    fs.closeSync(folder.createEmpty('c'));
    for (const name of ['.gitignore', 'a', 'b', 'c']) assert.equal(mode(join(path, name)), 0o600, name);
    // One that another process created meanwhile.
    assert.deepEqual([other.exists, other.ensure().created, String(other.read('a'))], [false, false, 'text']);
    const again = PrivateFolder.open(path);
    assert.deepEqual([again.exists, again.ensure().created], [true, false]);
    // The run that created the folder was killed before it had one.
    again.remove('.gitignore');
    assert.equal(String(again.ensure().read('.gitignore')), '*\n');
  }
});

test('only a .chanlist has a .gitignore; the folder above it must exist', async (t) => {
  const parent = await temporaryFolder(t);
  assert.deepEqual(PrivateFolder.open(join(parent, 'chanlist')).ensure().names(), []);
  const inNone = join(parent, 'none', '.chanlist');
  assert.equal(PrivateFolder.open(inNone).exists, false);
  assert.throws(() => PrivateFolder.open(inNone).ensure(), isFailure(2, 'does not exist'));
});

test('a folder that was not needed is removed, unless it has files or was there before', async (t) => {
  const path = join(await temporaryFolder(t), '.chanlist');
  PrivateFolder.open(path).ensure().removeIfUnused();
  assert.equal(fs.existsSync(path), false);
  const folder = PrivateFolder.open(path).ensure();
  folder.replace('a', '');
  folder.removeIfUnused();
  assert.deepEqual(folder.names().sort(), ['.gitignore', 'a']);
  folder.remove('a');
  PrivateFolder.open(path).ensure().removeIfUnused();
  assert.deepEqual(folder.names(), ['.gitignore']);
});

test('what others may write is made 0700 again, but not by a command that changes nothing', async (t) => {
  const { path } = await privateFolder(t);
  for (const loose of [0o770, 0o702, 0o777]) {
    fs.chmodSync(path, loose);
    PrivateFolder.open(path);
    assert.equal(mode(path), loose);
    // A mode that cannot be set is not an error.
    whileFailing(t, 'chmodSync', 'EPERM', () => PrivateFolder.open(path).ensure());
    PrivateFolder.open(path).ensure();
    assert.equal(mode(path), 0o700);
  }
  fs.chmodSync(path, 0o755);
  PrivateFolder.open(path).ensure();
  assert.equal(mode(path), 0o755);
});

test('a link or a file in its place is refused and left unchanged', async (t) => {
  const parent = await temporaryFolder(t);
  const path = join(parent, '.chanlist');
  fs.mkdirSync(join(parent, 'other'), 0o700);
  for (const [make, what] of [
    [() => fs.symlinkSync('other', path), 'a symbolic link'],
    [() => fs.symlinkSync('nowhere', path), 'a symbolic link'],
    [() => fs.writeFileSync(path, ''), 'a regular file'],
    [() => execFileSync('mkfifo', [path]), 'a named pipe'],
  ] as const) {
    make();
    const next = what === 'a symbolic link' ? 'put the folder itself in its place' : 'move it away';
    for (const open of both)
      assert.throws(() => open(path), isFailure(2, `refusing to use ${path}: it is ${what}; ${next}`));
    assert.deepEqual(fs.readdirSync(parent).sort(), ['.chanlist', 'other']);
    assert.deepEqual(fs.readdirSync(join(parent, 'other')), []);
    fs.rmSync(path);
  }
});

test('a folder of another user is refused with its owner and the user to run as', {
  skip: notRoot,
}, async (t) => {
  const { path } = await privateFolder(t);
  fs.chmodSync(join(path, '..'), 0o777);
  const refused = (owner: number, user: number) => {
    const what = `it belongs to user ${owner}, not to user ${user}`;
    return isFailure(2, `${what}; run it as the user with the ID ${owner}`);
  };
  await asUser(nobody, async () => {
    for (const open of both) assert.throws(() => open(path), refused(0, nobody));
  });
  fs.chownSync(path, nobody, nobody);
  for (const permissions of [0o700, 0o777]) {
    fs.chmodSync(path, permissions);
    for (const open of both) assert.throws(() => open(path), refused(nobody, 0));
    assert.equal(mode(path), permissions);
  }
  await asUser(nobody, async () => PrivateFolder.open(path).ensure());
});

test('files: read, replaced, created, appended to, renamed, removed', async (t) => {
  const folder = await privateFolder(t);
  assert.equal(folder.read('a'), null);
  folder.replace('a', 'one');
  folder.replace('a', Buffer.from('two'));
  assert.equal(String(folder.read('a')), 'two');
  for (const text of ['1', '2']) {
    const fd = folder.openAppend('rows');
    fs.writeSync(fd, text);
    fs.closeSync(fd);
  }
  assert.equal(String(folder.read('rows')), '12');
  fs.closeSync(folder.createEmpty('rows'));
  assert.equal(String(folder.read('rows')), '');
  folder.rename('rows', 'b');
  for (const _ of ['there', 'gone']) folder.remove('b');
  // Leftovers of a killed run do not matter.
  fs.writeFileSync(folder.at(temporaryName('a')), 'half');
  folder.replace('a', 'three');
  assert.deepEqual([String(folder.read('a')), folder.names().sort()], ['three', ['.gitignore', 'a']]);
  fs.mkdirSync(folder.at('folder'));
  for (const name of ['folder', 'x'.repeat(300)])
    assert.throws(() => folder.replace(name, 'x'), isFailure(1, name));
});

test('what takes a name is durable before it; after a rename the name is, too', async (t) => {
  const folder = await privateFolder(t);
  const calls = recordSyncs(t);
  folder.replace('a', 'text');
  assert.deepEqual(calls.splice(0), ['sync file', 'rename']);
  folder.rename('a', 'b');
  assert.deepEqual(calls, ['rename', 'sync folder']);
});

test('inside, no link is followed, and no FIFO blocks', { timeout: 30_000 }, async (t) => {
  const folder = await privateFolder(t);
  const victim = join(folder.path, '..', 'victim');
  fs.writeFileSync(victim, 'precious');
  for (const [name, target] of [
    ['link', '../victim'],
    ['dangling', '../new'],
    ['loop', 'loop'],
  ] as const) {
    fs.symlinkSync(target, folder.at(name));
    for (const open of [() => folder.openRead(name), () => folder.openAppend(name), () => folder.read(name)])
      assert.throws(open, isFailure(1, `${folder.at(name)}: it is a symbolic link that is not followed`));
  }
  execFileSync('mkfifo', [folder.at('fifo')]);
  for (const open of [() => folder.openRead('fifo'), () => folder.openAppend('fifo')])
    assert.throws(open, isFailure(1, `${folder.at('fifo')} is a named pipe, not a file`));
  // They are replaced as a name.
  fs.closeSync(folder.createEmpty('link'));
  folder.replace('dangling', 'new');
  assert.equal(fs.readFileSync(victim, 'utf8'), 'precious');
  assert.deepEqual(fs.readdirSync(join(folder.path, '..')).sort(), ['.chanlist', 'victim']);
});

test('a FILE that a record calls an archive is replaced only by a run of its own', async (t) => {
  const folder = await privateFolder(t);
  const path = join(folder.path, '..', 'a.ndjson');
  const target = resolveTarget(path);
  folder.replace(recordName('a.ndjson'), '{}');
  assertNotArchive(target);
  fs.writeFileSync(path, '');
  const refused = isFailure(2, `refusing to replace ${path}: it is an archive`);
  assert.throws(() => assertNotArchive(target), refused);
  folder.remove(recordName('a.ndjson'));
  assertNotArchive(target);
});
