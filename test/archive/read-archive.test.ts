/** Which lines of an archive are entries. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type ArchiveScan, readArchive } from '../../src/archive/read-archive.ts';
import { resolveTarget } from '../../src/fs/output-target.ts';
import { temporaryFolder } from '../support/program.ts';
import { stop as never } from './files.ts';

interface Read extends ArchiveScan {
  /** What was passed on: the ID, then the line. */
  readonly lines: readonly string[];
}

async function reader(t: TestContext) {
  const path = join(await temporaryFolder(t), 'file');
  return async (content: string | Buffer, id = 'UCa', stop = never): Promise<Read> => {
    writeFileSync(path, content);
    const lines: string[] = [];
    const contents = await readArchive(resolveTarget(path), id, stop, (line, videoId) => {
      lines.push(`${videoId} ${line}`);
    });
    return { ...contents, lines };
  };
}

/** Longer than what is read at once. */
const long = 'x'.repeat(3_000_000);
const row = (videoId: string, more = ''): string => `{"videoId":"${videoId}","title":"t"${more}}\n`;
const idsOf = ({ lines }: Read): string => lines.map((line) => line.split(' ', 1)).join(' ');

test('entries, their IDs and the newest', async (t) => {
  const read = await reader(t);
  const cases: readonly [content: string, ids: string, newest?: string | null][] = [
    ['', '', null],
    [row('a') + row('b'), 'a b'],
    [`${row('a')}{"videoId":"b"}`, 'a b'],
    ['{"videoId":null}\n{"title":"videoId","videoId":"a"}\n', 'null a'],
    [`\ufeff${row('a')}\ufeff`.slice(0, -1), 'a'],
    ['{"videoId":"\\u0061"}\n{"videoId":""}\n{"videoId":1}\n', 'a null null'],
    ['{"videoId":"x","videoId":"a"}\n', 'a'],
    [`${row('a')}\n\n${row('b')}`, 'a b'],
    [`\n${row('a')}\n${row('b')}`.replaceAll('\n', '\r\n'), 'a b'],
    [row('a', `,"x":"${long}"`) + row('b'), 'a b'],
  ];
  for (const [content, ids, newest = 'a'] of cases) {
    const found = await read(content);
    const entries = ids === '' ? 0 : ids.split(' ').length;
    const facts = [found.entries, idsOf(found), found.newest, found.damage];
    assert.deepEqual(facts, [entries, ids, newest, null], content.slice(0, 80));
  }
});

test('the first line that is not an entry is named, the others are read', async (t) => {
  const read = await reader(t);
  const zeros = '\0'.repeat(4096);
  const tooLong = Buffer.alloc(65 * 1024 * 1024, 'x');
  const cases: readonly [content: string | Buffer, ids: string, badLines: number, damage: string][] = [
    [row('a') + zeros, 'a', 1, 'line 2 is not JSON'],
    [`${row('a')}${zeros}\n${row('b')}`, 'a b', 1, 'line 2 is not JSON'],
    [row('a') + row('b').slice(0, -3), 'a', 1, 'line 2 is not JSON'],
    [`x\n${row('a')}y\n`, 'a', 2, 'line 1 is not JSON'],
    [`${row('a')}\n\ny\n`, 'a', 1, 'line 4 is not JSON'],
    [`${row('a')}\ufeff${row('b')}`, 'a', 1, 'line 2 is not JSON'],
    [Buffer.from(`${row('a')}"\xff"\n`, 'latin1'), 'a', 1, 'line 2 is not JSON'],
    [Buffer.concat([Buffer.from(row('a')), tooLong]), 'a', 1, 'line 2 is longer than 64 MiB'],
    [`${row('a')}{"title":"t"}\n`, 'a', 1, 'line 2 has no videoId'],
    [`[1]\n"videoId"\n7\n${row('a')}`, 'a', 3, 'line 1 has no videoId'],
  ];
  for (const [content, ids, badLines, damage] of cases) {
    const found = await read(content);
    assert.deepEqual([idsOf(found), found.badLines, found.damage], [ids, badLines, damage]);
  }
});

test('an entry of another channel is damage, except in a playlist', async (t) => {
  const read = await reader(t);
  const of = (channel: string): string => row('a', `,"channelId":${channel}`);
  const lines = of('"UCa"') + of('null') + of('""') + row('a') + of('"UCb"');
  const { entries, damage } = await read(lines);
  assert.deepEqual([entries, damage], [4, 'line 5 is an entry of UCb']);
  const playlist = await read(lines, 'PLa');
  assert.deepEqual([playlist.entries, playlist.damage], [5, null]);
});

test('a signal ends the reading', async (t) => {
  const read = await reader(t);
  const signal = new AbortController();
  const reading = read(row('a', `,"x":"${'x'.repeat(1000)}"`).repeat(5000), 'UCa', signal.signal);
  signal.abort(new Error('stopped'));
  await assert.rejects(reading, { message: 'stopped' });
});
