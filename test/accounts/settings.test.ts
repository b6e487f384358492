import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findService, type ServiceFlags } from '../../src/accounts/settings.ts';
import { isFailure } from '../support/failures.ts';
import { fakeContext } from '../support/fake-context.ts';
import { temporaryFolder } from '../support/program.ts';
import { type StoredProfile, writeStore } from '../support/stored-accounts.ts';

const profiles = {
  work: { baseUrl: 'https://work.example.com/p', namespace: 'ww', key: 'sk_profile_work' },
  home: { baseUrl: 'https://home.example.com', namespace: 'hh', key: 'sk_profile_home' },
};
const full = {
  CHANLIST_BASE_URL: 'https://env.example.com',
  CHANLIST_NAMESPACE: 'ee',
  CHANLIST_API_KEY: ' sk_environment\n',
};

/** Finds the service with these flags and variables, in a folder with the stored profiles. */
type Settings = Awaited<ReturnType<typeof findService>>;
type Find = (flags?: ServiceFlags, env?: Record<string, string>) => Promise<Settings>;

async function stored(
  t: TestContext,
  active: string | null = 'work',
  more: Record<string, StoredProfile> = {},
): Promise<Find> {
  const folder = await temporaryFolder(t);
  writeStore(folder, { ...profiles, ...more }, active);
  return finder({ XDG_CONFIG_HOME: folder });
}

const finder =
  (all: Record<string, string>): Find =>
  (flags = {}, env = {}) =>
    findService(flags, fakeContext({ env: { ...all, ...env } }).context);

const brief = ({ baseUrl, namespace, key, keySource, name }: Settings): string =>
  [baseUrl?.href ?? null, namespace, key, keySource, name].join(' ');

const work = "https://work.example.com/p ww sk_profile_work profile 'work' work";
const home = "https://home.example.com hh sk_profile_home profile 'home' home";
const ofEnv = 'sk_environment CHANLIST_API_KEY';
const unset = [...Object.keys(full), 'CHANLIST_PROFILE', 'CHANLIST_API_KEY_FILE'];
const empty = Object.fromEntries(unset.map((name) => [name, '']));
const url = { CHANLIST_BASE_URL: 'https://work.example.com/p/api/v2/uu' };
/** Flags and variables beside the stored profiles, and the settings that they come down to. */
const cases: readonly (readonly [flags: ServiceFlags, env: Record<string, string>, expected: string])[] = [
  [{}, {}, work],
  [{}, empty, work],
  [{}, { CHANLIST_PROFILE: 'home' }, home],
  [{ profile: 'work' }, { CHANLIST_PROFILE: 'home' }, work],
  [{}, full, `https://env.example.com ee ${ofEnv} work`],
  [{ baseUrl: 'http://localhost:1/', namespace: 'ff' }, full, `http://localhost:1 ff ${ofEnv} work`],
  [{}, { CHANLIST_API_KEY: 'sk_environment' }, `https://work.example.com/p ww ${ofEnv} work`],
  [{}, { ...full, CHANLIST_NAMESPACE: '' }, `https://env.example.com ww ${ofEnv} work`],
  // Another origin does not get the key of the profile, another address of its origin does.
  [{ baseUrl: 'https://other.example.com' }, {}, 'https://other.example.com ww   work'],
  [{ baseUrl: 'https://WORK.example.com:443/other/' }, {}, work.replace('/p', '/other')],
  // The word of an address: after the namespace of flag or environment, before that of the profile.
  [{ namespace: 'ff' }, url, work.replace('ww', 'ff')],
  [{}, { ...url, CHANLIST_NAMESPACE: 'ee' }, work.replace('ww', 'ee')],
  [{}, url, work.replace('ww', 'uu')],
];

test('precedence: flag, environment, profile; empty variables count as unset', async (t) => {
  const find = await stored(t);
  for (const [flags, env, expected] of cases)
    assert.equal(brief(await find(flags, env)), expected, JSON.stringify([flags, env]));
});

test('precedence: key file, then CHANLIST_API_KEY, then CHANLIST_API_KEY_FILE, then the profile', async (t) => {
  const find = await stored(t);
  const folder = await temporaryFolder(t);
  const flagFile = join(folder, 'flag');
  const envFile = join(folder, 'env');
  writeFileSync(flagFile, '\tsk_flag_file\n');
  writeFileSync(envFile, 'sk_env_file\r\n');
  const all = { CHANLIST_API_KEY: 'sk_environment', CHANLIST_API_KEY_FILE: envFile };
  const steps: [ServiceFlags, Record<string, string>, string, string][] = [
    [{ keyFile: flagFile }, all, 'sk_flag_file', `--key-file ${flagFile}`],
    [{}, all, 'sk_environment', 'CHANLIST_API_KEY'],
    [{}, { CHANLIST_API_KEY_FILE: envFile }, 'sk_env_file', `CHANLIST_API_KEY_FILE ${envFile}`],
    [{}, {}, 'sk_profile_work', "profile 'work'"],
  ];
  for (const [flags, env, key, source] of steps) {
    const settings = await find(flags, env);
    assert.deepEqual([settings.key, settings.keySource], [key, source]);
  }
});

test('no active profile: that comes first, with how to choose one', async (t) => {
  const find = await stored(t, null, { "o'b": profiles.work });
  const message = "no profile is active (stored: work, home, o'b)";
  for (const env of [{}, { CHANLIST_BASE_URL: full.CHANLIST_BASE_URL }]) {
    const { problem } = await find({}, env);
    assert.deepEqual([problem?.exit, problem?.line()], [3, `${message}; run: chanlist auth switch work`]);
  }
});

test('the stored key of another origin is not sent, and without an account the missing variable is named: 3', async (t) => {
  const find = await stored(t);
  const { origin } = new URL(profiles.work.baseUrl);
  for (const url of ['http://localhost:1', `${origin}:444`, `${origin}.evil.example`])
    for (const [flags, env] of [
      [{ baseUrl: url }, {}],
      [{}, { CHANLIST_BASE_URL: url }],
    ] as const) {
      const { key, problem } = await find(flags, env);
      assert.deepEqual([key, problem?.exit], [null, 3]);
      assert.equal(
        problem?.message,
        `the key of profile 'work' belongs to ${origin} and is not sent to ${url}`,
      );
    }
  const nobody = { HOME: await temporaryFolder(t), CHANLIST_API_KEY: full.CHANLIST_API_KEY };
  const { problem } = await finder(nobody)();
  assert.deepEqual([problem?.exit, problem?.line()], [3, 'no account is configured; set CHANLIST_BASE_URL']);
});

test('an unknown profile is a usage error that names the known ones', async (t) => {
  const find = await stored(t);
  for (const env of [{}, full])
    await assert.rejects(find({ profile: 'wrok' }, env), {
      exit: 2,
      message: /no profile 'wrok'/,
      step: /did you mean work\?.*work, home/,
    });
  await assert.rejects(find({}, { CHANLIST_PROFILE: 'other' }), { exit: 2, step: /work, home/ });
  const nobody = finder({ HOME: join(await temporaryFolder(t), 'nobody') });
  await assert.rejects(
    nobody({ profile: 'x' }),
    isFailure(2, 'store it with: chanlist auth login --profile x'),
  );
});

test('wrong values are usage errors that name their source', async (t) => {
  const folder = await temporaryFolder(t);
  const wrong: [ServiceFlags, Record<string, string>, RegExp][] = [
    [{ baseUrl: '' }, full, /^--base-url: /],
    [{ baseUrl: 'http://api.example.com' }, full, /^--base-url: /],
    [{}, { ...full, CHANLIST_BASE_URL: 'x' }, /^CHANLIST_BASE_URL: /],
    [{ namespace: '' }, full, /^--namespace: /],
    // No printed command could name them.
    [{ profile: '-x' }, full, /^'-x' cannot be the name of a profile/],
    [{}, { ...full, CHANLIST_PROFILE: 'a\nb' }, /cannot be the name of a profile/],
    [{}, { ...full, CHANLIST_NAMESPACE: 'a/b' }, /^CHANLIST_NAMESPACE: /],
    [{ keyFile: join(folder, 'missing') }, full, /^--key-file: /],
    [{}, { ...full, CHANLIST_API_KEY: 'sk one' }, /^CHANLIST_API_KEY: /],
    [{}, { ...full, CHANLIST_API_KEY: '', CHANLIST_API_KEY_FILE: folder }, /^CHANLIST_API_KEY_FILE: /],
  ];
  for (const [flags, env, message] of wrong) await assert.rejects(finder(env)(flags), { exit: 2, message });
});
