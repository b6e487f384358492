import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  ended,
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

test('without HOME and without settings: 3, no account is configured', async () => {
  for (const home of [{ HOME: '/nonexistent/home' }, { XDG_CONFIG_HOME: '/dev/null/x' }]) {
    const result = await run('uploads @a', { env: home });
    assert.equal(result.exit, 3);
    assert.match(
      result.stderr,
      /^chanlist: error: no account is configured: there is no service address; [^\n]*auth login\n$/,
    );
  }
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
