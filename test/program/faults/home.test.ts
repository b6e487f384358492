import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { ended, type Result, run, start, temporaryFolder, testKey } from '../../support/program.ts';
import { page, type ScriptedService, scriptedService } from '../../support/service.ts';
import { onlyError, onlyWarning } from '../../support/stderr.ts';
import { notRoot, noUnprivileged, unprivileged } from '../../support/users.ts';

const anyService = (t: TestContext): Promise<ScriptedService> =>
  scriptedService(t, ({ path }) => ({
    body: path.endsWith('/resolve') ? { channel_id: 'UCx', resolved_from: 'x' } : page(0, 1, null),
  }));

test('without HOME, or with one that does not exist, a run with its settings in the environment works', async (t) => {
  const { env } = await anyService(t);
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

test('a container: what needs a folder that cannot be created names the variable that moves it', {
  skip: notRoot || noUnprivileged,
}, async (t) => {
  const service = await anyService(t);
  const home = await temporaryFolder(t);
  await chmod(home, 0o755);
  const runs = async (line: string, env: Readonly<Record<string, string>>): Promise<Result> => {
    const child = start(line, { env, within: unprivileged });
    child.stdin?.end(testKey);
    return await ended(child);
  };
  for (const HOME of ['/', home, '/nonexistent']) {
    const env = { ...service.env, HOME, XDG_STATE_HOME: '' };
    const bounded = await runs('uploads @a --max-credits 9/month', env);
    assert.equal(bounded.exit, 1, HOME);
    onlyError(bounded, /^the credit ledger, .*; set XDG_STATE_HOME\b/);
    const free = await runs('uploads @a', env);
    assert.deepEqual([free.exit, free.lines.length], [0, 1], HOME);
    onlyWarning(free, '; set XDG_STATE_HOME');
    const login = await runs(`auth login --base-url ${service.url}`, { HOME });
    assert.equal(login.exit, 1);
    onlyError(login, '; set XDG_CONFIG_HOME');
  }
});
