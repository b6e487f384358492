import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stampOf } from '../../src/archive/record.ts';
import { assertUnchanged } from '../../src/export/updated-file.ts';
import { resolveTarget } from '../../src/fs/output-target.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';

test('FILE is replaced only if it is what the run found', async (t) => {
  const path = join(await temporaryFolder(t), 'out');
  const hint = 'move it away';
  const isKept = (what: string) => isFailure(1, `${path} ${what}; it was not replaced; `);
  const shell = (script: string) => () => execFileSync('sh', ['-c', script, path]);
  for (const [change, what] of [
    [() => {}, null],
    [() => utimesSync(path, 1, 1), 'changed'],
    [() => writeFileSync(path, 'other'), 'changed'],
    [shell('rm "$0"'), 'removed'],
    [shell('mv "$0" "$0.old" && ln -s out.old "$0"'), 'changed'],
    [shell('rm "$0" && mkdir "$0"'), 'changed'],
    [shell('rm "$0" && mkfifo "$0"'), 'changed'],
  ] as const) {
    rmSync(path, { recursive: true, force: true });
    writeFileSync(path, 'old');
    const target = resolveTarget(path);
    assert.ok(target.stats);
    const stamp = stampOf(target.stats);
    change();
    if (what === null) assertUnchanged(target, stamp, hint);
    else assert.throws(() => assertUnchanged(target, stamp, hint), isKept(`was ${what} during this run`));
  }
  // A run that began without a FILE, or with an empty one.
  rmSync(path);
  const target = resolveTarget(path);
  assertUnchanged(target, null, hint);
  writeFileSync(path, '');
  assertUnchanged(target, null, hint);
  writeFileSync(path, 'new');
  assert.throws(() => assertUnchanged(target, null, hint), isKept('appeared since this export began'));
});
