import assert from 'node:assert/strict';
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolders } from '../../src/fs/files.ts';
import { noProc } from '../support/process-state.ts';
import { temporaryFolder } from '../support/program.ts';

test('missing folders are created with the mode', async (t) => {
  const folder = await temporaryFolder(t);
  for (const _ of ['new', 'there']) makeFolders(join(folder, 'a', 'b', 'c'), 0o700);
  for (const name of ['a', 'a/b', 'a/b/c'])
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o700, name);
  symlinkSync('a', join(folder, 'link'));
  makeFolders(join(folder, 'link', 'd'));
  writeFileSync(join(folder, 'file'), '');
  assert.throws(() => makeFolders(join(folder, 'file', 'below')), { code: 'ENOTDIR' });
});

test('a folder in which nothing can be created is an error', { skip: noProc }, () => {
  assert.throws(() => makeFolders('/proc/x/y'), { code: 'ENOENT' });
});
