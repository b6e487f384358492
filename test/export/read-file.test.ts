import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../src/errors.ts';
import { readEntries, readIdSet } from '../../src/export/read/read-file.ts';
import { JsonListScanner } from '../../src/json/list-scanner.ts';
import { type Field, parseFields } from '../../src/output/fields.ts';
import type { FileFormat } from '../../src/output/formats.ts';
import { readHeader } from '../../src/output/read/csv.ts';
import { fileFormats } from '../support/file-formats.ts';
import { temporaryFolder } from './temp.ts';
import { entry, textsOf } from './texts.ts';

interface Plain {
  raw: string;
  videoId: string | null;
  channelId: string | null;
}

async function entries(
  path: string,
  format: FileFormat,
  fields: readonly Field[] | null | 'any' = null,
  check = true,
): Promise<Plain[]> {
  const all: Plain[] = [];
  const expected = fields === 'any' ? undefined : fields;
  for await (const batch of readEntries(path, format, expected, { check })) {
    for (const { utf8, videoId, channelId } of batch) all.push({ raw: utf8.toString(), videoId, channelId });
  }
  return all;
}

async function fileOf(t: TestContext, content: string | Buffer): Promise<string> {
  const path = join(await temporaryFolder(t), 'list');
  await writeFile(path, content);
  return path;
}

const isDamage =
  (path: string, line: number, ...words: string[]) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.code, 'damaged');
    assert.equal(error.exit, 1);
    assert.equal(error.remedy, 'restart');
    assert.ok(error.message.startsWith(`${path}:${line}: `), error.message);
    for (const word of words) assert.ok(error.message.includes(word), error.message);
    return true;
  };

test('exports are read back, in every format', async (t) => {
  const list = [entry(1), entry(2, 'x,"},{"'), entry(3, '\u2028 \\ \u{1f3ac}')];
  const expectedRaw: Record<FileFormat, (i: number) => string | null> = {
    ndjson: (i) => list[i] ?? null,
    json: (i) => list[i] ?? null,
    csv: () => null,
    id: (i) => `v${i + 1}`,
  };
  for (const format of fileFormats) {
    const { pages, tail } = await textsOf(format, [list.slice(0, 2), [], list.slice(2)]);
    const path = await fileOf(t, pages.join('') + tail);
    for (const check of [true, false]) {
      const found = await entries(path, format, null, check);
      assert.deepEqual(
        found.map(({ videoId }) => videoId),
        ['v1', 'v2', 'v3'],
        format,
      );
      const channel = format === 'id' ? null : 'UCa';
      assert.deepEqual(
        found.map(({ channelId }) => channelId),
        [channel, channel, channel],
        format,
      );
      for (const [i, { raw }] of found.entries()) {
        const expected = expectedRaw[format](i);
        if (expected !== null) assert.equal(raw, expected, format);
      }
    }
    const { has, channels, ...facts } = await readIdSet(path, format, null);
    assert.deepEqual(facts, {
      entries: 3,
      first: 'v1',
      last: 'v3',
      duplicate: null,
      channelId: format === 'id' ? null : 'UCa',
      rest: format === 'json' ? { hasMore: false, token: null } : null,
    });
    assert.deepEqual([...channels], format === 'id' ? [] : ['UCa']);
    assert.deepEqual(['v0', 'v1', 'v2', 'v3', 'v4'].map(has), [false, true, true, true, false]);
  }
});

test('an empty listing, and a file of no bytes, have no entries', async (t) => {
  for (const format of fileFormats) {
    const { pages, tail } = await textsOf(format, [[]]);
    assert.deepEqual(await entries(await fileOf(t, pages.join('') + tail), format), [], format);
    assert.deepEqual(await entries(await fileOf(t, ''), format), [], format);
  }
});

test('--fields: the columns are those', async (t) => {
  const fields = parseFields('title,videoId,channelId', 'uploads');
  const csv = await fileOf(t, 'title,videoId,channelId\n"a,\n""b""",v1,UCa\n,v2,\n');
  assert.deepEqual(await entries(csv, 'csv', fields), [
    { raw: '"a,\n""b""",v1,UCa', videoId: 'v1', channelId: 'UCa' },
    { raw: ',v2,', videoId: 'v2', channelId: null },
  ]);
  const id = await fileOf(t, 'a b\tv1\tUCa\n\tv2\t\n');
  assert.deepEqual(await entries(id, 'id', fields), [
    { raw: 'a b\tv1\tUCa', videoId: 'v1', channelId: 'UCa' },
    { raw: '\tv2\t', videoId: 'v2', channelId: null },
  ]);
  const ndjson = await fileOf(t, '{"title":"a","videoId":"v1","channelId":null}\n');
  assert.deepEqual(await entries(ndjson, 'ndjson', fields), [
    { raw: '{"title":"a","videoId":"v1","channelId":null}', videoId: 'v1', channelId: null },
  ]);
});

test('other columns than expected are a usage error that names both', async (t) => {
  const fields = parseFields('videoId,title', 'uploads');
  const unlike = (error: unknown): boolean => {
    assert.ok(error instanceof Failure && error.exit === 2);
    assert.match(error.message, /fields are .*channelId.* not videoId,title/);
    return true;
  };
  const row = '{"videoId":"v1","channelId":"UCa"}';
  await assert.rejects(entries(await fileOf(t, 'videoId,channelId\nv1,UCa\n'), 'csv', fields), unlike);
  await assert.rejects(entries(await fileOf(t, `${row}\n`), 'ndjson', fields, false), unlike);
  const json = `{"playlist_info":null,"results":[${row}],"continuation_token":null,"has_more":false}\n`;
  await assert.rejects(entries(await fileOf(t, json), 'json', fields), unlike);
});

test('a file exported with --fields is not taken for one without, and the other way round', async (t) => {
  const differs = async (text: string, format: FileFormat, fields: string | null): Promise<void> => {
    const path = await fileOf(t, text);
    const parsed = fields === null ? null : parseFields(fields, 'uploads');
    await assert.rejects(entries(path, format, parsed, false), (error) => {
      assert.ok(error instanceof Failure && error.code === 'usage', String(error));
      assert.ok(error.message.startsWith(`${path}: its fields are `), error.message);
      return true;
    });
  };
  const row = '{"videoId":"v1","title":"t"}';
  await differs(`${row}\n${row}\n`, 'ndjson', null);
  await differs(`${row}\n`, 'ndjson', 'title,videoId');
  await differs(`${row}\n`, 'ndjson', 'videoId');
  await differs(`${row}\n`, 'ndjson', '*,@published');
  await differs(`${entry(1).replace(/\}$/, ',"@published":null}')}\n`, 'ndjson', null);
  await differs(`{"results":[${row}],"has_more":false}`, 'json', null);
  await differs('videoId,title\nv1,t\n', 'csv', null);
  const nine = 'videoId,title,channelId,channelTitle,channelHandle,lengthText,viewCountText,thumbnails,index';
  await differs(`${nine}\n`, 'csv', 'videoId,title');
  await differs(`${nine},@published\n`, 'csv', null);
});

test('@published is read back; the header of a csv file names its columns', async (t) => {
  const published = async (text: string, format: FileFormat, fields: string): Promise<(string | null)[]> => {
    const found: (string | null)[] = [];
    for await (const batch of readEntries(await fileOf(t, text), format, parseFields(fields, 'uploads')))
      found.push(...batch.map((record) => record.published));
    return found;
  };
  const ndjson = '{"videoId":"a","@published":"2026-01-01"}\n{"videoId":"b","@published":null}\n';
  assert.deepEqual(await published(ndjson, 'ndjson', 'videoId,@published'), ['2026-01-01', null]);
  const csv = 'videoId,title,@published\na,,2026-01-01\nb,,\n';
  assert.deepEqual(await published(csv, 'csv', '*,@published'), ['2026-01-01', null]);
  assert.deepEqual(await published('a\t2026-01-01\n', 'id', 'videoId,@published'), ['2026-01-01']);
  assert.deepEqual(await readHeader(await fileOf(t, '"a,""b",c\n1,2\n')), ['a,"b', 'c']);
  assert.equal(await readHeader(await fileOf(t, '')), null);
});

test('the set of the IDs of a file: first, last, twice, and other channels', async (t) => {
  const line = (id: string | null, channel: string): string =>
    `${JSON.stringify({ videoId: id, channelId: channel })}\n`;
  const many = Array.from({ length: 20_000 }, (_, i) => line(`id-${i}`, 'UCa')).join('');
  const path = await fileOf(t, line(null, 'UCa') + many + line('id-7', 'UCb') + line(null, 'UCa'));
  const { has, channels, ...facts } = await readIdSet(path, 'ndjson', undefined);
  const duplicate = 'id-7';
  assert.deepEqual(facts, {
    entries: 20_003,
    first: null,
    last: 'id-7',
    duplicate,
    channelId: 'UCa',
    rest: null,
  });
  assert.deepEqual([...channels], ['UCa', 'UCb']);
  for (let i = 0; i < 20_000; i++) assert.ok(has(`id-${i}`));
  for (let i = 20_000; i < 60_000; i++) assert.ok(!has(`id-${i}`));
});

test('cut short by hand: named with its line, never accepted as complete', async (t) => {
  const list = [entry(1), entry(2)];
  const path = await fileOf(t, '');
  for (const format of fileFormats) {
    const bytes = async (count: number): Promise<Buffer> => {
      const { pages, tail } = await textsOf(format, [list.slice(0, count)]);
      return Buffer.from(pages.join('') + tail);
    };
    const whole = await bytes(2);
    // Without its last entries a list of lines is a whole list too; without its last line end JSON is still JSON.
    const lengths =
      format === 'json' ? [] : await Promise.all([0, 1].map(async (n) => (await bytes(n)).length));
    if (format === 'json' || format === 'ndjson')
      lengths.push(...[...lengths, whole.length].map((n) => n - 1));
    for (let length = 1; length < whole.length; length++) {
      if (lengths.includes(length)) continue;
      await writeFile(path, whole.subarray(0, length));
      await assert.rejects(
        entries(path, format),
        (error) => error instanceof Failure && error.exit === 1 && error.message.startsWith(`${path}:`),
        `${format} cut to ${length} bytes`,
      );
    }
  }
});

test('damage is named with its line', async (t) => {
  const damaged = async (format: FileFormat, text: string | Buffer, line: number, ...words: string[]) => {
    const path = await fileOf(t, text);
    await assert.rejects(entries(path, format), isDamage(path, line, ...words));
  };
  await damaged('ndjson', '{"videoId":"a"}\n\n{"videoId":"b"\n{"videoId":"c"}\n', 3, 'JSON');
  await damaged(
    'ndjson',
    Buffer.from([...Buffer.from('{}\n{"a":"'), 0xff, ...Buffer.from('"}\n')]),
    2,
    'UTF-8',
  );
  await damaged('id', 'a\nb', 2, 'cut short');
  const header =
    'videoId,title,channelId,channelTitle,channelHandle,lengthText,viewCountText,thumbnails,index\n';
  await damaged('csv', `${header}a,"b\nc",,,,,,,\nx,y\n`, 4, '2 fields instead of 9');
  await damaged('csv', `${header}a,"b" c,,,,,,,\n`, 2, 'CSV');
  await damaged('csv', `${header}a,"b,,,,,,,\nx\n`, 2, 'cut short');
  await damaged('json', '{"results":[{"a":1}\n{"b":2}],"has_more":false}', 2, 'between');
  await damaged('json', '{"results":[{"a":1},\n,{"b":2}],"has_more":false}', 2, 'between');
  await damaged('json', '{"results":[{"a":1},\n{"b":}],"has_more":false}', 2, 'not valid JSON');
  await damaged('json', '{"results":[{"a":1},\n{"b":"\t"}],"has_more":false}', 2, 'not valid JSON');
  const error = '"error":{"code":"unavailable","status":503,"message":"m"}';
  await damaged(
    'json',
    `{"results":[],"continuation_token":"t","has_more":true,${error}}`,
    1,
    'not complete',
  );
  await damaged('json', '{"results":[],"continuation_token":5,"has_more":true}', 1, 'not complete');
  await damaged('json', '{"results":[],"continuation_token":"t","has_more":false}', 1, 'not complete');
  await damaged('json', '{"playlist_info":{"results":[1]},"has_more":false}', 1, 'not a listing');
  await damaged('json', '[1]', 1, 'not a listing');
  await damaged('json', '{"results":[]} x', 1);
  await damaged('json', '{"results":[', 1, 'cut short');
});

test('edited by hand: spaces, blank lines, other line ends and other writers are no damage', async (t) => {
  const ids = (found: readonly Plain[]): (string | null)[] => found.map(({ videoId }) => videoId);
  const ndjson = await fileOf(
    t,
    '\ufeff{"videoId":"a"}\r\n\r\n { "x": 1, "videoId" : "b" }\n{"videoId":"c"}',
  );
  assert.deepEqual(ids(await entries(ndjson, 'ndjson', 'any')), ['a', 'b', 'c']);
  const value = {
    playlist_info: { results: ['}'] },
    results: [{ videoId: 'a', t: ['"', '\\'] }, { videoId: 'b' }],
  };
  const json = await fileOf(
    t,
    JSON.stringify({ ...value, continuation_token: null, has_more: false }, null, 2),
  );
  assert.deepEqual(ids(await entries(json, 'json', 'any')), ['a', 'b']);
  const csv = await fileOf(t, '\ufeffvideoId,title\r\na,"x\r\ny"\r\n\r\nb,\r\n');
  const fields = parseFields('videoId,title', 'uploads');
  assert.deepEqual(
    (await entries(csv, 'csv', fields)).map(({ raw }) => raw),
    ['a,"x\r\ny"', 'b,'],
  );
});

test('IDs that are not plain ASCII or written with escapes are found', async (t) => {
  const path = await fileOf(t, '{"videoId":"ü"}\n{"videoId":"\\u0041"}\n{"title":"ü","videoId":"é"}\n');
  const { has } = await readIdSet(path, 'ndjson', undefined);
  assert.deepEqual(['ü', 'A', 'é', '\\u0041'].map(has), [true, true, true, false]);
});

test('damage in a later batch is found', async (t) => {
  const path = await fileOf(t, `${'{"videoId":"a"}\n'.repeat(50_000)}not JSON\n`);
  await assert.rejects(readIdSet(path, 'ndjson', undefined), isDamage(path, 50_001));
});

test('CSV: records with any cells are read back, across chunks of the file', async (t) => {
  const cell = fc.oneof(fc.string(), fc.constantFrom('"', '\n', '\r\n', ',', 'ü', '🎬', '""'));
  const path = await fileOf(t, '');
  const fields = parseFields('videoId,title', 'uploads');
  const quote = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  // A cell as long as what is read at once moves the others over its borders.
  const filler = fc
    .integer({ min: 64 * 1024 - 60, max: 64 * 1024 + 10 })
    .map((length) => '"ü\n'.repeat(length / 4));
  const property = fc.asyncProperty(
    fc.array(fc.tuple(cell, cell), { maxLength: 20 }),
    filler,
    async (rows, long) => {
      const all = [['first', long], ...rows.filter(([a, b]) => a !== '' || b !== '')];
      const records = all.map((cells) => cells.map(quote).join(','));
      await writeFile(path, `videoId,title\n${records.map((record) => `${record}\n`).join('')}`);
      const found = await entries(path, 'csv', fields);
      assert.deepEqual(
        found.map(({ raw }) => raw),
        records,
      );
      assert.deepEqual(
        found.map(({ videoId }) => videoId),
        all.map(([id]) => id || null),
      );
    },
  );
  await fc.assert(property, { numRuns: 30 });
});

test('JSON: however the document is cut into pieces, the elements are the same', () => {
  const property = fc.property(
    fc.array(fc.jsonValue(), { maxLength: 8 }),
    fc.jsonValue(),
    fc.constantFrom(0, 1),
    fc.array(fc.nat(40), { minLength: 1 }),
    (list, info, indent, cuts) => {
      const text = JSON.stringify({ playlist_info: info, results: list, has_more: false }, null, indent);
      const bytes = Buffer.from(text);
      const scanner = new JsonListScanner();
      const found: string[] = [];
      let held = Buffer.alloc(0);
      for (let at = 0, cut = 0; at <= bytes.length; cut++) {
        const length = 1 + (cuts[cut % cuts.length] ?? 0);
        const piece = Buffer.concat([held, bytes.subarray(at, at + length)]);
        at += length;
        const end = scanner.scan(piece, at > bytes.length, (from, to) => {
          found.push(piece.toString('utf8', from, to));
        });
        held = piece.subarray(end);
      }
      assert.deepEqual(
        found.map((element) => JSON.parse(element)),
        JSON.parse(JSON.stringify(list)),
      );
      assert.deepEqual(scanner.members(held), { results: [], has_more: false });
    },
  );
  fc.assert(property, { numRuns: 500 });
});
