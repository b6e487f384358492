import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertUnchanged } from '../../src/archive/assert-unchanged.ts';
import { stampOf } from '../../src/archive/record.ts';
import { resolveTarget } from '../../src/fs/output-target.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';

test('FILE is replaced only if it is what the run found', async (t) => {
  const path = join(await temporaryFolder(t), 'out');
  const hint = 'move it away';
  const isKept = (what: string) =>
    isFailure(1, `${path} ${what} during this run; it was not replaced; move it away`);
  const shell = (script: string) => () => execFileSync('sh', ['-c', script, path]);
  for (const [change, isExpected] of [
    [() => {}, true],
    [() => utimesSync(path, 1, 1), false],
    [() => writeFileSync(path, 'other'), false],
    [shell('rm "$0"'), false],
    [shell('mv "$0" "$0.old" && ln -s out.old "$0"'), false],
    [shell('rm "$0" && mkdir "$0"'), false],
    [shell('rm "$0" && mkfifo "$0"'), false],
  ] as const) {
    rmSync(path, { recursive: true, force: true });
    writeFileSync(path, 'old');
    const target = resolveTarget(path);
    assert.ok(target.stats);
    const stamp = stampOf(target.stats);
    change();
    if (isExpected) assertUnchanged(target, stamp, hint);
    else assert.throws(() => assertUnchanged(target, stamp, hint), isKept('was changed or removed'));
  }
  // A run that began without a FILE, or with an empty one.
  rmSync(path);
  const target = resolveTarget(path);
  assertUnchanged(target, null, hint);
  writeFileSync(path, '');
  assertUnchanged(target, null, hint);
  writeFileSync(path, 'new');
  assert.throws(() => assertUnchanged(target, null, hint), isKept('appeared'));
});
