import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStore } from '../../src/accounts/store.ts';
import type { SharedOptions } from '../../src/cli/options.ts';
import { runLogin, type Verify } from '../../src/commands/auth/login.ts';
import { interrupted } from '../../src/errors.ts';
import {
  type FakeContext,
  fakeContext,
  storeIn,
  temporaryFolder,
  writeStore,
} from '../accounts/fake-context.ts';
import { loginOptions } from './auth-options.ts';

const key = 'sk_live_0123456789wxyz';
const baseUrl = 'https://api.example.com';
const accept: Verify = async () => 'resolved';

function terminal(folder: string, env: Record<string, string> = {}): FakeContext {
  return fakeContext({ env: { XDG_CONFIG_HOME: folder, ...env }, terminal: true });
}

function login(fake: FakeContext, globals: Partial<SharedOptions> = {}): Promise<number> {
  return runLogin(loginOptions(globals), fake.context, accept);
}

test('prompts for address and key; shows only the address; says where they are stored', async (t) => {
  const folder = temporaryFolder(t);
  const fake = terminal(folder);
  const done = login(fake);
  await fake.asked('Base URL: ');
  assert.deepEqual(fake.rawModes, [true], 'no echo before the first question is seen');
  fake.type(`${baseUrl}/\r`);
  await fake.asked('Key for https://api.example.com');
  fake.type(`${key}\r`);
  assert.equal(await done, 0);
  assert.equal(readStore(fake.context.env).profiles.get('default')?.key, key);
  assert.ok(fake.stderr().includes(`Base URL: ${baseUrl}/\n`));
  assert.ok(fake.stderr().includes(storeIn(folder)));
  assert.ok(!fake.stderr().includes(key));
  assert.equal(fake.stdout(), '');
  assert.deepEqual(fake.rawModes, [true, false]);
});

test('both answers pasted at once, with any line ends and paste marks', async (t) => {
  for (const pasted of [
    `${baseUrl}\n${key}\n`,
    `${baseUrl}\r\n${key}\r\n`,
    `\u001b[200~${baseUrl}\u001b[201~\r\u001b[200~ ${key} \u001b[201~\r`,
  ]) {
    const fake = terminal(temporaryFolder(t));
    fake.type(pasted);
    assert.equal(await login(fake), 0);
    const stored = readStore(fake.context.env).profiles.get('default');
    assert.deepEqual([stored?.baseUrl.href, stored?.key], [baseUrl, key]);
    assert.ok(!fake.stderr().includes(key));
  }
});

test('there is no prompt for an address that is given; the stored one is the default', async (t) => {
  const folder = temporaryFolder(t);
  for (const [globals, env] of [
    [{ baseUrl }, {}],
    [{}, { CHANLIST_BASE_URL: baseUrl }],
  ] as [Partial<SharedOptions>, Record<string, string>][]) {
    const fake = terminal(temporaryFolder(t), env);
    fake.type(`${key}\r`);
    await login(fake, globals);
    assert.equal(readStore(fake.context.env).profiles.get('default')?.baseUrl.href, baseUrl);
    assert.doesNotMatch(fake.stderr(), /Base URL/);
  }
  writeStore(folder, { default: { baseUrl: 'https://old.example.com/p', namespace: 'nn', key } }, null);
  const fake = terminal(folder);
  fake.type('\rsk_new_key_1234\r');
  await login(fake);
  assert.match(fake.stderr(), /Base URL \[https:\/\/old\.example\.com\/p\]: /);
  const stored = readStore(fake.context.env).profiles.get('default');
  assert.deepEqual([stored?.namespace, stored?.key], ['nn', 'sk_new_key_1234']);
});

test('backspace, Ctrl-U and arrow keys while typing', async (t) => {
  const fake = terminal(temporaryFolder(t));
  fake.type('wrong\u0015https://api.examplx\u007fe.comm\b\u001b[D\u001bOC\r');
  fake.type('nonsense\u0015\u007f\u007fsk_live_0123456789wxyzz\u007f\r');
  await login(fake);
  const stored = readStore(fake.context.env).profiles.get('default');
  assert.deepEqual([stored?.baseUrl.href, stored?.key], [baseUrl, key]);
});

test('after an invalid answer it prompts again, three times in all', async (t) => {
  const fake = terminal(temporaryFolder(t));
  fake.type(`ftp://api.example.com\r\r${baseUrl}\r\rtwo words\r${key}\r`);
  assert.equal(await login(fake), 0);
  assert.equal(fake.stderr().split('Base URL: ').length - 1, 3);
  assert.doesNotMatch(fake.stderr(), /two|words/);
  const hopeless = terminal(temporaryFolder(t));
  hopeless.type('one word\rsk_live\rhttp://a.example\r');
  await assert.rejects(login(hopeless), { exit: 2 });
  assert.deepEqual(hopeless.rawModes, [true, false]);
});

test('Ctrl-C ends with 130, Ctrl-D with 2; nothing stored, the terminal restored', async (t) => {
  for (const [typed, exit] of [
    ['\u0003', 130],
    [`${baseUrl}\rsk_li\u0003`, 130],
    ['\u0004', 2],
    [`${baseUrl}\r\u0004`, 2],
  ] as const) {
    const fake = terminal(temporaryFolder(t));
    fake.type(typed);
    await assert.rejects(login(fake), { exit });
    assert.deepEqual(fake.rawModes, [true, false]);
    assert.equal(readStore(fake.context.env).profiles.size, 0);
  }
});

test('a signal ends it, the terminal restored', async (t) => {
  const fake = terminal(temporaryFolder(t));
  const done = login(fake);
  await fake.asked('Base URL: ');
  fake.controller.abort(interrupted('SIGTERM'));
  await assert.rejects(done, { exit: 143 });
  assert.deepEqual(fake.rawModes, [true, false]);
});

test('there is no prompt where it would not be seen', async (t) => {
  const fake = terminal(temporaryFolder(t));
  const context = { ...fake.context, stderr: Object.assign(fake.context.stderr, { isTTY: false }) };
  await assert.rejects(runLogin(loginOptions({ baseUrl }), context, accept), {
    exit: 2,
    message: /stderr is not a terminal/,
  });
  assert.equal(fake.stderr(), '');
  assert.deepEqual(fake.rawModes, []);
});
