import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Failure } from '../../src/errors.ts';
import { acquireLock, isLocked } from '../../src/fs/file-lock.ts';
import { PrivateFolder } from '../../src/fs/private-folder.ts';
import { collect } from '../support/collect.ts';
import { temporaryFolder } from '../support/temp.ts';
import { asUser, nobody } from '../support/users.ts';

/** This file run as a process of its own: what it does, in which folder, how often. */
const [, , role, path = '', times = ''] = process.argv;

async function child(): Promise<void> {
  const folder = PrivateFolder.openOrCreate(path);
  if (role === 'hold') {
    await acquireLock(folder, 'out', 'out');
    process.stdout.write('held\n');
    process.stdin.resume();
    return;
  }
  const guard = join(path, '..', 'guard');
  for (let taken = 0; taken < Number(times); ) {
    try {
      const release = await acquireLock(folder, 'out', 'out');
      // Fails if another process has the lock.
      closeSync(openSync(guard, 'wx'));
      if (taken % 3 === 0) await turn();
      unlinkSync(guard);
      taken++;
      if (taken % 50 === 0) process.kill(process.pid, 'SIGKILL');
      release?.();
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

async function newFolder(t: TestContext): Promise<PrivateFolder> {
  const folder = PrivateFolder.openOrCreate(join(await temporaryFolder(t), '.chanlist'));
  t.after(() => folder.close());
  return folder;
}

function tests(): void {
  test('one writer: the second is refused at once, in this process too; no leftovers', async (t) => {
    const folder = await newFolder(t);
    assert.equal(await isLocked(folder, 'out'), false);
    const release = await acquireLock(folder, 'out', 'shown');
    assert.ok(release);
    assert.equal(await isLocked(folder, 'out'), true);
    await assert.rejects(acquireLock(folder, 'out', 'shown'), isLockedFailure);
    const long = 'x'.repeat(250);
    const others = [
      await acquireLock(folder, `${long}1`, 'shown'),
      await acquireLock(folder, `${long}2`, 'shown'),
    ];
    for (const each of [...others, release]) each?.();
    assert.equal(await isLocked(folder, 'out'), false);
    assert.deepEqual(folder.names(), ['.gitignore']);
    (await acquireLock(folder, 'out', 'shown'))?.();
  });

  test('a dead process holds no lock, a stopped one does', async (t) => {
    const folder = await newFolder(t);
    const alive = await holder(t, folder.path);
    alive.kill('SIGSTOP');
    await assert.rejects(acquireLock(folder, 'out', 'shown'), isLockedFailure);
    alive.kill('SIGKILL');
    await once(alive, 'exit');
    const left = readdirSync(folder.path, { recursive: true });
    assert.equal(left.length, 3, 'the dead process has left its lock');
    assert.equal(await isLocked(folder, 'out'), false);
    assert.deepEqual(readdirSync(folder.path, { recursive: true }), left);
    const release = await acquireLock(folder, 'out', 'shown');
    await assert.rejects(acquireLock(folder, 'out', 'shown'), isLockedFailure);
    release?.();
    assert.deepEqual(folder.names(), ['.gitignore']);
  });

  test('many processes race, each killed repeatedly while it holds the lock: never two at once', async (t) => {
    const folder = await newFolder(t);
    const handovers = process.env.CHANLIST_LONG === '1' ? 5000 : 250;
    const racer = async (): Promise<void> => {
      for (let taken = 0; taken < handovers; taken += 50) {
        const { stdout, signal } = await collect(start('race', folder.path, '50'));
        assert.deepEqual([stdout, signal], ['', 'SIGKILL']);
      }
    };
    await Promise.all([racer(), racer(), racer(), racer()]);
    (await acquireLock(folder, 'out', 'shown'))?.();
    assert.deepEqual(folder.names(), ['.gitignore']);
  });

  test('of runs that start at the same moment, one continues', async (t) => {
    const folder = await newFolder(t);
    for (let round = 0; round < 10; round++) {
      const results = await Promise.allSettled(
        Array.from({ length: 6 }, () => acquireLock(folder, 'out', 'shown')),
      );
      const won = results.filter((result) => result.status === 'fulfilled');
      assert.equal(won.length, 1);
      won[0]?.value?.();
    }
  });

  test('a lock can be taken under any umask', async (t) => {
    const parent = await temporaryFolder(t);
    chmodSync(parent, 0o755);
    const mask = process.umask(0);
    t.after(() => process.umask(mask));
    mkdirSync(join(parent, 'open'), 0o777);
    process.umask(0o277);
    await asUser(nobody, async () => {
      const folder = PrivateFolder.openOrCreate(join(parent, 'open', '.chanlist'));
      const release = await acquireLock(folder, 'out', 'shown');
      await assert.rejects(acquireLock(folder, 'out', 'shown'), isLockedFailure);
      release?.();
      folder.close();
    });
  });

  test('a file system without sockets: no lock, no leftovers', async (t) => {
    const folder = join(await temporaryFolder(t), 'x'.repeat(100));
    mkdirSync(folder);
    const deep = { at: (name: string) => `${folder}/${name}` };
    for (let i = 0; i < 2; i++) assert.equal(await acquireLock(deep, 'out', 'shown'), null);
    assert.deepEqual(readdirSync(folder), []);
  });
}

if (role === 'hold' || role === 'race') await child();
else tests();
