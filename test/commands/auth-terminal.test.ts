import assert from 'node:assert/strict';
import type { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { readStore } from '../../src/accounts/store.ts';
import { main } from '../../src/main.ts';
import { type FakeContext, fakeContext } from '../support/fake-context.ts';
import { temporaryFolder } from '../support/program.ts';
import { storeIn } from '../support/stored-accounts.ts';

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
  await fake.asked('Address of the service, e.g. https://api.example.com: ');
  assert.deepEqual(fake.rawModes, [true], 'no echo before the first question is seen');
  fake.type(`${baseUrl}/\r`);
  await fake.asked("Key for profile 'default' at https://api.example.com (not shown): ");
  fake.type(`${key}\r`);
  assert.equal(await done, 0);
  assert.equal(readStore(fake.context.env).profiles.get('default')?.key, key);
  assert.ok(stripVTControlCharacters(fake.stderr()).includes(`example.com: ${baseUrl}/\r\n`));
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
    // The error has a line of its own.
    assert.match(stripVTControlCharacters(fake.stderr()), /\nchanlist: error: /);
  }
});

test('a new profile becomes active at a terminal, or if there is none', async (t) => {
  const env = { XDG_CONFIG_HOME: await temporaryFolder(t) };
  for (const [profile, isTerminal, active, says] of [
    ['one', false, 'one', ''],
    ['two', false, 'one', ''],
    ['three', true, 'three', "profile 'three' is now active"],
    ['two', true, 'three', "profile 'three' stays active; to use this one: chanlist auth switch two"],
    ['three', true, 'three', 'its bounds: 5/month'],
  ] as const) {
    const fake = fakeContext({ env, terminal: isTerminal, stdin: key });
    if (isTerminal) fake.type(`${key}\r`);
    await login(fake, '--profile', profile, '--base-url', baseUrl, '--max-credits', '5/month');
    assert.equal(readStore(env).active, active);
    if (isTerminal) assert.ok(fake.stderr().endsWith(`chanlist: ${says}\n`), fake.stderr());
  }
});

test('a typing error asks again, three times in all; the prompt says whether a key is replaced', async (t) => {
  const folder = await temporaryFolder(t);
  const fake = terminal(folder);
  fake.type(`http:/x\r"${baseUrl}"\r${baseUrl}\ra b\r"${key}"\r${key}\r`);
  assert.equal(await login(fake), 0);
  for (const problem of [
    'not an http or https address',
    'has quotes around it',
    'key: not a key',
    'the key has quotes',
  ])
    assert.ok(fake.stderr().includes(problem), problem);
  const again = terminal(folder);
  again.type('\r\r\r');
  assert.equal(await login(again), 2);
  assert.equal(again.stderr().split("New key for profile 'default' at https://api.example.com").length, 4);
  assert.equal(readStore(fake.context.env).profiles.get('default')?.key, key);
  assert.match(fake.stderr(), /\nchanlist: its bounds: none \(--max-credits sets them\)\n/);
});

test('what reads a list or an archive from the terminal says so, and how to end', async () => {
  for (const line of ['resolve --from - --sandbox --dry-run', 'show -', 'check . --from -']) {
    const fake = fakeContext({ terminal: true });
    const done = main(line.split(' '), fake.context);
    await fake.asked('chanlist: reading from the terminal; end with Ctrl-D\n');
    (fake.context.stdin as PassThrough).end('@demo\n');
    await done;
  }
});
