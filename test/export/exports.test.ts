/** Where exports go. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaultOptions, type RunOptions } from '../../src/cli/options.ts';
import type { Context } from '../../src/context.ts';
import { nameOf, openExports, pathOf } from '../../src/export/exports.ts';
import { resolveTarget } from '../../src/fs/output-target.ts';
import { operations } from '../../src/service/contract.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';

const open = (file: string | null, outputDir: string | null, update: boolean) => {
  const options = { ...defaultOptions, fields: null, outputDir, update } as unknown as RunOptions;
  const target = file === null ? null : resolveTarget(file);
  return openExports(operations.uploads, options, {} as Context, 'ndjson', target);
};
const ofFile = (path: string, update = false) => open(path, null, update);
const ofFolder = (path: string, update = false) => open(null, path, update);
const notMounted = isFailure(2, 'no .chanlist beside it', 'is the disk mounted');

test('one FILE, links followed, or one per ID', async (t) => {
  const folder = await temporaryFolder(t);
  mkdirSync(join(folder, 'data'));
  symlinkSync('data/real.ndjson', join(folder, 'link.ndjson'));
  const file = ofFile(join(folder, 'link.ndjson'));
  assert.equal(file.path.endsWith('/data'), true);
  assert.deepEqual([pathOf(file, 'UCa'), nameOf(file, 'UCa')], [join(folder, 'link.ndjson'), 'real.ndjson']);
  const all = ofFolder(folder);
  assert.deepEqual([pathOf(all, 'UCa'), nameOf(all, 'UCa')], [join(folder, 'UCa.ndjson'), 'UCa.ndjson']);
  assert.equal(ofFile(join(folder, 'x'.repeat(246))).format, 'ndjson');
  assert.throws(() => ofFile(join(folder, 'x'.repeat(247))), isFailure(2, 'is too long'));
});

test('without a .chanlist, an update needs a FILE that is not empty; nothing is created', async (t) => {
  const folder = await temporaryFolder(t);
  writeFileSync(join(folder, 'UCa.ndjson'), '');
  for (const refused of [
    () => ofFolder(join(folder, 'missing'), true),
    () => ofFolder(folder, true),
    () => ofFile(join(folder, 'a'), true),
    () => ofFile(join(folder, 'UCa.ndjson'), true),
  ])
    assert.throws(refused, notMounted);
  writeFileSync(join(folder, 'notes.txt'), 'x');
  assert.throws(() => ofFolder(folder, true), notMounted);
  writeFileSync(join(folder, 'UCb.ndjson'), 'x');
  for (const { folder: none } of [
    ofFolder(folder, true),
    ofFile(join(folder, 'notes.txt'), true),
    ofFolder('new'),
  ])
    assert.equal(none.wasThere, false);
  assert.deepEqual(readdirSync(folder).sort(), ['UCa.ndjson', 'UCb.ndjson', 'notes.txt']);
});
