import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { leftovers, Rows, readRows } from '../../src/export/rows.ts';
import { resolveTarget } from '../../src/fs/output-target.ts';
import { PrivateFolder } from '../../src/fs/private-folder.ts';
import { temporaryFolder } from '../support/temp.ts';
import { progress, request, stop, timeAt } from './files.ts';

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
  const facts = { entries: 2, isCut: false, pageSize: null, exported: timeAt(0) };
  const { size, entries } = await one.finished(facts, stop);
  assert.deepEqual([size, entries], [5, 2]);
  one.remove();
  assert.deepEqual(folder.names(), [two.name]);
  one.close();
  two.close();
});

test('reopened rows end where their record says', async (t) => {
  const folder = await privateFolder(t);
  const first = created(folder, '{"videoId":"a"}\n');
  first.close();
  const of = (entries: number) => progress({ rows: first.name, bytes: 16, entries });
  appendFileSync(folder.at(first.name), '{"videoId":"not yet');
  const again = Rows.reopen(folder, of(1));
  again.append('{"videoId":"b"}\n');
  assert.equal(textOf(folder, again), '{"videoId":"a"}\n{"videoId":"b"}\n');
  again.close();
});

test('rows that are not what their record says', async (t) => {
  const folder = await privateFolder(t);
  const rows = created(folder, '{"videoId":"a"}\n{"videoId":"b"}\n');
  rows.close();
  const json = request({ format: 'json' });
  const read = async (bytes: number, entries: number) => {
    const of = progress({ rows: rows.name, request: json, bytes, entries });
    const found = await readRows(folder, of, stop);
    return typeof found === 'string' ? found : [...found.ids].join(' ');
  };
  assert.equal(await read(32, 2), 'a b');
  assert.equal(await read(16, 1), 'a');
  const missing = 'the rows of its interrupted run are missing';
  assert.equal(await read(32, 3), missing);
  assert.equal(await read(30, 2), 'the rows of its interrupted run are damaged: line 2 is not a record');
  truncateSync(folder.at(rows.name), 31);
  assert.equal(await read(32, 2), missing);
  folder.remove(rows.name);
  assert.equal(await read(32, 2), missing);
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
    await document.appendElements(rows, stop);
    assert.ok(textOf(folder, document) === `[${lines.join(',')}`);
    for (const each of [rows, document]) each.close();
  }
});

test('appendFile: the bytes of a file from a position on', async (t) => {
  const folder = await privateFolder(t);
  const big = `a,"\n"\n${'b,x\n'.repeat(400_000)}`;
  const cases: readonly [content: string, from: number, appended: string][] = [
    ['', 0, ''],
    ['a,"\n"\n', 6, ''],
    [big, 6, big.slice(6)],
    [big, 0, big],
  ];
  for (const [at, [content, from, appended]] of cases.entries()) {
    const path = join(folder.path, 'file');
    writeFileSync(path, content);
    const rows = created(folder, 'new\n');
    await rows.appendFile(resolveTarget(path), from, stop);
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
