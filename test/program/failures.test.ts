import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { page, type Reply, scriptedService } from '../support/service.ts';
import { onlyError } from '../support/stderr.ts';

test('statuses map to the exit codes of the contract, once retries are used up', async (t) => {
  const codes: readonly (readonly [exit: number, requests: number, statuses: readonly number[]])[] = [
    [8, 1, [204, 301, 302, 307, 400, 405, 410, 422]],
    [3, 1, [401, 403]],
    [4, 1, [402]],
    [5, 1, [404]],
    [6, 3, [429]],
    [7, 1, [501]],
    [7, 3, [408, 500, 502, 503, 504]],
  ];
  const each = codes.flatMap(([exit, requests, all]) =>
    all.map((status) => [status, exit, requests] as const),
  );
  await Promise.all(
    each.map(async ([status, exit, requests]) => {
      const service = await scriptedService(t, () => ({
        status,
        text: status === 204 ? '' : '{}',
      }));
      const result = await service.command('uploads @a --retries 2');
      assert.deepEqual([result.exit, service.seen.length], [exit, requests], `status ${status}`);
      assert.deepEqual(result.waits, requests === 3 ? [500, 1000] : [], `status ${status}`);
      assert.equal(result.stdout, '');
      onlyError(result, new RegExp(`\\b${status}\\b`), '; 0 credits spent');
    }),
  );
});

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

test('a body of over 64 MiB is 8, announced or not, compressed or not', async (t) => {
  const endless =
    (headers: OutgoingHttpHeaders): Reply =>
    (response, socket) => {
      response.writeHead(200, headers);
      const chunk = Buffer.alloc(1024 * 1024, 32);
      const more = (): void => {
        if (!socket.destroyed) response.write(chunk, () => setImmediate(more));
      };
      more();
    };
  const bomb: Reply = {
    headers: { 'content-encoding': 'gzip' },
    text: gzipSync(Buffer.alloc(65 * 1024 * 1024, 32)),
  };
  const announced = endless({ 'content-length': String(65 * 1024 * 1024) });
  for (const reply of [announced, endless({}), bomb]) {
    const service = await scriptedService(t, () => reply);
    const result = await service.run('uploads @a');
    assert.equal(result.exit, 8);
    assert.equal(service.seen.length, 1);
    assert.match(result.stderr, /64 MiB/);
  }
});
