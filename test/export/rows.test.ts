import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { leftovers, Rows } from '../../src/export/rows.ts';
import { PrivateFolder } from '../../src/fs/private-folder.ts';
import { temporaryFolder } from '../support/temp.ts';
import { progress } from './files.ts';

async function privateFolder(t: TestContext): Promise<PrivateFolder> {
  const path = join(await temporaryFolder(t), '.chanlist');
  mkdirSync(path, { mode: 0o700 });
  const folder = PrivateFolder.openOrCreate(path);
  t.after(() => folder.close());
  return folder;
}

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
  one.finished();
  one.remove();
  assert.deepEqual(folder.names(), [two.name]);
  one.close();
  two.close();
});

test('reopened rows end where their record says', async (t) => {
  const folder = await privateFolder(t);
  const first = created(folder, '{"videoId":"a"}\n');
  first.close();
  const of = progress({ rows: first.name, bytes: first.bytes });
  appendFileSync(folder.at(first.name), '{"videoId":"not yet');
  const again = Rows.reopen(folder, of);
  assert.ok(again);
  again.append('{"videoId":"b"}\n');
  assert.equal(textOf(folder, again), '{"videoId":"a"}\n{"videoId":"b"}\n');
  assert.deepEqual([...(await again.contents('json', null)).ids], ['a', 'b']);
  again.close();
  truncateSync(folder.at(first.name), of.bytes - 1);
  assert.equal(Rows.reopen(folder, of), null);
  folder.remove(first.name);
  assert.equal(Rows.reopen(folder, of), null);
});

test('appendElements: lines become the elements of an array, also across chunks', async (t) => {
  const folder = await privateFolder(t);
  const long = 'x'.repeat(1024 * 1024);
  for (const lines of [
    [],
    ['{"a":"\\n"}'],
    ['{}', '{}'],
    [long, '{}', long, long],
    [long.slice(0, -1), '{}'],
  ]) {
    const rows = created(folder, lines.map((line) => `${line}\n`).join(''));
    const document = created(folder, '[');
    document.appendElements(rows);
    assert.ok(textOf(folder, document) === `[${lines.join(',')}`);
    for (const each of [rows, document]) each.close();
  }
});

test('appendFile: the bytes of a file, without the header of csv', async (t) => {
  const folder = await privateFolder(t);
  const big = `a,"\n"\n${'b,x\n'.repeat(400_000)}`;
  const longHeader = `a,"${'\n'.repeat(1_500_000)}"\nb,x\n`;
  const cases: readonly [content: string, skipHeader: boolean, appended: string][] = [
    ['', true, ''],
    ['a,"\n"\n', true, ''],
    [big, true, big.slice(6)],
    [big, false, big],
    [longHeader, true, 'b,x\n'],
  ];
  for (const [at, [content, skipHeader, appended]] of cases.entries()) {
    const path = folder.at('file');
    writeFileSync(path, content);
    const rows = created(folder, 'new\n');
    await rows.appendFile(path, skipHeader);
    assert.ok(textOf(folder, rows) === `new\n${appended}`, `case ${at}`);
    rows.close();
  }
});

test('leftovers: rows of this FILE that its record does not name', async (t) => {
  const folder = await privateFolder(t);
  const [one, two] = [created(folder, ''), created(folder, '')];
  const other = Rows.create(folder, 'a.ndjson.b');
  for (const rows of [one, two, other]) rows.close();
  const names = [...folder.names(), 'a.ndjson.json', '.gitignore'];
  assert.deepEqual(leftovers(names, 'a.ndjson', progress({ rows: one.name })), [two.name]);
  assert.deepEqual(leftovers(names, 'a.ndjson', null).sort(), [one.name, two.name].sort());
});
