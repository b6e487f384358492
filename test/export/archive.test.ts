/** Which lines of an archive are entries, and what an update keeps of it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { crc32 } from 'node:zlib';
import {
  type Contents,
  changeOf,
  copyArchive,
  dropsLines,
  readArchive,
  readIntact,
} from '../../src/export/archive.ts';
import type { ExportItem } from '../../src/export/exports.ts';
import type { DiskState } from '../../src/export/next-step.ts';
import { resolveTarget } from '../../src/fs/output-target.ts';
import { newReference } from '../../src/run/read-references.ts';
import { operations } from '../../src/service/contract.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';
import { stop as never, record, request } from './files.ts';

interface Read extends Contents {
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

const two = '{"videoId":"b"}\n{"videoId":"a"}\n';

/** What an update does with a FILE of this content; its record is that of `written`, two entries. */
async function updater(t: TestContext) {
  const path = join(await temporaryFolder(t), 'file');
  return async (
    content: string | Buffer,
    file: DiskState['file'],
    { all = false, written = String(content) } = {},
  ) => {
    writeFileSync(path, content);
    const exportFolder = {
      context: { stop: never },
      operation: operations.uploads,
      options: { restart: false, invocation: { flags: [] } },
    };
    const item = {
      target: resolveTarget(path),
      id: 'UCa',
      exportFolder,
      onDisk: { file },
      buysAll: all,
      record: record({ size: written.length, checksum: crc32(written) }),
      request: request(),
      reference: newReference({ reference: '@a', value: '@a', id: null }),
    } as unknown as ExportItem;
    const contents = await readIntact(item);
    let copied = '';
    await copyArchive(item, contents, (chunk) => {
      copied += chunk;
    });
    const { ids, entries, checksum } = contents;
    const change = changeOf(item, contents);
    return { ids: [...ids], entries, checksum, change, copied, dropsLines: dropsLines(item, contents) };
  };
}

test('FILE as recorded is kept byte for byte, whatever the service has sent', async (t) => {
  const update = await updater(t);
  for (const content of [two, two.trimEnd(), two.replaceAll('\n', '\r\n')])
    assert.deepEqual(await update(content, 'archive'), {
      ids: ['b', 'a'],
      entries: 2,
      checksum: crc32(content),
      change: null,
      copied: content,
      dropsLines: false,
    });
  const withoutId = `${two}{"title":"no ID"}\n`;
  const { ids, entries, copied } = await update(withoutId, 'archive');
  assert.deepEqual([ids, entries, copied], [['b', 'a'], 3, withoutId]);
});

test('--update --all keeps every line that is an entry', async (t) => {
  const update = await updater(t);
  const content = 'x\n{"videoId":"b"}\r\n\n{"videoId":"c","channelId":"UCb"}\n{"videoId":"a"}';
  const { checksum, ...changed } = await update(content, 'changed', { all: true });
  assert.deepEqual(changed, {
    ids: ['b', 'a'],
    entries: 2,
    change: 'left out 2 lines; the first: line 1 is not JSON',
    copied: two,
    dropsLines: true,
  });
  // As recorded, the service has sent the entry of another channel.
  const recorded = await update(content, 'archive', { all: true });
  assert.deepEqual(recorded.ids, ['b', 'c', 'a']);
  assert.equal(recorded.change, 'left out 1 line; the first: line 1 is not JSON');
});

test('other bytes than were written, in a FILE as recorded: damaged; --update --all keeps what is an entry', async (t) => {
  const update = await updater(t);
  const what = 'its content differs from what was written';
  for (const [content, problem] of [
    [two.replace('"a"', '"c"'), what],
    [two.replace('{', '['), 'line 1 is not JSON'],
  ] as const) {
    const isDamaged = isFailure(1, `is damaged: ${problem}; restore it, or add what is missing: `);
    await assert.rejects(update(content, 'archive', { written: two }), isDamaged);
    const { change } = await update(content, 'archive', { written: two, all: true });
    assert.match(change ?? '', problem === what ? /; it was kept$/ : /^left out 1 line/);
  }
});

test('a byte order mark at the start is white space, and not copied below new entries', async (t) => {
  const update = await updater(t);
  const { ids, change, copied } = await update(`\ufeff${two}`, 'changed', { written: two });
  assert.deepEqual([ids, change, copied], [['b', 'a'], null, two]);
});

test('lines in another order are noticed; a FILE that was only touched, or got lines, is not', async (t) => {
  const update = await updater(t);
  const sorted = two.split('\n').sort().slice(1).concat('').join('\n');
  for (const [content, isReordered] of [
    [sorted, true],
    [two, false],
    [`${sorted}{"videoId":"c"}\n`, false],
  ] as const) {
    const { change, copied } = await update(content, 'changed', { written: two });
    assert.equal(change?.includes('reordered or edited its lines') ?? false, isReordered, content);
    assert.equal(copied, content);
  }
});
