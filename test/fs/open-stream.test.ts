import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ClosedPipe, Failure } from '../../src/errors.ts';
import { openStream, resolveTarget } from '../../src/fs/output-target.ts';
import { Stderr } from '../../src/output/stderr.ts';
import { Stdout } from '../../src/output/stdout.ts';
import { fakeContext } from '../support/fake-context.ts';
import { temporaryFolder } from '../support/program.ts';

/** This file run as a process of its own: the stream that it writes. */
const [, , role, path = ''] = process.argv;

/** The stream at a path, written as the program does. */
async function open(path: string, stop?: AbortSignal): Promise<Stdout> {
  const { context } = fakeContext();
  return new Stdout(
    context,
    new Stderr(context, { quiet: true, verbose: 0 }),
    await openStream(resolveTarget(path), stop),
  );
}

async function child(): Promise<void> {
  const stream = await open(path);
  await stream.write('one\n');
  await stream.write(Buffer.from('two\n'));
}

const self = `'${process.execPath}' '${fileURLToPath(import.meta.url)}' write`;
const shell = (command: string): string => execFileSync('bash', ['-c', command], { encoding: 'utf8' });

function tests(): void {
  test('an inherited descriptor is used unchanged: >> appends, > writes from its position', async (t) => {
    const folder = await temporaryFolder(t);
    const log = join(folder, 'log');
    await writeFile(log, 'zero\n');
    shell(`${self} /dev/stdout >> ${log}; ${self} /dev/fd/3 3>> ${log}; ${self} /dev/stderr 2>> ${log}`);
    assert.equal(await readFile(log, 'utf8'), `zero\n${'one\ntwo\n'.repeat(3)}`);
    shell(`{ echo before; ${self} /dev/fd/3; echo after >&3; } 3> ${log} >&3`);
    assert.equal(await readFile(log, 'utf8'), 'before\none\ntwo\nafter\n');
  });

  test('pipes: stdout, another descriptor, a process', () => {
    assert.equal(shell(`${self} /dev/stdout | cat`), 'one\ntwo\n');
    assert.equal(shell(`${self} /dev/fd/7 7>&1 >/dev/null | cat`), 'one\ntwo\n');
    assert.equal(shell(`{ ${self} >(cat >&9); } 9>&1 | cat`), 'one\ntwo\n');
  });

  test('a FIFO without a reader is waited for until a signal; a reader gets everything', {
    timeout: 30_000,
  }, async (t) => {
    const pipe = join(await temporaryFolder(t), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const stop = new AbortController();
    const waiting = open(pipe, stop.signal);
    stop.abort(new Failure('interrupted', 'stopped'));
    await assert.rejects(waiting, { code: 'interrupted' });
    const opening = openStream(resolveTarget(pipe));
    const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
    const { stream } = await opening;
    stream.end('x'.repeat(200_000));
    let length = 0;
    for await (const chunk of reader.stdout) length += chunk.length;
    assert.equal(length, 200_000);
  });

  test('after a signal, a summary is still written to a FIFO that has a reader', async (t) => {
    const pipe = join(await temporaryFolder(t), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    t.after(() => closeSync(reader));
    const stream = await open(pipe, AbortSignal.abort(new Failure('interrupted', 'stopped')));
    await stream.write('summary\n');
    const received = Buffer.alloc(100);
    assert.equal(received.toString('utf8', 0, readSync(reader, received)), 'summary\n');
  });

  test('a reader that has left is ClosedPipe; a full device is a failure', { timeout: 30_000 }, async (t) => {
    const pipe = join(await temporaryFolder(t), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reader = spawn('head', ['-c1', pipe], { stdio: 'ignore' });
    const gone = new Promise((resolve) => reader.on('exit', resolve));
    const stream = await open(pipe);
    await stream.write('x');
    await gone;
    await assert.rejects(stream.write('y'), ClosedPipe);
    const full = await open('/dev/full');
    for (const text of ['x', 'the end of the document'])
      await assert.rejects(full.write(text), (error) => error instanceof Failure && error.exit === 1);
    await (await open('/dev/null')).write('x');
  });
}

if (role === 'write') await child();
else tests();
