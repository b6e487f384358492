import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { page, type Reply, scriptedService } from '../support/service.ts';

const details: readonly [body: string, said: RegExp][] = [
  ['{"detail":"plain words"}', /plain words/],
  ['{"detail":"no @a here"}', /^chanlist: error: @a: the service refused the request \(422: no @a here\)/],
  ['{"detail":{"message":"in an object","code":7}}', /in an object/],
  [
    '{"detail":[{"loc":["query","q"],"msg":"too long"},{"loc":["query","limit"],"msg":"too big"}]}',
    /query\.q: too long; query\.limit: too big/,
  ],
  ['<html><body>Bad gateway</body></html>', /\(422\)/],
  ['', /\(422\)/],
  ['null', /\(422\)/],
  ['{"detail":"a\\u001b[31mred\\u0007\\nline\\u202e"}', /a \[31mred {1,2}line/],
];

test('the message of an error body is printed, sanitized', async (t) => {
  for (const [text, said] of details) {
    const service = await scriptedService(t, () => ({ status: 422, text }));
    const result = await service.run('latest @a');
    assert.equal(result.exit, 8);
    assert.match(result.stderr, said);
    assert.doesNotMatch(result.stderr.trimEnd(), /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  }
});

test('a body with a BOM, white space or gzip is read as JSON', async (t) => {
  const replies: Reply[] = [
    { text: `\ufeff \n${JSON.stringify(page(0, 1, null), null, 2)}\n` },
    { headers: { 'content-encoding': 'gzip' }, text: gzipSync(JSON.stringify(page(0, 1, null))) },
  ];
  for (const reply of replies) {
    const service = await scriptedService(t, () => reply);
    const result = await service.run('uploads @a');
    assert.equal(result.exit, 0);
    assert.equal(result.lines.length, 1);
    assert.deepEqual(JSON.parse(result.stdout).index, '0');
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
    const result = await service.run('uploads @a');
    assert.equal(result.exit, 8);
    assert.equal(service.seen.length, 1);
    assert.match(result.stderr, /64 MiB/);
  }
});
