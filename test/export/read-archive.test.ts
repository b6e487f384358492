/** The one reader of ndjson exports: entries, IDs and damage. */
import assert from 'node:assert/strict';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Contents, type ReadOptions, readArchive } from '../../src/export/inspect/read-archive.ts';
import { temporaryFolder } from '../support/program.ts';
import { stop } from './files.ts';

/** A function that reads an ndjson file of this content. */
async function reader(t: TestContext) {
  const path = join(await temporaryFolder(t), 'file');
  return async (content: string | Buffer, options: Partial<ReadOptions> = {}): Promise<Contents> => {
    writeFileSync(path, content);
    const fd = openSync(path, 'r');
    try {
      return await readArchive(fd, { stop, ...options });
    } finally {
      closeSync(fd);
    }
  };
}

/** Longer than what is read at once. */
const long = 'x'.repeat(3_000_000);
const row = (videoId: string, more = ''): string => `{"videoId":"${videoId}","title":"t"${more}}\n`;

test('entries and IDs', async (t) => {
  const read = await reader(t);
  const cases: readonly [content: string, entries: number, ids: string][] = [
    ['', 0, ''],
    [row('a') + row('b'), 2, 'a b'],
    [`${row('a')}{"videoId":"b"}`, 2, 'a b'],
    ['{"title":"videoId","videoId":"a"}\n{}\n{"videoId":null}\n', 3, 'a'],
    ['{"videoId":"\\u0061"}\n{"videoId":""}\n{"videoId":1}\n', 3, 'a'],
    [`${row('a')}\n${row('b')}`.replaceAll('\n', '\r\n'), 2, 'a b'],
    [row('a', `,"x":"${long}"`) + row('b'), 2, 'a b'],
  ];
  for (const [content, entries, ids] of cases) {
    const found = await read(content);
    assert.deepEqual(
      [found.entries, [...found.ids].join(' '), found.damage],
      [entries, ids, null],
      content.slice(0, 80),
    );
  }
});

test('channels, dates and duplicates', async (t) => {
  const read = await reader(t);
  const of = (videoId: string, channel: string) => row(videoId, `,"channelId":"${channel}","@published":"d"`);
  const found = await read(of('a', 'UCa') + of('b', 'UCb') + of('b', 'UCb') + of('a', 'UCa') + row('c'));
  assert.deepEqual([...found.channels], ['UCa', 'UCb', '']);
  assert.deepEqual([...found.published], [...Object.entries({ a: 'd', b: 'd' })]);
  assert.equal(found.duplicate, 'b');
  assert.equal((await read(row('a') + row('b'))).duplicate, null);
});

test('damage: the first damaged line is named, the others are read', async (t) => {
  const read = await reader(t);
  const zeros = '\0'.repeat(4096);
  const cases: readonly [content: string | Buffer, entries: number, badLines: number, damage: string][] = [
    [row('a') + zeros, 1, 1, 'line 2 is not a JSON record'],
    [`${row('a')}${zeros}\n${row('b')}`, 2, 1, 'line 2 is not a JSON record'],
    [row('a') + row('b').slice(0, -3), 1, 1, 'line 2 is not a JSON record'],
    [`x\n${row('a')}y\n`, 1, 2, 'line 1 is not a JSON record'],
    [Buffer.from(`${row('a')}"\xff"\n`, 'latin1'), 1, 1, 'line 2 is not a JSON record'],
    [
      Buffer.concat([Buffer.from(row('a')), Buffer.alloc(65 * 1024 * 1024, 'x')]),
      1,
      1,
      'line 2 is longer than 64 MiB',
    ],
  ];
  for (const [content, entries, badLines, damage] of cases) {
    const found = await read(content);
    assert.deepEqual([found.entries, found.badLines, found.damage], [entries, badLines, damage]);
  }
});

test('onlyEntries: objects with a videoId, which may be null', async (t) => {
  const read = await reader(t);
  const lines = `{"videoId":null}\n${row('a')}`;
  assert.deepEqual((await read(lines, { onlyEntries: true })).damage, null);
  for (const other of ['{"title":"t"}', '[1]', '"videoId"', '7']) {
    const { damage, entries } = await read(`${lines}${other}\n`, { onlyEntries: true });
    assert.deepEqual([entries, damage], [2, 'line 3 is not an entry: it has no videoId']);
    assert.equal((await read(`${lines}${other}\n`)).damage, null);
  }
});

test('lines that are records are passed on, without their ends; `start` and `end` bound the reading', async (t) => {
  const read = await reader(t);
  const lines: string[] = [];
  const onRecord = (line: Buffer, id: string | null): void => void lines.push(`${id} ${line}`);
  await read(`x\n${row('a')}y\n{}`, { onRecord });
  assert.deepEqual(lines, [`a ${row('a').trimEnd()}`, 'null {}']);
  assert.equal((await read(`${row('a')}not yet durable`, { end: row('a').length })).damage, null);
  const { ids } = await read(`${row('a')}${row('b')}`, { start: row('a').length });
  assert.deepEqual([...ids], ['b']);
});

test('a signal ends the reading', async (t) => {
  const read = await reader(t);
  const signal = new AbortController();
  const reading = read(row('a', `,"x":"${'x'.repeat(1000)}"`).repeat(5000), { stop: signal.signal });
  signal.abort(new Error('stopped'));
  await assert.rejects(reading, { message: 'stopped' });
});
