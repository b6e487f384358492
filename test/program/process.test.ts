import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliver, noProc } from '../support/process-state.ts';
import { page, scriptedService } from '../support/service.ts';

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
