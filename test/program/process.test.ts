import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { deliver, noProc } from '../support/process-state.ts';
import { temporaryFolder } from '../support/program.ts';
import { page, scriptedService } from '../support/service.ts';
import { onlyError } from '../support/stderr.ts';

test('a signal that is repeated at once is the same request: message, document and summary are whole', {
  skip: noProc,
}, async (t) => {
  let stop = async (): Promise<void> => {};
  const service = await scriptedService(t, async ({ query }) => {
    if (!query.has('continuation')) return { body: page(0, 2, 'second') };
    await stop();
    return () => {};
  });
  const file = join(await temporaryFolder(t), 'summary.json');
  const result = await service.run(`uploads @a --json --summary ${file}`, {
    started: (child) => {
      stop = async () => {
        await deliver(child, 'SIGTERM');
        await deliver(child, 'SIGTERM');
      };
    },
  });
  // A shell shows 143 for both: a signal that comes while Node exits finds no listener any more.
  assert.ok(result.exit === 143 || result.signal === 'SIGTERM', result.stderr);
  assert.equal(JSON.parse(result.stdout).error.code, 'interrupted');
  onlyError(result, 'SIGTERM');
  assert.equal(JSON.parse(await readFile(file, 'utf8')).exit, 143);
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

test('off the terminal stderr is silent; -v adds the final tally, -vv every request', async (t) => {
  const service = await scriptedService(t, () => ({ body: page(0, 1, null) }));
  assert.equal((await service.run('uploads @a')).stderr, '');
  assert.equal((await service.run('uploads @a -v')).stderr, 'chanlist: 1 entry, 1 page, 1 credit\n');
  assert.match(
    (await service.run('uploads @a -vv')).stderr,
    /^(?:chanlist: )?GET http:\/\/127[^\n]* 200 [^\n]*\nchanlist: 1 entry, 1 page, 1 credit\n$/,
  );
});
