/** Where exports go, and when a folder is created for them. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { destinationOf, openDestination, targetOf } from '../../src/export/destination.ts';
import { resolveTarget } from '../../src/fs/output-target.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';

const ofFile = (path: string) => destinationOf(null, 'ndjson', resolveTarget(path));
const ofFolder = (path: string) => destinationOf(path, 'ndjson', null);
const notMounted = isFailure(2, 'no .chanlist beside it', 'is the disk mounted');

test('one FILE, links followed, or one per ID', async (t) => {
  const folder = await temporaryFolder(t);
  mkdirSync(join(folder, 'data'));
  symlinkSync('data/real.ndjson', join(folder, 'link.ndjson'));
  const file = ofFile(join(folder, 'link.ndjson'));
  assert.equal(file.folder.endsWith('/data'), true);
  assert.equal(targetOf(file, 'UCa').path, join(folder, 'link.ndjson'));
  assert.equal(targetOf(ofFolder(folder), 'UCa').path, join(folder, 'UCa.ndjson'));
  mkdirSync(join(folder, 'UCb.ndjson'));
  assert.throws(() => targetOf(ofFolder(folder), 'UCb'), isFailure(2, 'is a folder'));
  assert.equal(ofFile(join(folder, 'x'.repeat(246))).format, 'ndjson');
  assert.throws(() => ofFile(join(folder, 'x'.repeat(247))), isFailure(2, 'is too long'));
});

test('an export creates the folder and its .chanlist', async (t) => {
  const path = join(await temporaryFolder(t), 'new', 'exports');
  assert.equal(openDestination(ofFolder(path), false)?.created, true);
  assert.deepEqual(readdirSync(path), ['.chanlist']);
  assert.equal(openDestination(ofFolder(path), true)?.created, false);
  assert.equal(openDestination(ofFile(join(path, 'a')), true)?.created, false);
});

test('an update creates nothing: without a .chanlist there must be a FILE', async (t) => {
  const folder = await temporaryFolder(t);
  const missing = join(folder, 'missing');
  for (const destination of [ofFolder(missing), ofFolder(folder), ofFile(join(folder, 'a'))])
    assert.throws(() => openDestination(destination, true), notMounted);
  writeFileSync(join(folder, 'notes.txt'), 'x');
  assert.throws(() => openDestination(ofFolder(folder), true), notMounted);
  writeFileSync(join(folder, 'UCa.ndjson'), '');
  assert.equal(openDestination(ofFolder(folder), true), null);
  assert.equal(openDestination(ofFile(join(folder, 'notes.txt')), true), null);
  assert.deepEqual(readdirSync(folder).sort(), ['UCa.ndjson', 'notes.txt']);
});
