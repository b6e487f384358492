import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { failureTests } from './failures.ts';
import { documentText } from './support/documents.ts';

test('every row of docs/failures.md has a test', async () => {
  const lines = (await documentText('docs/failures.md')).split('\n');
  const rows = lines.filter((line) => line.startsWith('| ') && !/^\| (?:failure|mistake) \|/.test(line));
  assert.deepEqual(rows.map((row) => row.slice(2).split(' | ')[0]).sort(), Object.keys(failureTests).sort());
});

test('every test that a row names is there', async () => {
  const names = await readdir('test', { recursive: true });
  const files = names.filter((name) => name.endsWith('.test.ts'));
  const sources = (await Promise.all(files.map((name) => readFile(join('test', name), 'utf8')))).join('\n');
  const literals = sources.replaceAll(/\$\{[^}]*\}/g, '…');
  const absent = Object.values(failureTests).filter(
    (name) => !["'", '"', '`'].some((quote) => literals.includes(`${quote}${name}${quote}`)),
  );
  assert.deepEqual(absent, []);
});
