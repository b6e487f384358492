import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf } from '../../src/fs/line-chunks.ts';
import { JsonText } from '../../src/json/json-text.ts';
import { entriesOf } from '../../src/output/render.ts';

/** The bytes in chunks that share one buffer, as those of a file do. */
async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Buffer, void> {
  const chunk = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size)
    yield chunk.subarray(0, bytes.copy(chunk, 0, at, at + size));
}

test('the entries of lines are whole and complete, wherever batches and chunks end', async () => {
  // A line has 10 bytes: chunks with a part of one, with a batch less one, with all.
  for (const count of [1, 99, 100, 101, 1000])
    for (const size of [7, 990, 1990, 4096, 128 * 1024]) {
      const ids = Array.from({ length: count }, (_, n) => `"東${n + 1000}"`);
      const found: string[] = [];
      const lines = linesOf(chunks(Buffer.from(`${ids.join('\n')}\n`), size));
      for await (const entries of entriesOf(lines, (line) => line && JsonText.parse(line)))
        for (const entry of entries) found.push(entry.toString());
      assert.deepEqual(found, ids, `${count} in chunks of ${size}`);
    }
});
