import assert from 'node:assert/strict';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { chunksOf, linesOf } from '../../src/fs/line-chunks.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';

const never = new AbortController().signal;

/** A descriptor of a file of this content, open until the test ends. */
async function opened(t: TestContext, content: string): Promise<number> {
  const path = join(await temporaryFolder(t), 'file');
  writeFileSync(path, content);
  const fd = openSync(path, 'r');
  t.after(() => closeSync(fd));
  return fd;
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}

test('a file in chunks: all of it, or a part', async (t) => {
  const text = Array.from({ length: 50_000 }, (_, n) => `${n} `).join('');
  const fd = await opened(t, text);
  assert.equal(await textOf(chunksOf(fd, 'file', never)), text);
  for (const [start, end] of [
    [0, 0],
    [131_071, 131_073],
    [7, 200_000],
    [text.length, text.length + 1],
  ] as const)
    assert.equal(await textOf(chunksOf(fd, 'file', never, { start, end })), text.slice(start, end));
});

test('what cannot be read is a failure (1) that names the file; a signal ends the reading', async (t) => {
  const folder = await temporaryFolder(t);
  mkdirSync(join(folder, 'sub'));
  const fd = openSync(join(folder, 'sub'), 'r');
  t.after(() => closeSync(fd));
  await assert.rejects(textOf(chunksOf(fd, 'a/file', never)), isFailure(1, 'a/file', 'EISDIR'));
  const stop = AbortSignal.abort(new Error('stopped'));
  await assert.rejects(textOf(chunksOf(await opened(t, 'x'), 'file', stop)), { message: 'stopped' });
});

test('lines, however the chunks are cut; null for one that is too long', async () => {
  const cases: readonly [text: string, lines: readonly (string | null)[]][] = [
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['\n', ['']],
    ['a\r\n\r\nb\r', ['a', '', 'b']],
    ['a\rb\n\nc', ['a\rb', '', 'c']],
    ['12345678\nb', ['12345678', 'b']],
    ['123456789\nb\n', [null, 'b']],
    ['a\n123456789', ['a', null]],
    ['123456789012345678901234567890\n\n123456789\nb', [null, '', null, 'b']],
  ];
  for (const [text, expected] of cases)
    for (let size = 1; size <= text.length + 1; size++) {
      const reused = Buffer.alloc(size);
      async function* chunks(): AsyncGenerator<Buffer> {
        for (let at = 0; at < text.length; at += size)
          yield reused.subarray(0, reused.write(text.slice(at, at + size)));
      }
      const lines: (string | null)[] = [];
      for await (const batch of linesOf(chunks(), { maxLength: 8 }))
        for (const line of batch) lines.push(line === null ? null : String(line));
      assert.deepEqual(lines, expected, `${JSON.stringify(text)} in chunks of ${size}`);
    }
});
