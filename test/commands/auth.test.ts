import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readStore } from '../../src/accounts/store.ts';
import { type CommandOptions, type CommandResult, command } from '../support/command.ts';
import { temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/service.ts';
import { onlyError, onlyWarning } from '../support/stderr.ts';
import { storedJson, storeIn, writeRawStore, writeStore } from '../support/stored-accounts.ts';

const key = 'sk_live_0123456789wxyz';
const baseUrl = 'https://api.example.com';

const two = {
  work: { baseUrl: 'https://work.example.com', namespace: 'media', key: 'sk_work_aaaa1111' },
  home: { baseUrl: 'https://home.example.com/x', namespace: 'hh', key: 'sk_home_bbbb2222' },
};

type Env = Readonly<Record<string, string>>;

/** Runs `chanlist auth …` with these variables and the key on stdin; no key is ever printed. */
async function auth(line: string, env: Env, options: CommandOptions = {}): Promise<CommandResult> {
  const result = await command(`auth ${line}`.trim(), { env, stdin: key, ...options });
  assert.doesNotMatch(result.stdout + result.stderr, /sk_/);
  return result;
}

async function login(flags: string, env: Env, options: CommandOptions = {}): Promise<CommandResult> {
  const result = await auth(`login --no-verify ${flags}`, env, options);
  assert.deepEqual([result.exit, result.stdout], [0, ''], result.stderr);
  return result;
}

test('login: key from stdin, then stored; silent off the terminal', async (t) => {
  const folder = await temporaryFolder(t);
  const stdin = `  ${key}\r\n`;
  const { stderr } = await login(`--base-url ${baseUrl}/`, { XDG_CONFIG_HOME: folder }, { stdin });
  assert.deepEqual(storedJson(folder), {
    version: 1,
    active: 'default',
    profiles: { default: { baseUrl, namespace: 'media', key } },
  });
  assert.deepEqual([statSync(storeIn(folder)).mode & 0o777, stderr], [0o600, '']);
});

test('login -v: says what is stored where; the active profile stays', async (t) => {
  const folder = await temporaryFolder(t);
  writeStore(folder, two, 'home');
  const env = { XDG_CONFIG_HOME: folder };
  const { stderr } = await login(`--profile new --base-url ${baseUrl} --namespace nn -v`, env);
  assert.ok(stderr.includes(storeIn(folder)));
  assert.match(stderr, /stored the key for https:\/\/api\.example\.com as profile 'new'/);
  assert.match(stderr, /profile 'home' is still active/);
  const { active, profiles } = readStore(env);
  assert.deepEqual([active, [...profiles.keys()]], ['home', ['work', 'home', 'new']]);
  assert.equal(profiles.get('new')?.namespace, 'nn');
});

test('login again: address, namespace and bound stay unless they are given', async (t) => {
  const folder = await temporaryFolder(t);
  writeStore(folder, two, 'work');
  const env = { XDG_CONFIG_HOME: folder };
  const month = { credits: 3000, per: 'month' };
  const day = { credits: 100, per: 'day' };
  for (const [flags, ...expected] of [
    ['', 'https://home.example.com/x', 'hh', []],
    ['--max-credits 3000/month', 'https://home.example.com/x', 'hh', [month]],
    [`--base-url ${baseUrl}`, baseUrl, 'hh', [month]],
    ['--namespace nn', baseUrl, 'nn', [month]],
    [`--base-url ${baseUrl}/api/v2/vv/`, baseUrl, 'vv', [month]],
    ['--max-credits 100/day --max-credits 3000/month', baseUrl, 'vv', [day, month]],
  ] as const) {
    await login(`--profile home ${flags}`.trim(), env);
    const { active, profiles } = readStore(env);
    const { baseUrl, namespace, maxCredits } = profiles.get('home') ?? assert.fail();
    assert.deepEqual([baseUrl.href, namespace, maxCredits, active], [...expected, 'work'], flags);
  }
  assert.match(readFileSync(storeIn(folder), 'utf8'), /"max_credits": "100\/day,3000\/month"/);
});

test('login: a missing scheme is https, for loopback http', async (t) => {
  const env = { XDG_CONFIG_HOME: await temporaryFolder(t) };
  const address = (): string | undefined => readStore(env).profiles.get('default')?.baseUrl.href;
  await login('-q', { ...env, CHANLIST_BASE_URL: 'api.example.com:8443/x/api/v2/' });
  assert.equal(address(), 'https://api.example.com:8443/x');
  await login('--base-url localhost:8787', env);
  assert.equal(address(), 'http://localhost:8787');
});

test('login: a variable that takes precedence over what is stored is a warning', async (t) => {
  const env = { XDG_CONFIG_HOME: await temporaryFolder(t), CHANLIST_PROFILE: 'work' };
  const other = await login(`--base-url ${baseUrl} --profile home`, env);
  onlyWarning(other, /^CHANLIST_PROFILE is set to 'work' and takes precedence/);
  assert.equal((await login(`--base-url ${baseUrl}`, env)).stderr, '');
  onlyWarning(
    await login(`--base-url ${baseUrl}`, { ...env, CHANLIST_API_KEY: 'sk_other_key_1' }),
    'CHANLIST_API_KEY is set',
  );
});

test('login: key from --key-file; stdin is not read', async (t) => {
  const folder = await temporaryFolder(t);
  writeRawStore(join(folder, 'keys'), key);
  const env = { XDG_CONFIG_HOME: folder };
  await login(`--base-url ${baseUrl} --key-file ${storeIn(join(folder, 'keys'))}`, env, { stdin: 'other' });
  assert.equal(readStore(env).profiles.get('default')?.key, key);
});

test('login: usage errors come before any request', async (t) => {
  const folder = await temporaryFolder(t);
  const given = `--base-url ${baseUrl}`;
  for (const [flags, stdin, message] of [
    ['-q', key, 'address'],
    ['--base-url http://api.example.com', key, 'plain http'],
    [`${given} --namespace a/b`, key, '--namespace'],
    [`${given} --profile=`, key, '--profile'],
    [`${given} --key-file ${join(folder, 'none')}`, key, '--key-file'],
    [given, '', 'stdin: no key'],
    [given, `${key}\n${key}\n`, 'stdin: '],
  ] as const) {
    const result = await auth(`login ${flags}`, { XDG_CONFIG_HOME: folder }, { stdin });
    assert.equal(result.exit, 2, flags);
    onlyError(result, message);
  }
});

test('status: profile, store, origin, where the key comes from, last four, check', async (t) => {
  const service = await scriptedService(t, () => ({ body: { channel_id: 'UCx', resolved_from: 'x' } }));
  const folder = await temporaryFolder(t);
  writeStore(folder, { ...two, home: { ...two.home, baseUrl: `${service.url}/x` } }, 'home');
  const env = { XDG_CONFIG_HOME: folder };
  const table = await auth('status', env, { columns: 200 });
  assert.equal(table.exit, 0);
  const expected = [
    /^profile +home$/m,
    /^origin +http:\/\/127\.0\.0\.1:\d+$/m,
    /^namespace +hh$/m,
    /^key_source +profile 'home'$/m,
    /^last_four +2222$/m,
    /^check +accepted$/m,
  ];
  for (const line of expected) assert.match(table.stdout, line);
  assert.deepEqual(
    service.seen.map(({ path, headers }) => [path, headers.authorization]),
    [['/x/api/v2/hh/channel/resolve', `Bearer ${two.home.key}`]],
  );
  const json = await auth('status --json', { ...env, CHANLIST_API_KEY: 'short' });
  assert.deepEqual(JSON.parse(json.stdout), {
    profile: 'home',
    store: storeIn(folder),
    base_url: `${service.url}/x`,
    origin: service.url,
    namespace: 'hh',
    max_credits: null,
    key_source: 'CHANLIST_API_KEY',
    last_four: '....',
    check: 'accepted',
    error: null,
  });
});

test('status: a rejected key names what replaces it', async (t) => {
  const service = await scriptedService(t, () => ({ status: 401, body: { detail: 'no' } }));
  const folder = await temporaryFolder(t);
  writeStore(folder, { "o'b": { ...two.home, baseUrl: service.url } }, "o'b");
  for (const [env, says] of [
    [{}, /; store another key: chanlist auth login --profile 'o'\\''b'$/],
    [{ CHANLIST_API_KEY: 'sk_other_key_1' }, /; replace the key in CHANLIST_API_KEY$/],
  ] as const) {
    const result = await auth('status', { XDG_CONFIG_HOME: folder, ...env });
    assert.deepEqual([result.exit, JSON.parse(result.stdout).check], [3, 'rejected']);
    onlyError(result, says);
  }
});

test('without an account: status is 3, with the first steps; list is empty, and names them at a terminal', async (t) => {
  const env = { HOME: await temporaryFolder(t) };
  const status = await auth('status', env);
  const { profile, check } = JSON.parse(status.stdout);
  assert.deepEqual([status.exit, profile, check], [3, null, null]);
  onlyError(status, /^no account is configured: .*--sandbox.*auth login$/);
  assert.deepEqual((await auth('list --json', env)).stdout, '[]\n');
  const table = await auth('list', env, { columns: 80 });
  assert.deepEqual([table.exit, table.stdout], [0, '']);
  assert.match(table.stderr, /chanlist auth login/);
});

test('list: which profile is active, its origin, namespace and the last four characters of its key', async (t) => {
  const folder = await temporaryFolder(t);
  writeStore(folder, two, 'work');
  const { exit, stdout } = await auth('list', { XDG_CONFIG_HOME: folder });
  assert.equal(exit, 0);
  assert.equal(
    stdout,
    '{"active":false,"profile":"home","origin":"https://home.example.com","namespace":"hh","last_four":"2222"}\n' +
      '{"active":true,"profile":"work","origin":"https://work.example.com","namespace":"media","last_four":"1111"}\n',
  );
});

test('switch: another active profile; an unknown one is 2, with a suggestion', async (t) => {
  const folder = await temporaryFolder(t);
  writeStore(folder, two, 'work');
  const env = { XDG_CONFIG_HOME: folder };
  assert.equal((await auth('switch home', env)).exit, 0);
  assert.equal(readStore(env).active, 'home');
  const before = readFileSync(storeIn(folder), 'utf8');
  const unknown = await auth('switch hoem', env);
  assert.equal(unknown.exit, 2);
  onlyError(unknown, 'did you mean home?');
  assert.equal(readFileSync(storeIn(folder), 'utf8'), before);
  const overridden = await auth('switch work', { ...env, CHANLIST_PROFILE: 'home' });
  onlyWarning(overridden, "CHANLIST_PROFILE is set to 'home'");
});

test('logout: removes the profile; after the active one, none is active', async (t) => {
  const folder = await temporaryFolder(t);
  const env = { XDG_CONFIG_HOME: folder };
  const refused = async (line: string, says: string): Promise<void> => {
    const result = await auth(line, env);
    assert.equal(result.exit, 2);
    onlyError(result, says);
  };
  writeStore(folder, { ...two, third: two.work }, 'work');
  assert.match(
    (await auth('logout -v', env)).stderr,
    /removed profile 'work'[\s\S]*no profile is active now/,
  );
  assert.deepEqual([[...readStore(env).profiles.keys()], readStore(env).active], [['home', 'third'], null]);
  await refused('logout', 'auth list');
  writeStore(folder, two, 'work');
  assert.doesNotMatch((await auth('logout home -v', env)).stderr, /no profile/);
  assert.equal(readStore(env).active, 'work');
  await refused('logout wrok', 'did you mean work?');
  assert.equal((await auth('logout', env)).exit, 0);
  assert.equal(readStore(env).profiles.size, 0);
  assert.doesNotMatch(readFileSync(storeIn(folder), 'utf8'), /sk_/);
  await refused('logout', 'no profile is active');
});
