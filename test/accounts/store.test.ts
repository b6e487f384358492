import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { type Profile, readStore, type Store, storeFile, updateStore } from '../../src/accounts/store.ts';
import { parseAddress } from '../../src/service/address.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';
import { storeIn, writeRawStore, writeStore } from '../support/stored-accounts.ts';

const key = 'sk_live_0123456789';
const profile: Profile = {
  baseUrl: parseAddress('https://api.example.com/v1', 'x').baseUrl,
  namespace: 'media',
  key,
  maxCredits: [{ credits: 3000, per: 'month', source: "profile 'work'" }],
};
const add =
  (name: string) =>
  (store: Store): Store => ({ active: name, profiles: new Map(store.profiles).set(name, profile) });

test('the path: by platform and environment', () => {
  const cases: [NodeJS.Platform, Record<string, string>, string][] = [
    ['linux', { HOME: '/u', XDG_CONFIG_HOME: '/cfg' }, '/cfg/chanlist/config.json'],
    ['darwin', { HOME: '/u', XDG_CONFIG_HOME: '/cfg' }, '/u/Library/Preferences/chanlist/config.json'],
    ['win32', { APPDATA: 'C:\\Roaming' }, 'C:\\Roaming\\chanlist\\Config\\config.json'],
    ['win32', { USERPROFILE: 'C:\\u' }, 'C:\\u\\AppData\\Roaming\\chanlist\\Config\\config.json'],
  ];
  for (const [platform, env, file] of cases) assert.equal(storeFile(env, platform), file);
});

test('without a store there is no account', async (t) => {
  const folder = await temporaryFolder(t);
  assert.deepEqual(readStore({ HOME: folder }), { active: null, profiles: new Map() });
  assert.equal(readStore({ HOME: '/dev/null' }).profiles.size, 0);
  assert.deepEqual(readdirSync(folder), []);
});

test("path and content are conf's own", async (t) => {
  const folder = await temporaryFolder(t);
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
    for (const [name, stored] of store.profiles) {
      const [bound] = stored.maxCredits;
      assert.deepEqual(bound, { credits: 3000, per: 'month', source: `profile '${name}'` });
      assert.deepEqual({ ...stored, maxCredits: profile.maxCredits }, profile);
    }
  }
});

test('mode 0600, also over a file with another mode, and nothing beside it', async (t) => {
  const folder = await temporaryFolder(t);
  const env = { XDG_CONFIG_HOME: folder };
  await updateStore(env, add('a'));
  assert.equal(statSync(storeIn(folder)).mode & 0o777, 0o600);
  assert.equal(statSync(dirname(storeIn(folder))).mode & 0o777, 0o700);
  chmodSync(storeIn(folder), 0o644);
  chmodSync(dirname(storeIn(folder)), 0o777);
  readStore(env);
  assert.equal(statSync(dirname(storeIn(folder))).mode & 0o777, 0o700);
  const before = statSync(storeIn(folder)).ino;
  // In a snap package conf would write in place.
  process.env.SNAP = '/snap/node/1';
  await updateStore(env, add('b'));
  assert.equal(statSync(storeIn(folder)).mode & 0o777, 0o600);
  assert.notEqual(statSync(storeIn(folder)).ino, before, 'replaced, not written over');
  assert.deepEqual(readdirSync(dirname(storeIn(folder))), ['config.json']);
});

test('it is read under its lock: what another process has stored meanwhile stays', async (t) => {
  const folder = await temporaryFolder(t);
  const env = { XDG_CONFIG_HOME: folder };
  const changing = updateStore(env, add('b'));
  writeStore(folder, { a: stored }, null);
  await changing;
  assert.deepEqual([...readStore(env).profiles.keys()], ['a', 'b']);
});

const stored = { baseUrl: 'https://api.example.com', namespace: 'media', key };
const one = (changed: object): string =>
  JSON.stringify({ version: 1, active: null, profiles: { work: { ...stored, ...changed } } });
const damaged: readonly string[] = [
  '',
  one({}).slice(0, -4),
  `key = ${key}\n`,
  'null',
  JSON.stringify({ version: '1', active: null, profiles: {} }),
  JSON.stringify({ version: 2, active: null, profiles: {} }),
  JSON.stringify({ version: 1, active: 5, profiles: {} }),
  JSON.stringify({ version: 1, active: null, profiles: { work: key } }),
  one({ key: undefined }),
  one({ key: `${key}\nX: y` }),
  one({ baseUrl: 'http://api.example.com' }),
  one({ baseUrl: `https://${key}@api.example.com` }),
  one({ namespace: '../x' }),
  one({ max_credits: 'many' }),
  one({ max_credits: 5 }),
];

test('a damaged store is an error that does not show it, and is not changed', async (t) => {
  const folder = await temporaryFolder(t);
  const env = { XDG_CONFIG_HOME: folder };
  for (const text of damaged) {
    writeRawStore(folder, text);
    const expected = (error: unknown): boolean => {
      isFailure(1, storeIn(folder), 'damaged', 'fix it, or move it away')(error);
      assert.ok(error instanceof Error);
      assert.ok(!`${error.stack}${String(error.cause)}`.includes('sk_live'), text);
      return true;
    };
    assert.throws(() => readStore(env), expected, text);
    await assert.rejects(updateStore(env, add('new')), expected);
    assert.equal(readFileSync(storeIn(folder), 'utf8'), text);
  }
  assert.deepEqual(readdirSync(dirname(storeIn(folder))), ['config.json']);
});

test('a store that cannot be created is an error in one line', async () => {
  const refused = isFailure(1, 'cannot be created (ENOTDIR)', 'access to /dev/null, or set XDG_CONFIG_HOME');
  await assert.rejects(updateStore({ XDG_CONFIG_HOME: '/dev/null' }, add('a')), refused);
});
