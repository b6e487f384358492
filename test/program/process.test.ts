import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { collect } from '../support/collect.ts';
import { watchForKey } from '../support/key-watch.ts';
import { deliver, noProc } from '../support/process-state.ts';
import {
  cleanEnvironment,
  ended,
  launcher,
  run,
  serviceEnvironment,
  start,
  temporaryFolder,
  testKey,
} from '../support/program.ts';
import { page, scriptedService } from '../support/service.ts';
import { missing } from '../support/shell.ts';
import { onlyError } from '../support/stderr.ts';

for (const [signal, exit] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  test(`${signal} in the middle of a listing: ${exit}, a complete document, and the command that resumes it`, async (t) => {
    let stop: () => void = () => {};
    const service = await scriptedService(t, ({ query }) => {
      if (!query.has('continuation')) return { body: page(0, 2, 'second') };
      stop();
      return () => {};
    });
    const result = await run(['uploads', '@a', '--json'], {
      env: serviceEnvironment(service.url),
      started: (child) => {
        stop = () => child.kill(signal);
      },
    });
    assert.equal(result.exit, exit);
    const value = JSON.parse(result.stdout);
    assert.equal(value.results.length, 2);
    assert.equal(value.continuation_token, 'second');
    assert.equal(value.error.code, 'interrupted');
    onlyError(result, signal, '1 credit spent', /chanlist uploads .*--continuation[= ]second/);
  });
}

/** Stops a run with a page in flight by `signal`; its message, document and receipt are whole. */
async function assertStoppedInOrder(
  t: TestContext,
  within: readonly string[],
  signal: (child: ChildProcess) => unknown,
): Promise<void> {
  let stop: () => unknown = () => {};
  const service = await scriptedService(t, async ({ query }) => {
    if (!query.has('continuation')) return { body: page(0, 2, 'second') };
    await stop();
    return () => {};
  });
  const file = join(await temporaryFolder(t), 'summary.json');
  const env = serviceEnvironment(service.url);
  const child = start(['uploads', '@a', '--json', '--summary', file], { env, within });
  stop = () => signal(child);
  const { exit, signal: killedBy, stdout, stderr } = await ended(child);
  // A shell shows 143 for both: a signal that comes while Node exits finds no listener any more.
  if (killedBy === null) assert.equal(exit, 143, stderr);
  else assert.equal(killedBy, 'SIGTERM');
  assert.equal(JSON.parse(stdout).error.code, 'interrupted');
  onlyError({ stderr }, 'SIGTERM');
  assert.equal(JSON.parse(await readFile(file, 'utf8')).exit, 143);
}

test('a signal that is repeated at once is the same request: message, document and receipt are whole', {
  skip: noProc,
}, async (t) => {
  await assertStoppedInOrder(t, [], async (child) => {
    await deliver(child, 'SIGTERM');
    await deliver(child, 'SIGTERM');
  });
});

test('timeout sends two signals at once: message, document and receipt are complete', {
  skip: missing('timeout'),
}, async (t) => {
  // What timeout gets it passes on as it ends a run: to the program, then to all of its group.
  for (let runs = 0; runs < 5; runs++)
    await assertStoppedInOrder(t, ['timeout', '600'], (child) => child.kill('SIGTERM'));
});

/** Loaded before the program: reports SIGUSR1 once the listeners of the program, if it has any, have had it. */
const reportSignal = `
  const { emit } = process;
  process.emit = function (name, ...args) {
    const isHandled = emit.call(this, name, ...args);
    if (name === 'SIGUSR1') require('node:fs').writeSync(2, 'SIGUSR1 taken');
    return isHandled;
  };
`;

test('SIGUSR1 does not open the debugger', async (t) => {
  let signal: (answer: () => void) => void = () => {};
  const service = await scriptedService(t, async ({ query }) => {
    if (query.has('continuation')) return { body: page(2, 2, null) };
    await new Promise<void>((resolve) => signal(resolve));
    return { body: page(0, 2, 'second') };
  });
  const preload = join(await temporaryFolder(t), 'report-signal.cjs');
  await writeFile(preload, reportSignal);
  const result = await run(['uploads', '@a'], {
    env: { ...serviceEnvironment(service.url), NODE_OPTIONS: `--require=${preload}` },
    started: (child) => {
      signal = (answer) => {
        // The debugger would say where it listens.
        child.stderr?.once('data', answer);
        child.kill('SIGUSR1');
      };
    },
  });
  assert.equal(result.exit, 0);
  assert.equal(result.stderr, 'SIGUSR1 taken');
});

test('closed stderr and stdin change nothing', async (t) => {
  const service = await scriptedService(t, () => ({ body: page(0, 3, null) }));
  const shell = spawn('sh', ['-c', `"${process.execPath}" "${launcher}" uploads @a -v <&- 2>&-`], {
    env: cleanEnvironment(serviceEnvironment(service.url)),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  watchForKey(shell, testKey);
  const { exit, stdout } = await collect(shell);
  assert.equal(exit, 0);
  assert.equal(stdout.split('\n').length, 4);
});

test('off the terminal stderr is silent; -v adds the final tally, -vv every request', async (t) => {
  const service = await scriptedService(t, () => ({ body: page(0, 1, null) }));
  const env = serviceEnvironment(service.url);
  assert.equal((await run(['uploads', '@a'], { env })).stderr, '');
  assert.equal((await run(['uploads', '@a', '-v'], { env })).stderr, 'chanlist: 1 entry, 1 page, 1 credit\n');
  assert.match(
    (await run(['uploads', '@a', '-vv'], { env })).stderr,
    /^(?:chanlist: )?GET http:\/\/127[^\n]* 200 [^\n]*\nchanlist: 1 entry, 1 page, 1 credit\n$/,
  );
});
