import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { parseArguments } from '../../src/cli/program.ts';
import { commands } from '../../src/commands/command-table.ts';
import { run, type ServeOptions } from '../../src/commands/serve.ts';
import { Failure, interrupted } from '../../src/errors.ts';
import { Stderr } from '../../src/output/stderr.ts';
import { isFailure } from '../support/failures.ts';
import { fakeContext } from '../support/fake-context.ts';
import { get } from './client.ts';

/** Parses arguments to options. */
async function parse(...argv: string[]): Promise<ServeOptions> {
  const { request } = await parseArguments(['serve', ...argv], commands);
  if (request instanceof Failure) throw request;
  assert.ok(typeof request === 'object' && 'run' in request);
  return request.options as unknown as ServeOptions;
}

interface Served {
  readonly stop: AbortController;
  readonly exit: Promise<number>;
  /** Resolves with a line of stdout, from 0. */
  line(number: number): Promise<string>;
}

function serve(
  t: TestContext,
  options: ServeOptions,
  { stdout, env = {} }: { stdout?: Writable; env?: Record<string, string> } = {},
): Served {
  const fake = fakeContext({ env });
  const stop = fake.controller;
  t.after(() => stop.abort(interrupted('SIGINT')));
  const context = { ...fake.context, ...(stdout !== undefined && { stdout }) };
  const line = async (number: number): Promise<string> => {
    for (;;) {
      const found = fake.stdout().split('\n').slice(0, -1)[number];
      if (found !== undefined) return found;
      await turn();
    }
  };
  return { stop, exit: run(options, context, new Stderr(context)), line };
}

test('a wrong value of a flag is a usage error that names the flag', async () => {
  const ports = '--port 65536 | --port -1 | --port http | --rate 0 | --grow -1 | --page-size 0 | --seed x';
  const others = '--credits 1.5 | --latency 1s | --fail 200:1 | --key  | --host  | --namespace ';
  for (const argv of [
    ...`${ports} | ${others}`.split(' | ').map((line) => line.split(' ')),
    ['--key', 'a b'],
  ])
    await assert.rejects(parse(...argv), isFailure(2, argv[0] ?? ''), argv.join(' '));
});

test('ready, it prints URL, key and export lines; then one line per request; SIGINT stops it with 0', async (t) => {
  const { line, stop, exit } = serve(t, await parse('--port', '0', '--key', 'sk_mine', '--credits', '2'));
  const ready = await line(0);
  const [, baseUrl = ''] =
    /^# chanlist sandbox at (http:\/\/127\.0\.0\.1:\d+) with key sk_mine$/.exec(ready) ?? [];
  assert.equal(await line(1), `export CHANLIST_BASE_URL=${baseUrl}`);
  assert.equal(await line(2), 'export CHANLIST_API_KEY=sk_mine');
  const service = { baseUrl, key: 'sk_mine' };
  assert.equal((await get(service, 'channel/videos', { channel: '@demo' })).status, 200);
  assert.equal((await get(service, 'channel/latest', { channel: '@nobody' })).status, 404);
  assert.equal(await line(3), 'GET /api/v2/media/channel/videos?channel=%40demo 200 1 credit left');
  assert.equal(await line(4), 'GET /api/v2/media/channel/latest?channel=%40nobody 404 1 credit left');
  stop.abort(interrupted('SIGINT'));
  assert.equal(await exit, 0);
  await assert.rejects(fetch(baseUrl), /fetch failed/);
});

test('serve: SIGTERM ends it with 0, SIGHUP with 129', async (t) => {
  const terminated = serve(t, await parse('--port', '0'));
  await terminated.line(0);
  terminated.stop.abort(interrupted('SIGTERM'));
  assert.equal(await terminated.exit, 0);
  const { line, stop, exit } = serve(t, await parse('--port', '0'));
  await line(0);
  stop.abort(interrupted('SIGHUP'));
  await assert.rejects(exit, isFailure(129));
});

test('another namespace, from the flag or the environment, is a third export line', async (t) => {
  const port = ['--port', '0'];
  const third = 'export CHANLIST_NAMESPACE=';
  const both = { CHANLIST_NAMESPACE: 'tube' };
  assert.equal(await serve(t, await parse(...port, '--namespace', 'tube')).line(3), `${third}tube`);
  assert.equal(await serve(t, await parse(...port), { env: both }).line(3), `${third}tube`);
  assert.equal(await serve(t, await parse(...port, '--namespace', 'v'), { env: both }).line(3), `${third}v`);
  await assert.rejects(
    serve(t, await parse(...port, '--namespace', 'a/b')).exit,
    isFailure(2, '--namespace'),
  );
});

test('a key that a shell would expand is quoted', async (t) => {
  const { line } = serve(t, await parse('--port', '0', '--key', "a$HOME'b"));
  assert.equal(await line(2), `export CHANLIST_API_KEY='a$HOME'\\''b'`);
});

test('a port in use is an error that names the next step', async (t) => {
  const { line } = serve(t, await parse('--port', '0'));
  const port = /:(\d+) /.exec(await line(0))?.[1] ?? '';
  await assert.rejects(
    serve(t, await parse('--port', port)).exit,
    isFailure(1, `cannot listen on 127.0.0.1, port ${port}: the port is in use; `, '--port 0'),
  );
});

test('an IPv6 address is accepted, and printed with brackets', async (t) => {
  const { line, exit } = serve(t, await parse('--port', '0', '--host', '::1'));
  const ready = await Promise.race([line(0), exit.then(String, String)]);
  if (/EADDRNOTAVAIL|EAFNOSUPPORT/.test(ready)) return t.skip('this machine has no IPv6');
  assert.match(ready, / at http:\/\/\[::1\]:\d+ with /);
});

test('a closed stdout ends it with 0, a full disk with 1', async (t) => {
  const failing = (code: string): Writable =>
    new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
    });
  assert.equal(await serve(t, await parse('--port', '0'), { stdout: failing('EPIPE') }).exit, 0);
  await assert.rejects(
    serve(t, await parse('--port', '0'), { stdout: failing('ENOSPC') }).exit,
    isFailure(1),
  );
});

test('listening on every address, it prints one that clients on this machine can use', async (t) => {
  const { line } = serve(t, await parse('--port', '0', '--host', '0.0.0.0'));
  assert.match(await line(0), / at http:\/\/127\.0\.0\.1:\d+ with /);
});
