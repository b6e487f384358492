import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { refuseKeyInFiles, watchForKey, watchOutput } from './support/key-watch.ts';
import { noProc } from './support/process-state.ts';
import { temporaryFolder, testKey } from './support/program.ts';

test('every process that gets a key in a test is watched for it', async () => {
  const names = await readdir('test', { recursive: true });
  for (const name of names.filter((each) => each.endsWith('.ts'))) {
    const text = await readFile(join('test', name), 'utf8');
    const givesKey = /\btestKey\b|\bserviceEnvironment\b|CHANLIST_API_KEY: /.test(text);
    if (!givesKey || !/\bspawn\(/.test(text) || name === 'key-watch.test.ts') continue;
    assert.match(
      text,
      /\b(?:watchForKey|watchOutput|ended)\(/,
      `${name} starts processes that nobody watches`,
    );
  }
});

test('a key in a file, or in its name, is found; the store and a key file may contain it', async (t) => {
  const folder = await temporaryFolder(t);
  // Not the key of the other tests: this folder is searched for that one.
  const key = 'sk_another_8d1f0a';
  await mkdir(join(folder, 'deep', 'down'), { recursive: true });
  await writeFile(join(folder, 'deep', 'config.json'), key);
  await writeFile(join(folder, 'key.txt'), key);
  await refuseKeyInFiles(folder, key);
  const journal = join(folder, 'deep', 'down', 'a.ndjson.part.json');
  await writeFile(journal, `\u0000{"authorization":"Bearer ${key}"}`);
  await assert.rejects(refuseKeyInFiles(folder, key), /part\.json/);
  await writeFile(journal, '');
  await writeFile(join(folder, 'deep', `${key}.csv`), '');
  await assert.rejects(refuseKeyInFiles(folder, key), /name of a file/);
});

test('the key in the output of a process is found, in pieces too', () => {
  for (const name of ['stdout', 'stderr'] as const) {
    const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
    watchOutput(streams, testKey);
    const write = (text: string) => streams[name].emit('data', Buffer.from(text));
    write(`${testKey.slice(0, 9)} ${testKey.slice(9)}`);
    write(`x${testKey.slice(0, 9)}`);
    assert.throws(() => write(`${testKey.slice(9)}y`), /the key was shown/);
  }
});

test('a process that carries the key in its command line is found', { skip: noProc }, async () => {
  const start = (word: string) => spawn(process.execPath, ['-e', '', word], { stdio: 'ignore' });
  for (const [word, isFound] of [
    [testKey, true],
    ['another word', false],
  ] as const) {
    const child = start(word);
    const exited = once(child, 'exit');
    if (isFound) assert.throws(() => watchForKey(child, testKey), /the key stands in the process list/);
    else watchForKey(child, testKey);
    await exited;
  }
});
