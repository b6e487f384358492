import assert from 'node:assert/strict';
import fs, { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isHeldOpen, replaceFile } from '../../src/fs/replace-file.ts';
import { replaceFs } from '../support/failing.ts';
import { temporaryFolder } from '../support/program.ts';

const withCode = (code: string): Error => Object.assign(new Error(), { code });

test('only on Windows another program keeps a file from being replaced', () => {
  for (const [platform, code, isHeld] of [
    ['win32', 'EPERM', true],
    ['win32', 'EBUSY', true],
    ['win32', 'EACCES', true],
    ['win32', 'ENOSPC', false],
    ['linux', 'EPERM', false],
    ['darwin', 'EBUSY', false],
  ] as const)
    assert.equal(isHeldOpen(withCode(code), platform), isHeld);
});

test('a program that has the file open for a moment is waited for; a second later it is 1', async (t) => {
  const folder = await temporaryFolder(t);
  const [from, to] = [join(folder, 'new'), join(folder, 'out')];
  writeFileSync(from, 'new');
  const { platform } = process;
  t.after(() => Object.defineProperty(process, 'platform', { value: platform }));
  Object.defineProperty(process, 'platform', { value: 'win32' });
  const { renameSync } = fs;
  let failures = 20;
  replaceFs(t, {
    renameSync: (...paths) => {
      if (failures-- > 0) throw withCode('EPERM');
      renameSync(...paths);
    },
  });
  assert.throws(() => replaceFile(from, to, 'out'), {
    ...{ name: 'Failure', exit: 1, scope: 'reference' },
    message: 'out cannot be replaced: another program has it open, or it is read-only',
  });
  failures = 2;
  replaceFile(from, to, 'out');
  assert.equal(readFileSync(to, 'utf8'), 'new');
});
