import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { Command } from 'commander';
import { flagsOf } from '../../src/cli/flags.ts';
import { addFlags } from '../../src/cli/program.ts';
import { register, run, type ServeOptions } from '../../src/commands/serve.ts';
import type { Context } from '../../src/context.ts';
import { Failure, interrupted } from '../../src/errors.ts';
import { get } from './client.ts';

/** The options that these arguments give. */
function parse(...argv: string[]): ServeOptions {
  const program = new Command();
  const command = program.command('serve').exitOverride();
  let options: unknown;
  register(command, (_, given) => {
    options = given;
  });
  addFlags(command, flagsOf('serve'));
  program.parse(['serve', ...argv], { from: 'user' });
  return options as ServeOptions;
}

interface Served {
  readonly stop: AbortController;
  readonly exit: Promise<number>;
  /** The line of that number, once it is there. */
  line(number: number): Promise<string>;
}

function serve(t: TestContext, options: ServeOptions, stdout?: Writable): Served {
  const stop = new AbortController();
  t.after(() => stop.abort(interrupted('SIGINT')));
  let text = '';
  const arrived = new PassThrough().setMaxListeners(0);
  const lines = new Writable({
    write(chunk, _, done) {
      text += String(chunk);
      arrived.emit('text');
      done();
    },
  });
  const context: Context = {
    stdin: new PassThrough(),
    stdout: stdout ?? lines,
    stderr: new PassThrough(),
    env: {},
    clock: {
      now: () => 0,
      elapsed: () => 0,
      random: () => 0,
      sleep: () => new Promise(() => {}),
    },
    stop: stop.signal,
  };
  const exit = run(options, context);
  return {
    stop,
    exit,
    async line(number) {
      for (;;) {
        const whole = text.split('\n').slice(0, -1);
        const found = whole[number];
        if (found !== undefined) return found;
        await new Promise((resolve) => arrived.once('text', resolve));
      }
    },
  };
}

test('without options: the defaults of the contract', () => {
  const { port, host, key, credits, pageSize, latency, fail } = parse();
  assert.deepEqual(
    { port, host, key, credits, pageSize, latency, fail },
    {
      port: 8787,
      host: '127.0.0.1',
      key: 'sk_sandbox',
      credits: 1000,
      pageSize: 100,
      latency: 0,
      fail: undefined,
    },
  );
});

test('--fail can be given several times', () => {
  assert.deepEqual(parse('--fail', '429:0.1', '--fail', 'reset:1').fail, [
    { kind: 429, rate: 0.1 },
    { kind: 'reset', rate: 1 },
  ]);
});

for (const argv of [
  ['--port', '65536'],
  ['--port', '-1'],
  ['--port', 'http'],
  ['--credits', '1.5'],
  ['--page-size', '0'],
  ['--latency', '1s'],
  ['--seed', 'x'],
  ['--key', ''],
  ['--key', 'two words'],
  ['--host', ''],
  ['--host', 'http://127.0.0.1/'],
  ['--fail', '200:1'],
]) {
  test(`serve ${argv.join(' ')} is a usage error`, () => {
    assert.throws(
      () => parse(...argv),
      (error) => error instanceof Failure && error.exit === 2 && error.message.includes(argv[0] ?? ''),
    );
  });
}

test('ready, it says URL and key; then one line a request; SIGINT stops it with 0', async (t) => {
  const { line, stop, exit } = serve(t, { ...parse('--port', '0', '--key', 'sk_mine', '--credits', '2') });
  const ready = await line(0);
  const [, baseUrl = ''] =
    /^chanlist sandbox at (http:\/\/127\.0\.0\.1:\d+) with key sk_mine$/.exec(ready) ?? [];
  const service = { baseUrl, key: 'sk_mine' };
  assert.equal((await get(service, 'channel/videos', { channel: '@demo' })).status, 200);
  assert.equal((await get(service, 'channel/latest', { channel: '@nobody' })).status, 404);
  assert.equal(await line(1), 'GET /api/v2/media/channel/videos?channel=%40demo 200 1 credits left');
  assert.equal(await line(2), 'GET /api/v2/media/channel/latest?channel=%40nobody 404 1 credits left');
  stop.abort(interrupted('SIGINT'));
  assert.equal(await exit, 0);
  await assert.rejects(fetch(baseUrl));
});

test('SIGTERM and SIGHUP stop it too, with their own exit codes', async (t) => {
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    const { line, stop, exit } = serve(t, parse('--port', '0'));
    await line(0);
    stop.abort(interrupted(signal));
    await assert.rejects(exit, (error) => error instanceof Failure && error.exit === code);
  }
});

test('a port in use is said, with what to do', async (t) => {
  const { line } = serve(t, parse('--port', '0'));
  const port = /:(\d+) /.exec(await line(0))?.[1] ?? '';
  await assert.rejects(
    serve(t, parse('--port', port)).exit,
    (error) =>
      error instanceof Failure &&
      error.exit === 1 &&
      error.message === `port ${port} of 127.0.0.1 is in use` &&
      /--port 0/.test(error.hint ?? ''),
  );
});

test('an IPv6 address is taken with and without brackets, and printed with them', async (t) => {
  assert.equal(parse('--host', '::1').host, '::1');
  const { line, exit } = serve(t, parse('--port', '0', '--host', '[::1]'));
  const ready = await Promise.race([line(0), exit.then(String, String)]);
  if (/EADDRNOTAVAIL|EAFNOSUPPORT/.test(ready)) return t.skip('this machine has no IPv6');
  assert.match(ready, / at http:\/\/\[::1\]:\d+ with /);
});

test('a reader of stdout who has gone ends it with 0, a full disk with 1', async (t) => {
  const failing = (code: string): Writable =>
    new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
    });
  assert.equal(await serve(t, parse('--port', '0'), failing('EPIPE')).exit, 0);
  await assert.rejects(
    serve(t, parse('--port', '0'), failing('ENOSPC')).exit,
    (error) => error instanceof Failure && error.exit === 1,
  );
});
