import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { deliver, noProc } from '../support/process-state.ts';
import { run, serviceEnvironment, temporaryFolder } from '../support/program.ts';
import { page, scriptedService } from '../support/service.ts';
import { onlyError } from '../support/stderr.ts';

test('a run whose event loop has nothing left to do before its work is done is 1, and says so', async (t) => {
  const folder = await temporaryFolder(t);
  const preload = join(folder, 'no-timers.cjs');
  writeFileSync(preload, "require('node:timers/promises').setTimeout = () => new Promise(() => {});");
  // It waits for ever before it tries again.
  const env = { ...serviceEnvironment('http://127.0.0.1:1'), NODE_OPTIONS: `--require ${preload}` };
  const result = await run('resolve @a', { env });
  assert.equal(result.exit, 1);
  onlyError(result, 'the program stopped early');
});

test('SIGUSR1 does not open the debugger', { skip: noProc }, async (t) => {
  let signal = async (): Promise<void> => {};
  const service = await scriptedService(t, async ({ query }) => {
    await signal();
    return { body: query.has('continuation') ? page(2, 2, null) : page(0, 2, 'second') };
  });
  const { exit, stderr } = await service.run('uploads @a', {
    started: (child) => {
      signal = () => deliver(child, 'SIGUSR1');
    },
  });
  assert.deepEqual([exit, stderr], [0, '']);
});
