import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Rows } from '../../src/export/perform/rows.ts';
import type { PrivateFolder } from '../../src/fs/private-folder.ts';
import { privateFolder } from '../support/private-folder.ts';
import { progress, stop, timeAt } from './files.ts';

const textOf = (folder: PrivateFolder, { name }: Rows): string => readFileSync(folder.at(name), 'utf8');

function created(folder: PrivateFolder, text: string): Rows {
  const rows = Rows.create(folder, 'a.ndjson');
  rows.append(text);
  return rows;
}

test('new rows: text and bytes in order; each file has a name of its own', async (t) => {
  const folder = await privateFolder(t);
  const [one, two] = [created(folder, 'é\n'), created(folder, '')];
  one.append(Buffer.from('b\n'));
  one.append('');
  one.sync();
  assert.deepEqual([textOf(folder, one), one.bytes, textOf(folder, two)], ['é\nb\n', 5, '']);
  assert.notEqual(one.name, two.name);
  const { size, entries } = await one.finished(2, timeAt(0), stop);
  assert.deepEqual([size, entries], [5, 2]);
  one.remove();
  assert.deepEqual(folder.names().sort(), ['.gitignore', two.name].sort());
  one[Symbol.dispose]();
  two[Symbol.dispose]();
});

test('reopened rows end where their record says', async (t) => {
  const folder = await privateFolder(t);
  const first = created(folder, '{"videoId":"a"}\n');
  first[Symbol.dispose]();
  const of = (entries: number) => progress({ rows: first.name, bytes: 16, entries });
  appendFileSync(folder.at(first.name), '{"videoId":"not yet');
  const again = Rows.reopen(folder, of(1));
  again.append('{"videoId":"b"}\n');
  assert.equal(textOf(folder, again), '{"videoId":"a"}\n{"videoId":"b"}\n');
  again[Symbol.dispose]();
});
