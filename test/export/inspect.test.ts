/** A new FILE that is complete, but not yet in place: the run died just before the rename. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect, markOf } from '../../src/export/inspect.ts';
import { readRecord, writeRecord } from '../../src/export/record.ts';
import { resolveTarget } from '../../src/fs/output-target.ts';
import { PrivateFolder } from '../../src/fs/private-folder.ts';
import { temporaryFolder } from '../support/temp.ts';
import { finished, progress, record, request, stop } from './files.ts';

const rows = '{"videoId":"v2"}\n{"videoId":"v1"}\n';
const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');
const old = '{"videoId":"v1"}\n';

test('a new FILE is pending if its rows are whole and an update began with this FILE', async (t) => {
  const parent = await temporaryFolder(t);
  const path = join(parent, 'a.ndjson');
  const folder = PrivateFolder.openOrCreate(join(parent, '.chanlist'));
  t.after(() => folder.close());
  const marked = (text: string) => finished({ ...markOf(statSync(path)), digest: '', entries: text.length });
  for (const [at, [isUpdate, left, now, pending]] of (
    [
      [false, rows, old, 'rows'],
      [true, rows, old, 'rows'],
      [true, rows, 'changed', null],
      [false, rows, 'changed', 'rows'],
      [false, rows.slice(1), old, null],
      [false, rows.replace('v2', '\0\0'), old, null],
      [false, null, old, null],
      [true, null, rows, 'file'],
    ] as const
  ).entries()) {
    writeFileSync(path, old);
    const base = marked(old);
    if (now !== old) writeFileSync(path, now === rows ? rows : old.repeat(3));
    if (left === null) folder.remove('a.part');
    else folder.replace('a.part', left);
    const result =
      now === rows ? marked(rows) : finished({ size: rows.length, inode: 0, digest: digestOf(rows) });
    writeRecord(folder, 'a.ndjson', record({ finished: base, progress: progress({ isUpdate, result }) }));
    const snapshot = { target: resolveTarget(path), ...readRecord(folder, 'a.ndjson') };
    const file = await inspect(folder, snapshot, request(), stop);
    assert.equal(file.pending, pending, `case ${at}`);
  }
});

test('a FILE that others have touched is as complete as it was', async (t) => {
  const parent = await temporaryFolder(t);
  const path = join(parent, 'a.ndjson');
  writeFileSync(path, old);
  using folder = PrivateFolder.openOrCreate(join(parent, '.chanlist'));
  for (const isCut of [true, false]) {
    const before = finished({ entries: 1, digest: '', isCut, pageSize: 70 });
    writeRecord(folder, 'a.ndjson', record({ finished: before }));
    const file = await inspect(
      folder,
      { ...readRecord(folder, 'a.ndjson'), target: resolveTarget(path) },
      request(),
      stop,
    );
    const { isCut: isStillCut, pageSize, exported } = file.finished ?? {};
    assert.deepEqual([file.state, isStillCut, pageSize, exported], ['changed', isCut, 70, before.exported]);
  }
});
