import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import {
  access,
  chmod,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Failure } from '../../src/errors.ts';
import { acquireLock, isLocked as isHeld, type Lock } from '../../src/fs/lock.ts';
import { listen } from '../../src/fs/lock-socket.ts';
import { temporaryFolder } from '../export/temp.ts';
import { meet, race } from '../support/race.ts';
import { asUser, nobody, notRoot } from '../support/users.ts';

/** This file run as a process of its own: what it does, and with which file. */
const [, , role, file = '', log = ''] = process.argv;

async function child(): Promise<void> {
  if (role === 'hold') {
    await acquireLock(file);
    process.stdout.write('held\n');
    process.stdin.resume();
    return;
  }
  // In each of five rounds all try at the same moment; who has the lock keeps it until all others have tried.
  for (let round = 0; round < 5; round++) {
    meet();
    let lock = await attempt();
    meet();
    while (lock === null) lock = await attempt();
    await new Promise((resolve) => setImmediate(resolve));
    appendFileSync(log, `leave ${process.pid}\n`);
    await lock.release();
  }
}

/** Takes the lock and notes that; null if another process has it. */
async function attempt(): Promise<Lock | null> {
  try {
    const lock = await acquireLock(file);
    appendFileSync(log, `enter ${process.pid}\n`);
    return lock;
  } catch (error) {
    if (error instanceof Failure && error.code === 'locked') return null;
    throw error;
  }
}

const isLocked = (error: unknown): boolean => {
  assert.ok(error instanceof Failure, String(error));
  assert.equal(error.exit, 10);
  assert.match(error.message, /another run is writing/);
  return true;
};

const isUsage = (error: unknown, words: string): boolean => {
  assert.ok(error instanceof Failure && error.exit === 2, String(error));
  assert.ok(error.message.includes(words), error.message);
  return true;
};

function start(t: TestContext, ...args: string[]): ChildProcess {
  const started = spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => started.kill('SIGKILL'));
  return started;
}

async function holder(t: TestContext, path: string): Promise<ChildProcess> {
  const started = start(t, 'hold', path);
  assert.ok(started.stdout);
  for await (const line of createInterface(started.stdout)) {
    assert.equal(line, 'held');
    break;
  }
  return started;
}

function ended(process: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => process.on('exit', resolve));
}

function tests(): void {
  test('one writer: the second is refused at once, in this process too; nothing is left afterwards', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'out');
    const lock = await acquireLock(path);
    await assert.rejects(acquireLock(path), isLocked);
    const other = await acquireLock(join(folder, 'other'));
    await other.release();
    await lock.release();
    await lock.release();
    assert.deepEqual(await readdir(folder), []);
    await (await acquireLock(path)).release();
  });

  test('the lock of a dead process does not hold, that of a stopped one does', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'out');
    const alive = await holder(t, path);
    await assert.rejects(acquireLock(path), isLocked);
    alive.kill('SIGSTOP');
    await assert.rejects(acquireLock(path), isLocked);
    alive.kill('SIGKILL');
    await ended(alive);
    assert.ok((await readdir(`${path}.lock`)).length > 0, 'the dead process has left its lock');
    const lock = await acquireLock(path);
    await assert.rejects(acquireLock(path), isLocked);
    await lock.release();
    assert.deepEqual(await readdir(folder), []);
  });

  test('isLocked: held while its process lives; it changes nothing', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'out');
    assert.equal(await isHeld(path), false);
    assert.equal(await isHeld(join(folder, 'none', 'out')), false);
    const alive = await holder(t, path);
    assert.equal(await isHeld(path), true);
    alive.kill('SIGKILL');
    await ended(alive);
    const left = await readdir(folder, { recursive: true });
    assert.equal(await isHeld(path), false);
    assert.deepEqual(await readdir(folder, { recursive: true }), left);
  });

  test('many processes racing: never two at once, and all get their turns', {
    timeout: 120_000,
  }, async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'out');
    const record = join(folder, 'log');
    const racers = Array.from({ length: 8 }, () => start(t, 'race', path, record));
    const held: number[] = [];
    const count = (word: string): number => readFileSync(record, 'utf8').split(word).length - 1;
    const results = await race(racers, () => {
      if (existsSync(record)) held.push(count('enter') - count('leave'));
    });
    assert.deepEqual(
      results.map(({ exit }) => exit),
      racers.map(() => 0),
    );
    // After the first attempt of all in each round, and before that of the next ones.
    assert.deepEqual(held, [1, 0, 1, 0, 1, 0, 1, 0, 1]);
    const lines = readFileSync(record, 'utf8').trimEnd().split('\n');
    assert.equal(lines.length, 8 * 5 * 2);
    for (let i = 0; i < lines.length; i += 2) {
      assert.equal(lines[i]?.replace('enter', 'leave'), lines[i + 1], `line ${i + 1}`);
      assert.match(lines[i] ?? '', /^enter/);
    }
    assert.deepEqual(await readdir(folder), ['log']);
  });

  test('of runs that start at the same moment, one continues', async (t) => {
    const path = join(await temporaryFolder(t), 'out');
    for (let round = 0; round < 10; round++) {
      const results = await Promise.allSettled(Array.from({ length: 6 }, () => acquireLock(path)));
      const won = results.filter((result) => result.status === 'fulfilled');
      assert.equal(won.length, 1);
      for (const result of results) if (result.status === 'rejected') isLocked(result.reason);
      for (const { value } of won) await value.release();
    }
  });

  test('anything but a lock is in the way, and left unchanged', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'out');
    const lock = `${path}.lock`;
    const inTheWay = (error: unknown): boolean => isUsage(error, `${lock} is in the way`);
    await writeFile(lock, '12345\n');
    await assert.rejects(acquireLock(path), inTheWay);
    assert.equal(await readFile(lock, 'utf8'), '12345\n');
    await rm(lock);
    await mkdir(join(folder, 'other'), { mode: 0o700 });
    await symlink('other', lock);
    await assert.rejects(acquireLock(path), inTheWay);
    assert.equal(await readlink(lock), 'other');
    await rm(lock);
    await mkdir(lock);
    await assert.rejects(acquireLock(path), inTheWay);
    for (const name of ['data', `c-${'0'.repeat(20)}`]) {
      await writeFile(join(lock, name), 'x');
      await assert.rejects(acquireLock(path), inTheWay);
      assert.deepEqual(await readdir(lock), [name]);
      await rm(join(lock, name));
    }
    await rm(lock, { recursive: true });
    execFileSync('mkfifo', [lock]);
    await assert.rejects(acquireLock(path), inTheWay);
    assert.deepEqual((await readdir(folder)).sort(), ['other', 'out.lock']);
  });

  test('the lock that a dead process of version 0.1.0 left does not hold; a living one does', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'out');
    await mkdir(`${path}.lock`);
    await writeFile(join(`${path}.lock`, `h-${'a'.repeat(20)}`), '');
    const socket = join(`${path}.lock`, `c-${'a'.repeat(20)}`);
    const server = await listen(socket);
    await assert.rejects(acquireLock(path), isLocked);
    await rename(socket, join(folder, 'socket'));
    await new Promise((resolve) => server.close(resolve));
    await rename(join(folder, 'socket'), socket);
    await (await acquireLock(path)).release();
    assert.deepEqual(await readdir(folder), []);
  });

  test('leftovers of processes that died before they had the lock are removed', async (t) => {
    const folder = await temporaryFolder(t);
    const leftover = join(folder, `.chanlist-${'0'.repeat(20)}.lock`);
    await mkdir(leftover, { mode: 0o700 });
    const socket = join(leftover, `c-${'0'.repeat(20)}`);
    const server = await listen(socket);
    await rename(socket, join(folder, 'socket'));
    await new Promise((resolve) => server.close(resolve));
    await rename(join(folder, 'socket'), socket);
    await (await acquireLock(join(folder, 'out'))).release();
    assert.deepEqual(await readdir(folder), []);
  });

  test('under any umask a lock can be taken, and what a dead process left of it', async (t) => {
    const path = join(await temporaryFolder(t), 'out');
    await chmod(dirname(path), 0o777);
    const mask = process.umask(0o277);
    t.after(() => process.umask(mask));
    await asUser(nobody, async () => {
      const dead = await holder(t, path);
      await assert.rejects(acquireLock(path), isLocked);
      dead.kill('SIGKILL');
      await ended(dead);
      await (await acquireLock(path)).release();
    });
    assert.deepEqual(await readdir(dirname(path)), []);
  });

  test('a lock of another user that cannot be examined counts as held: the message names the file', {
    skip: notRoot,
  }, async (t) => {
    const folder = await temporaryFolder(t);
    await chmod(folder, 0o777);
    const path = join(folder, 'out');
    const dead = await holder(t, path);
    const unexaminable = (error: unknown): boolean => {
      assert.ok(error instanceof Failure && error.exit === 10, String(error));
      assert.match(error.message, /root \(0\)/);
      assert.equal(error.hint, `if none is, remove ${path}.lock`);
      return true;
    };
    await asUser(nobody, () => assert.rejects(acquireLock(path), unexaminable));
    dead.kill('SIGKILL');
    await ended(dead);
    await asUser(nobody, () => assert.rejects(acquireLock(path), unexaminable));
    assert.deepEqual(await readdir(folder), ['out.lock']);
  });

  test('root examines the lock of another user, and changes no mode and nothing that is not a lock', {
    skip: notRoot,
  }, async (t) => {
    const folder = await temporaryFolder(t);
    await chmod(folder, 0o777);
    const path = join(folder, 'out');
    const alive = await asUser(nobody, () => holder(t, path));
    await assert.rejects(acquireLock(path), isLocked);
    alive.kill('SIGKILL');
    await ended(alive);
    await (await acquireLock(path)).release();
    assert.deepEqual(await readdir(folder), []);
    await writeFile(join(folder, 'victim'), '', { mode: 0o600 });
    await asUser(nobody, async () => symlink('victim', `${path}.lock`));
    await assert.rejects(acquireLock(path), (error) => isUsage(error, 'nobody (65534)'));
    await rm(`${path}.lock`);
    await asUser(nobody, async () => {
      await mkdir(`${path}.lock`, { mode: 0o777 });
      await symlink('../victim', join(`${path}.lock`, `c-${'0'.repeat(20)}`));
    });
    await assert.rejects(acquireLock(path), (error) => isUsage(error, 'nobody (65534)'));
    assert.equal((await stat(join(folder, 'victim'))).mode & 0o777, 0o600);
    assert.deepEqual((await readdir(folder)).sort(), ['out.lock', 'victim']);
  });

  test('a path longer than a socket allows', async (t) => {
    const folder = join(await temporaryFolder(t), 'a'.repeat(200), 'b'.repeat(200));
    await mkdir(folder, { recursive: true });
    const path = join(folder, 'out');
    const lock = await acquireLock(path);
    await assert.rejects(acquireLock(path), isLocked);
    await lock.release();
    const dead = await holder(t, path);
    await assert.rejects(acquireLock(path), isLocked);
    dead.kill('SIGKILL');
    await ended(dead);
    await (await acquireLock(path)).release();
    await assert.rejects(access(`${path}.lock`));
  });

  test('on a file system that cannot hold sockets the lock holds too, and leaves nothing', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'out');
    const { TMPDIR } = process.env;
    process.env.TMPDIR = await temporaryFolder(t);
    t.after(() => {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    });
    const locks = join(process.env.TMPDIR, `chanlist-locks-${process.geteuid?.()}`);
    for (const code of ['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'EINVAL']) {
      const places: string[] = [];
      let calls = 0;
      const bind: typeof listen = async (place) => {
        // The first try of each call is beside FILE.
        if (calls++ % 2 === 0) throw Object.assign(new Error(code), { code });
        places.push(place);
        return await listen(place);
      };
      const lock = await acquireLock(path, path, bind);
      assert.deepEqual(await readdir(folder), []);
      assert.equal(await isHeld(path), true);
      await assert.rejects(
        acquireLock(path, path, bind),
        (error) =>
          isLocked(error) && error instanceof Failure && /only runs of this user/.test(error.message),
      );
      await lock.release();
      assert.equal(await isHeld(path), false);
      assert.equal(places.length, 2);
      assert.deepEqual(await readdir(locks), []);
      assert.equal((await stat(locks)).mode & 0o777, 0o700);
    }
    await rm(locks, { recursive: true });
    await writeFile(locks, '');
    const refusing: typeof listen = () =>
      Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' }));
    await assert.rejects(acquireLock(path, path, refusing), (error) =>
      isUsage(error, `${locks} is in the way`),
    );
  });

  test('a folder that is missing is a usage error', async (t) => {
    const path = join(await temporaryFolder(t), 'missing', 'out');
    await assert.rejects(acquireLock(path), (error) => error instanceof Failure && error.exit === 2);
  });
}

if (role === 'hold' || role === 'race') await child();
else tests();
