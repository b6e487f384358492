import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { runHere as run } from '../../support/command.ts';
import { listen } from '../../support/listen.ts';
import { serviceEnvironment } from '../../support/program.ts';
import { page } from '../../support/service.ts';

/** A service that responds to `pages` requests, each on its own connection, and then stops listening. */
async function serviceThatGoes(t: TestContext, pages: number): Promise<string> {
  let served = 0;
  const server = createServer((_, response) => {
    const n = served++;
    if (served === pages) server.close();
    response.writeHead(200, { connection: 'close' });
    response.end(JSON.stringify(page(n, n + 1, `token-${n + 1}`)));
  });
  const url = await listen(t, server);
  if (pages === 0) server.close();
  return url;
}

test('no connection, at once or later: 7, certainly not charged, the run ends', async (t) => {
  for (const [pages, spent, tally] of [
    [0, '0 credits spent', ''],
    [2, '2 credits spent', 'chanlist: 2 entries, 2 pages, 2 credits\n'],
  ] as const) {
    const url = await serviceThatGoes(t, pages);
    const { exit, stdout, stderr } = await run('uploads @a @b --json --retries 1 -v', {
      env: serviceEnvironment(url),
    });
    assert.equal(exit, 7);
    assert.equal(
      stderr,
      `chanlist: waiting 1 s: cannot reach ${url}: connection refused, retry 1 of 1\n${tally}` +
        `chanlist: error: @a: cannot reach ${url}: connection refused, after 2 attempts; stopped, 1 more not reached; ${spent}; check the address and the network\n`,
    );
    const [{ result: first }, second, ...rest] = JSON.parse(stdout);
    assert.deepEqual([second.reference, second.result.results, rest], ['@b', [], []]);
    assert.equal(second.result.error.code, 'unreachable');
    assert.deepEqual([first.results.length, first.has_more], [pages, true]);
    assert.equal(first.continuation_token, pages === 0 ? null : `token-${pages}`);
    assert.deepEqual([first.error.code, first.error.status], ['unreachable', null]);
  }
});
