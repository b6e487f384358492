import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { entry, page, type Reply, scriptedService } from '../support/service.ts';

test('a body with a BOM, compressed, or of a size that control characters do not make too large is read', async (t) => {
  const body = page(0, 1, null);
  const text = JSON.stringify(body);
  const padding = `${'\u007f'.repeat(1000)}${' '.repeat(12_000_000)}`;
  const replies: Reply[] = [
    { text: `\ufeff \n${JSON.stringify(body, null, 2)}\n` },
    { body: { ...body, padding } },
    { headers: { 'content-encoding': 'GZIP' }, text: gzipSync(text) },
    { headers: { 'content-encoding': 'br' }, text: brotliCompressSync(text) },
    ...['gzip, gzip', '__proto__', ''].map((name) => ({ text, headers: { 'content-encoding': name } })),
  ];
  for (const reply of replies) {
    const service = await scriptedService(t, () => reply);
    const { exit, stdout } = await service.run('uploads @a');
    assert.deepEqual([exit, stdout], [0, `${JSON.stringify(entry(0))}\n`]);
  }
});

test('a body of over 64 MiB is 8, announced or not', async (t) => {
  const announced: Reply = (response) => {
    response.writeHead(200, { 'content-length': String(65 * 1024 * 1024) }).flushHeaders();
  };
  const endless: Reply = (response, socket) => {
    response.writeHead(200);
    const chunk = Buffer.alloc(1024 * 1024, 32);
    const more = (): void => {
      if (!socket.destroyed) response.write(chunk, () => setImmediate(more));
    };
    more();
  };
  for (const reply of [announced, endless]) {
    const service = await scriptedService(t, () => reply);
    const { exit, stderr } = await service.run('uploads @a');
    assert.deepEqual([exit, service.seen.length], [8, 1]);
    assert.match(stderr, /64 MiB/);
  }
});
