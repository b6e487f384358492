import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  ended,
  launcher,
  type Result,
  run,
  serviceEnvironment,
  start,
  temporaryFolder,
  testKey,
} from '../../support/program.ts';
import { page, type ScriptedService, scriptedService } from '../../support/service.ts';
import { inBatches } from './fault.ts';

const anyService = (t: TestContext): Promise<ScriptedService> =>
  scriptedService(t, ({ path }) => ({
    body: path.endsWith('/resolve') ? { channel_id: 'UCx', resolved_from: 'x' } : page(0, 1, null),
  }));

const login = (url: string, env: Readonly<Record<string, string>>): Promise<Result> =>
  run(`auth login --base-url ${url}`, { env, input: `${testKey}\n` });

test('without HOME, or with one that does not exist, a run with its settings in the environment works', async (t) => {
  const service = await anyService(t);
  const { CHANLIST_API_KEY, CHANLIST_BASE_URL } = serviceEnvironment(service.url);
  for (const home of [
    { HOME: '' },
    { HOME: '/nonexistent/home' },
    { HOME: '/dev/null' },
    { XDG_CONFIG_HOME: '/dev/full' },
  ]) {
    const child = start('uploads @a', {
      env: { CHANLIST_API_KEY: CHANLIST_API_KEY ?? '', CHANLIST_BASE_URL: CHANLIST_BASE_URL ?? '', ...home },
    });
    const { exit, stderr } = await ended(child);
    assert.equal(exit, 0, stderr);
  }
  for (const line of ['--help', '--version', 'uploads @demo -n 1 --sandbox']) {
    const result = await run(line, { env: { HOME: '' } });
    assert.equal(result.exit, 0, result.stderr);
  }
});

test('no account: 3, naming the variables that are missing', async () => {
  const address = { CHANLIST_BASE_URL: 'https://api.example.com' };
  for (const [env, what] of [
    [{ HOME: '/nonexistent/home' }, 'no service address (CHANLIST_BASE_URL) and no key (CHANLIST_API_KEY)'],
    [
      { XDG_CONFIG_HOME: '/dev/null/x' },
      'no service address (CHANLIST_BASE_URL) and no key (CHANLIST_API_KEY)',
    ],
    [address, 'no key (CHANLIST_API_KEY)'],
    [{ CHANLIST_API_KEY: testKey }, 'no service address (CHANLIST_BASE_URL)'],
  ] as const) {
    const result = await run('uploads @a', { env });
    assert.equal(result.exit, 3);
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
  const locked = await temporaryFolder(t);
  await mkdir(join(locked, '.config', 'chanlist'), { recursive: true });
  await chmod(locked, 0o700);
  const readable = await temporaryFolder(t);
  await mkdir(join(readable, '.config', 'chanlist'), { recursive: true, mode: 0o700 });
  await chmod(readable, 0o755);
  const state = join(await temporaryFolder(t), 'state');
  await mkdir(state);
  await chown(state, 12345, 12345);
  await chmod(dirname(state), 0o755);
  const env = serviceEnvironment(service.url);
  for (const HOME of ['/', '', locked, readable, '/nonexistent']) {
    const child = start('uploads @a --max-credits 9/month -f id', {
      env: { ...env, HOME, XDG_STATE_HOME: state },
      within: nameless,
    });
    const { exit, stderr } = await ended(child);
    assert.equal(exit, 0, `${HOME}: ${stderr}`);
    // What needs a folder names the variable that moves it.
    const outside = { ...env, HOME, XDG_STATE_HOME: '' };
    const bounded = await ended(
      start('uploads @a --max-credits 9/month', { env: outside, within: nameless }),
    );
    assert.equal(bounded.exit, 1, HOME);
    assert.match(bounded.stderr, /^chanlist: error: the credit ledger, .*; (?:or )?set XDG_STATE_HOME\b/);
    const free = await ended(start('uploads @a', { env: outside, within: nameless }));
    assert.deepEqual([free.exit, free.lines.length], [0, 1], HOME);
    assert.match(free.stderr, /^chanlist: warning: [^\n]*set XDG_STATE_HOME\b[^\n]*\n$/);
    const login = start(`auth login --base-url ${service.url}`, { env: { HOME }, within: nameless });
    login.stdin?.end(testKey);
    const stored = await ended(login);
    assert.ok(stored.exit === 1 || stored.exit === 2, stored.stderr);
    assert.match(stored.stderr, /^chanlist: error: [^\n]*XDG_CONFIG_HOME\b[^\n]*\n$/);
  }
});

test('a store that others can write is refused, also if the environment has address and key', async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'chanlist'), { mode: 0o700 });
  await chmod(join(folder, 'chanlist'), 0o777);
  const env = { ...serviceEnvironment('https://api.example.com'), XDG_CONFIG_HOME: folder };
  const result = await run('uploads @a', { env });
  assert.equal(result.exit, 2);
  assert.match(result.stderr, /other users can write to it/);
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

const profile = { baseUrl: 'https://api.example.com', namespace: 'media', key: testKey };

/** Stores that cannot be read, and what is said about them. */
const stores: readonly (readonly [name: string, text: string, said: RegExp])[] = [
  ['a newer one', JSON.stringify({ version: 2, active: 'a', accounts: [profile] }), /a newer chanlist wrote/],
  [
    'half of one',
    JSON.stringify({ version: 1, active: null, profiles: { a: profile } }).slice(0, -20),
    /are damaged/,
  ],
  ['NUL bytes', '\0'.repeat(200), /are damaged/],
  [
    'an address with a password',
    JSON.stringify({
      version: 1,
      active: 'a',
      profiles: { a: { ...profile, baseUrl: 'https://u:hunter2@x' } },
    }),
    /are damaged/,
  ],
];

test('a store of a newer version is 2, a damaged one 1, for every command; it is not changed', async (t) => {
  const service = await anyService(t);
  await inBatches([...stores.entries()], async ([number, [name, text, said]]) => {
    const folder = await temporaryFolder(t);
    const file = join(folder, 'chanlist', 'config.json');
    await mkdir(join(folder, 'chanlist'), { mode: 0o700 });
    await writeFile(file, text);
    const env = { XDG_CONFIG_HOME: folder, CHANLIST_DEBUG: '1' };
    const commands =
      number === 0 ? ['uploads @a', 'auth list', 'auth logout', 'auth switch a'] : ['uploads @a'];
    const results = [await login(service.url, env)];
    for (const line of commands) results.push(await run(line, { env }));
    for (const result of results) {
      assert.equal(result.exit, name.endsWith('newer one') ? 2 : 1, `${name}: ${result.stderr}`);
      assert.match(result.stderr, said, name);
      assert.doesNotMatch(result.stderr, /hunter2/);
    }
    assert.equal(await readFile(file, 'utf8'), text, name);
    if (number > 0) return;
    // What needs no store works.
    const given = await run('uploads @a --namespace media', {
      env: { ...env, ...serviceEnvironment(service.url) },
    });
    assert.equal(given.exit, 0, given.stderr);
  });
});
