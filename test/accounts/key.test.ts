import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { lastFour, parseKey, readKey } from '../../src/accounts/key.ts';
import type { Failure } from '../../src/errors.ts';
import { command } from '../support/command.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/service.ts';
import { writeStore } from '../support/stored-accounts.ts';

const secret = 'sk_live_0123456789';
const { signal: stop } = new AbortController();

test('white space around a key is trimmed', () => {
  for (const [text, key] of [
    ['  sk_live_1\r\n', 'sk_live_1'],
    ['\uFEFFsk_live_1\n\n', 'sk_live_1'],
    ['!~', '!~'],
    ['k'.repeat(4096), 'k'.repeat(4096)],
  ] as const)
    assert.equal(parseKey(text, 'x'), key);
});

test('a key in quotes, or not valid in a header, is a usage error that does not show it', () => {
  const quotes = 'the key has quotes around it; remove the quotes';
  for (const [text, why] of [
    [`"${secret}"\n`, quotes],
    [`'${secret}'\n`, quotes],
    ['', 'no key found'],
    [' \n ', 'no key found'],
    ...[' ', '\r\nX-Other: 1', '\u0000', '\u007f', 'é', '\u00a0', secret.repeat(300)].map(
      (text) => [`${secret}${text}${secret}`, 'not a key'] as const,
    ),
  ] as const)
    assert.throws(
      () => parseKey(text, 'CHANLIST_API_KEY'),
      (error: Failure) =>
        isFailure(2, `CHANLIST_API_KEY: ${why}`)(error) && !error.line().includes('sk_live'),
    );
});

test('the key comes from a file or a pipe', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'a key');
  writeFileSync(file, `\n ${secret}\n`);
  assert.equal(await readKey(file, '--key-file', stop), secret);
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reading = readKey(pipe, '--key-file', stop);
  const writing = promisify(execFile)('sh', ['-c', `printf '%s\n' ${secret} > "$1"`, 'sh', pipe]);
  assert.equal(await reading, secret);
  await writing;
});

test('what is not a key file: why, but neither its text nor its name, which may be a key', async (t) => {
  const folder = await temporaryFolder(t);
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  mkdirSync(join(folder, 'folder'));
  for (const [path, why] of [
    [secret, 'no such file'],
    [join(folder, 'folder'), 'folder'],
    [file('empty', ''), 'no key'],
    [file('two', `${secret}\n${secret}\n`), 'not a key'],
    [file('blank', '\n'.repeat(70_000)), 'too long'],
    ['/dev/zero', 'not text'],
  ] as const)
    await assert.rejects(readKey(path, '--key-file', stop), (error: Failure) => {
      const shown = `${error.line()}${error.stack}${String(error.cause)}`;
      return isFailure(2, '--key-file: ', why)(error) && !shown.includes('sk_live');
    });
});

test('in messages a key is hidden, wherever it comes from', async (t) => {
  const home = await temporaryFolder(t);
  const service = await scriptedService(t, () => ({ body: { results: [{ [secret]: 1 }] } }));
  writeFileSync(join(home, 'key.txt'), secret);
  writeStore(home, { a: { baseUrl: service.url, namespace: 'media', key: secret } }, 'a');
  const key = join(home, 'key.txt');
  for (const [flags, env] of [
    ['', { CHANLIST_API_KEY: secret }],
    ['', { CHANLIST_API_KEY: '', CHANLIST_API_KEY_FILE: key }],
    [` --key-file ${key}`, { CHANLIST_API_KEY: 'sk_another_0123' }],
    [' --profile a', { CHANLIST_API_KEY: '', CHANLIST_BASE_URL: '', XDG_CONFIG_HOME: home }],
  ] as const) {
    const { exit, stderr } = await service.run(`latest @a --fields nope${flags}`, { env });
    assert.equal(exit, 0, stderr);
    assert.match(stderr, /nope; the fields are \[key\]\n$/);
  }
});

test('a key that is typed as a reference is in no message, document or summary', async (t) => {
  const home = await temporaryFolder(t);
  writeStore(home, { a: { baseUrl: 'http://127.0.0.1:1', namespace: 'media', key: secret } }, 'a');
  const [refs, summary] = [join(home, 'refs.txt'), join(home, 'summary.json')];
  writeFileSync(refs, secret);
  const list = join(home, 'list.txt');
  writeFileSync(list, `@empty\n${secret}\n`);
  for (const env of [
    { CHANLIST_API_KEY: secret, CHANLIST_BASE_URL: 'http://127.0.0.1:1' },
    { XDG_CONFIG_HOME: home },
  ])
    for (const line of [
      `uploads ${secret} --json`,
      `uploads --from ${refs} --json --summary ${summary}`,
      `resolve --from ${list} --json --sandbox`,
      `uploads --from ${list} --json --sandbox`,
    ]) {
      const { exit, stdout, stderr } = await command(line, { env });
      assert.deepEqual([exit, `${stdout}${stderr}`.includes(secret)], [2, false], line);
      assert.match(stdout, /'\[key\]/, line);
    }
  assert.doesNotMatch(readFileSync(summary, 'utf8'), new RegExp(secret));
});

test('the last four characters; of a short key, none', () => {
  assert.deepEqual(['sk_live_abcd', '12345678', '1234567'].map(lastFour), ['abcd', '5678', '....']);
});
