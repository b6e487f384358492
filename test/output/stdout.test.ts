import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { ClosedPipe, stoppedBy } from '../../src/errors.ts';
import { Pager } from '../../src/output/pager.ts';
import { Stderr } from '../../src/output/stderr.ts';
import { Stdout } from '../../src/output/stdout.ts';
import { fakeContext } from '../support/fake-context.ts';
import { pipeDescriptor, skipPipes } from './support.ts';

/** stdout as a pipe that is closed after so many writes; `code`: how that shows. */
function pipe(writes: number, fd: number, code = 'EPIPE') {
  const written: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (text, _, done) => {
      if (written.length === writes) return done(Object.assign(new Error(`write ${code}`), { code }));
      written.push(String(text));
      done();
    },
  });
  const { context, controller } = fakeContext();
  const piped = { ...context, stdout: Object.assign(stream, { fd }) };
  return { stdout: new Stdout(piped, new Stderr(context)), written, controller };
}

test('a page goes to a pipe in two parts: a pipe that is closed after the first is noticed', {
  skip: skipPipes,
}, async (t) => {
  const { stdout, written } = pipe(3, await pipeDescriptor(t));
  await stdout.writePage('one\n');
  await assert.rejects(stdout.writePage('two\n'), ClosedPipe);
  assert.deepEqual(written, ['one', '\n', 'two']);
  await assert.rejects(stdout.write('more'), ClosedPipe);
});

test('a reader that leaves with what it has not read is a closed pipe, too', async () => {
  await assert.rejects(pipe(0, -1, 'ECONNRESET').stdout.write('one\n'), ClosedPipe);
});

test('Ctrl-C ends the reader of a pipeline, too: the signal is what stopped the run', async () => {
  const { stdout, controller } = pipe(0, -1);
  const signal = stoppedBy('SIGINT');
  controller.abort(signal);
  await assert.rejects(stdout.write('one\n'), signal);
});

test('after a stop signal, a reader that does not read is waited for no longer than a second', async () => {
  const { context, controller } = fakeContext();
  const signal = stoppedBy('SIGTERM');
  controller.abort(signal);
  const neverDone = Object.assign(new Writable({ write: () => {} }), { fd: -1 });
  const stdout = new Stdout({ ...context, stdout: neverDone }, new Stderr(context));
  await assert.rejects(stdout.write('one\n'), signal);
});

test('a pager that Ctrl-C has ended has not failed', async () => {
  const { context, controller } = fakeContext();
  const pager = new Pager('exit 130', context);
  controller.abort(stoppedBy('SIGINT'));
  assert.equal(await pager.ended, null);
});
