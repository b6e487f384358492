/** What an update keeps of FILE. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { DiskState } from '../../src/export/decide-export.ts';
import type { ExportItem } from '../../src/export/export-item.ts';
import { changeOf, copyArchive, readIntact } from '../../src/export/updated-file.ts';
import { resolveTarget } from '../../src/fs/output-target.ts';
import { newReference } from '../../src/run/read-references.ts';
import { operations } from '../../src/service/contract.ts';
import { stop as never, record, request } from '../archive/files.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';

const two = '{"videoId":"b"}\n{"videoId":"a"}\n';

const leftOut = (lines: string): string =>
  `left out ${lines}; the first: line 1 is not JSON; the original was saved as FILE.SUM.damaged`;

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
      context: { stop: never, env: {} },
      operation: operations.uploads,
      options: { restart: false, invocation: { flags: [] } },
    };
    const target = resolveTarget(path);
    const mtime = file === 'archive' ? (target.stats?.mtimeMs ?? assert.fail()) : 0;
    const item = {
      target,
      id: 'UCa',
      exportFolder,
      onDisk: { file },
      buysAll: all,
      record: record({ size: written.length, mtime, checksum: crc32(written) }),
      request: request(),
      reference: newReference({ given: '@a', value: '@a', id: null }),
    } as unknown as ExportItem;
    const contents = await readIntact(item);
    let copied = '';
    await copyArchive(item, contents, (chunk) => {
      copied += chunk;
    });
    const { ids, entries, checksum } = contents;
    const change =
      changeOf(item, contents)
        ?.replace(path, 'FILE')
        .replace(/[0-9a-f]+(?=\.damaged)/, 'SUM') ?? null;
    return { ids: [...ids], entries, checksum, change, copied, dropsBadLines: contents.dropsBadLines };
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
      dropsBadLines: false,
    });
  const withoutId = `${two}{"title":"no ID"}\n`;
  const { ids, entries, copied } = await update(withoutId, 'archive');
  assert.deepEqual([ids, entries, copied], [['b', 'a'], 3, withoutId]);
});

test('--update --all keeps every line that is an entry', async (t) => {
  const update = await updater(t);
  const content = 'x\n{"videoId":"b"}\r\n\n{"videoId":"c","channelId":"UCb"}\n{"videoId":"a"}';
  const { checksum, ...changed } = await update(content, 'changed', { all: true, written: two });
  assert.deepEqual(changed, {
    ids: ['b', 'a'],
    entries: 2,
    change: leftOut('2 lines'),
    copied: two,
    dropsBadLines: true,
  });
  // As recorded, the service has sent the entry of another channel.
  const recorded = await update(content, 'archive', { all: true });
  assert.deepEqual(recorded.ids, ['b', 'c', 'a']);
  assert.equal(recorded.change, leftOut('1 line'));
});

test('other bytes than were written, in a FILE as recorded: damaged; --update --all keeps what is an entry', async (t) => {
  const update = await updater(t);
  const what = 'its content differs from what was written';
  for (const [content, problem] of [
    [two.replace('"a"', '"c"'), what],
    [two.replace('{', '['), 'line 1 is not JSON'],
  ] as const) {
    const step = problem === what ? 'accept it with --update --all' : 'add what is missing: ';
    const isDamaged = isFailure(1, `is damaged: ${problem}; restore it, or ${step}`);
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
