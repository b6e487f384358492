import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { access, chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Failure } from '../../src/errors.ts';
import { acquireLock } from '../../src/fs/lock.ts';
import { listen } from '../../src/fs/lock-socket.ts';
import { temporaryFolder } from '../export/temp.ts';

/** This file run as a process of its own: what it does, and with which file. */
const [, , role, file = '', log = ''] = process.argv;

async function child(): Promise<void> {
  if (role === 'hold') {
    await acquireLock(file);
    process.stdout.write('held\n');
    process.stdin.resume();
    return;
  }
  // Races for the lock until it has had it so many times.
  for (let had = 0; had < 5; ) {
    try {
      const lock = await acquireLock(file);
      appendFileSync(log, `enter ${process.pid}\n`);
      await new Promise((resolve) => setImmediate(resolve));
      appendFileSync(log, `leave ${process.pid}\n`);
      had++;
      await lock.release();
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'locked') throw error;
    }
  }
}

const isLocked = (error: unknown): boolean => {
  assert.ok(error instanceof Failure, String(error));
  assert.equal(error.exit, 10);
  assert.match(error.message, /another run is writing/);
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

  test('a dead process holds nothing; a stopped one holds on', async (t) => {
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

  test('many processes racing: never two at once, and all get their turns', {
    timeout: 120_000,
  }, async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'out');
    const record = join(folder, 'log');
    const racers = Array.from({ length: 8 }, () => start(t, 'race', path, record));
    assert.deepEqual(
      await Promise.all(racers.map(ended)),
      racers.map(() => 0),
    );
    const lines = readFileSync(record, 'utf8').trimEnd().split('\n');
    assert.equal(lines.length, 8 * 5 * 2);
    for (let i = 0; i < lines.length; i += 2) {
      assert.equal(lines[i]?.replace('enter', 'leave'), lines[i + 1], `line ${i + 1}`);
      assert.match(lines[i] ?? '', /^enter/);
    }
    assert.deepEqual(await readdir(folder), ['log']);
  });

  test('of runs that begin at the same moment one goes on', async (t) => {
    const path = join(await temporaryFolder(t), 'out');
    for (let round = 0; round < 10; round++) {
      const results = await Promise.allSettled(Array.from({ length: 6 }, () => acquireLock(path)));
      const won = results.filter((result) => result.status === 'fulfilled');
      assert.equal(won.length, 1);
      for (const result of results) if (result.status === 'rejected') isLocked(result.reason);
      for (const { value } of won) await value.release();
    }
  });

  test("a stale file of that name does not hold; somebody's data is not touched", async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'out');
    await writeFile(`${path}.lock`, '12345\n');
    const lock = await acquireLock(path);
    await lock.release();
    assert.deepEqual(await readdir(folder), []);
    await writeFile(`${path}.lock`, 'x'.repeat(100_000));
    await assert.rejects(acquireLock(path), (error) => error instanceof Failure && error.exit === 2);
    assert.equal((await readFile(`${path}.lock`)).length, 100_000);
  });

  test('files of others in the folder stay', async (t) => {
    const path = join(await temporaryFolder(t), 'out');
    await mkdir(`${path}.lock`);
    await writeFile(join(`${path}.lock`, 'c-mine'), 'x');
    await (await acquireLock(path)).release();
    assert.deepEqual(await readdir(`${path}.lock`), ['c-mine']);
  });

  test('other users of the folder can take part: the lock is as open as the folder', async (t) => {
    const folder = await temporaryFolder(t);
    await chmod(folder, 0o777);
    const path = join(folder, 'out');
    const lock = await acquireLock(path);
    assert.equal((await stat(`${path}.lock`)).mode & 0o777, 0o777);
    const names = await readdir(`${path}.lock`);
    const socket = names.find((name) => name.startsWith('c-'));
    assert.equal((await stat(join(`${path}.lock`, socket ?? ''))).mode & 0o777, 0o777);
    await lock.release();
  });

  test('a path longer than a socket may have', async (t) => {
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
    for (const code of ['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'EINVAL']) {
      const places: string[] = [];
      const bind: typeof listen = async (place) => {
        if (place.startsWith(folder)) throw Object.assign(new Error(code), { code });
        places.push(place);
        return await listen(place);
      };
      const lock = await acquireLock(path, path, bind);
      assert.deepEqual(await readdir(folder), []);
      await assert.rejects(acquireLock(path, path, bind), isLocked);
      await lock.release();
      assert.ok(places.length >= 2);
      await assert.rejects(access(dirname(places[0] ?? '')));
    }
  });

  test('a folder that is missing is a usage error', async (t) => {
    const path = join(await temporaryFolder(t), 'missing', 'out');
    await assert.rejects(acquireLock(path), (error) => error instanceof Failure && error.exit === 2);
  });
}

if (role === 'hold' || role === 'race') await child();
else tests();
