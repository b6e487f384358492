import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

test('every test that docs/failures.md names is there', () => {
  const sources = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(join('test', name), 'utf8'))
    .join('\n');
  const rows = readFileSync('docs/failures.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:failure|mistake) \|/.test(line));
  assert.ok(rows.length > 40);
  for (const row of rows) {
    const name = row.split(' | ').at(-1)?.replace(/ \|$/, '') ?? '';
    assert.ok(sources.includes(`'${name}'`), `no test is called '${name}'`);
  }
});
