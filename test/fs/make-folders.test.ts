import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolders } from '../../src/fs/make-folders.ts';
import { noProc } from '../support/process-state.ts';

test('missing folders are created with the mode; the first of them is returned', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'make-folders-'));
  t.after(() => rmSync(folder, { recursive: true }));
  assert.equal(makeFolders(join(folder, 'a', 'b', 'c'), 0o700), join(folder, 'a'));
  for (const name of ['a', 'a/b', 'a/b/c'])
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o700, name);
  assert.equal(makeFolders(join(folder, 'a', 'd')), join(folder, 'a', 'd'));
  assert.equal(makeFolders(join(folder, 'a', 'd')), null);
  symlinkSync('a', join(folder, 'link'));
  assert.equal(makeFolders(join(folder, 'link')), null);
  writeFileSync(join(folder, 'file'), '');
  assert.throws(() => makeFolders(join(folder, 'file')), { code: 'EEXIST' });
  assert.throws(() => makeFolders(join(folder, 'file', 'below')), { code: 'ENOTDIR' });
});

test('a folder in which nothing can be created: an error, not an endless attempt', { skip: noProc }, () => {
  assert.throws(() => makeFolders('/proc/x/y'), { code: 'ENOENT' });
});
