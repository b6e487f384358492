import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs, {
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
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { shortName } from '../../src/fs/files.ts';
import { PrivateFolder } from '../../src/fs/private-folder.ts';
import { assertTrustedFolder } from '../../src/fs/trust.ts';
import { whileFailing } from '../support/failing.ts';
import { isFailure } from '../support/failures.ts';
import { privateFolder } from '../support/private-folder.ts';
import { noProc } from '../support/process-state.ts';
import { temporaryFolder } from '../support/program.ts';
import { asUser, nobody, notRoot } from '../support/users.ts';

const mode = (path: string): number => statSync(path).mode & 0o777;

const refused = (...words: string[]) => isFailure(2, ...words);

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

test('only a .chanlist has a .gitignore', async (t) => {
  const parent = await temporaryFolder(t);
  const ledger = PrivateFolder.openOrCreate(join(parent, 'chanlist'));
  assert.deepEqual(ledger.names(), []);
  ledger.close();
  assert.throws(
    () => PrivateFolder.openOrCreate(join(parent, 'none', '.chanlist')),
    refused('does not exist'),
  );
});

test('files: read, replaced, appended to, removed; what a killed run left does not matter', async (t) => {
  const folder = await privateFolder(t);
  const { path } = folder;
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

test('a name leads to no other folder', async (t) => {
  const folder = await privateFolder(t);
  const { path } = folder;
  writeFileSync(join(path, '..', 'victim'), 'precious');
  for (const name of ['../victim', 'a/b', '/etc/passwd', '..', '.', '', 'a/'])
    for (const work of [
      () => folder.at(name),
      () => folder.read(name),
      () => folder.openAppend(name),
      () => folder.openWrite(name),
      () => folder.create(name),
      () => folder.replace(name, ''),
      () => folder.remove(name),
    ])
      assert.throws(work, { name: 'Failure', code: 'damaged', exit: 1 }, name);
  assert.deepEqual(folder.names(), ['.gitignore']);
  assert.equal(readFileSync(join(path, '..', 'victim'), 'utf8'), 'precious');
  folder.replace('a\\b ..', 'x');
  assert.equal(String(folder.read('a\\b ..')), 'x');
});

test('what cannot be closed: content that is not in place is lost, what was read is not', async (t) => {
  const folder = await privateFolder(t);
  folder.replace('a', 'one');
  whileFailing(t, 'closeSync', 'EIO', () => {
    assert.equal(String(folder.read('a')), 'one');
    assert.throws(() => folder.replace('a', 'two'), isFailure(1, 'the device reports an error (EIO)'));
  });
  assert.equal(String(folder.read('a')), 'one');
  folder.replace('a', 'three');
  assert.equal(String(folder.read('a')), 'three');
});

/** Lets the system show every file with this owner and these permissions until the test ends. */
function showAs(t: TestContext, uid: number, permissions: number): void {
  for (const name of ['fstatSync', 'lstatSync'] as const) {
    const original = fs[name] as (...args: unknown[]) => fs.Stats | undefined;
    t.mock.method(fs, name, (...args: unknown[]) => {
      const stats = original(...args);
      return stats && Object.assign(stats, { uid, mode: (stats.mode & ~0o777) | permissions });
    });
  }
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

test('a mount that shows everything with one owner and mode', async (t) => {
  const parent = await temporaryFolder(t);
  showAs(t, 4321, 0o777);
  const folder = PrivateFolder.openOrCreate(join(parent, '.chanlist'));
  folder.replace('a', 'text');
  assert.equal(String(folder.read('a')), 'text');
  folder.close();
  assert.deepEqual(readdirSync(parent), ['.chanlist']);
  const isRefused = (stats: Partial<fs.Stats>, ...words: string[]): void => {
    const shown = Object.assign(statSync(join(parent, '.chanlist')), { uid: 4321, mode: 0o40777 }, stats);
    const trust = () => assertTrustedFolder(join(parent, '.chanlist'), shown, {});
    if (words.length === 0) trust();
    else assert.throws(trust, refused(...words));
  };
  isRefused({});
  isRefused({ uid: 4322 }, 'owner 4322', "sudo -u '#4322' chanlist");
  isRefused({ mode: 0o40775 }, 'owner 4321, mode 0775');
  isRefused({ mode: 0o40700 }, 'owner 4321, mode 0700');
});

test("another user's folder in a sticky one: use another folder", { skip: notRoot }, async (t) => {
  const { path } = await privateFolder(t);
  chmodSync(join(path, '..'), 0o1777);
  await asUser(nobody, async () =>
    assert.throws(() => PrivateFolder.openOrCreate(path), refused('another user', '; use another folder')),
  );
  chownSync(path, nobody, nobody);
  assert.throws(() => PrivateFolder.openOrCreate(path), refused('another user', '; use another folder'));
});

test('an opened folder is used until it is closed, even if another folder takes its path', {
  skip: noProc,
}, async (t) => {
  const folder = await privateFolder(t);
  const { path } = folder;
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
  mkdirSync(join(parent, 'other'));
  const folderOf = (mode: number) => (): void => {
    mkdirSync(path);
    chmodSync(path, mode);
  };
  const loose = ['other users can write to it', `chmod go-w ${path}`] as const;
  for (const [make, ...words] of [
    [() => symlinkSync('other', path), 'it is a symbolic link', `mv ${path} ${path}.old`],
    [() => symlinkSync('nowhere', path), 'it is a symbolic link'],
    [() => writeFileSync(path, ''), 'it is a regular file'],
    [folderOf(0o770), 'mode 0770', ...loose],
    [folderOf(0o702), 'mode 0702', ...loose],
    [folderOf(0o777), 'mode 0777', ...loose],
  ] as const) {
    make();
    const before = execFileSync('find', [parent, '-ls'], { encoding: 'utf8' });
    const isRefused = refused(`refusing to use ${path}`, ...words);
    assert.throws(() => PrivateFolder.openOrCreate(path), isRefused);
    assert.throws(() => PrivateFolder.open(path), isRefused);
    assert.throws(() => PrivateFolder.open(path, { readOnly: true }), isRefused);
    assert.equal(execFileSync('find', [parent, '-ls'], { encoding: 'utf8' }), before);
    rmSync(path, { recursive: true });
  }
  folderOf(0o755)();
  PrivateFolder.open(path)?.close();
});

test('a folder of another user: refused with its owner, but read by check if nobody else can write it', {
  skip: notRoot,
}, async (t) => {
  const folder = await privateFolder(t);
  const { path } = folder;
  const parent = join(path, '..');
  chmodSync(parent, 0o777);
  folder.replace('a', 'theirs');
  const open = (): unknown => PrivateFolder.openOrCreate(path);
  await asUser(nobody, async () => {
    const theirs = refused('it belongs to another user', 'owner 0,', `sudo chown -R nobody ${path}`);
    assert.throws(open, theirs);
    assert.throws(() => PrivateFolder.open(path, { readOnly: true }), refused('permission denied'));
  });
  chownSync(path, nobody, nobody);
  assert.throws(
    open,
    refused(`owner ${nobody}, mode 0700`, 'run it as that user: sudo -u nobody chanlist …'),
  );
  const inHome = refused(`sudo chown -R root ${path}`);
  assert.throws(() => PrivateFolder.openOrCreate(path, { inHome: true }), inHome);
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
  const folder = await privateFolder(t);
  const { path } = folder;
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
  isRefused('loose', 'other users can write to it', `chmod go-w ${path}/*`);
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
