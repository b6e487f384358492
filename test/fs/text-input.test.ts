import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { usage } from '../../src/errors.ts';
import { readLines } from '../../src/fs/text-input.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';

const unreadable = (why: string) => usage(`refs.txt: ${why}`, 'expected a text file');

/** The lines of an input that arrives in these chunks, or of a file. */
async function lines(input: string | readonly (string | Buffer)[], stop?: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  const from = typeof input === 'string' ? input : Readable.from(input.map((chunk) => Buffer.from(chunk)));
  for await (const { number, text, problem } of readLines(from, unreadable, stop))
    found.push(problem === null ? text : `${number}: ${problem}`);
  return found;
}

test('lines: without BOM and line end, in any chunks, characters cut in two', async () => {
  assert.deepEqual(await lines([]), []);
  assert.deepEqual(await lines(['\ufeff@a\r\n', '\n', '# x\n@', 'b\n@c']), ['@a', '', '# x', '@b', '@c']);
  const bytes = Buffer.from('ä\n€\n😀\n');
  assert.deepEqual(await lines(Array.from(bytes, (byte) => Buffer.from([byte]))), ['ä', '€', '😀']);
});

test('a line that is too long or not UTF-8 says so, and the lines after it follow; NUL bytes are not text', async () => {
  const long = 'ä'.repeat(5000);
  assert.deepEqual(await lines(['a'.repeat(8192), '\n@b']), ['a'.repeat(8192), '@b']);
  const tooLong = '2: the line is longer than 8 KiB';
  assert.deepEqual(await lines(['@a\n', long, long]), ['@a', tooLong]);
  for (const chunks of [
    ['@a\n', long, long, '\n@b\n'],
    ['@a\n', long, long, long, `${long}\n@b`],
    [`@a\n${long}\n@b\n`],
  ])
    assert.deepEqual(await lines(chunks), ['@a', tooLong, '@b']);
  const notUtf8 = await lines([Buffer.from('@a\n\xff\n@b\n\xe4\n', 'latin1')]);
  assert.deepEqual(notUtf8, ['@a', '2: the line is not UTF-8', '@b', '4: the line is not UTF-8']);
  const notText = isFailure(2, 'refs.txt: it is not text: it contains NUL bytes');
  await assert.rejects(lines(['@a\n', 'x\0y', '\n@b']), notText);
});

test('a file, a FIFO; why one cannot be read; a stop signal', { timeout: 30_000 }, async (t) => {
  const folder = await temporaryFolder(t);
  writeFileSync(join(folder, 'refs'), '@a\n@b\n');
  assert.deepEqual(await lines(join(folder, 'refs')), ['@a', '@b']);
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const stop = new AbortController();
  const waiting = lines(pipe, stop.signal);
  stop.abort(new Error('stopped'));
  await assert.rejects(waiting, { message: 'stopped' });
  spawn('bash', ['-c', 'echo @a > "$0"', pipe]);
  assert.deepEqual(await lines(pipe), ['@a']);
  const missing = isFailure(2, 'refs.txt: there is no such file; expected');
  await assert.rejects(lines(join(folder, 'none')), missing);
  await assert.rejects(lines(folder), isFailure(2, 'refs.txt: it is a folder'));
  // As stdin, too.
  const fd = openSync(folder, 'r');
  const stdin = Object.assign(Readable.from([]), { fd });
  await assert.rejects(readLines(stdin, unreadable).next(), isFailure(2, 'refs.txt: it is a folder'));
  closeSync(fd);
});
