import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { refuseKeyInFiles } from './support/key-watch.ts';
import { temporaryFolder, testKey } from './support/program.ts';

test('every process that a test gives a key to is watched for it', async () => {
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

test('a key in a file, or in its name, is found; the store and a key file may hold it', async (t) => {
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

test('a process that shows the key, in pieces too, or carries it in its command line, is found', async () => {
  const found = async (code: string, ...args: string[]): Promise<string> => {
    // In a process of its own: what it finds ends it.
    const watcher = `
      import { spawn } from 'node:child_process';
      import { readFileSync } from 'node:fs';
      const { watch, code, args, key } = JSON.parse(readFileSync(0, 'utf8'));
      const { watchForKey } = await import(watch);
      watchForKey(spawn(process.execPath, ['-e', code, ...args]), key);`;
    const { build } = await import('esbuild');
    const { outputFiles } = await build({
      entryPoints: ['test/support/key-watch.ts'],
      bundle: true,
      platform: 'node',
      format: 'esm',
      write: false,
    });
    const watch = `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', watcher]);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    child.stdin.end(JSON.stringify({ watch, code, args, key: testKey }));
    await once(child, 'close');
    return said;
  };
  const half = testKey.slice(0, 9);
  const rest = testKey.slice(9);
  const inPieces = `process.stderr.write('x${half}'); setTimeout(() => process.stderr.write('${rest}y'), 100);`;
  assert.match(await found(inPieces), /the key was shown/);
  assert.match(await found('setTimeout(() => {}, 500)', testKey), /the key stands in the process list/);
  assert.equal(await found(`process.stdout.write('${half} ${rest}')`), '');
});
