/** Where exports go, and what is known of them. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { openDestination, ReferenceIndex, targetOf } from '../../src/export/destination.ts';
import { writeRecord } from '../../src/export/record.ts';
import { RunFile } from '../../src/export/run-file.ts';
import { resolveTarget } from '../../src/fs/output-target.ts';
import { recordName } from '../../src/fs/private-folder.ts';
import { parseReference } from '../../src/service/parse-reference.ts';
import { isFailure } from '../support/failures.ts';
import { privateFolder } from '../support/private-folder.ts';
import { temporaryFolder } from '../support/program.ts';
import { header, record, request } from './files.ts';

const ofFile = (path: string, isUpdate = false) =>
  openDestination(null, 'ndjson', resolveTarget(path), isUpdate);
const ofFolder = (path: string, isUpdate = false) => openDestination(path, 'ndjson', null, isUpdate);
const notMounted = isFailure(2, 'no .chanlist beside it', 'is the disk mounted');

test('one FILE, links followed, or one per ID', async (t) => {
  const folder = await temporaryFolder(t);
  mkdirSync(join(folder, 'data'));
  symlinkSync('data/real.ndjson', join(folder, 'link.ndjson'));
  const file = ofFile(join(folder, 'link.ndjson'));
  assert.equal(file.path.endsWith('/data'), true);
  assert.equal(targetOf(file, 'UCa').path, join(folder, 'link.ndjson'));
  assert.equal(targetOf(ofFolder(folder), 'UCa').path, join(folder, 'UCa.ndjson'));
  mkdirSync(join(folder, 'UCb.ndjson'));
  assert.throws(() => targetOf(ofFolder(folder), 'UCb'), isFailure(2, 'is a folder'));
  assert.equal(ofFile(join(folder, 'x'.repeat(246))).format, 'ndjson');
  assert.throws(() => ofFile(join(folder, 'x'.repeat(247))), isFailure(2, 'is too long'));
});

test('without a .chanlist, an update needs a FILE; nothing is created', async (t) => {
  const folder = await temporaryFolder(t);
  assert.throws(() => ofFolder(join(folder, 'missing'), true), notMounted);
  assert.throws(() => ofFolder(folder, true), notMounted);
  assert.throws(() => ofFile(join(folder, 'a'), true), notMounted);
  writeFileSync(join(folder, 'notes.txt'), 'x');
  assert.throws(() => ofFolder(folder, true), notMounted);
  writeFileSync(join(folder, 'UCa.ndjson'), '');
  for (const { folder: none } of [
    ofFolder(folder, true),
    ofFile(join(folder, 'notes.txt'), true),
    ofFolder('new'),
  ])
    assert.equal(none.wasThere, false);
  assert.deepEqual(readdirSync(folder).sort(), ['UCa.ndjson', 'notes.txt']);
});

test('the ID that an archive or an interrupted run has; what cannot be read stops its own export only', async (t) => {
  const folder = await privateFolder(t);
  writeRecord(folder, 'a', record({ reference: 'https://example.com/@Ann/videos', id: 'UCa' }));
  writeRecord(folder, 'list', record({ reference: 'PLx', id: 'PLx' }));
  folder.replace(recordName('broken'), 'x');
  {
    using run = RunFile.create(folder, 'b', header({ reference: '@b', request: request({ id: 'UCb' }) }));
    run.addPage(
      '{"videoId":"v"}\n',
      { token: 't', hasMore: true, entries: 1, pages: 1, total: null },
      [],
      null,
    );
  }
  folder.replace('other.run', '#{"version":2}\n');
  const index = new ReferenceIndex('channel', ofFolder(dirname(folder.path)));
  const knownId = (reference: string): string | null => index.knownId(parseReference(reference, 'channel'));
  assert.deepEqual(['@Ann', '@ann', '@b', '@c', 'UCother'].map(knownId), [
    'UCa',
    null,
    'UCb',
    null,
    'UCother',
  ]);
  assert.deepEqual([...index.interrupted], ['b']);
  assert.deepEqual([...index.records.keys()].sort(), ['a', 'list']);
  const own = new ReferenceIndex('channel', ofFile(join(dirname(folder.path), 'a')));
  assert.deepEqual([...own.records.keys()], ['a']);
});
