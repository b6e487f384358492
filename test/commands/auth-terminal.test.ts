import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { readStore } from '../../src/accounts/store.ts';
import { main } from '../../src/main.ts';
import { type FakeContext, fakeContext } from '../support/fake-context.ts';
import { temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/service.ts';
import { storeIn, writeStore } from '../support/stored-accounts.ts';

const key = 'sk_live_0123456789wxyz';
const baseUrl = 'https://api.example.com';

function terminal(folder: string, env: Record<string, string> = {}): FakeContext {
  return fakeContext({ env: { XDG_CONFIG_HOME: folder, ...env }, terminal: true });
}

const login = (fake: FakeContext, ...flags: string[]): Promise<number> =>
  main(['auth', 'login', '--no-verify', ...flags], fake.context);

test('prompts for address and key; shows only the address; says where they are stored', async (t) => {
  const folder = await temporaryFolder(t);
  const fake = terminal(folder);
  const done = login(fake);
  await fake.asked('Base URL: ');
  assert.deepEqual(fake.rawModes, [true], 'no echo before the first question is seen');
  fake.type(`${baseUrl}/\r`);
  await fake.asked('Key for https://api.example.com');
  fake.type(`${key}\r`);
  assert.equal(await done, 0);
  assert.equal(readStore(fake.context.env).profiles.get('default')?.key, key);
  assert.ok(stripVTControlCharacters(fake.stderr()).includes(`Base URL: ${baseUrl}/\r\n`));
  assert.ok(fake.stderr().includes(storeIn(folder)));
  assert.ok(!fake.stderr().includes(key));
  assert.equal(fake.stdout(), '');
  assert.deepEqual(fake.rawModes, [true, false]);
});

test('address and key pasted at once, with any line ends and paste marks', async (t) => {
  for (const pasted of [
    `${baseUrl}\n${key}\n`,
    `${baseUrl}\r\n${key}\r\n`,
    `\u001b[200~${baseUrl}\u001b[201~\r\u001b[200~ ${key} \u001b[201~\r`,
  ]) {
    const fake = terminal(await temporaryFolder(t));
    fake.type(pasted);
    assert.equal(await login(fake), 0);
    const stored = readStore(fake.context.env).profiles.get('default');
    assert.deepEqual([stored?.baseUrl.href, stored?.key], [baseUrl, key]);
    assert.ok(!fake.stderr().includes(key));
  }
});

test('there is no prompt for an address that is given; nor for a stored one', async (t) => {
  const folder = await temporaryFolder(t);
  for (const isFlag of [true, false]) {
    const fake = terminal(await temporaryFolder(t), isFlag ? {} : { CHANLIST_BASE_URL: baseUrl });
    fake.type(`${key}\r`);
    await login(fake, ...(isFlag ? ['--base-url', baseUrl] : []));
    assert.equal(readStore(fake.context.env).profiles.get('default')?.baseUrl.href, baseUrl);
    assert.doesNotMatch(fake.stderr(), /Base URL/);
  }
  writeStore(folder, { default: { baseUrl: 'https://old.example.com/p', namespace: 'nn', key } }, null);
  const fake = terminal(folder);
  fake.type('sk_new_key_1234\r');
  await login(fake);
  assert.doesNotMatch(fake.stderr(), /Base URL/);
  const stored = readStore(fake.context.env).profiles.get('default');
  assert.deepEqual([stored?.namespace, stored?.key], ['nn', 'sk_new_key_1234']);
});

test('backspace, Ctrl-U and arrow keys while typing', async (t) => {
  const fake = terminal(await temporaryFolder(t));
  fake.type('wrong\u0015https://api.examplx\u007fe.comm\b\u001b[D\u001bOC\r');
  fake.type('nonsense\u0015\u007f\u007fsk_live_0123456789wxyzz\u007f\r');
  await login(fake);
  const stored = readStore(fake.context.env).profiles.get('default');
  assert.deepEqual([stored?.baseUrl.href, stored?.key], [baseUrl, key]);
});

test('Ctrl-C ends with 130, Ctrl-D with 2; nothing stored, the terminal restored', async (t) => {
  for (const [typed, exit] of [
    ['\u0003', 130],
    [`${baseUrl}\rsk_li\u0003`, 130],
    ['\u0004', 2],
    [`${baseUrl}\r\u0004`, 2],
  ] as const) {
    const fake = terminal(await temporaryFolder(t));
    fake.type(typed);
    assert.equal(await login(fake), exit);
    assert.deepEqual(fake.rawModes, [true, false]);
    assert.equal(readStore(fake.context.env).profiles.size, 0);
  }
});

test('a new profile becomes active at a terminal, or if there is none', async (t) => {
  const env = { XDG_CONFIG_HOME: await temporaryFolder(t) };
  for (const [profile, isTerminal, active] of [
    ['one', false, 'one'],
    ['two', false, 'one'],
    ['three', true, 'three'],
    ['two', true, 'three'],
  ] as const) {
    const fake = fakeContext({ env, terminal: isTerminal, stdin: key });
    if (isTerminal) fake.type(`${key}\r`);
    await login(fake, '--profile', profile, '--base-url', baseUrl);
    assert.equal(readStore(env).active, active);
  }
});

test('an address where nothing responds fails at once: no retries at a prompt', async (t) => {
  const broken = await scriptedService(t, () => (_, socket) => socket.destroy());
  const folder = await temporaryFolder(t);
  const fake = terminal(folder);
  fake.type(`${broken.url}\r${key}\r`);
  assert.equal(await main(['auth', 'login'], fake.context), 7);
  assert.match(fake.stderr(), /nothing is stored/);
  assert.equal(broken.seen.length, 1);
  assert.equal(readStore(fake.context.env).profiles.size, 0);
});
