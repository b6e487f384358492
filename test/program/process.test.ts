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

test('off the terminal stderr is silent; -v adds the final tally, -vv every request', async (t) => {
  const service = await scriptedService(t, () => ({ body: page(0, 1, null) }));
  assert.equal((await service.run('uploads @a')).stderr, '');
  assert.equal((await service.run('uploads @a -v')).stderr, 'chanlist: 1 entry, 1 page, 1 credit\n');
  assert.match(
    (await service.run('uploads @a -vv')).stderr,
    /^(?:chanlist: )?GET http:\/\/127[^\n]* 200 [^\n]*\nchanlist: 1 entry, 1 page, 1 credit\n$/,
  );
});
