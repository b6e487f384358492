import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command } from '../support/command.ts';
import { run, serviceEnvironment, temporaryFolder, testKey } from '../support/program.ts';
import { scriptedService } from '../support/service.ts';

test('auth status asks again only where nothing answers, as often as --retries says', async (t) => {
  for (const [status, exit] of [
    [200, 0],
    [404, 0],
    [429, 0],
    [503, 0],
    [401, 3],
    [402, 4],
    [403, 3],
  ] as const) {
    const service = await scriptedService(t, () => ({ status, headers: { 'retry-after': '60' } }));
    const result = await run(['auth', 'status'], { env: serviceEnvironment(service.url) });
    assert.equal(result.exit, exit, `${status}`);
    assert.equal(service.seen.length, 1, `${status}`);
  }
  const service = await scriptedService(t, () => (_, socket) => socket.destroy());
  const env = serviceEnvironment(service.url);
  const usual = await command(['auth', 'status', '-v'], { env });
  assert.equal(usual.exit, 7);
  assert.deepEqual(usual.waits, [500, 1000, 2000, 4000]);
  assert.equal(service.seen.length, 5);
  assert.match(usual.stderr, /^chanlist: waiting 1 s: .*retry 1 of 4$/m);
  const once = await command(['auth', 'status', '--retries', '0'], { env });
  assert.equal(once.exit, 7);
  assert.equal(service.seen.length, 6);
});

test('auth login says where what answers does not look like the service; the key is stored, as any answer proves it', async (t) => {
  const html = await scriptedService(t, () => ({ text: '<html>hello</html>' }));
  const usual = await scriptedService(t, () => ({ status: 404, body: { detail: 'not found' } }));
  for (const [address, odd] of [
    [html.url, true],
    [`${usual.url}/api/v2/`, true],
    [usual.url, false],
    [`${usual.url}/prefix`, false],
  ] as const) {
    const env = { XDG_CONFIG_HOME: await temporaryFolder(t) };
    const result = await run(['auth', 'login', '--base-url', address], { env, input: `${testKey}\n` });
    assert.equal(result.exit, 0, result.stderr);
    assert.match(
      result.stderr,
      odd ? /^chanlist: the answer of http[^\n]* does not look like[^\n]*\n$/ : /^$/,
    );
    assert.equal((await run(['auth', 'status'], { env })).exit, 0);
  }
});
