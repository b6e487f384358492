import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { shortName } from '../../src/fs/files.ts';
import { PrivateFolder, privateFolderOf } from '../../src/fs/private-folder.ts';
import { isFailure } from '../support/failures.ts';
import { noProc } from '../support/process-state.ts';
import { temporaryFolder } from '../support/temp.ts';
import { asUser, nobody, notRoot } from '../support/users.ts';

const mode = (path: string): number => statSync(path).mode & 0o777;

const refused = (...words: string[]) => isFailure(2, ...words);

async function created(t: TestContext): Promise<{ path: string; folder: PrivateFolder }> {
  const path = privateFolderOf(await temporaryFolder(t));
  const folder = PrivateFolder.openOrCreate(path);
  t.after(() => folder.close());
  return { path, folder };
}

test('a folder is created with mode 0700 and a .gitignore, whatever the umask, and opened again', async (t) => {
  const mask = process.umask();
  t.after(() => process.umask(mask));
  for (const umask of [0, 0o022, 0o277, 0o777]) {
    process.umask(mask);
    const parent = await temporaryFolder(t);
    process.umask(umask);
    const path = join(parent, '.chanlist');
    assert.equal(PrivateFolder.open(path), null);
    assert.deepEqual(readdirSync(parent), []);
    const folder = PrivateFolder.openOrCreate(path);
    assert.deepEqual([folder.created, folder.names(), mode(path)], [true, ['.gitignore'], 0o700]);
    folder.replace('a', 'text');
    closeSync(folder.openAppend('b'));
    closeSync(folder.create('c'));
    for (const name of ['.gitignore', 'a', 'b', 'c']) assert.equal(mode(join(path, name)), 0o600, name);
    folder.close();
    const again = PrivateFolder.openOrCreate(path);
    assert.deepEqual([again.created, String(again.read('.gitignore'))], [false, '*\n']);
    again.close();
  }
});

test('only a .chanlist has a .gitignore; a sticky folder has one for each user', async (t) => {
  const parent = await temporaryFolder(t);
  const ledger = PrivateFolder.openOrCreate(join(parent, 'chanlist'));
  assert.deepEqual(ledger.names(), []);
  ledger.close();
  assert.equal(privateFolderOf(parent), join(parent, '.chanlist'));
  chmodSync(parent, 0o1777);
  assert.equal(privateFolderOf(parent), join(parent, `.chanlist-${process.geteuid?.() ?? 0}`));
  assert.throws(
    () => PrivateFolder.openOrCreate(join(parent, 'none', '.chanlist')),
    refused('does not exist'),
  );
});

test('files: read, replaced, appended to, removed; what a killed run left does not matter', async (t) => {
  const { path, folder } = await created(t);
  assert.equal(folder.read('a'), null);
  folder.replace('a', 'one', { durable: true });
  folder.replace('a', Buffer.from('two'));
  assert.equal(String(folder.read('a')), 'two');
  for (const text of ['1', '2']) {
    const fd = folder.openAppend('rows');
    writeSync(fd, text);
    closeSync(fd);
  }
  assert.equal(String(folder.read('rows')), '12');
  assert.throws(() => folder.create('rows'), { exit: 1 });
  folder.remove('rows');
  folder.remove('rows');
  assert.deepEqual(folder.names().sort(), ['.gitignore', 'a']);
  mkdirSync(join(path, 'folder'));
  for (const name of ['folder', 'x'.repeat(300)]) assert.throws(() => folder.replace(name, 'x'), { exit: 1 });
  const names = folder.names().filter((name) => !name.endsWith('.tmp'));
  assert.deepEqual(names.sort(), ['.gitignore', 'a', 'folder']);
  writeFileSync(join(path, `.${shortName('y'.repeat(255))}.tmp`), 'half');
  folder.replace('y'.repeat(255), 'y');
  assert.equal(String(folder.read('y'.repeat(255))), 'y');
});

test('an opened folder is used until it is closed, even if another folder takes its path', {
  skip: noProc,
}, async (t) => {
  const { path, folder } = await created(t);
  renameSync(path, `${path}-moved`);
  mkdirSync(path);
  writeFileSync(join(path, 'a'), 'forged');
  assert.equal(folder.read('a'), null);
  folder.replace('a', 'own', { durable: true });
  assert.equal(readFileSync(join(`${path}-moved`, 'a'), 'utf8'), 'own');
  assert.deepEqual(readdirSync(path), ['a']);
});

test('anything but a real folder that others cannot write is refused and left unchanged', async (t) => {
  const parent = await temporaryFolder(t);
  const path = join(parent, '.chanlist');
  const isRefused = (...words: string[]): void => {
    assert.throws(() => PrivateFolder.openOrCreate(path), refused(`refusing to use ${path}`, ...words));
    assert.throws(() => PrivateFolder.open(path), refused(...words));
    assert.throws(() => PrivateFolder.open(path, { readOnly: true }), refused(...words));
  };
  mkdirSync(join(parent, 'other'));
  symlinkSync('other', path);
  isRefused('it is a symbolic link', `mv ${path} ${path}.old`);
  rmSync(path);
  symlinkSync('nowhere', path);
  isRefused('it is a symbolic link');
  rmSync(path);
  writeFileSync(path, '');
  isRefused('it is a regular file');
  rmSync(path);
  mkdirSync(path);
  for (const each of [0o770, 0o702, 0o777]) {
    chmodSync(path, each);
    isRefused('other users can write to it', `mode 0${each.toString(8)}`, `chmod go-w ${path}`);
    assert.equal(mode(path), each);
  }
  chmodSync(path, 0o755);
  PrivateFolder.open(path)?.close();
  assert.deepEqual(
    [readdirSync(parent).sort(), readdirSync(path), readdirSync(join(parent, 'other'))],
    [['.chanlist', 'other'], [], []],
  );
});

test('a folder of another user: refused with its owner, but read by check if nobody else can write it', {
  skip: notRoot,
}, async (t) => {
  const { path, folder } = await created(t);
  const parent = join(path, '..');
  chmodSync(parent, 0o777);
  folder.replace('a', 'theirs');
  const open = (): unknown => PrivateFolder.openOrCreate(path);
  await asUser(nobody, async () => {
    assert.throws(open, refused('it belongs to another user', 'owner 0,', 'mv '));
    assert.throws(() => PrivateFolder.open(path, { readOnly: true }), refused('permission denied'));
  });
  chownSync(path, nobody, nobody);
  assert.throws(open, refused(`owner ${nobody}, mode 0700`, `chown -R 0 ${path}`));
  chownSync(join(path, 'a'), nobody, nobody);
  const theirs = PrivateFolder.open(path, { readOnly: true });
  assert.equal(String(theirs?.read('a')), 'theirs');
  theirs?.close();
  chmodSync(path, 0o777);
  utimesSync(parent, 0, 0);
  assert.throws(() => PrivateFolder.open(path, { readOnly: true }), refused('other users can write to it'));
  assert.equal(statSync(parent).mtimeMs, 0, 'check creates nothing');
  assert.deepEqual(readdirSync(parent), ['.chanlist']);
});

test('inside, no link is followed, no FIFO blocks, no second name is written, no foreign file is used', {
  timeout: 30_000,
}, async (t) => {
  const { path, folder } = await created(t);
  const at = (name: string): string => join(path, name);
  const isRefused = (name: string, ...words: string[]): void => {
    for (const open of [() => folder.read(name), () => folder.openAppend(name)])
      assert.throws(open, refused(`refusing to use ${at(name)}`, ...words));
  };
  writeFileSync(join(path, '..', 'victim'), 'precious', { mode: 0o600 });
  symlinkSync('../victim', at('link'));
  isRefused('link', 'it is a symbolic link');
  symlinkSync('../new', at('dangling'));
  isRefused('dangling', 'it is a symbolic link');
  execFileSync('mkfifo', [at('fifo')]);
  isRefused('fifo', 'it is a named pipe');
  mkdirSync(at('folder'));
  isRefused('folder', 'it is a folder');
  writeFileSync(at('loose'), '');
  chmodSync(at('loose'), 0o620);
  isRefused('loose', 'other users can write to it', `chmod go-w ${at('loose')}`);
  linkSync(join(path, '..', 'victim'), at('hard'));
  assert.equal(String(folder.read('hard')), 'precious');
  assert.throws(() => folder.openAppend('hard'), refused('it has another name (a hard link)'));
  folder.replace('hard', 'new');
  folder.replace('link', 'new');
  assert.equal(readFileSync(join(path, '..', 'victim'), 'utf8'), 'precious');
  if (notRoot) return;
  folder.replace('theirs', '');
  chownSync(at('theirs'), nobody, nobody);
  isRefused('theirs', 'it belongs to another user', `owner ${nobody}`);
});
