import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { stoppedBy } from '../../src/errors.ts';
import { main } from '../../src/main.ts';
import { command } from '../support/command.ts';
import { fakeContext } from '../support/fake-context.ts';
import { onlyError } from '../support/stderr.ts';
import { get } from './client.ts';

function serve(
  t: TestContext,
  words: readonly string[] = [],
  { stdout, env = {} }: { stdout?: Writable; env?: Record<string, string> } = {},
) {
  const fake = fakeContext({ env });
  const { controller: stop, stderr } = fake;
  t.after(() => stop.abort(stoppedBy('SIGINT')));
  const context = { ...fake.context, ...(stdout !== undefined && { stdout }) };
  const line = async (number: number): Promise<string> => {
    for (;;) {
      const found = fake.stdout().split('\n').slice(0, -1)[number];
      if (found !== undefined) return found;
      await turn();
    }
  };
  return { stop, exit: main(['serve', '--port', '0', ...words], context), line, stderr };
}

test('a wrong value of a flag is a usage error that names the flag', async () => {
  const ports = '--port 65536 | --port -1 | --port http | --rate 0 | --grow -1 | --page-size 0 | --seed x';
  const others = '--credits 1.5 | --latency 1s | --fail 200:1 | --key  | --host  | --namespace ';
  for (const argv of [
    ...`${ports} | ${others}`.split(' | ').map((line) => line.split(' ')),
    ['--key', 'a b'],
  ]) {
    const result = await command(['serve', ...argv]);
    assert.equal(result.exit, 2, argv.join(' '));
    onlyError(result, argv[0] ?? '');
  }
});

test('ready, it prints URL, key and export lines; then one line per request; SIGINT stops it with 0', async (t) => {
  const { line, stop, exit } = serve(t, ['--key', 'sk_mine', '--credits', '2']);
  const ready = await line(0);
  const [, baseUrl = ''] =
    /^# chanlist sandbox at (http:\/\/127\.0\.0\.1:\d+) with key sk_mine$/.exec(ready) ?? [];
  assert.equal(await line(1), `export CHANLIST_BASE_URL=${baseUrl}`);
  assert.equal(await line(2), 'export CHANLIST_API_KEY=sk_mine');
  const service = { baseUrl, key: 'sk_mine' };
  assert.equal((await get(service, 'channel/videos', { channel: '@demo' })).status, 200);
  assert.equal((await get(service, 'channel/latest', { channel: '@nobody' })).status, 404);
  assert.equal(await line(4), 'GET /api/v2/media/channel/videos?channel=%40demo 200 1 credit left');
  assert.equal(await line(5), 'GET /api/v2/media/channel/latest?channel=%40nobody 404 1 credit left');
  stop.abort(stoppedBy('SIGINT'));
  assert.equal(await exit, 0);
  await assert.rejects(fetch(baseUrl), /fetch failed/);
});

test('serve: SIGTERM ends it with 0, SIGHUP with 129', async (t) => {
  const endedBy = async (signal: 'SIGTERM' | 'SIGHUP'): Promise<number> => {
    const { line, stop, exit } = serve(t);
    await line(0);
    stop.abort(stoppedBy(signal));
    return await exit;
  };
  assert.deepEqual([await endedBy('SIGTERM'), await endedBy('SIGHUP')], [0, 129]);
});

test('the namespace, from the flag or the environment, is the third export line', async (t) => {
  const third = 'export CHANLIST_NAMESPACE=';
  const both = { CHANLIST_NAMESPACE: 'tube' };
  assert.equal(await serve(t, ['--namespace', 'tube']).line(3), `${third}tube`);
  assert.equal(await serve(t, [], { env: both }).line(3), `${third}tube`);
  assert.equal(await serve(t, ['--namespace', 'v'], { env: both }).line(3), `${third}v`);
  assert.equal(await serve(t, ['--namespace', 'a/b']).exit, 2);
});

test('what it prints works: a key that a shell would expand is quoted, an address of all is that of this machine', async (t) => {
  const { line } = serve(t, ['--host', '0.0.0.0', '--key', "a$HOME'b"]);
  assert.match(await line(0), / at http:\/\/127\.0\.0\.1:\d+ with /);
  assert.equal(await line(2), `export CHANLIST_API_KEY='a$HOME'\\''b'`);
});

test('a port in use is an error that names the next step', async (t) => {
  const { line } = serve(t);
  const port = /:(\d+) /.exec(await line(0))?.[1] ?? '';
  const { exit, stderr } = serve(t, ['--port', port]);
  assert.equal(await exit, 1);
  const folderNotEmpty = `cannot listen on 127.0.0.1, port ${port}: the port is in use; `;
  onlyError({ stderr: stderr() }, folderNotEmpty, '--port 0');
});

test('an IPv6 address is accepted, and printed with brackets', async (t) => {
  const { line, exit, stderr } = serve(t, ['--host', '::1']);
  const ready = await Promise.race([line(0), exit.then(stderr)]);
  if (/EADDRNOTAVAIL|EAFNOSUPPORT/.test(ready)) return t.skip('this machine has no IPv6');
  assert.match(ready, / at http:\/\/\[::1\]:\d+ with /);
});

test('a closed stdout ends it with 0, a full disk with 1', async (t) => {
  const failing = (code: string): Writable =>
    new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
    });
  assert.equal(await serve(t, [], { stdout: failing('EPIPE') }).exit, 0);
  assert.equal(await serve(t, [], { stdout: failing('ENOSPC') }).exit, 1);
});
