import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../support/program.ts';
import { missing } from '../support/shell.ts';

/** The words of a picture with their looks, without what differs from run to run: port and month. */
async function wordsOf(path: string): Promise<string> {
  const svg = await readFile(path, 'utf8');
  const words = [...svg.matchAll(/<text [^>]*?((?: (?:class|style)="[^"]*")*)>([^<]*)</g)];
  return words
    .map(([, look, word]) => `${word}${look}`)
    .join('\n')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/\b\d{4}-\d\d(?![\d-])/g, 'MONTH');
}

test('the pictures of the README show what the program prints, in its colours', {
  skip: missing('tmux', 'jq'),
}, async (t) => {
  const folder = await temporaryFolder(t);
  await promisify(execFile)(process.execPath, ['scripts/pictures.mjs', folder]);
  const names = ['jq.svg', 'resume.svg', 'table.svg'];
  assert.deepEqual((await readdir('docs/pictures')).sort(), names);
  for (const name of names) {
    const shown = await wordsOf(join('docs/pictures', name));
    assert.match(shown, /style="fill:#/);
    assert.equal(shown, await wordsOf(join(folder, name)), `${name}: run node scripts/pictures.mjs`);
  }
});
