import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { connect, Server } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Failure } from '../../src/errors.ts';
import { acquireLock, exclusiveOpen, isLocked } from '../../src/fs/file-lock.ts';
import { PrivateFolder } from '../../src/fs/private-folder.ts';
import { collect } from '../support/collect.ts';
import { replaceFs } from '../support/failing.ts';
import { temporaryFolder } from '../support/program.ts';
import { asUser, nobody, notRoot } from '../support/users.ts';

/** This file run as a process of its own: what it does, in which folder, how often. */
const [, , role, path = '', times = ''] = process.argv;

async function child(): Promise<void> {
  const folder = PrivateFolder.open(path).ensure();
  if (role === 'hold') {
    await acquireLock(folder, 'out', 'out');
    process.stdout.write('held\n');
    process.stdin.resume();
    return;
  }
  const guard = join(path, '..', 'guard');
  for (let taken = 0; taken < Number(times); ) {
    try {
      const lock = await acquireLock(folder, 'out', 'out');
      // Fails if another process has the lock.
      fs.closeSync(fs.openSync(guard, 'wx'));
      if (taken % 3 === 0) await turn();
      fs.unlinkSync(guard);
      taken++;
      if (taken % 50 === 0) process.kill(process.pid, 'SIGKILL');
      lock?.[Symbol.dispose]();
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'locked') throw error;
    }
  }
}

const isLockedFailure = { name: 'Failure', exit: 10, message: 'shown: another run is writing this file' };

const start = (...args: string[]): ChildProcess =>
  spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], { stdio: ['pipe', 'pipe', 'inherit'] });

async function holder(t: TestContext, folder: string): Promise<ChildProcess> {
  const started = start('hold', folder);
  t.after(() => started.kill('SIGKILL'));
  assert.ok(started.stdout);
  assert.equal(String((await once(started.stdout, 'data'))[0]), 'held\n');
  return started;
}

async function newFolder(t: TestContext, parent = ''): Promise<PrivateFolder> {
  const above = join(await temporaryFolder(t), parent);
  fs.mkdirSync(above, { recursive: true });
  return PrivateFolder.open(join(above, '.chanlist')).ensure();
}

function tests(): void {
  test('the lock of each platform: a file opened exclusively, or a socket', () => {
    for (const platform of ['darwin', 'freebsd', 'netbsd', 'openbsd'] as const)
      assert.deepEqual(exclusiveOpen(platform), { flags: 0x24, busy: 'EAGAIN' });
    assert.deepEqual(exclusiveOpen('win32'), { flags: 0x10000040, busy: 'EBUSY' });
    for (const platform of ['linux', 'android'] as const) assert.equal(exclusiveOpen(platform), null);
  });

  test('a lock that is a file: held by another run, or not possible on this file system', async (t) => {
    const folder = await newFolder(t);
    const { platform } = process;
    t.after(() => Object.defineProperty(process, 'platform', { value: platform }));
    let code = '';
    replaceFs(t, {
      openSync: () => {
        throw Object.assign(new Error(), { code });
      },
    });
    for (const [value, failsWith, isHeld] of [
      ['darwin', 'EAGAIN', true],
      ['win32', 'EBUSY', true],
      ['darwin', 'ENOTSUP', false],
      ['win32', 'EINVAL', false],
    ] as const) {
      Object.defineProperty(process, 'platform', { value });
      code = failsWith;
      const lock = acquireLock(folder, 'out', 'shown');
      if (isHeld) await assert.rejects(lock, isLockedFailure);
      else assert.equal(await lock, null);
      assert.equal(await isLocked(folder, 'out'), isHeld);
    }
  });

  test('one writer: the second is refused at once, in this process too; no leftovers', async (t) => {
    const long = 'x'.repeat(249);
    // The path of a socket can be too long.
    for (const parent of ['', 'x'.repeat(120)]) {
      const [folder, other] = [await newFolder(t, parent), await newFolder(t, parent)];
      assert.equal(await isLocked(folder, 'out'), false);
      const lock = await acquireLock(folder, 'out', 'shown');
      assert.ok(lock);
      assert.equal(await isLocked(folder, 'out'), true);
      await assert.rejects(acquireLock(folder, 'out', 'shown'), isLockedFailure);
      assert.equal(await isLocked(other, 'out'), false);
      const others = [
        await acquireLock(folder, `${long}1`, 'shown'),
        await acquireLock(folder, `${long}2`, 'shown'),
        await acquireLock(other, 'out', 'shown'),
      ];
      for (const held of [...others, lock]) held?.[Symbol.dispose]();
      assert.equal(await isLocked(folder, 'out'), false);
      assert.deepEqual([folder.names(), other.names()], [['.gitignore'], ['.gitignore']]);
      (await acquireLock(folder, 'out', 'shown'))?.[Symbol.dispose]();
    }
  });

  test('a dead process holds no lock, a stopped one does', async (t) => {
    const folder = await newFolder(t);
    const alive = await holder(t, folder.path);
    alive.kill('SIGSTOP');
    await assert.rejects(acquireLock(folder, 'out', 'shown'), isLockedFailure);
    alive.kill('SIGKILL');
    await once(alive, 'exit');
    assert.equal(await isLocked(folder, 'out'), false);
    assert.equal(fs.readdirSync(folder.path, { recursive: true }).length, 3, 'isLocked changes nothing');
    const lock = await acquireLock(folder, 'out', 'shown');
    await assert.rejects(acquireLock(folder, 'out', 'shown'), isLockedFailure);
    lock?.[Symbol.dispose]();
    assert.deepEqual(folder.names(), ['.gitignore']);
  });

  test('many processes race, each killed repeatedly while it holds the lock: never two at once', async (t) => {
    const folder = await newFolder(t);
    const handovers = process.env.CHANLIST_LONG === '1' ? 1000 : 100;
    const racer = async (): Promise<void> => {
      for (let taken = 0; taken < handovers; taken += 50) {
        const { stdout, signal } = await collect(start('race', folder.path, '50'));
        assert.deepEqual([stdout, signal], ['', 'SIGKILL']);
      }
    };
    await Promise.all([racer(), racer(), racer(), racer()]);
    (await acquireLock(folder, 'out', 'shown'))?.[Symbol.dispose]();
    assert.deepEqual(folder.names(), ['.gitignore']);
  });

  test('two names that are one to the file system are one lock', async (t) => {
    const folder = await newFolder(t);
    const ignoringCase = {
      at: (name: string) => folder.at(name.normalize().toLowerCase()),
      names: () => folder.names(),
    };
    const lock = await acquireLock(ignoringCase, 'caf\u00e9.ndjson', 'shown');
    assert.ok(lock);
    for (const name of ['CAFE\u0301.ndjson', 'Caf\u00e9.ndjson']) {
      await assert.rejects(acquireLock(ignoringCase, name, 'shown'), isLockedFailure);
      assert.equal(await isLocked(ignoringCase, name), true);
    }
    lock[Symbol.dispose]();
  });

  test('a process that has no time for connections, or belongs to another user, lives', async (t) => {
    const folder = await newFolder(t);
    const alive = await holder(t, folder.path);
    alive.kill('SIGSTOP');
    const [socket = ''] = fs.readdirSync(join(folder.path, 'out.lock'));
    const path = join(folder.path, 'out.lock', socket);
    // As many as the system keeps waiting (511 by default), and more.
    const codes = new Set<unknown>();
    for (let i = 0; i < 520; i++) {
      const connection = connect(path).on('error', (error) => codes.add('code' in error && error.code));
      t.after(() => connection.destroy());
    }
    while (codes.size === 0) await turn();
    assert.deepEqual([...codes], ['EAGAIN']);
    await assert.rejects(acquireLock(folder, 'out', 'shown'), isLockedFailure);
    assert.equal(await isLocked(folder, 'out'), true);
  });

  test("a socket that this user may not connect to is another user's, who lives", {
    skip: notRoot,
  }, async (t) => {
    const folder = await newFolder(t);
    const lock = await acquireLock(folder, 'out', 'shown');
    for (const path of [join(folder.path, '..'), folder.path, join(folder.path, 'out.lock')])
      fs.chmodSync(path, 0o777);
    await asUser(nobody, async () => {
      await assert.rejects(acquireLock(folder, 'out', 'shown'), isLockedFailure);
      assert.equal(await isLocked(folder, 'out'), true);
    });
    lock?.[Symbol.dispose]();
  });

  test('an error that says nothing is neither a lock nor its absence', async (t) => {
    const folder = await newFolder(t);
    fs.mkdirSync(join(folder.path, 'out.lock'));
    fs.symlinkSync('loop', join(folder.path, 'out.lock', 'loop'));
    await assert.rejects(acquireLock(folder, 'out', 'shown'), { name: 'Failure', exit: 2 });
    await assert.rejects(isLocked(folder, 'out'), { code: 'ELOOP' });
  });

  test('a file system without sockets: no lock, no leftovers', async (t) => {
    const folder = await newFolder(t);
    for (const code of ['EPERM', 'EOPNOTSUPP', 'EADDRNOTAVAIL']) {
      const listen = t.mock.method(Server.prototype, 'listen', function (this: Server) {
        process.nextTick(() => this.emit('error', Object.assign(new Error(), { code })));
        return this;
      });
      assert.equal(await acquireLock(folder, 'out', 'shown'), null);
      listen.mock.restore();
    }
    assert.deepEqual(folder.names(), ['.gitignore']);
  });
}

if (role === 'hold' || role === 'race') await child();
else tests();
