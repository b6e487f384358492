import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { keyFileName, lastFour, parseKey, readKeyFile } from '../../src/accounts/key.ts';
import { Failure } from '../../src/errors.ts';
import { temporaryFolder } from './fake-context.ts';

test('white space around a key is trimmed', () => {
  assert.equal(parseKey('  sk_live_1\r\n', 'x'), 'sk_live_1');
  assert.equal(parseKey('\uFEFFsk_live_1\n\n', 'x'), 'sk_live_1');
  assert.equal(parseKey('!~', 'x'), '!~');
  assert.equal(parseKey('k'.repeat(4096), 'x').length, 4096);
});

const secret = 'sk_live_0123456789';
const badKeys = [
  '',
  ' \n ',
  `${secret} ${secret}`,
  `${secret}\n${secret}`,
  `${secret}\r\nX-Other: 1`,
  `${secret}\u0000${secret}`,
  `${secret}\u007f${secret}`,
  `${secret}\u001b[31m${secret}`,
  `${secret}é`,
  `${secret}\u00a0${secret}`,
  secret.repeat(300),
];

for (const key of badKeys)
  test(`not a key: ${JSON.stringify(key.slice(0, 40))}`, () => {
    assert.throws(
      () => parseKey(key, 'CHANLIST_API_KEY'),
      (error) => {
        assert.ok(error instanceof Failure);
        assert.equal(error.exit, 2);
        assert.match(error.message, /^CHANLIST_API_KEY: /);
        assert.ok(!`${error.message} ${error.hint}`.includes('sk_live'));
        return true;
      },
    );
  });

test('an accepted key is a valid header value', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      let key: string;
      try {
        key = parseKey(text, 'x');
      } catch (error) {
        assert.ok(error instanceof Failure && error.code === 'usage');
        return;
      }
      assert.match(key, /^[!-~]+$/);
      assert.equal(key, text.trim());
    }),
  );
});

test('a key file, and a pipe instead of one', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'a key');
  writeFileSync(file, `\n ${secret}\n`);
  assert.equal(await readKeyFile(file, '--key-file'), secret);
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reading = readKeyFile(pipe, '--key-file');
  const writing = promisify(execFile)('sh', ['-c', `printf '%s\n' ${secret} > "$1"`, 'sh', pipe]);
  assert.equal(await reading, secret);
  await writing;
});

async function refused(path: string): Promise<string> {
  let message = '';
  await assert.rejects(readKeyFile(path, '--key-file'), (error) => {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.exit, 2);
    message = error.message;
    return true;
  });
  assert.match(message, /^--key-file/);
  assert.ok(!message.includes('sk_live'));
  return message;
}

test('files that cannot be key files', async (t) => {
  const folder = temporaryFolder(t);
  const missing = join(folder, 'missing');
  assert.ok((await refused(missing)).includes(missing));
  assert.match(await refused(join(folder, 'missing', 'below')), /no such file/);
  mkdirSync(join(folder, 'folder'));
  assert.match(await refused(join(folder, 'folder')), /folder/);
  writeFileSync(join(folder, 'empty'), '');
  assert.match(await refused(join(folder, 'empty')), /no key/);
  writeFileSync(join(folder, 'two'), `${secret}\n${secret}\n`);
  assert.match(await refused(join(folder, 'two')), /white space/);
  writeFileSync(join(folder, 'large'), `${secret}${' '.repeat(64 * 1024)}`);
  assert.match(await refused(join(folder, 'large')), /too long|longer/);
  assert.match(await refused('/dev/zero'), /too long|longer/);
  assert.match(await refused(`${folder}\0`), /not a file name|ERR_INVALID_ARG_VALUE/);
});

test('a key file that may not be read', {
  skip: process.getuid?.() === 0 && 'root reads everything',
}, async (t) => {
  const file = join(temporaryFolder(t), 'key');
  writeFileSync(file, secret);
  chmodSync(file, 0o000);
  assert.match(await refused(file), /permission denied/);
});

test('a key that is given as a file name is not shown', async () => {
  for (const path of [
    'sk_live_0123456789',
    'sk-live.0123456789',
    'sk_live_01/23456789',
    'abcdefgh',
    'abcd+fg=',
    'QWxhZGRpbjpvcGVuIHNlc2Ft/ZUFsYWRkaW46',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  ]) {
    await assert.rejects(readKeyFile(path, '--key-file'), (error) => {
      assert.ok(error instanceof Failure);
      assert.equal(error.message, '--key-file: cannot read the file: there is no such file');
      assert.ok(!`${error.hint}${error.stack}${String(error.cause)}`.includes(path));
      return true;
    });
  }
  for (const path of ['key.txt', 'key', './missing-key-file', '../missing-key-file', 'keys/prod.txt'])
    assert.equal(keyFileName(path), path);
});

test('the last four characters; of a short key, none', () => {
  assert.equal(lastFour('sk_live_abcd'), 'abcd');
  assert.equal(lastFour('12345678'), '5678');
  assert.equal(lastFour('1234567'), '....');
  assert.equal(lastFour('x'), '....');
});
