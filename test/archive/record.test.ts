import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { readRecord, recordedFiles, writeRecord } from '../../src/archive/record.ts';
import { isFailure } from '../support/failures.ts';
import { privateFolder } from '../support/private-folder.ts';
import { record, timeAt } from './files.ts';

const full = record({
  checks: {
    checked: timeAt(0),
    missing: 0,
    feed: { ids: ['a'], known: [] },
    missingIds: { a: { checks: 1, last: timeAt(0) } },
    withoutFeed: timeAt(0),
    failure: { code: 'gone', since: timeAt(0), last: timeAt(0) },
  },
});

test('a record is read as it was written; only its user can read it', async (t) => {
  const folder = await privateFolder(t);
  assert.equal(readRecord(folder, 'a.ndjson'), null);
  for (const each of [record(), full]) {
    writeRecord(folder, 'a.ndjson', each);
    assert.deepEqual(readRecord(folder, 'a.ndjson'), each);
  }
  assert.deepEqual(recordedFiles(folder), ['a.ndjson']);
  assert.equal(statSync(folder.at('a.ndjson.json')).mode & 0o777, 0o600);
});

test('a record that cannot be read, or is of another version, is 1 and names what may be deleted', async (t) => {
  const folder = await privateFolder(t);
  const path = folder.at('a.json');
  const isRefused = (text: string, problem: string, what = text): void => {
    writeFileSync(path, text);
    const failure = isFailure(1, `the record ${path} ${problem}; delete it`);
    assert.throws(() => readRecord(folder, 'a'), failure, what);
  };
  const changed = (change: object): string => JSON.stringify({ version: 4, ...full, ...change });
  const checks = (change: object): string => changed({ checks: { ...full.checks, ...change } });
  for (const name of [
    'reference',
    'aliases',
    'id',
    'size',
    'mtime',
    'checksum',
    'entries',
    'whole',
    'checks',
  ]) {
    isRefused(changed({ [name]: undefined }), 'cannot be read', `without ${name}`);
    isRefused(changed({ [name]: [7.5] }), 'cannot be read', name);
  }
  for (const name of Object.keys(full.checks)) {
    isRefused(checks({ [name]: undefined }), 'cannot be read', `without ${name}`);
    isRefused(checks({ [name]: 7.5 }), 'cannot be read', name);
  }
  const missingIds = { a: { checks: '1', last: timeAt(0) } };
  for (const text of [
    changed({ entries: -1 }),
    checks({ checked: 'yesterday' }),
    checks({ missingIds }),
    changed({ version: '3' }),
  ])
    isRefused(text, 'cannot be read');
  const text = changed({});
  for (const broken of ['', '\0'.repeat(100), '[]', 'null', text.slice(0, -1), `${text}${text}`])
    isRefused(broken, 'cannot be read');
  for (const version of [1, 3, 5]) {
    isRefused(`{"version":${version}}`, `is of version ${version}, not 4`);
    isRefused(changed({ version, more: true }), `is of version ${version}, not 4`);
  }
});
