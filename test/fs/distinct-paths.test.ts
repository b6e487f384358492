import assert from 'node:assert/strict';
import {
  chmodSync,
  lchownSync,
  linkSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertDistinctPaths, resolveTarget } from '../../src/fs/output-target.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';
import { nobody, notRoot } from '../support/users.ts';

const input = (flag: string, path: string) => ({ flag, path, isOutput: false });
const output = (flag: string, path: string) => ({ flag, path, isOutput: true });

test('no output is an input or another output, also through links; two inputs may be the same', async (t) => {
  const folder = realpathSync(await temporaryFolder(t));
  const at = (...names: string[]): string => join(folder, ...names);
  writeFileSync(at('refs'), '');
  linkSync(at('refs'), at('hard'));
  symlinkSync('refs', at('soft'));
  symlinkSync('.', at('here'));
  for (const one of ['refs', 'hard', 'soft', 'here/refs']) {
    for (const other of ['refs', 'hard', 'soft']) {
      for (const file of [input('--from', at(other)), output('--seen', at(other))]) {
        const both = isFailure(2, '--summary', file.flag, 'are the same file');
        assert.throws(() => assertDistinctPaths([output('--summary', at(one)), file]), both);
        assert.throws(() => assertDistinctPaths([file, output('--summary', at(one))]), both);
      }
    }
  }
  symlinkSync('new', at('dangling'));
  for (const other of [at('here', 'new'), at('dangling')]) {
    for (const one of [output('-o', at('new')), { ...output('-o', ''), target: resolveTarget(at('new')) }])
      assert.throws(
        () => assertDistinctPaths([one, output('--summary', other)]),
        isFailure(2, '-o', '--summary'),
      );
  }
  assertDistinctPaths([
    output('-o', at('new')),
    output('--summary', at('new.json')),
    output('--seen', '/dev/null'),
    output('--seen', '/dev/null'),
    input('--from', at('refs')),
    input('--key-file', at('soft')),
    input('--from', '-'),
    input('--from', at('missing', 'refs')),
  ]);
});

test("an output below another user's link in a folder that others can write is refused; an input is not", {
  skip: notRoot,
}, async (t) => {
  const folder = realpathSync(await temporaryFolder(t));
  mkdirSync(join(folder, 'open'));
  mkdirSync(join(folder, 'victim'));
  symlinkSync('../victim', join(folder, 'open', 'link'));
  lchownSync(join(folder, 'open', 'link'), nobody, nobody);
  chmodSync(join(folder, 'open'), 0o777);
  for (const path of ['link', 'link/new', 'link/new/deep'])
    for (const flag of ['--output-dir', '--summary', '-o', '--seen'])
      assert.throws(
        () => assertDistinctPaths([output(flag, join(folder, 'open', path))]),
        isFailure(2, join(folder, 'open', path), `is a symbolic link of user ${nobody}`),
      );
  assertDistinctPaths([input('--from', join(folder, 'open', 'link', 'refs'))]);
});

test("nothing lies in a folder of the program's own", async (t) => {
  const folder = await temporaryFolder(t);
  mkdirSync(join(folder, '.chanlist'));
  writeFileSync(join(folder, '.chanlist/a.json'), '');
  symlinkSync('.chanlist', join(folder, 'link'));
  for (const path of ['.chanlist/a.json', '.chanlist/new', 'link/a.json', '.chanlist', '.chanlist/']) {
    for (const file of [input('FILE', join(folder, path)), output('-o', join(folder, path))])
      assert.throws(() => assertDistinctPaths([file]), isFailure(2, file.flag, "chanlist's own"), path);
  }
  assertDistinctPaths([
    output('-o', join(folder, '.chanlist.ndjson')),
    output('--seen', join(folder, 'x.chanlist')),
  ]);
});
