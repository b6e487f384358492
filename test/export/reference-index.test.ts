/** Which ID a reference has, from the records and interrupted runs of a folder. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeRecord } from '../../src/export/record.ts';
import { ReferenceIndex } from '../../src/export/reference-index.ts';
import { RunFile } from '../../src/export/run-file.ts';
import { recordName } from '../../src/fs/private-folder.ts';
import { parseReference } from '../../src/service/parse-reference.ts';
import { isFailure } from '../support/failures.ts';
import { privateFolder } from '../support/private-folder.ts';
import { header, record, request } from './files.ts';

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
  const files = ['a', 'list', 'broken', 'b', 'other', 'none'];
  const index = new ReferenceIndex('channel', folder, files);
  const knownId = (reference: string): string | null => index.knownId(parseReference(reference, 'channel'));
  assert.deepEqual(['@Ann', '@ann', '@b', '@c', 'UCother'].map(knownId), [
    'UCa',
    null,
    'UCb',
    null,
    'UCother',
  ]);
  assert.deepEqual(
    files.filter((file) => index.isInterrupted(file)),
    ['b'],
  );
  assert.equal(index.recordOf('a')?.id, 'UCa');
  for (const file of ['b', 'other', 'none']) assert.equal(index.recordOf(file), null);
  assert.throws(() => index.recordOf('broken'), isFailure(1, 'broken.json cannot be read'));
});

test('without a folder nothing is known', () => {
  const index = new ReferenceIndex('channel', null, ['a']);
  assert.deepEqual(
    [index.recordOf('a'), index.isInterrupted('a'), index.knownId({ id: null, value: '@a' })],
    [null, false, null],
  );
});
