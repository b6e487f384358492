/** What is on disk of one export: FILE, its record and the rows of an interrupted run. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type ExportFile, inspect } from '../../src/export/inspect/inspect-export.ts';
import { type ExportRecord, readRecord, writeRecord } from '../../src/export/record/export-record.ts';
import { markOf, resolveTarget } from '../../src/fs/output-target.ts';
import type { PrivateFolder } from '../../src/fs/private-folder.ts';
import { privateFolder } from '../support/private-folder.ts';
import { finished, progress, record, request, rows, stop } from './files.ts';

const two = '{"videoId":"v2"}\n{"videoId":"v1"}\n';
const one = '{"videoId":"v1"}\n';
const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');

interface Disk {
  /** Writes FILE, and returns its mark. */
  write(text: string): { size: number; mtime: number; inode: number };
  folder: PrivateFolder;
  look(of: Partial<ExportRecord>, readAll?: boolean): Promise<ExportFile>;
}

async function disk(t: TestContext): Promise<Disk> {
  const folder = await privateFolder(t);
  const path = join(folder.path, '..', 'a.ndjson');
  return {
    folder,
    write(text) {
      writeFileSync(path, text);
      return markOf(statSync(path));
    },
    look(of, readAll = false) {
      writeRecord(folder, 'a.ndjson', record(of));
      const snapshot = { target: resolveTarget(path), ...readRecord(folder, 'a.ndjson') };
      return inspect(folder, snapshot, { stop, readAll });
    },
  };
}

test('an archive beside its record', async (t) => {
  const { write, look } = await disk(t);
  const before = finished({ ...write(two), digest: digestOf(two), entries: 2 });
  const at = before.mtime / 1000;
  const state = async (text: string, readAll = false) => {
    write(text);
    return (await look({ finished: before }, readAll)).state;
  };
  assert.equal((await look({ finished: before })).state, 'recorded');
  assert.equal((await look({ finished: null })).state, 'unrecorded');
  assert.equal(await state(`{"videoId":"v3"}\n${two}`), 'changed');
  assert.equal(await state(one), 'lost');
  assert.equal(await state(`${two}x\n`), 'damaged');
  assert.equal(await state(''), 'lost');
  // Bytes that rotted under the size and the time that are recorded show when they are read.
  const { target } = await look({ finished: before });
  write(two.replace('"}', '\0}'));
  utimesSync(target.path, at, at);
  const rotten = { ...before, ...markOf(statSync(target.path)) };
  assert.equal((await look({ finished: rotten })).state, 'recorded');
  assert.equal((await look({ finished: rotten }, true)).state, 'damaged');
});

test('a view is as it was written, or changed by others; its lines are not read', async (t) => {
  const { write, look } = await disk(t);
  const csv = { request: request({ format: 'csv' }) };
  write('videoId\nv1\n');
  const before = finished({ size: 11, mtime: 1, digest: digestOf('videoId\nv1\n') });
  assert.equal((await look({ ...csv, finished: before })).state, 'recorded');
  const changed = { ...before, ...write('videoId\nv2\n') };
  assert.equal((await look({ ...csv, finished: changed })).state, 'recorded');
  assert.equal((await look({ ...csv, finished: changed }, true)).state, 'changed');
  assert.equal((await look({ ...csv, finished: before })).state, 'changed');
});

test('rows of an interrupted run: whole, damaged, not as recorded, or missing', async (t) => {
  const { folder, look } = await disk(t);
  const of = { rows, bytes: two.length, entries: 2 };
  const damage = async (text: string, facts = {}) => {
    folder.replace(rows, text);
    return (await look({ progress: progress({ ...of, ...facts }) })).rowsDamage;
  };
  assert.equal(await damage(two), null);
  assert.equal(await damage(`${two}{"videoId":"not yet`), null);
  assert.deepEqual([...(await look({ progress: progress(of) })).rowIds], ['v2', 'v1']);
  const notAsRecorded = 'the rows of its interrupted run are not as recorded';
  assert.equal(await damage(two, { entries: 3 }), notAsRecorded);
  assert.equal(await damage(two.slice(1)), notAsRecorded);
  assert.equal(
    await damage(two.replace('v1', '\0\0')),
    'the rows of its interrupted run are damaged: line 2 is not a JSON record',
  );
  folder.remove(rows);
  assert.equal(
    (await look({ progress: progress(of) })).rowsDamage,
    'the rows of its interrupted run are missing',
  );
});

test('only of a run over a FILE with all of its entries do removed rows mean that it was given up', async (t) => {
  const { write, look } = await disk(t);
  const before = finished({ ...write(two), mtime: 0 });
  for (const [entries, isGivenUp] of [
    [2, true],
    [3, false],
  ] as const) {
    const file = await look({ finished: { ...before, entries }, progress: progress({ kind: 'update' }) });
    assert.deepEqual([file.progress === null, file.rowsDamage === null], [isGivenUp, isGivenUp]);
  }
});

test('a new FILE that is in place is recognized, also in a copied folder', async (t) => {
  const { write, look } = await disk(t);
  const mark = write(two);
  for (const [result, isInPlace] of [
    [{ ...mark, digest: '' }, true],
    [{ ...mark, inode: 0, mtime: 0, digest: digestOf(two) }, true],
    [{ ...mark, inode: 0, digest: digestOf(one) }, false],
    [{ ...mark, size: 1, digest: '' }, false],
  ] as const) {
    const file = await look({ progress: progress({ newFile: finished(result) }) });
    assert.equal(file.isInPlace, isInPlace);
  }
});
