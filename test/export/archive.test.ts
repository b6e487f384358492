/** Which lines of an archive are entries, and what an update keeps of it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Archive, type Contents, readArchive } from '../../src/export/archive.ts';
import type { Export } from '../../src/export/exports.ts';
import type { Existing } from '../../src/export/next-step.ts';
import { resolveTarget } from '../../src/fs/output-target.ts';
import { temporaryFolder } from '../support/program.ts';
import { stop as never, record } from './files.ts';

interface Read extends Contents {
  /** What was passed on: the ID, then the line. */
  readonly lines: readonly string[];
}

/** A function that reads an archive of this content. */
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
    ['{"videoId":"\\u0061"}\n{"videoId":""}\n{"videoId":1}\n', 'a null null'],
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

test('the first line that is no entry is named, the others are read', async (t) => {
  const read = await reader(t);
  const zeros = '\0'.repeat(4096);
  const tooLong = Buffer.alloc(65 * 1024 * 1024, 'x');
  const cases: readonly [content: string | Buffer, ids: string, badLines: number, damage: string][] = [
    [row('a') + zeros, 'a', 1, 'line 2 is not JSON'],
    [`${row('a')}${zeros}\n${row('b')}`, 'a b', 1, 'line 2 is not JSON'],
    [row('a') + row('b').slice(0, -3), 'a', 1, 'line 2 is not JSON'],
    [`x\n${row('a')}y\n`, 'a', 2, 'line 1 is not JSON'],
    [`${row('a')}\n\ny\n`, 'a', 1, 'line 4 is not JSON'],
    [`\ufeff${row('a')}${row('b')}`, 'b', 1, 'line 1 is not JSON'],
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

test('an entry of another channel is none of this one; a playlist has entries of many', async (t) => {
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

const two = '{"videoId":"b"}\n{"videoId":"a"}\n';

/** A function that opens a FILE of this content; its record has two entries. */
async function opener(t: TestContext) {
  const path = join(await temporaryFolder(t), 'file');
  return (content: string, file: Existing['file'], all = false): Archive => {
    writeFileSync(path, content);
    const target = resolveTarget(path);
    const one = { target, id: 'UCa', context: { stop: never }, existing: { file }, record: record() };
    return new Archive(one as unknown as Export, all);
  };
}

async function copyOf(archive: Archive): Promise<string> {
  let text = '';
  await archive.copy((chunk) => {
    text += chunk;
  });
  return text;
}

test('FILE as recorded is kept byte for byte, whatever the service has sent', async (t) => {
  const open = await opener(t);
  for (const content of [two, two.trimEnd(), `${two}{"title":"no ID"}\n`, two.replaceAll('\n', '\r\n')]) {
    const archive = open(content, 'archive');
    assert.equal(archive.entries, 2);
    assert.deepEqual([...(await archive.read())], ['b', 'a']);
    assert.equal(await copyOf(archive), content);
    assert.equal(archive.leftOut.badLines, 0);
  }
});

test('--update --all keeps every line that is an entry', async (t) => {
  const open = await opener(t);
  const content = 'x\n{"videoId":"b"}\r\n\n{"videoId":"c","channelId":"UCb"}\n{"videoId":"a"}';
  const archive = open(content, 'changed', true);
  assert.deepEqual([...(await archive.read())], ['b', 'a']);
  assert.deepEqual([archive.entries, archive.leftOut.badLines], [2, 2]);
  assert.equal(archive.leftOut.damage, 'line 1 is not JSON');
  assert.equal(await copyOf(archive), two);
  // As recorded, the service has sent the entry of another channel.
  const recorded = open(content, 'archive', true);
  assert.deepEqual([...(await recorded.read())], ['b', 'c', 'a']);
  assert.equal(recorded.leftOut.badLines, 1);
});
