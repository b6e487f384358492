import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readStore } from '../../src/accounts/store.ts';
import { type CommandOptions, type CommandResult, command } from '../support/command.ts';
import { temporaryFolder } from '../support/program.ts';
import { type Reply, scriptedService } from '../support/service.ts';
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

test('login: for the profile that is named, else the active one; address, namespace and bound stay unless given', async (t) => {
  const folder = await temporaryFolder(t);
  writeStore(folder, { ...two, work: { ...two.work, max_credits: '3000/month' } }, 'work');
  const env = { XDG_CONFIG_HOME: folder };
  const month = { credits: 3000, per: 'month', source: "profile 'home'" };
  const day = { ...month, credits: 100, per: 'day' };
  const ofHome = { CHANLIST_PROFILE: 'home' };
  for (const [more, flags, name, ...expected] of [
    [{}, '', 'work', two.work.baseUrl, 'media', [{ ...month, source: "profile 'work'" }]],
    [ofHome, '', 'home', 'https://home.example.com/x', 'hh', []],
    [{}, '--profile home --max-credits 3000/month', 'home', 'https://home.example.com/x', 'hh', [month]],
    [ofHome, `--base-url ${baseUrl}`, 'home', baseUrl, 'hh', [month]],
    [ofHome, '--namespace nn', 'home', baseUrl, 'nn', [month]],
    [ofHome, `--base-url ${baseUrl}/api/v2/vv/`, 'home', baseUrl, 'vv', [month]],
    [ofHome, '--max-credits 100/day --max-credits 3000/month', 'home', baseUrl, 'vv', [day, month]],
  ] as const) {
    await login(flags, { ...env, ...more });
    const { active, profiles } = readStore(env);
    const profile = profiles.get(name) ?? assert.fail();
    assert.deepEqual([profile.key, active], [key, 'work'], flags);
    assert.deepEqual([profile.baseUrl.href, profile.namespace, profile.maxCredits], expected, flags);
  }
  assert.deepEqual([...readStore(env).profiles.keys()], ['work', 'home']);
  assert.match(readFileSync(storeIn(folder), 'utf8'), /"max_credits": "100\/day,3000\/month"/);
});

test('login: key from --key-file; stdin is not read', async (t) => {
  const folder = await temporaryFolder(t);
  writeRawStore(join(folder, 'keys'), key);
  const env = { XDG_CONFIG_HOME: folder };
  const variables = { ...env, CHANLIST_API_KEY: 'another-key' };
  const line = `--base-url ${baseUrl} --key-file ${storeIn(join(folder, 'keys'))}`;
  const result = await login(line, variables, { stdin: 'other' });
  assert.equal(readStore(env).profiles.get('default')?.key, key);
  onlyWarning(result, 'CHANLIST_API_KEY is set: its key is used');
});

test('login: usage errors come before any request', async (t) => {
  const env = { XDG_CONFIG_HOME: await temporaryFolder(t) };
  for (const [flags, stdin, message] of [
    ['-q', key, 'address'],
    ['--base-url http://api.example.com', key, 'plain http'],
    [`--base-url ${baseUrl}`, '', 'stdin: no key'],
  ] as const) {
    const result = await auth(`login ${flags}`, env, { stdin });
    assert.equal(result.exit, 2, flags);
    onlyError(result, message);
  }
});

const resolved: Reply = { body: { channel_id: 'UC0123456789abcdefghijkl', resolved_from: 'x' } };
const json = (status: number): Reply => ({ status, body: { detail: 'no' } });
const html = (status: number): Reply => ({ status, text: '<html>Forbidden</html>' });
const elsewhere = { status: 302, headers: { location: 'https://elsewhere.example/login' } };
const words = { 0: 'accepted', 3: 'rejected', 7: 'could not verify', 8: 'could not verify' } as const;

const verifications: readonly (readonly [what: string, reply: Reply, exit: 0 | 3 | 7 | 8, says?: RegExp])[] =
  [
    ['200 with a channel_id', resolved, 0],
    ['402', json(402), 0, /no credits \(402\)/],
    ['401', json(401), 3],
    ['403 with JSON', json(403), 3],
    ['403 with HTML', html(403), 8, /\(403\)/],
    ['200 without a channel_id', { body: {} }, 8],
    ['a redirect', elsewhere, 8, /302.*elsewhere\.example/],
    ['503', json(503), 7, /\(503: no\)/],
    ['no connection', (_, socket) => void socket.destroy(), 7, /connection/],
  ];

test('a new key that is rejected leaves the stored one', async (t) => {
  const replies: Reply[] = [resolved, json(401)];
  const service = await scriptedService(t, () => replies.shift() ?? json(500));
  const env = { XDG_CONFIG_HOME: await temporaryFolder(t) };
  assert.equal((await auth(`login --base-url ${service.url}`, env)).exit, 0);
  const result = await auth('login', env);
  assert.equal(result.exit, 3);
  onlyError(result, 'the stored key stays');
});

for (const [what, reply, exit, says = /./] of verifications)
  test(`verification: ${what}: ${words[exit]} (${exit})`, async (t) => {
    const service = await scriptedService(t, () => reply);
    const folder = await temporaryFolder(t);
    const result = await auth(`login --base-url ${service.url}`, { XDG_CONFIG_HOME: folder });
    assert.equal(result.exit, exit, result.stderr);
    assert.deepEqual(readdirSync(folder), exit === 0 ? ['chanlist'] : []);
    const asked = 'channel/resolve?input=UC0123456789abcdefghijkl';
    assert.deepEqual(service.requests(), [asked]);
    if (what === '402') onlyWarning(result, says);
    else if (exit !== 0) onlyError(result, says, 'nothing is stored');
    const later = exit === 7 ? 'try again later, or ' : '';
    const place = `check the address ${service.url} and --namespace media`;
    if (exit > 3) onlyError(result, `; ${later}${place}, or add --no-verify to store the key anyway`);
    assert.deepEqual(result.waits, [], 'there is no retry');
    const variables = { CHANLIST_BASE_URL: service.url, CHANLIST_API_KEY: key };
    const status = await auth('status --json', variables);
    assert.deepEqual([status.exit, JSON.parse(status.stdout).status], [exit, words[exit]]);
  });

test('status: profile, store, origin, where the key comes from, last four, whether it is accepted', async (t) => {
  const service = await scriptedService(t, () => resolved);
  const folder = await temporaryFolder(t);
  writeStore(folder, { ...two, home: { ...two.home, baseUrl: `${service.url}/x` } }, 'home');
  const env = { XDG_CONFIG_HOME: folder };
  const table = await auth('status', env, { columns: 200 });
  assert.equal(table.exit, 0);
  assert.equal(
    table.stdout,
    `status       accepted
profile      home
active       yes
store        ${storeIn(folder)}
origin       ${service.url}
namespace    hh
max_credits  none
key_source   profile 'home'
last_four    2222
`,
  );
  const refusing = await scriptedService(t, () => json(401));
  writeStore(folder, { 'a b': { ...two.home, baseUrl: refusing.url } }, 'a b');
  const login = /^the key was rejected \(401: no\); replace it with: chanlist auth login --profile 'a b'$/;
  onlyError(await auth('status', env), / --profile 'a b'$/);
  onlyError(await command('resolve @a', { env }), login);
  const other = { ...env, CHANLIST_API_KEY: 'another_key_of_mine' };
  onlyError(await command('resolve @a', { env: other }), /; replace the key in CHANLIST_API_KEY$/);
  writeStore(folder, { ...two, home: { ...two.home, baseUrl: `${service.url}/x` } }, 'home');
  const [seen] = service.seen;
  assert.equal(seen?.path, '/x/api/v2/hh/channel/resolve');
  assert.equal(seen?.headers.authorization, `Bearer ${two.home.key}`);
  const variables = { CHANLIST_API_KEY: 'short', CHANLIST_PROFILE: 'work', CHANLIST_BASE_URL: service.url };
  assert.deepEqual(JSON.parse((await auth('status --json', { ...env, ...variables })).stdout), {
    status: 'accepted',
    profile: 'work',
    active: false,
    store: storeIn(folder),
    origin: service.url,
    namespace: 'media',
    max_credits: null,
    key_source: 'CHANLIST_API_KEY',
    last_four: '....',
  });
});

test('without an account: status is 3, with the first steps; list is empty, and names them at a terminal', async (t) => {
  const env = { HOME: await temporaryFolder(t) };
  const status = await auth('status', env);
  const { profile, status: word } = JSON.parse(status.stdout);
  assert.deepEqual([status.exit, profile, word], [3, null, null]);
  onlyError(status, /^no account is configured; set CHANLIST_BASE_URL and CHANLIST_API_KEY$/);
  const half = await auth('status', { ...env, CHANLIST_BASE_URL: 'localhost:8787' });
  onlyError(half, /^no account is configured; set CHANLIST_API_KEY$/);
  const seen = await auth('status', env, { columns: 80 });
  assert.match(
    seen.stderr,
    /: no account is configured\nchanlist: store one with chanlist auth login, or try the service with --sandbox\n$/,
  );
  assert.deepEqual((await auth('list --json', env)).stdout, '[]\n');
  const table = await auth('list', env, { columns: 80 });
  assert.deepEqual([table.exit, table.stdout], [0, '']);
  assert.match(table.stderr, /chanlist auth login/);
});

test('list: which profile is active, its origin, namespace, bounds and the last four characters of its key', async (t) => {
  const folder = await temporaryFolder(t);
  const work = { ...two.work, max_credits: '100/day,3000/month' };
  writeStore(folder, { ...two, work }, 'work');
  const { exit, stdout } = await auth('list', { XDG_CONFIG_HOME: folder });
  assert.equal(exit, 0);
  assert.equal(
    stdout,
    '{"active":false,"profile":"home","origin":"https://home.example.com","namespace":"hh","max_credits":null,"last_four":"2222"}\n' +
      '{"active":true,"profile":"work","origin":"https://work.example.com","namespace":"media","max_credits":"100/day,3000/month","last_four":"1111"}\n',
  );
  const table = await auth('list', { XDG_CONFIG_HOME: folder }, { columns: 80 });
  assert.match(table.stdout, /\n {8}home .*\n\* {7}work .*\n$/);
});

test('switch: another active profile; an unknown one is 2, with a suggestion', async (t) => {
  const folder = await temporaryFolder(t);
  writeStore(folder, two, 'work');
  const env = { XDG_CONFIG_HOME: folder };
  assert.equal((await auth('switch home', env)).exit, 0);
  assert.equal(readStore(env).active, 'home');
  const before = readFileSync(storeIn(folder), 'utf8');
  const overridden = await auth('switch home', { ...env, CHANLIST_PROFILE: 'work' });
  onlyWarning(overridden, "CHANLIST_PROFILE is set: profile 'work' is used");
  const absent = await auth('status', { ...env, CHANLIST_PROFILE: 'nope' });
  onlyError(absent, "CHANLIST_PROFILE: there is no profile 'nope'");
  const unknown = await auth('switch hoem', env);
  assert.equal(unknown.exit, 2);
  onlyError(unknown, 'did you mean home?');
  assert.equal(readFileSync(storeIn(folder), 'utf8'), before);
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
    /removed profile 'work'[\s\S]*no profile is active now; run: chanlist auth switch home/,
  );
  assert.deepEqual([[...readStore(env).profiles.keys()], readStore(env).active], [['home', 'third'], null]);
  await refused('logout', 'auth list');
  await refused('logout home --profile third', 'name two profiles; choose one');
  writeStore(folder, two, 'work');
  assert.doesNotMatch((await auth('logout --profile home -v', env)).stderr, /no profile/);
  assert.equal(readStore(env).active, 'work');
  await refused('logout wrok', 'did you mean work?');
  assert.equal((await auth('logout', env)).exit, 0);
  assert.equal(readStore(env).profiles.size, 0);
  assert.doesNotMatch(readFileSync(storeIn(folder), 'utf8'), /sk_/);
  await refused('logout', 'no account is stored: there is none to remove');
});
