import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { Profile } from '../../src/accounts/profile.ts';
import { readStore, type Store, storeFile } from '../../src/accounts/store.ts';
import { markVerified, updateStore } from '../../src/accounts/store-write.ts';
import { Failure } from '../../src/errors.ts';
import { acquireLock } from '../../src/fs/lock.ts';
import { parseBaseUrl } from '../../src/service/address.ts';
import { noProc } from '../support/process-state.ts';
import {
  fakeContext,
  storedJson,
  storeIn,
  temporaryFolder,
  writeRawStore,
  writeStore,
} from './fake-context.ts';

const key = 'sk_live_0123456789';
const profile: Profile = {
  baseUrl: parseBaseUrl('https://api.example.com/v1', 'x'),
  namespace: 'media',
  key,
  maxCredits: [{ credits: 3000, per: 'month' }],
  verified: false,
};
const add =
  (name: string) =>
  (store: Store): Store => ({ active: name, profiles: new Map(store.profiles).set(name, profile) });

test('the path: by platform and environment', () => {
  const cases: [NodeJS.Platform, Record<string, string>, string][] = [
    ['linux', { HOME: '/home/u' }, '/home/u/.config/chanlist/config.json'],
    ['linux', { HOME: '/home/u', XDG_CONFIG_HOME: '' }, '/home/u/.config/chanlist/config.json'],
    ['linux', { HOME: '/home/u', XDG_CONFIG_HOME: '/cfg' }, '/cfg/chanlist/config.json'],
    ['linux', { XDG_CONFIG_HOME: '/cfg' }, '/cfg/chanlist/config.json'],
    [
      'darwin',
      { HOME: '/Users/u', XDG_CONFIG_HOME: '/cfg' },
      '/Users/u/Library/Preferences/chanlist/config.json',
    ],
    ['win32', { APPDATA: 'C:\\Roaming' }, 'C:\\Roaming\\chanlist\\Config\\config.json'],
    [
      'win32',
      { USERPROFILE: 'C:\\Users\\u' },
      'C:\\Users\\u\\AppData\\Roaming\\chanlist\\Config\\config.json',
    ],
  ];
  for (const [platform, env, file] of cases) assert.equal(storeFile(env, platform), file);
});

test("without HOME the store is in the system's own home folder of the user", () => {
  const expected = join(userInfo().homedir, '.config/chanlist/config.json');
  assert.equal(storeFile({}, 'linux'), expected);
  assert.equal(storeFile({ HOME: '' }, 'linux'), expected);
});

test("the path is conf's own", (t) => {
  const folder = temporaryFolder(t);
  const script = `
    import Conf from ${JSON.stringify(import.meta.resolve('conf'))};
    process.stdout.write(new Conf({ projectName: 'chanlist', projectSuffix: '' }).path);`;
  const environments: Record<string, string>[] = [
    { HOME: folder },
    { HOME: folder, XDG_CONFIG_HOME: join(folder, 'xdg') },
    { HOME: folder, XDG_CONFIG_HOME: '' },
    { HOME: join(folder, 'a b'), APPDATA: join(folder, 'roaming'), USERPROFILE: join(folder, 'a b') },
  ];
  for (const env of environments) {
    const path = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      env,
      encoding: 'utf8',
    });
    assert.equal(storeFile(env), path);
  }
});

test('without a store there is no account', (t) => {
  const folder = temporaryFolder(t);
  assert.deepEqual(readStore({ HOME: folder }), { active: null, profiles: new Map() });
  assert.equal(readStore({ HOME: '/dev/null' }).profiles.size, 0);
  assert.deepEqual(readdirSync(folder), []);
});

test('a written store is read by chanlist and by conf', async (t) => {
  const folder = temporaryFolder(t);
  const { context } = fakeContext({ env: { XDG_CONFIG_HOME: folder } });
  for (const name of ['work', '__proto__', 'a.b', '日本']) await updateStore(context, add(name));
  const store = readStore(context.env);
  assert.equal(store.active, '日本');
  assert.deepEqual([...store.profiles.keys()], ['work', '__proto__', 'a.b', '日本']);
  for (const stored of store.profiles.values()) assert.deepEqual(stored, profile);
  const script = `
    import Conf from ${JSON.stringify(import.meta.resolve('conf'))};
    const conf = new Conf({ projectName: 'chanlist', projectSuffix: '', accessPropertiesByDotNotation: false });
    process.stdout.write(JSON.stringify(conf.store));`;
  const env = { HOME: folder, XDG_CONFIG_HOME: folder };
  const seen = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env,
    encoding: 'utf8',
  });
  assert.deepEqual(JSON.parse(seen), storedJson(folder));
});

test('the shape of the file', async (t) => {
  const folder = temporaryFolder(t);
  await updateStore(fakeContext({ env: { XDG_CONFIG_HOME: folder } }).context, add('work'));
  assert.deepEqual(storedJson(folder), {
    version: 1,
    active: 'work',
    profiles: {
      work: { baseUrl: 'https://api.example.com/v1', namespace: 'media', key, max_credits: '3000/month' },
    },
  });
});

test('mode 0600, also over a file with another mode, and nothing beside it', async (t) => {
  const folder = temporaryFolder(t);
  const { context } = fakeContext({ env: { XDG_CONFIG_HOME: folder } });
  await updateStore(context, add('a'));
  assert.equal(statSync(storeIn(folder)).mode & 0o777, 0o600);
  assert.equal(statSync(dirname(storeIn(folder))).mode & 0o777, 0o700);
  chmodSync(storeIn(folder), 0o644);
  const before = statSync(storeIn(folder)).ino;
  await updateStore(context, add('b'));
  assert.equal(statSync(storeIn(folder)).mode & 0o777, 0o600);
  assert.notEqual(statSync(storeIn(folder)).ino, before, 'replaced, not written over');
  assert.deepEqual(readdirSync(dirname(storeIn(folder))), ['config.json']);
});

test('the temporary file of a run that was killed does not stay', async (t) => {
  const folder = temporaryFolder(t);
  const { context } = fakeContext({ env: { XDG_CONFIG_HOME: folder } });
  await updateStore(context, add('a'));
  writeFileSync(`${storeIn(folder)}.tmp`, key);
  writeFileSync(`${storeIn(folder)}.backup`, "the user's own");
  await updateStore(context, add('b'));
  assert.deepEqual(readdirSync(dirname(storeIn(folder))).sort(), ['config.json', 'config.json.backup']);
});

test('a store of 0.1.0 is read, and keeps its meaning when it is written', async (t) => {
  const folder = temporaryFolder(t);
  const { context } = fakeContext({ env: { XDG_CONFIG_HOME: folder } });
  writeRawStore(
    folder,
    `{"version":1,"active":"old","profiles":{"old":{"baseUrl":"https://api.example.com/api/v2","namespace":"vv","key":"${key}"}}}`,
  );
  const old = readStore(context.env).profiles.get('old');
  assert.deepEqual(old, {
    baseUrl: parseBaseUrl('https://api.example.com', 'x'),
    namespace: 'vv',
    key,
    maxCredits: [],
    verified: false,
  });
  await updateStore(context, add('new'));
  assert.deepEqual(readStore(context.env).profiles.get('old'), old);
});

test('markVerified: only for the address and the namespace of the profile; silent if it cannot write', async (t) => {
  const folder = temporaryFolder(t);
  const { context, stderr } = fakeContext({ env: { XDG_CONFIG_HOME: folder } });
  const { baseUrl, namespace } = profile;
  const verified = () => readStore(context.env).profiles.get('work')?.verified;
  await updateStore(context, add('work'));
  await markVerified(context, { profile: null, baseUrl, namespace });
  await markVerified(context, { profile: 'gone', baseUrl, namespace });
  await markVerified(context, { profile: 'work', baseUrl, namespace: 'other' });
  await markVerified(context, {
    profile: 'work',
    baseUrl: parseBaseUrl('https://b.example', 'x'),
    namespace,
  });
  assert.equal(verified(), false);
  const lock = await acquireLock(storeIn(folder));
  await markVerified(context, { profile: 'work', baseUrl, namespace });
  await lock.release();
  assert.equal(verified(), false, 'another run held the lock');
  await markVerified(context, { profile: 'work', baseUrl, namespace });
  assert.equal(verified(), true);
  writeRawStore(folder, '{');
  await markVerified(context, { profile: 'work', baseUrl, namespace });
  assert.equal(stderr(), '');
});

const inTheWay = { code: 'usage', exit: 2, message: /is in the way: / } as const;

test('links, folders and pipes at the names of the store are in the way and stay as they are', async (t) => {
  const folder = temporaryFolder(t);
  const { context } = fakeContext({ env: { XDG_CONFIG_HOME: folder } });
  const target = join(folder, 'target');
  for (const make of [
    (path: string) => symlinkSync(target, path),
    (path: string) => mkdirSync(path),
    (path: string) => execFileSync('mkfifo', [path]),
  ]) {
    rmSync(folder, { recursive: true });
    writeStore(folder, {}, null);
    writeFileSync(target, readFileSync(storeIn(folder)));
    make(`${storeIn(folder)}.tmp`);
    await assert.rejects(updateStore(context, add('a')), inTheWay);
    assert.equal(readStore(context.env).profiles.size, 0);
    rmSync(storeIn(folder));
    renameSync(`${storeIn(folder)}.tmp`, storeIn(folder));
    assert.throws(() => readStore(context.env), inTheWay);
    await assert.rejects(updateStore(context, add('a')), inTheWay);
    assert.doesNotMatch(readFileSync(target, 'utf8'), /sk_/);
  }
});

test('a store that others can write is not trusted', { skip: process.geteuid === undefined }, (t) => {
  const folder = temporaryFolder(t);
  writeStore(folder, {}, null);
  for (const mode of [0o620, 0o602, 0o666]) {
    chmodSync(storeIn(folder), mode);
    assert.throws(() => readStore({ XDG_CONFIG_HOME: folder }), {
      ...inTheWay,
      message: /can be written by other users/,
      hint: /others cannot write/,
    });
  }
  chmodSync(storeIn(folder), 0o644);
  assert.equal(readStore({ XDG_CONFIG_HOME: folder }).profiles.size, 0);
  assert.deepEqual(readdirSync(dirname(storeIn(folder))), ['config.json']);
});

const needsRoot = { skip: process.geteuid?.() !== 0 && 'needs two users' };

test('a store of another user is in the way; the message names the owner', needsRoot, async (t) => {
  const folder = temporaryFolder(t);
  writeStore(folder, {}, null);
  chownSync(storeIn(folder), 4242, 4242);
  const expected = { ...inTheWay, message: /belongs to another user \(owner 4242,/, hint: /sudo -H/ };
  assert.throws(() => readStore({ XDG_CONFIG_HOME: folder }), expected);
  const { context } = fakeContext({ env: { XDG_CONFIG_HOME: folder } });
  await assert.rejects(updateStore(context, add('a')), expected);
  assert.equal(statSync(storeIn(folder)).uid, 4242);
});

test('below a HOME of another user nothing is created', needsRoot, async (t) => {
  const folder = temporaryFolder(t);
  const home = join(folder, 'home');
  const other = join(folder, 'other');
  mkdirSync(home);
  mkdirSync(other);
  chownSync(home, 4242, 4242);
  symlinkSync(home, join(other, 'link'));
  const expected = {
    exit: 2,
    message: /home folder .* belongs to 4242, another user/,
    hint: /sudo -H.*XDG_CONFIG_HOME/,
  };
  for (const env of [
    { HOME: home },
    { HOME: home, XDG_CONFIG_HOME: join(home, 'config') },
    { HOME: join(other, 'link') },
    { HOME: home, XDG_CONFIG_HOME: join(other, 'link', 'config') },
  ]) {
    await assert.rejects(updateStore(fakeContext({ env }).context, add('a')), expected);
    assert.deepEqual(readdirSync(home), []);
  }
  const { context } = fakeContext({ env: { HOME: home, XDG_CONFIG_HOME: other } });
  await updateStore(context, add('a'));
  assert.equal(readStore(context.env).active, 'a');
  assert.deepEqual(readdirSync(home), []);
});

const stored = { baseUrl: 'https://api.example.com', namespace: 'media', key };
const one = (changed: object): string =>
  JSON.stringify({ version: 1, active: null, profiles: { work: { ...stored, ...changed } } });
const damaged: [what: string, text: string][] = [
  ['empty', ''],
  ['cut short', one({}).slice(0, -4)],
  ['not JSON, a key in it', `key = ${key}\n`],
  ['binary', '\u0000\u0001\ufffd'],
  ['null', 'null'],
  ['an array', '[]'],
  ['a string', `"${key}"`],
  ['no version', JSON.stringify({ active: null, profiles: {} })],
  ['version as a string', JSON.stringify({ version: '1', active: null, profiles: {} })],
  ['version 0', JSON.stringify({ version: 0, active: null, profiles: {} })],
  ['version 1.5', JSON.stringify({ version: 1.5, active: null, profiles: {} })],
  ['active a number', JSON.stringify({ version: 1, active: 5, profiles: {} })],
  ['no active', JSON.stringify({ version: 1, profiles: {} })],
  ['profiles an array', JSON.stringify({ version: 1, active: null, profiles: [] })],
  ['profiles null', JSON.stringify({ version: 1, active: null, profiles: null })],
  ['a profile a string', JSON.stringify({ version: 1, active: null, profiles: { work: key } })],
  ['no key', one({ key: undefined })],
  ['key a number', one({ key: 5 })],
  ['key with a line end', one({ key: `${key}\nX: y` })],
  ['no address', one({ baseUrl: undefined })],
  ['plain http', one({ baseUrl: 'http://api.example.com' })],
  ['userinfo', one({ baseUrl: `https://${key}@api.example.com` })],
  ['namespace with a slash', one({ namespace: '../x' })],
  ['a bound that cannot be read', one({ max_credits: 'many' })],
  ['a bound that is no text', one({ max_credits: 5 })],
];

for (const [what, text] of damaged)
  test(`a damaged store (${what}) is an error and stays as it is`, async (t) => {
    const folder = temporaryFolder(t);
    writeRawStore(folder, text);
    const { context } = fakeContext({ env: { XDG_CONFIG_HOME: folder } });
    const expected = (error: unknown): boolean => {
      assert.ok(error instanceof Failure);
      assert.equal(error.exit, 1);
      assert.match(error.message, /damaged/);
      assert.ok(error.message.includes(storeIn(folder)));
      assert.match(error.hint ?? '', /left as it is/);
      assert.ok(!`${error.message}${error.hint}${error.stack}${String(error.cause)}`.includes('sk_live'));
      return true;
    };
    assert.throws(() => readStore(context.env), expected);
    await assert.rejects(updateStore(context, add('new')), expected);
    assert.equal(readFileSync(storeIn(folder), 'utf8'), text);
    assert.deepEqual(readdirSync(dirname(storeIn(folder))), ['config.json']);
  });

test('a store of a newer version is 2 and left as it is', async (t) => {
  const folder = temporaryFolder(t);
  const text = JSON.stringify({ version: 2, accounts: [stored] });
  writeRawStore(folder, text);
  const { context } = fakeContext({ env: { XDG_CONFIG_HOME: folder } });
  const expected = { code: 'usage', exit: 2, message: /newer chanlist/ };
  assert.throws(() => readStore(context.env), expected);
  await assert.rejects(updateStore(context, add('new')), expected);
  assert.equal(readFileSync(storeIn(folder), 'utf8'), text);
});

test('an active profile that is not stored counts as none', (t) => {
  const folder = temporaryFolder(t);
  writeStore(folder, { work: stored }, 'gone');
  assert.equal(readStore({ XDG_CONFIG_HOME: folder }).active, null);
});

test('a store below a file is an error in one line', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const { context } = fakeContext({ env: { XDG_CONFIG_HOME: file } });
  await assert.rejects(updateStore(context, add('a')), { exit: 1, message: /cannot be written \(ENOTDIR\)/ });
});

test('a store below a folder in which nothing can be created is an error', { skip: noProc }, async () => {
  const { context } = fakeContext({ env: { XDG_CONFIG_HOME: '/proc/x' } });
  await assert.rejects(updateStore(context, add('a')), { exit: 1, message: /cannot be written \(ENOENT\)/ });
});

test('a folder that cannot be written', {
  skip: process.getuid?.() === 0 && 'root writes everywhere',
}, async (t) => {
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o500);
  const { context } = fakeContext({ env: { XDG_CONFIG_HOME: folder } });
  await assert.rejects(updateStore(context, add('a')), { exit: 1, message: /cannot be written \(EACCES\)/ });
});

test('a change that fails leaves store and lock as they were', async (t) => {
  const folder = temporaryFolder(t);
  const { context } = fakeContext({ env: { XDG_CONFIG_HOME: folder } });
  await updateStore(context, add('a'));
  const before = readFileSync(storeIn(folder), 'utf8');
  const fail = (): never => {
    throw new Error('no');
  };
  await assert.rejects(updateStore(context, fail), /no/);
  assert.equal(readFileSync(storeIn(folder), 'utf8'), before);
  await updateStore(context, add('b'));
  assert.equal(readStore(context.env).profiles.size, 2);
});
