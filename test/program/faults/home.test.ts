import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
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

const login = (url: string, env: Readonly<Record<string, string>>, ...flags: string[]): Promise<Result> =>
  run(['auth', 'login', '--base-url', url, ...flags], { env, input: `${testKey}\n` });

test('without HOME, or with one that does not exist, a call with its settings in the environment works', async (t) => {
  const service = await anyService(t);
  const { CHANLIST_API_KEY, CHANLIST_BASE_URL } = serviceEnvironment(service.url);
  for (const home of [
    { HOME: '' },
    { HOME: '/nonexistent/home' },
    { HOME: '/dev/null' },
    { XDG_CONFIG_HOME: '/dev/full' },
  ]) {
    const child = start(['uploads', '@a'], {
      env: { CHANLIST_API_KEY: CHANLIST_API_KEY ?? '', CHANLIST_BASE_URL: CHANLIST_BASE_URL ?? '', ...home },
    });
    const { exit, stderr } = await ended(child);
    assert.equal(exit, 0, stderr);
  }
  for (const args of [['--help'], ['--version'], ['uploads', '@demo', '-n', '1', '--sandbox']]) {
    const result = await run(args, { env: { HOME: '' } });
    assert.equal(result.exit, 0, result.stderr);
  }
});

test('without HOME and without settings: an account is missing, which is no crash', async () => {
  for (const home of [{ HOME: '/nonexistent/home' }, { XDG_CONFIG_HOME: '/dev/null/x' }]) {
    const result = await run(['uploads', '@a'], { env: home });
    assert.equal(result.exit, 3);
    assert.match(
      result.stderr,
      /^chanlist: error: no account is configured: there is no service address; [^\n]*auth login\n$/,
    );
  }
});

test('a config folder that cannot be created is an error of one line', async (t) => {
  const service = await anyService(t);
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'file'), '');
  for (const config of ['/dev/null', join(folder, 'file'), join(folder, 'file', 'deeper')]) {
    const result = await login(service.url, { XDG_CONFIG_HOME: config });
    assert.equal(result.exit, 1, config);
    assert.match(result.stderr, /^chanlist: error: [^\n]*ENOTDIR[^\n]*\n$/);
  }
});

const root = process.getuid?.() === 0 && 'root may write everywhere';

test('a config folder that is read-only, or cannot be read, is 1; a key in the environment works all the same', {
  skip: root,
}, async (t) => {
  const service = await anyService(t);
  const folder = await temporaryFolder(t);
  const env = { XDG_CONFIG_HOME: folder };
  assert.equal((await login(service.url, env)).exit, 0);
  const own = join(folder, 'chanlist');
  const before = await readFile(join(own, 'config.json'), 'utf8');

  await chmod(own, 0o500);
  const again = await login(service.url, env);
  assert.equal(again.exit, 1);
  assert.match(again.stderr, /^chanlist: error: [^\n]*EACCES[^\n]*\n$/);
  assert.equal(await readFile(join(own, 'config.json'), 'utf8'), before);
  assert.equal((await run(['uploads', '@a'], { env })).exit, 0);

  await chmod(own, 0o000);
  const unreadable = await run(['uploads', '@a'], { env });
  const given = await run(['uploads', '@a', '--namespace', 'media'], {
    env: { ...env, ...serviceEnvironment(service.url) },
  });
  await chmod(own, 0o700);
  assert.equal(unreadable.exit, 1);
  assert.match(
    unreadable.stderr,
    /^chanlist: error: cannot read the stored accounts in [^\n]*EACCES[^\n]*\n$/,
  );
  assert.equal(given.exit, 0, given.stderr);
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

test('a store of a newer version is 2, a damaged one 1, for every command; it stays as it is', async (t) => {
  const service = await anyService(t);
  await inBatches([...stores.entries()], async ([number, [name, text, said]]) => {
    const folder = await temporaryFolder(t);
    const file = join(folder, 'chanlist', 'config.json');
    await mkdir(join(folder, 'chanlist'), { mode: 0o700 });
    await writeFile(file, text);
    const env = { XDG_CONFIG_HOME: folder, CHANLIST_DEBUG: '1' };
    const all = [
      ['uploads', '@a'],
      ['auth', 'list'],
      ['auth', 'logout'],
      ['auth', 'switch', 'a'],
    ];
    const commands = number % 4 === 0 ? all : all.slice(0, 1);
    const results = [await login(service.url, env)];
    for (const args of commands) results.push(await run(args, { env }));
    for (const result of results) {
      assert.equal(result.exit, name.endsWith('newer one') ? 2 : 1, `${name}: ${result.stderr}`);
      assert.match(result.stderr, said, name);
      assert.doesNotMatch(result.stderr, /hunter2/);
    }
    assert.equal(await readFile(file, 'utf8'), text, name);
    if (number > 0) return;
    // What needs no store works.
    const given = await run(['uploads', '@a', '--namespace', 'media'], {
      env: { ...env, ...serviceEnvironment(service.url) },
    });
    assert.equal(given.exit, 0, given.stderr);
  });
});

test('a store that is a symbolic link is refused, and its target is not changed', async (t) => {
  const service = await anyService(t);
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'chanlist'), { mode: 0o700 });
  const real = join(folder, 'other.json');
  const text = JSON.stringify({ version: 1, active: null, profiles: {} });
  await writeFile(real, text);
  await symlink(real, join(folder, 'chanlist', 'config.json'));
  const result = await login(service.url, { XDG_CONFIG_HOME: folder });
  assert.equal(result.exit, 2);
  assert.match(
    result.stderr,
    /^chanlist: error: refusing to use [^\n]*config\.json: it is a symbolic link [^\n]*; [^\n]*\n$/,
  );
  assert.equal(await readFile(real, 'utf8'), text);
});

test('any locale: text stays UTF-8', async (t) => {
  const body = page(0, 1, null);
  const results = [{ videoId: 'v', title: 'Zürich 日本 👍' }];
  const service = await scriptedService(t, () => ({ body: { ...body, results } }));
  for (const locale of ['C', 'POSIX', 'de_DE.ISO-8859-1', 'no_SUCH', '']) {
    const env = { ...serviceEnvironment(service.url), LANG: locale, LC_ALL: locale };
    for (const format of ['table', 'json', 'csv']) {
      const result = await run(['uploads', '@a', '-f', format], { env });
      assert.equal(result.exit, 0, result.stderr);
      assert.ok(result.stdout.includes('Zürich 日本 👍'), `${locale} ${format}`);
    }
  }
  const handle = await run(['uploads', '@zürich'], {
    env: { ...serviceEnvironment(service.url), LC_ALL: 'C' },
  });
  assert.equal(handle.exit, 0);
  assert.equal(service.seen.at(-1)?.query.get('channel'), '@zürich');
});
