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
import { readStore, type Store, storeFile, updateStore } from '../../src/accounts/store.ts';
import { Failure } from '../../src/errors.ts';
import { parseAddress } from '../../src/service/address.ts';
import { noProc } from '../support/process-state.ts';
import { storedJson, storeIn, temporaryFolder, writeRawStore, writeStore } from './fake-context.ts';

const key = 'sk_live_0123456789';
const profile: Profile = {
  baseUrl: parseAddress('https://api.example.com/v1', 'x').baseUrl,
  namespace: 'media',
  key,
  maxCredits: [{ credits: 3000, per: 'month' }],
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
  for (const HOME of ['', 'home/u']) assert.equal(storeFile({ HOME }, 'linux'), expected);
});

test('without a store there is no account', (t) => {
  const folder = temporaryFolder(t);
  assert.deepEqual(readStore({ HOME: folder }), { active: null, profiles: new Map() });
  assert.equal(readStore({ HOME: '/dev/null' }).profiles.size, 0);
  assert.deepEqual(readdirSync(folder), []);
});

test("path and content are conf's own", async (t) => {
  const folder = temporaryFolder(t);
  const script = `
    import Conf from ${JSON.stringify(import.meta.resolve('conf'))};
    const conf = new Conf({ projectName: 'chanlist', projectSuffix: '', accessPropertiesByDotNotation: false });
    process.stdout.write(JSON.stringify([conf.path, conf.store]));`;
  const environments: Record<string, string>[] = [
    { HOME: folder },
    { HOME: folder, XDG_CONFIG_HOME: join(folder, 'xdg') },
    { HOME: folder, XDG_CONFIG_HOME: '' },
    { HOME: join(folder, 'a b'), APPDATA: join(folder, 'roaming'), USERPROFILE: join(folder, 'a b') },
  ];
  for (const env of environments) {
    for (const name of ['work', '__proto__', 'a.b', '日本']) await updateStore(env, add(name));
    const args = ['--input-type=module', '-e', script];
    const [path, content] = JSON.parse(execFileSync(process.execPath, args, { env, encoding: 'utf8' }));
    assert.equal(storeFile(env), path);
    assert.deepEqual(content, JSON.parse(readFileSync(path, 'utf8')));
    const store = readStore(env);
    assert.equal(store.active, '日本');
    assert.deepEqual([...store.profiles.keys()], ['work', '__proto__', 'a.b', '日本']);
    for (const stored of store.profiles.values()) assert.deepEqual(stored, profile);
  }
});

test('the shape of the file', async (t) => {
  const folder = temporaryFolder(t);
  await updateStore({ XDG_CONFIG_HOME: folder }, add('work'));
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
  const env = { XDG_CONFIG_HOME: folder };
  await updateStore(env, add('a'));
  assert.equal(statSync(storeIn(folder)).mode & 0o777, 0o600);
  assert.equal(statSync(dirname(storeIn(folder))).mode & 0o777, 0o700);
  chmodSync(storeIn(folder), 0o644);
  const before = statSync(storeIn(folder)).ino;
  await updateStore(env, add('b'));
  assert.equal(statSync(storeIn(folder)).mode & 0o777, 0o600);
  assert.notEqual(statSync(storeIn(folder)).ino, before, 'replaced, not written over');
  assert.deepEqual(readdirSync(dirname(storeIn(folder))), ['config.json']);
});

/** What can stand in place of the store, and what the message says about it. */
const refused: Readonly<Record<string, (folder: string) => RegExp>> = {
  'a symbolic link': (folder) => {
    renameSync(storeIn(folder), join(folder, 'target'));
    symlinkSync(join(folder, 'target'), storeIn(folder));
    return /config\.json: it is a symbolic link/;
  },
  'a folder': (folder) => {
    rmSync(storeIn(folder));
    mkdirSync(storeIn(folder));
    return /config\.json: it is a folder/;
  },
  'a FIFO': (folder) => {
    rmSync(storeIn(folder));
    execFileSync('mkfifo', [storeIn(folder)]);
    return /config\.json: it is a named pipe/;
  },
  'a file that others can write': (folder) => {
    chmodSync(storeIn(folder), 0o620);
    return /config\.json: other users can write to it/;
  },
  'a folder that others can write': (folder) => {
    chmodSync(dirname(storeIn(folder)), 0o777);
    return /chanlist: other users can write to it/;
  },
};
if (process.geteuid?.() === 0) {
  Object.assign(refused, {
    'a file of another user': (folder) => {
      chownSync(storeIn(folder), 4242, 4242);
      return /config\.json: it belongs to another user \(owner 4242,/;
    },
  } satisfies typeof refused);
}

for (const [what, plant] of Object.entries(refused)) {
  test(`${what} in place of the store is refused and not changed`, async (t) => {
    const folder = temporaryFolder(t);
    const env = { XDG_CONFIG_HOME: folder };
    writeStore(folder, {}, null);
    const expected = { code: 'usage', exit: 2, message: plant(folder) };
    const before = execFileSync('find', [folder, '-ls'], { encoding: 'utf8' });
    assert.throws(() => readStore(env), expected);
    await assert.rejects(updateStore(env, add('a')), expected);
    assert.equal(execFileSync('find', [folder, '-ls'], { encoding: 'utf8' }), before);
  });
}

const needsRoot = { skip: process.geteuid?.() !== 0 && 'needs two users' };

test('below a HOME of another user nothing is created or read', needsRoot, async (t) => {
  const folder = temporaryFolder(t);
  const home = join(folder, 'home');
  const other = join(folder, 'other');
  mkdirSync(home);
  mkdirSync(other);
  chownSync(home, 4242, 4242);
  symlinkSync(home, join(other, 'link'));
  const expected = { exit: 2, message: /home folder .* belongs to user 4242/, hint: /sudo -H/ };
  for (const env of [
    { HOME: home },
    { HOME: home, XDG_CONFIG_HOME: join(home, 'config') },
    { HOME: join(other, 'link') },
    { HOME: home, XDG_CONFIG_HOME: join(other, 'link', 'config') },
  ]) {
    assert.equal(readStore(env).active, null);
    await assert.rejects(updateStore(env, add('a')), expected);
    assert.deepEqual(readdirSync(home), []);
  }
  writeStore(home, {}, null);
  assert.throws(() => readStore({ HOME: home, XDG_CONFIG_HOME: home }), expected);
  const env = { HOME: home, XDG_CONFIG_HOME: other };
  await updateStore(env, add('a'));
  assert.equal(readStore(env).active, 'a');
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
    const env = { XDG_CONFIG_HOME: folder };
    const expected = (error: unknown): boolean => {
      assert.ok(error instanceof Failure);
      assert.equal(error.exit, 1);
      assert.match(error.message, /damaged/);
      assert.ok(error.message.includes(storeIn(folder)));
      assert.match(error.hint ?? '', /not changed/);
      assert.ok(!`${error.message}${error.hint}${error.stack}${String(error.cause)}`.includes('sk_live'));
      return true;
    };
    assert.throws(() => readStore(env), expected);
    await assert.rejects(updateStore(env, add('new')), expected);
    assert.equal(readFileSync(storeIn(folder), 'utf8'), text);
    assert.deepEqual(readdirSync(dirname(storeIn(folder))), ['config.json']);
  });

test('a store of a newer version is 2 and left as it is', async (t) => {
  const folder = temporaryFolder(t);
  const text = JSON.stringify({ version: 2, accounts: [stored] });
  writeRawStore(folder, text);
  const env = { XDG_CONFIG_HOME: folder };
  const expected = { code: 'usage', exit: 2, message: /newer chanlist/ };
  assert.throws(() => readStore(env), expected);
  await assert.rejects(updateStore(env, add('new')), expected);
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
  const env = { XDG_CONFIG_HOME: file };
  await assert.rejects(updateStore(env, add('a')), { exit: 1, message: /cannot be written \(ENOTDIR\)/ });
});

test('a store below a folder in which nothing can be created is an error', { skip: noProc }, async () => {
  const env = { XDG_CONFIG_HOME: '/proc/x' };
  await assert.rejects(updateStore(env, add('a')), { exit: 1, message: /cannot be written \(ENOENT\)/ });
});

test('a folder that cannot be written', {
  skip: process.getuid?.() === 0 && 'root writes everywhere',
}, async (t) => {
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o500);
  const env = { XDG_CONFIG_HOME: folder };
  await assert.rejects(updateStore(env, add('a')), { exit: 1, message: /cannot be written \(EACCES\)/ });
});

test('a change that fails does not change the store', async (t) => {
  const folder = temporaryFolder(t);
  const env = { XDG_CONFIG_HOME: folder };
  await updateStore(env, add('a'));
  const before = readFileSync(storeIn(folder), 'utf8');
  const fail = (): never => {
    throw new Error('no');
  };
  await assert.rejects(updateStore(env, fail), /no/);
  assert.equal(readFileSync(storeIn(folder), 'utf8'), before);
  await updateStore(env, add('b'));
  assert.equal(readStore(env).profiles.size, 2);
});
