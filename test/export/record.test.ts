import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  noRecord,
  readRecord,
  recordedFile,
  recordName,
  stampOf,
  writeRecord,
} from '../../src/export/record/export-record.ts';
import { privateFolder } from '../support/private-folder.ts';
import { finished, progress, record, timeAt } from './files.ts';

const full = record({
  references: { '@a': timeAt(0) },
  progress: progress({
    fileAtStart: { size: 0, mtime: 0, inode: 1 },
    olderBytes: 0,
    info: '{}',
    published: { v: 'd' },
    isLoop: true,
    newFile: finished(),
  }),
  finished: finished(),
  checked: timeAt(0),
  changed: timeAt(0),
  missing: 0,
  feed: { ids: ['a'], known: [] },
  missingIds: { a: { checks: 1, last: timeAt(0) } },
  withoutFeed: timeAt(0),
  failure: { code: 'gone', since: timeAt(0) },
});

test('a record is read as it was written; only its user can read it', async (t) => {
  const folder = await privateFolder(t);
  assert.equal(readRecord(folder, 'a.ndjson'), noRecord);
  const stamps = new Set(['']);
  for (const each of [record(), full, record()]) {
    writeRecord(folder, 'a.ndjson', each);
    const { record: read, unusable, stamp } = readRecord(folder, 'a.ndjson');
    assert.deepEqual([read, unusable, stampOf(folder, 'a.ndjson')], [each, null, stamp]);
    stamps.add(stamp);
  }
  assert.equal(stamps.size, 4);
  assert.deepEqual(readdirSync(folder.path).sort(), ['.gitignore', 'a.ndjson.json']);
  assert.equal(statSync(join(folder.path, 'a.ndjson.json')).mode & 0o777, 0o600);
});

test('names: one record per FILE', () => {
  assert.deepEqual([recordName('a.csv'), recordedFile('a.csv.json')], ['a.csv.json', 'a.csv']);
  assert.deepEqual([recordedFile('a.csv.part'), recordedFile('.gitignore')], [null, null]);
});

test('anything else than a whole record is damaged; a newer version is refused', async (t) => {
  const folder = await privateFolder(t);
  const path = join(folder.path, 'a.json');
  const read = (text: string) => {
    writeFileSync(path, text, { mode: 0o600 });
    const { record: found, unusable } = readRecord(folder, 'a');
    return unusable ?? found;
  };
  const changed = (change: object): string => JSON.stringify({ ...full, ...change });
  assert.deepEqual(read(changed({})), full);
  for (const [name, value] of Object.entries(full)) {
    assert.equal(read(changed({ [name]: undefined })), 'damaged', `without ${name}`);
    if (value !== 2) assert.equal(read(changed({ [name]: 7.5 })), 'damaged', name);
  }
  for (const name of Object.keys(full.progress ?? {}))
    assert.equal(read(changed({ progress: { ...full.progress, [name]: undefined } })), 'damaged', name);
  for (const change of [
    { version: '2' },
    { progress: progress({ rows: '../victim' }) },
    { progress: progress({ rows: 'a.ndjson.json' }) },
    { progress: progress({ olderBytes: -1 }) },
    { checked: 'yesterday' },
    { finished: finished({ entries: -1 }) },
    { progress: progress({ bytes: Number.NaN }) },
    { feed: { ids: [1], known: [] } },
  ])
    assert.equal(read(changed(change)), 'damaged', JSON.stringify(change));
  const text = changed({});
  for (const broken of ['', '\0'.repeat(100), '[]', 'null', text.slice(0, -1), `${text}${text}`])
    assert.equal(read(broken), 'damaged', broken.slice(0, 20));
  for (const older of ['{"version":1}', changed({ version: 0 })])
    assert.equal(read(older), 'of an older version');
  for (const newer of ['{"version":3}', changed({ version: 4, more: true })])
    assert.throws(() => read(newer), { code: 'usage', exit: 2, message: /newer version/ });
});
