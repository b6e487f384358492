import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { keyFileName, lastFour, parseKey, readKey } from '../../src/accounts/key.ts';
import { Failure } from '../../src/errors.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';

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

test('a key that is not valid in a header is a usage error that does not show it', () => {
  for (const key of badKeys)
    assert.throws(
      () => parseKey(key, 'CHANLIST_API_KEY'),
      (error: Failure) => isFailure(2, 'CHANLIST_API_KEY: ')(error) && !error.line().includes('sk_live'),
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

test('the key comes from a file or a pipe', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'a key');
  writeFileSync(file, `\n ${secret}\n`);
  assert.equal(await readKey(file, '--key-file'), secret);
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reading = readKey(pipe, '--key-file');
  const writing = promisify(execFile)('sh', ['-c', `printf '%s\n' ${secret} > "$1"`, 'sh', pipe]);
  assert.equal(await reading, secret);
  await writing;
});

test('files that cannot be key files', async (t) => {
  const folder = await temporaryFolder(t);
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'empty'), '');
  writeFileSync(join(folder, 'two'), `${secret}\n${secret}\n`);
  writeFileSync(join(folder, 'large'), `${secret}${' '.repeat(64 * 1024)}`);
  writeFileSync(join(folder, 'blank'), '\n'.repeat(70_000));
  const cases: readonly (readonly [path: string, ...words: string[]])[] = [
    [join(folder, 'missing'), join(folder, 'missing')],
    [join(folder, 'missing', 'below'), 'no such file'],
    [join(folder, 'folder'), 'folder'],
    [join(folder, 'empty'), 'no key'],
    [join(folder, 'two'), 'white space'],
    [join(folder, 'large'), 'longer'],
    [join(folder, 'blank'), 'too long'],
    ['/dev/zero', 'not text'],
  ];
  for (const [path, ...words] of cases)
    await assert.rejects(
      readKey(path, '--key-file'),
      (error: Failure) => isFailure(2, '--key-file', ...words)(error) && !error.line().includes('sk_live'),
    );
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
    await assert.rejects(readKey(path, '--key-file'), (error) => {
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
