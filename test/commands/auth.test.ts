import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readStore } from '../../src/accounts/store.ts';
import type { CommonOptions } from '../../src/cli/options.ts';
import * as authList from '../../src/commands/auth/list.ts';
import * as authLogin from '../../src/commands/auth/login.ts';
import * as authLogout from '../../src/commands/auth/logout.ts';
import * as authStatus from '../../src/commands/auth/status.ts';
import * as authSwitch from '../../src/commands/auth/switch.ts';
import { type Failure, interrupted } from '../../src/errors.ts';
import { isFailure } from '../support/failures.ts';
import { type FakeContext, fakeContext } from '../support/fake-context.ts';
import { temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/service.ts';
import { storedJson, storeIn, writeRawStore, writeStore } from '../support/stored-accounts.ts';
import { type LoginOptions, loginOptions, options, withStderr } from './auth-options.ts';

const runList = withStderr(authList.run);
const runLogin = withStderr(authLogin.run);
const runLogout = withStderr(authLogout.run);
const runStatus = withStderr(authStatus.run);
const runSwitch = withStderr(authSwitch.run);

const key = 'sk_live_0123456789wxyz';
const baseUrl = 'https://api.example.com';

const two = {
  work: { baseUrl: 'https://work.example.com', namespace: 'media', key: 'sk_work_aaaa1111' },
  home: { baseUrl: 'https://home.example.com/x', namespace: 'hh', key: 'sk_home_bbbb2222' },
};

/** Logs in, by default with the key on stdin; what it prints. */
async function login(
  env: Record<string, string>,
  flags: Partial<LoginOptions>,
  fake = fakeContext({ env, stdin: key }),
): Promise<FakeContext> {
  assert.equal(await runLogin(loginOptions(flags), fake.context), 0);
  return fake;
}

test('login: key from stdin, verified, then stored; silent off the terminal', async (t) => {
  const folder = await temporaryFolder(t);
  const fake = fakeContext({ env: { XDG_CONFIG_HOME: folder }, stdin: `  ${key}\r\n` });
  await login({}, { baseUrl: `${baseUrl}/`, timeout: 5 }, fake);
  assert.deepEqual(storedJson(folder), {
    version: 1,
    active: 'default',
    profiles: { default: { baseUrl, namespace: 'media', key } },
  });
  assert.equal(statSync(storeIn(folder)).mode & 0o777, 0o600);
  assert.equal(fake.stdout(), '');
  assert.equal(fake.stderr(), '');
});

test('login -v: says what is stored where, never the key; the active profile stays', async (t) => {
  const folder = await temporaryFolder(t);
  writeStore(folder, two, 'home');
  const env = { XDG_CONFIG_HOME: folder };
  const fake = await login(env, { profile: 'new', baseUrl, namespace: 'nn', verbose: 1 });
  assert.ok(fake.stderr().includes(storeIn(folder)));
  assert.match(fake.stderr(), /stored the key for https:\/\/api\.example\.com as profile 'new'/);
  assert.match(fake.stderr(), /profile 'home' is still active/);
  assert.ok(!fake.stderr().includes(key));
  const store = readStore(env);
  assert.equal(store.active, 'home');
  assert.deepEqual([...store.profiles.keys()], ['work', 'home', 'new']);
  assert.equal(store.profiles.get('new')?.namespace, 'nn');
});

test('login again: address, namespace and bound stay unless they are given', async (t) => {
  const folder = await temporaryFolder(t);
  writeStore(folder, two, 'work');
  const env = { XDG_CONFIG_HOME: folder };
  const stored = async (flags: Partial<LoginOptions>): Promise<unknown> => {
    await login(env, { profile: 'home', ...flags });
    const { active, profiles } = readStore(env);
    const { baseUrl, namespace, maxCredits } = profiles.get('home') ?? assert.fail();
    return [baseUrl.href, namespace, maxCredits, active];
  };
  const month = { credits: 3000, per: 'month' } as const;
  const day = { credits: 100, per: 'day' } as const;
  assert.deepEqual(await stored({}), ['https://home.example.com/x', 'hh', [], 'work']);
  assert.deepEqual(await stored({ maxCredits: [month] }), [
    'https://home.example.com/x',
    'hh',
    [month],
    'work',
  ]);
  assert.deepEqual(await stored({ baseUrl }), [baseUrl, 'hh', [month], 'work']);
  assert.deepEqual(await stored({ namespace: 'nn' }), [baseUrl, 'nn', [month], 'work']);
  assert.deepEqual(await stored({ baseUrl: `${baseUrl}/api/v2/vv/` }), [baseUrl, 'vv', [month], 'work']);
  assert.deepEqual(await stored({ maxCredits: [day, month] }), [baseUrl, 'vv', [day, month], 'work']);
  assert.match(readFileSync(storeIn(folder), 'utf8'), /"max_credits": "100\/day,3000\/month"/);
});

test('login: a new profile becomes active at a terminal, or if there is none', async (t) => {
  const folder = await temporaryFolder(t);
  const env = { XDG_CONFIG_HOME: folder };
  const active = async (profile: string, terminal: boolean): Promise<string | null> => {
    const fake = fakeContext({ env, terminal, stdin: key });
    if (terminal) fake.type(`${key}\r`);
    await login(env, { profile, baseUrl }, fake);
    return readStore(env).active;
  };
  assert.equal(await active('one', false), 'one');
  assert.equal(await active('two', false), 'one');
  assert.equal(await active('three', true), 'three');
  assert.equal(await active('two', true), 'three');
});

test('login: a missing scheme is https, for loopback http', async (t) => {
  const env = { XDG_CONFIG_HOME: await temporaryFolder(t) };
  const address = (): string | undefined => readStore(env).profiles.get('default')?.baseUrl.href;
  await login({ ...env, CHANLIST_BASE_URL: 'api.example.com:8443/x/api/v2/' }, {});
  assert.equal(address(), 'https://api.example.com:8443/x');
  await login(env, { baseUrl: 'localhost:8787' });
  assert.equal(address(), 'http://localhost:8787');
});

test('login: CHANLIST_PROFILE that selects another profile is a warning', async (t) => {
  const env = { XDG_CONFIG_HOME: await temporaryFolder(t), CHANLIST_PROFILE: 'work' };
  const fake = await login(env, { baseUrl, profile: 'home' });
  assert.match(
    fake.stderr(),
    /^chanlist: warning: CHANLIST_PROFILE is set to 'work' and takes precedence[^\n]*\n$/,
  );
  assert.equal((await login(env, { baseUrl })).stderr(), '');
});

test('login: key from --key-file; stdin is not read', async (t) => {
  const folder = await temporaryFolder(t);
  writeRawStore(join(folder, 'keys'), key);
  const env = { XDG_CONFIG_HOME: folder };
  const keyFile = storeIn(join(folder, 'keys'));
  await login(env, { baseUrl, keyFile }, fakeContext({ env, stdin: 'other' }));
  assert.equal(readStore(env).profiles.get('default')?.key, key);
});

test('login: warns of a variable that takes precedence over the stored key', async (t) => {
  const env = { XDG_CONFIG_HOME: await temporaryFolder(t), CHANLIST_API_KEY: 'sk_other_key_1' };
  const fake = await login(env, { baseUrl });
  assert.match(fake.stderr(), /CHANLIST_API_KEY is set/);
  assert.ok(!fake.stderr().includes('sk_other'));
});

test('login: usage errors come before any request', async (t) => {
  const folder = await temporaryFolder(t);
  const env = { XDG_CONFIG_HOME: folder };
  const cases: [Partial<CommonOptions>, Record<string, string>, string, string][] = [
    [{}, env, key, 'address'],
    [{ baseUrl: 'http://api.example.com' }, env, key, 'plain http'],
    [{ baseUrl, namespace: 'a/b' }, env, key, '--namespace'],
    [{ baseUrl, profile: '' }, env, key, '--profile'],
    [{ baseUrl, keyFile: join(folder, 'none') }, env, key, '--key-file'],
    [{ baseUrl }, env, '', 'stdin: no key'],
    [{ baseUrl }, env, `${key}\n${key}\n`, 'stdin: '],
  ];
  for (const [globals, env, stdin, message] of cases) {
    const isSafe = (error: Failure) => isFailure(2, message)(error) && !error.line().includes('sk_live');
    await assert.rejects(runLogin(loginOptions(globals), fakeContext({ env, stdin }).context), isSafe);
  }
});

test('login: a damaged or newer store is an error before any question or request', async (t) => {
  const folder = await temporaryFolder(t);
  for (const [text, message, exit] of [
    ['{', /damaged/, 1],
    ['{"version":9}', /newer/, 2],
  ] as const) {
    writeRawStore(folder, text);
    const fake = fakeContext({ env: { XDG_CONFIG_HOME: folder }, terminal: true });
    await assert.rejects(runLogin(loginOptions({ baseUrl }), fake.context), { exit, message });
    assert.equal(readFileSync(storeIn(folder), 'utf8'), text);
    assert.equal(fake.stderr(), '');
  }
});

test('login: a signal ends it while it waits for stdin', async (t) => {
  const fake = fakeContext({ env: { XDG_CONFIG_HOME: await temporaryFolder(t) }, stdin: key });
  fake.controller.abort(interrupted('SIGTERM'));
  await assert.rejects(runLogin(loginOptions({ baseUrl }), fake.context), { exit: 143 });
});

test('status: profile, store, origin, where the key comes from, last four, check', async (t) => {
  const service = await scriptedService(t, () => ({ body: { channel_id: 'UCx', resolved_from: 'x' } }));
  const folder = await temporaryFolder(t);
  writeStore(folder, { ...two, home: { ...two.home, baseUrl: `${service.url}/x` } }, 'home');
  const fake = fakeContext({ env: { XDG_CONFIG_HOME: folder }, stdoutTerminal: true });
  assert.equal(await runStatus(options(), fake.context), 0);
  const expected = [
    /^profile +home$/m,
    /^origin +http:\/\/127\.0\.0\.1:\d+$/m,
    /^namespace +hh$/m,
    /^key_source +profile 'home'$/m,
    /^last_four +2222$/m,
    /^check +accepted$/m,
  ];
  for (const line of expected) assert.match(fake.stdout(), line);
  assert.ok(fake.stdout().includes(storeIn(folder)));
  assert.ok(!fake.stdout().includes('bbbb'));
  assert.deepEqual(
    service.seen.map(({ path, headers }) => [path, headers.authorization]),
    [['/x/api/v2/hh/channel/resolve', `Bearer ${two.home.key}`]],
  );

  const other = fakeContext({ env: { XDG_CONFIG_HOME: folder, CHANLIST_API_KEY: 'short' } });
  await runStatus(options({ format: 'json' }), other.context);
  assert.deepEqual(JSON.parse(other.stdout()), {
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
  assert.ok(!other.stdout().includes('short'));
});

test('status: a rejected key names what replaces it', async (t) => {
  const service = await scriptedService(t, () => ({ status: 401, body: { detail: 'no' } }));
  const folder = await temporaryFolder(t);
  writeStore(folder, { "o'b": { ...two.home, baseUrl: service.url } }, "o'b");
  for (const [env, says] of [
    [{}, /; store another key: chanlist auth login --profile 'o'\\''b'\n$/],
    [{ CHANLIST_API_KEY: 'sk_other_key_1' }, /; replace the key in CHANLIST_API_KEY\n$/],
  ] as const) {
    const fake = fakeContext({ env: { XDG_CONFIG_HOME: folder, ...env } });
    assert.equal(await runStatus(options(), fake.context), 3);
    assert.equal(JSON.parse(fake.stdout()).check, 'rejected');
    assert.match(fake.stderr(), says);
  }
});

test('status without an account: 3, with the first steps', async (t) => {
  const fake = fakeContext({ env: { HOME: await temporaryFolder(t) } });
  assert.equal(await runStatus(options(), fake.context), 3);
  const { profile, check } = JSON.parse(fake.stdout());
  assert.deepEqual([profile, check], [null, null]);
  assert.match(fake.stderr(), /^chanlist: error: no account is configured: [^\n]*--sandbox.*auth login\n$/);
});

test('list: which profile is active, its origin, namespace and the last four characters of its key', async (t) => {
  const folder = await temporaryFolder(t);
  writeStore(folder, two, 'work');
  const fake = fakeContext({ env: { XDG_CONFIG_HOME: folder } });
  assert.equal(await runList(options(), fake.context), 0);
  assert.equal(
    fake.stdout(),
    '{"active":false,"profile":"home","origin":"https://home.example.com","namespace":"hh","last_four":"2222"}\n' +
      '{"active":true,"profile":"work","origin":"https://work.example.com","namespace":"media","last_four":"1111"}\n',
  );
});

test('list without an account', async (t) => {
  const env = { HOME: await temporaryFolder(t) };
  const json = fakeContext({ env });
  assert.equal(await runList(options({ format: 'json' }), json.context), 0);
  assert.equal(json.stdout(), '[]\n');
  const table = fakeContext({ env, terminal: true, stdoutTerminal: true });
  assert.equal(await runList(options(), table.context), 0);
  assert.equal(table.stdout(), '');
  assert.match(table.stderr(), /chanlist auth login/);
});

test('switch: another active profile; an unknown one is 2, with a suggestion', async (t) => {
  const folder = await temporaryFolder(t);
  writeStore(folder, two, 'work');
  const env = { XDG_CONFIG_HOME: folder };
  assert.equal(await runSwitch({ ...options(), name: 'home' }, fakeContext({ env }).context), 0);
  assert.equal(readStore(env).active, 'home');
  const before = readFileSync(storeIn(folder), 'utf8');
  const unknown = runSwitch({ ...options(), name: 'hoem' }, fakeContext({ env }).context);
  await assert.rejects(unknown, { exit: 2, hint: /did you mean home\?/ });
  assert.equal(readFileSync(storeIn(folder), 'utf8'), before);
  const overridden = fakeContext({ env: { ...env, CHANLIST_PROFILE: 'home' } });
  await runSwitch({ ...options(), name: 'work' }, overridden.context);
  assert.match(overridden.stderr(), /CHANLIST_PROFILE is set to 'home'/);
});

test('logout: removes the profile; after the active one, none is active', async (t) => {
  const folder = await temporaryFolder(t);
  const env = { XDG_CONFIG_HOME: folder };
  writeStore(folder, { ...two, third: two.work }, 'work');
  const said = async (globals: Partial<CommonOptions>, name?: string): Promise<string> => {
    const fake = fakeContext({ env });
    assert.equal(await runLogout({ ...options({ verbose: 1, ...globals }), name }, fake.context), 0);
    return fake.stderr();
  };
  assert.match(await said({}), /removed profile 'work'[\s\S]*no profile is active now/);
  assert.deepEqual([...readStore(env).profiles.keys()], ['home', 'third']);
  assert.equal(readStore(env).active, null);
  const noneNamed = runLogout(options(), fakeContext({ env }).context);
  await assert.rejects(noneNamed, { exit: 2, hint: /auth list/ });

  writeStore(folder, two, 'work');
  assert.doesNotMatch(await said({}, 'home'), /no profile/);
  assert.equal(readStore(env).active, 'work');
  const wrong = runLogout({ ...options(), name: 'wrok' }, fakeContext({ env }).context);
  await assert.rejects(wrong, { exit: 2, hint: /did you mean work\?/ });
  await said({});
  assert.equal(readStore(env).profiles.size, 0);
  assert.doesNotMatch(readFileSync(storeIn(folder), 'utf8'), /sk_/);
  await assert.rejects(runLogout(options(), fakeContext({ env }).context), {
    exit: 2,
    message: /no profile is active/,
  });
});
