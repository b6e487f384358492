import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../support/program.ts';
import { page, scriptedService } from '../../support/service.ts';

test('without HOME, or with one that does not exist, a run with its settings in the environment works', async (t) => {
  const { env } = await scriptedService(t, () => ({ body: page(0, 1, null) }));
  for (const home of [
    { HOME: '' },
    { HOME: '/nonexistent/home' },
    { HOME: '/dev/null' },
    { XDG_CONFIG_HOME: '/dev/full' },
  ]) {
    const { exit, stderr } = await run('uploads @a', { env: { ...env, ...home } });
    assert.equal(exit, 0, stderr);
  }
  for (const line of ['--help', '--version', 'uploads @demo -n 1 --sandbox'])
    assert.equal((await run(line, { env: { HOME: '' } })).exit, 0, line);
});
