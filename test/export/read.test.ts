/** The one reader of exports: entries, IDs and damage, in each format. */
import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chunksOf, type ReadOptions } from '../../src/export/read.ts';
import { reader } from './opened.ts';

const csv = { format: 'csv' } as const;
const id = { format: 'id' } as const;
const json = { format: 'json' } as const;
/** Longer than what is read at once. */
const long = 'x'.repeat(3_000_000);

const row = (videoId: string, more = ''): string => `{"videoId":"${videoId}","title":"t"${more}}\n`;

test('entries and IDs', async (t) => {
  const read = await reader(t);
  const cases: readonly [content: string, options: Partial<ReadOptions>, entries: number, ids: string][] = [
    ['', {}, 0, ''],
    ['', csv, 0, ''],
    ['', id, 0, ''],
    [row('a') + row('b'), {}, 2, 'a b'],
    [`${row('a')}{"videoId":"b"}`, {}, 2, 'a b'],
    ['{"title":"videoId","videoId":"a"}\n{}\n{"videoId":null}\n', {}, 3, 'a'],
    ['{"videoId":"\\u0061"}\n{"videoId":""}\n{"videoId":1}\n', {}, 3, 'a'],
    [`${row('a')}\n${row('b')}`.replaceAll('\n', '\r\n'), {}, 2, 'a b'],
    [row('a').replaceAll('\n', '\r\n'), {}, 1, 'a'],
    [row('a', `,"x":"${long}"`) + row('b'), {}, 2, 'a b'],
    ['title,videoId\nx,a\n,b\n', csv, 2, 'a b'],
    ['title,videoId\r\nx,a\r\n,b\r\n', csv, 2, 'a b'],
    ['title,videoId\n"a ""b"",\nc\r\n",a\n"\n",b', csv, 2, 'a b'],
    ['videoId\n""\na\n', csv, 2, 'a'],
    ['\ufeffvideoId,title\na,x\n', csv, 1, 'a'],
    ['videoId,title\n', csv, 0, ''],
    [`videoId,title\na,"${long}""\n${long}"\nb,\n`, csv, 2, 'a b'],
    ['title,videoId\n"\0",a\n', csv, 1, 'a'],
    ['a\nb\n', id, 2, 'a b'],
    ['a\r\nb\r\n', id, 2, 'a b'],
    ['a\n\nb', id, 2, 'a b'],
    ['x\ta\n\tb\n', { ...id, fields: 'title,videoId' }, 2, 'a b'],
    ['a\tx\n\tx\n', { ...id, fields: 'videoId,title' }, 2, 'a'],
    ['{"results":[]}', json, 0, ''],
    [`{"results":[${row('a')},{},${row('b')}],"has_more":false}`, json, 3, 'a b'],
  ];
  for (const [content, options, entries, ids] of cases) {
    const found = await read(content, options);
    const shown = `${JSON.stringify(content.slice(0, 80))} ${JSON.stringify(options)}`;
    assert.deepEqual([found.entries, [...found.ids].join(' '), found.damage], [entries, ids, null], shown);
  }
});

test('channels, dates, duplicates and columns', async (t) => {
  const read = await reader(t);
  const of = (videoId: string, channel: string) => row(videoId, `,"channelId":"${channel}","@published":"d"`);
  const lines = of('a', 'UCa') + of('b', 'UCb') + of('b', 'UCb') + of('a', 'UCa');
  const table = 'channelId,videoId,@published\nUCa,a,d\nUCb,b,d\n,b,\n,a,\n';
  const elements = lines.trim().replaceAll('\n', ',');
  for (const [content, options] of [
    [lines, {}],
    [table, csv],
    [`{"results":[${elements}]}`, json],
  ] as const) {
    const found = await read(content, options);
    assert.deepEqual([...found.channels], ['UCa', 'UCb']);
    assert.deepEqual([...found.published], [...Object.entries({ a: 'd', b: 'd' })]);
    assert.equal(found.duplicate, 'b');
  }
  assert.equal((await read(row('a') + row('b'))).duplicate, null);
  for (const [content, options, columns, header] of [
    ['"a,b",c\n', csv, ['a,b', 'c'], 8],
    ['a,"\n"\r\nb,x', csv, ['a', '\n'], 7],
    [`a,"${'\n'.repeat(1_500_000)}"\nb,x\n`, csv, ['a', '\n'.repeat(1_500_000)], 1_500_005],
    ['', csv, null, 0],
    [row('a'), {}, null, 0],
  ] as const) {
    const found = await read(content, options);
    assert.deepEqual([found.columns, found.header], [columns, header], content.slice(0, 20));
  }
});

test('damage: the first damaged line is named, the others are read', async (t) => {
  const read = await reader(t);
  const zeros = '\0'.repeat(4096);
  const header = 'videoId,title\n';
  const cases: readonly [content: string, options: Partial<ReadOptions>, entries: number, damage: string][] =
    [
      [row('a') + zeros, {}, 1, 'line 2 is not a record'],
      [`${row('a')}${zeros}\n${row('b')}`, {}, 2, 'line 2 is not a record'],
      [row('a') + row('b').slice(0, -3), {}, 1, 'line 2 is not a record'],
      [`x\n${row('a')}y\n`, {}, 1, 'line 1 is not a record'],
      [`${header}a,x\nb\nc,x\n`, csv, 2, 'line 3 is not a record'],
      [`${header}a,x,y\nb,x\n`, csv, 1, 'line 2 is not a record'],
      [`${header}a,x\nb,"x\nc,x\n`, csv, 1, 'line 3 is not a record'],
      [`${header}a,x"y"\nb,x\n`, csv, 1, 'line 2 is not a record'],
      [`${header}a,"x"y\nb,x\n`, csv, 1, 'line 2 is not a record'],
      [`${header}a,x\n${zeros}`, csv, 1, 'line 3 is not a record'],
      [`${header}a,x\nb,${zeros}\n`, csv, 1, 'line 3 is not a record'],
      [`${zeros}\na,x\n`, csv, 0, 'line 1 is not a csv header'],
      [`a\n${zeros}`, id, 1, 'line 2 is not a record'],
      ['{"results":[', json, 0, 'it is not a JSON document with results'],
      ['[]', json, 0, 'it is not a JSON document with results'],
      [zeros, json, 0, 'it is not a JSON document with results'],
    ];
  for (const [content, options, entries, damage] of cases) {
    const found = await read(content, options);
    const shown = `${JSON.stringify(content.slice(0, 60))} ${JSON.stringify(options)}`;
    assert.deepEqual([found.entries, found.damage], [entries, damage], shown);
  }
});

test('a cell of ten million quotes, closed or not', async (t) => {
  const read = await reader(t);
  const quotes = '""'.repeat(10_000_000);
  assert.deepEqual((await read(`videoId,title\na,"${quotes}"\n`, csv)).damage, null);
  assert.deepEqual((await read(`videoId,title\na,"${quotes}\n`, csv)).damage, 'line 2 is not a record');
});

test('a line of more than 64 MiB is damage', async (t) => {
  const read = await reader(t);
  const found = await read(Buffer.concat([Buffer.from(row('a')), Buffer.alloc(65 * 1024 * 1024, 'x')]));
  assert.deepEqual([found.entries, found.damage], [1, 'line 2 is longer than 64 MiB']);
});

test('lines that are records are passed on, each with its end; `bytes` ends the reading', async (t) => {
  const read = await reader(t);
  const lines: string[] = [];
  const onRecord = (line: Buffer): void => void lines.push(line.toString());
  await read(`x\n${row('a')}y\n${row('b').trimEnd()}`, { onRecord });
  assert.deepEqual(lines.splice(0), [row('a'), row('b')]);
  await read('videoId,title\na,"\n"\nb\nc,x', { ...csv, onRecord });
  assert.deepEqual(lines, ['a,"\n"\n', 'c,x\n']);
  assert.equal((await read(`${row('a')}not yet durable`, { bytes: row('a').length })).damage, null);
});

test('100,000 lines, in order', async (t) => {
  const read = await reader(t);
  const names = Array.from({ length: 100_000 }, (_, n) => `v${n}`);
  const content = names.map((name) => row(name, `,"thumbnails":"${'x'.repeat(100)}"`)).join('');
  const { entries, ids } = await read(content);
  assert.equal(entries, 100_000);
  assert.deepEqual([...ids], names);
});

test('a signal ends the reading of lines, of json and of chunks', async (t) => {
  const read = await reader(t);
  const lines = row('a', `,"x":"${'x'.repeat(1000)}"`).repeat(5000);
  const results = `{"results":[${lines.trim().replaceAll('\n', ',')}]}`;
  for (const [content, options] of [
    [lines, {}],
    [lines, { format: 'csv' }],
    [results, json],
  ] as const) {
    const signal = new AbortController();
    const reading = read(content, { ...options, stop: signal.signal });
    signal.abort(new Error('stopped'));
    await assert.rejects(reading, { message: 'stopped' });
  }
  const fd = openSync(fileURLToPath(import.meta.url), 'r');
  const signal = new AbortController();
  const first = chunksOf(fd, signal.signal);
  assert.equal((await first.next()).done, false);
  signal.abort(new Error('stopped'));
  await assert.rejects(first.next(), { message: 'stopped' });
  closeSync(fd);
});
