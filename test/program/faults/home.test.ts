import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ended, launcher, type Result, run, start, temporaryFolder, testKey } from '../../support/program.ts';
import { page, type ScriptedService, scriptedService } from '../../support/service.ts';
import { storeIn, writeRawStore } from '../../support/stored-accounts.ts';

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
  const [address, key] = ['no service address (CHANLIST_BASE_URL)', 'no key (CHANLIST_API_KEY)'];
  for (const [env, what] of [
    [{ HOME: '/nonexistent/home' }, `${address} and ${key}`],
    [{ CHANLIST_BASE_URL: 'https://api.example.com' }, key],
    [{ CHANLIST_API_KEY: testKey }, address],
  ] as const) {
    const result = await run('uploads @a --json', { env });
    assert.deepEqual([result.exit, JSON.parse(result.stdout).error.code], [3, 'unauthorized']);
    const says = `chanlist: error: no account is configured: there is ${what}; try it without an account: `;
    assert.ok(result.stderr.startsWith(says), result.stderr);
    assert.ok(result.stderr.endsWith('auth login\n'));
  }
});

/** As a user without a name, as in many containers. */
const nameless = ['setpriv', '--reuid=12345', '--regid=12345', '--clear-groups'];
const [tool = '', ...toolArgs] = [...nameless, 'test', '-r', launcher];
const noNameless =
  process.getuid?.() === 0 && spawnSync(tool, toolArgs).status === 0 ? false : 'needs root and setpriv';

test('a container: with address and key in the environment nothing of HOME is needed', {
  skip: noNameless,
}, async (t) => {
  const service = await anyService(t);
  const homeOf = async (mode: number): Promise<string> => {
    const home = await temporaryFolder(t);
    await mkdir(join(home, '.config', 'chanlist'), { recursive: true, mode: 0o700 });
    await chmod(home, mode);
    return home;
  };
  const state = join(await homeOf(0o755), 'state');
  await mkdir(state);
  await chown(state, 12345, 12345);
  const runs = async (line: string, env: Readonly<Record<string, string>>): Promise<Result> => {
    const child = start(line, { env, within: nameless });
    child.stdin?.end(testKey);
    return await ended(child);
  };
  for (const HOME of ['/', '', await homeOf(0o700), await homeOf(0o755), '/nonexistent']) {
    const env = { ...service.env, HOME };
    const inside = await runs('uploads @a --max-credits 9/month', { ...env, XDG_STATE_HOME: state });
    assert.equal(inside.exit, 0, `${HOME}: ${inside.stderr}`);
    // What needs a folder names the variable that moves it.
    const bounded = await runs('uploads @a --max-credits 9/month', { ...env, XDG_STATE_HOME: '' });
    assert.equal(bounded.exit, 1, HOME);
    assert.match(bounded.stderr, /^chanlist: error: the credit ledger, .*; (?:or )?set XDG_STATE_HOME\b/);
    const free = await runs('uploads @a', { ...env, XDG_STATE_HOME: '' });
    assert.deepEqual([free.exit, free.lines.length], [0, 1], HOME);
    assert.match(free.stderr, /^chanlist: warning: [^\n]*set XDG_STATE_HOME\b[^\n]*\n$/);
    const stored = await runs(`auth login --base-url ${service.url}`, { HOME });
    assert.ok(stored.exit === 1 || stored.exit === 2, stored.stderr);
    assert.match(stored.stderr, /^chanlist: error: [^\n]*XDG_CONFIG_HOME\b[^\n]*\n$/);
  }
});

test('a store that cannot be opened names the variables that replace it', { skip: noNameless }, async (t) => {
  const home = await temporaryFolder(t);
  await mkdir(join(home, '.config', 'chanlist'), { recursive: true });
  await chmod(home, 0o700);
  const child = start('uploads @a', { env: { HOME: home }, within: nameless });
  const { exit, stderr } = await ended(child);
  assert.equal(exit, 2);
  assert.match(
    stderr,
    /belongs to user 0; .*XDG_CONFIG_HOME to another folder, or CHANLIST_API_KEY and CHANLIST_BASE_URL\n$/,
  );
});

test('a store of a newer version is 2, a damaged one 1, for every command; it is not changed', async (t) => {
  const service = await anyService(t);
  for (const [text, exit, said] of [
    ['{"version":2,"active":"a","accounts":[{"key":"hunter2"}]}', 2, /a newer chanlist wrote/],
    ['{"version":1,"active":null,"profiles":{"a":{"key":"hunter2"', 1, /are damaged/],
  ] as const) {
    const folder = await temporaryFolder(t);
    writeRawStore(folder, text);
    const env = { XDG_CONFIG_HOME: folder, CHANLIST_DEBUG: '1' };
    const login = `auth login --base-url ${service.url}`;
    for (const line of [login, 'uploads @a', 'auth list', 'auth logout', 'auth switch a']) {
      const result = await run(line, { env, input: testKey });
      assert.equal(result.exit, exit, result.stderr);
      assert.match(result.stderr, said);
      assert.doesNotMatch(result.stderr, /hunter2/);
    }
    assert.equal(await readFile(storeIn(folder), 'utf8'), text);
    // What needs no store works.
    const given = await run('uploads @a --namespace media', { env: { ...env, ...service.env } });
    assert.equal(given.exit, 0, given.stderr);
  }
});
