import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Collected } from '../../support/collect.ts';
import { takesSignals, waits } from '../../support/process-state.ts';
import { cleanEnvironment, ended, launcher, run, start, temporaryFolder } from '../../support/program.ts';
import { page, type Reply, type ScriptedService, scriptedService } from '../../support/service.ts';
import { runCommand } from '../../support/shell.ts';

/** A listing that has no end, of pages of so many entries. */
const endless = (t: TestContext, size = 100): Promise<ScriptedService> =>
  scriptedService(t, (_, n) => ({ body: page(n * size, n * size + size, `t${n}`, 1_000_000) }));

/** Runs a line of the shell, with `$chanlist` in it. */
const shell = (line: string, env: Readonly<Record<string, string>>): Promise<Collected> =>
  runCommand(['bash', '-c', line], {
    cwd: process.cwd(),
    env: cleanEnvironment({ ...env, chanlist: `${process.execPath} ${launcher}` }),
  });

test('| head ends the program with 0, quietly, after at most two pages more than it reads', async (t) => {
  for (const format of ['ndjson', 'csv', 'id', 'table', 'json']) {
    const service = await endless(t);
    const line = `set -o pipefail; $chanlist uploads @a -f ${format} | head -c 20; echo "\${PIPESTATUS[*]}" >&2`;
    const { stderr } = await shell(line, service.env);
    assert.equal(stderr, '0 0\n', format);
    // Seldom 2, on a busy machine more: it takes the reader a moment to go.
    assert.ok(service.seen.length <= 3, `${format}: ${service.seen.length} pages`);
  }
});

test('a closed pipe after a reference that failed: the failure is printed, and counts', async (t) => {
  const service = await scriptedService(t, ({ query }, n) =>
    query.get('channel') === '@gone'
      ? { status: 404 }
      : { body: page(n * 100, n * 100 + 100, `t${n}`, 9999) },
  );
  const line = 'set -o pipefail; $chanlist uploads @gone @a | head -n 1 >/dev/null; echo "$PIPESTATUS" >&2';
  const { stderr } = await shell(line, service.env);
  assert.match(stderr, /^chanlist: error: @gone: not found \(404\); [^\n]*\n5\n$/);
});

test('check reports all problems, whoever reads its rows', async (t) => {
  const service = await scriptedService(t, () => ({ body: page(0, 3, null) }));
  const folder = await temporaryFolder(t);
  for (const name of ['a', 'b']) {
    await service.run(['uploads', `UC${name.repeat(22)}`, '-o', join(folder, `${name}.ndjson`)]);
    rmSync(join(folder, `${name}.ndjson`));
  }
  const line = `set -o pipefail; $chanlist check ${folder} | true; echo "$PIPESTATUS" >&2`;
  const { stderr } = await shell(line, service.env);
  assert.match(
    stderr,
    /^chanlist: error: lost: 2 archives \(.*\): the file is gone; fix: chanlist check .*\n11\n$/,
  );
});

test('a pipe that is closed before anything is written: 0, and at most one page', async (t) => {
  const service = await endless(t);
  const lines = ['uploads @a', '--help', '--version', 'completion bash', 'uploads @a --dry-run', 'auth list'];
  for (const line of lines) {
    const { stderr } = await shell(`$chanlist ${line} | true; echo "\${PIPESTATUS[*]}" >&2`, service.env);
    assert.equal(stderr, '0 0\n', line);
  }
  assert.ok(service.seen.length <= 1);
});

test('stdout on a full disk is 1 in every format, in one line, and no further page is requested', async (t) => {
  for (const format of ['ndjson', 'csv', 'id', 'table', 'json']) {
    const service = await endless(t);
    const { exit, stderr } = await shell(`$chanlist uploads @a -f ${format} >/dev/full`, service.env);
    assert.equal(exit, 1, format);
    assert.match(stderr, /^chanlist: error: [^\n]*ENOSPC[^\n]*; 1 credit spent[^\n]*\n$/, format);
    assert.equal(service.seen.length, 1, format);
  }
  const free = ['--help', '--version', 'completion zsh', 'uploads @a --dry-run --sandbox'];
  for (const line of ['search @demo x --sandbox', 'latest @demo --sandbox', ...free]) {
    const { exit, stderr } = await shell(`timeout 20 $chanlist ${line} >/dev/full`, {});
    assert.equal(exit, 1, line);
    assert.match(stderr, /^chanlist: error: [^\n]*ENOSPC[^\n]*\n$/, line);
  }
});

test('stderr on a full disk, closed, or a pipe that nobody reads changes neither data nor exit code', async (t) => {
  const service = await scriptedService(t, ({ query }) =>
    query.get('channel') === '@gone' ? { status: 404, body: {} } : { body: page(0, 2, null) },
  );
  const env = service.env;
  for (const redirect of ['2>/dev/full', '2>&-', '2> >(true)']) {
    const { exit, stdout } = await shell(`$chanlist uploads @a @gone -f id -vv ${redirect}`, env);
    assert.equal(exit, 5, redirect);
    assert.equal(stdout, 'video000000\nvideo000001\n', redirect);
  }
});

test('closed stdin, stdout and stderr, one by one and all together, cause no crash', async (t) => {
  const service = await scriptedService(t, () => ({ body: page(0, 2, null) }));
  const env = service.env;
  for (const closed of ['<&-', '>&-', '2>&-', '<&- >&-', '<&- 2>&-', '>&- 2>&-', '<&- >&- 2>&-']) {
    const { exit, stderr } = await shell(`$chanlist uploads @a -v ${closed}`, env);
    assert.equal(exit, 0, `${closed}: ${stderr}`);
    assert.equal(stderr, closed.includes('2>&-') ? '' : 'chanlist: 2 entries, 1 page, 1 credit\n', closed);
  }
  const { exit, stderr } = await shell('$chanlist uploads --from - <&-', env);
  assert.equal(exit, 2);
  assert.match(stderr, /^chanlist: error: stdin contains no channel reference; [^\n]*\n$/);
});

const started = (service: ScriptedService, more: string): ChildProcess =>
  start(`uploads @a ${more}`, { env: service.env, stdio: ['ignore', 'pipe', 'pipe'] });

test('a full pipe blocks the program, without further requests; a signal still ends it', async (t) => {
  const cases = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const;
  const stops = cases.map(async ([signal, exit]) => {
    // A page that is larger than the buffer of a pipe.
    const service = await endless(t, 1000);
    const child = started(service, '--json');
    const exited = once(child, 'exit');
    child.stdout?.pause();
    child.stderr?.resume();
    await service.arrived(1);
    await waits(child);
    assert.equal(service.seen.length, 1, 'pages bought');
    child.kill(signal);
    const [code] = await exited;
    assert.equal(code, exit);
    child.stdout?.destroy();
  });
  await Promise.all(stops);
});

/** Reports each signal; SIGUSR2 advances the clock of durations by two seconds. No timer of a second or more ends. */
const signalClock = `
  const { uptime } = process;
  const { writeSync } = require('node:fs');
  const timeout = setTimeout;
  let advanced = 0;
  process.uptime = () => uptime.call(process) + advanced;
  globalThis.setTimeout = (work, ms, ...rest) => timeout(work, ms >= 1000 ? 600_000 : ms, ...rest);
  for (const signal of ['SIGINT', 'SIGUSR2']) process.on(signal, () => writeSync(2, signal + ' '));
  process.on('SIGUSR2', () => { advanced += 2; });
`;

test('a signal that repeats within a second is the same request; a later one ends the program at once', async (t) => {
  const service = await endless(t, 1000);
  const clock = join(await temporaryFolder(t), 'clock.cjs');
  await writeFile(clock, signalClock);
  const child = start('uploads @a', {
    env: service.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    node: ['--require', clock],
  });
  const exited = once(child, 'exit');
  child.stdout?.pause();
  let printed = '';
  child.stderr?.on('data', (text) => {
    printed += text;
  });
  await service.arrived(1);
  await waits(child);
  for (const signal of ['SIGINT', 'SIGINT', 'SIGUSR2'] as const) {
    const before = printed;
    child.kill(signal);
    while (printed === before) await once(child.stderr ?? child, 'data');
  }
  assert.equal(child.exitCode, null, 'it waits for the reader');
  child.kill('SIGINT');
  const [code] = await exited;
  assert.equal(code, 130);
  assert.equal(printed, 'SIGINT SIGINT SIGUSR2 SIGINT ');
  child.stdout?.destroy();
});

test('a signal during a wait, before a response, and within a body: its code, one line, how to resume', async (t) => {
  const body: Reply = (response) => {
    response.writeHead(200);
    response.write('{"results":[');
  };
  for (const [signal, exit, reply, spent] of [
    ['SIGTERM', 143, { status: 503, headers: { 'retry-after': '60' } }, '1 credit spent'],
    ['SIGINT', 130, () => {}, '1 credit spent, 1 more possibly charged'],
    ['SIGHUP', 129, body, '1 credit spent, 1 more possibly charged'],
  ] as const) {
    const service = await scriptedService(t, (_, n) => (n === 0 ? { body: page(0, 2, 'second') } : reply));
    const child = started(service, '--json');
    const result = ended(child);
    await service.arrived(2);
    await waits(child);
    child.kill(signal);
    const { exit: code, stdout, stderr } = await result;
    assert.equal(code, exit);
    assert.match(
      stderr,
      new RegExp(`^chanlist: error: stopped by ${signal}; ${spent}; .*--continuation=second\\b.*\n$`),
    );
    const { results, continuation_token, error } = JSON.parse(stdout);
    assert.deepEqual([results.length, continuation_token, error.code], [2, 'second', 'interrupted']);
  }
});

test('a signal while references are read from stdin, from a pipe or while a key is: it ends at once', async (t) => {
  const service = await scriptedService(t, () => ({ body: page(0, 2, null) }));
  const env = service.env;
  const folder = await temporaryFolder(t);
  const fifo = join(folder, 'fifo');
  await once(spawn('mkfifo', [fifo]), 'exit');
  const lines = [
    'uploads --from -',
    'uploads --from - -o out',
    `uploads --from ${fifo}`,
    `uploads @a --key-file ${fifo}`,
  ];
  for (const line of [...lines, `auth login --base-url ${service.url}`]) {
    const child = start(line, {
      cwd: folder,
      env: { ...env, XDG_CONFIG_HOME: folder },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const result = ended(child);
    await takesSignals(child);
    assert.equal(child.exitCode, null, 'it has not waited');
    child.kill('SIGINT');
    const { exit, stdout, stderr } = await result;
    assert.deepEqual([exit, stdout], [130, ''], line);
    assert.match(stderr, /^chanlist: error: stopped by SIGINT; run the same command again\n$/);
  }
  assert.equal(service.seen.length, 0);
  assert.deepEqual(await readdir(folder), ['fifo']);
});

test('an uncaught error is one line and 1; its stack only with CHANLIST_DEBUG=1', async (t) => {
  const folder = await temporaryFolder(t);
  let fail = (): void => {};
  const service = await scriptedService(t, () => {
    fail();
    return () => {};
  });
  const boom = join(folder, 'boom.cjs');
  const started = (child: ChildProcess): void => {
    fail = () => child.kill('SIGUSR2');
  };
  for (const what of [
    `throw new Error('a surprise\\u001b[31m')`,
    `Promise.reject(new Error('a surprise'))`,
  ]) {
    await writeFile(boom, `process.on('SIGUSR2', () => { ${what} });`);
    const env = { ...service.env, NODE_OPTIONS: `--require ${boom}` };
    const plain = await run('uploads @a', { env, started });
    assert.equal(plain.exit, 1);
    assert.match(plain.stderr, /^chanlist: error: a surprise[^\n]*\n$/);
    const debug = await run('uploads @a', { env: { ...env, CHANLIST_DEBUG: '1' }, started });
    assert.equal(debug.exit, 1);
    assert.match(debug.stderr, /\nchanlist: +at /);
  }
});
