import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { ended, launcher, type Result, run, start, temporaryFolder, testKey } from '../../support/program.ts';
import { page, type ScriptedService, scriptedService } from '../../support/service.ts';
import { onlyError, onlyWarning } from '../../support/stderr.ts';

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

test('no account: 3, naming the variables that are missing', async () => {
  const [address, key] = ['CHANLIST_BASE_URL', 'CHANLIST_API_KEY'];
  for (const [env, what] of [
    [{ HOME: '/nonexistent/home' }, `${address} and ${key}`],
    [{ CHANLIST_BASE_URL: 'https://api.example.com' }, key],
    [{ CHANLIST_API_KEY: testKey }, address],
  ] as const) {
    const result = await run('uploads @a --json', { env });
    assert.deepEqual([result.exit, JSON.parse(result.stdout).error.code], [3, 'unauthorized']);
    const says = `chanlist: error: no account is configured: set ${what}; try it without an account: `;
    assert.ok(result.stderr.startsWith(says), result.stderr);
    assert.ok(result.stderr.endsWith('auth login\n'));
  }
});

/** As a user without a name, as in many containers. */
const nameless = ['setpriv', '--reuid=12345', '--regid=12345', '--clear-groups'];
const [tool = '', ...toolArgs] = [...nameless, 'test', '-r', launcher];
const noNameless =
  process.getuid?.() === 0 && spawnSync(tool, toolArgs).status === 0 ? false : 'needs root and setpriv';

test('a container: what needs a folder that cannot be created names the variable that moves it', {
  skip: noNameless,
}, async (t) => {
  const service = await anyService(t);
  const home = await temporaryFolder(t);
  await chmod(home, 0o755);
  const runs = async (line: string, env: Readonly<Record<string, string>>): Promise<Result> => {
    const child = start(line, { env, within: nameless });
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
