import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createFormat } from '../../src/output/formats.ts';
import { cut, textWidth } from '../../src/output/width.ts';
import {
  answered,
  complete,
  elements,
  item,
  json,
  listed,
  notFound,
  type Overrides,
  options,
  screen,
  visible,
} from './support.ts';

const titles = [
  'Building a tiny compiler in an afternoon, and then a somewhat larger one the next morning, for all of us',
  '日本語のタイトルはとても長いので途中で切られることになります、どこかで。そしてもう少し続きます、最後まで',
  '👨‍👩‍👧‍👦 Family 👩🏽‍🚀 trip 🇩🇪🇫🇷 to the ❤️ of 1️⃣ country and back, with a rather long title that goes on and on',
  'שלום עולם: כותרת ארוכה בעברית 123 עם מספרים ועוד טקסט שממשיך עוד ועוד ועוד עד הסוף',
  'e\u0301tude Z\u0337\u0353\u0350 कि ก็',
  '',
];
const entry = (index: number): string =>
  JSON.stringify({
    videoId: `vid${String(index).padStart(8, '0')}`,
    title: titles[index % titles.length],
    channelId: 'UC0000000000000000000000',
    channelTitle: 'Demo',
    channelHandle: '@demo',
    lengthText: index % 2 ? '4:05' : '1:02:33',
    viewCountText: `${index}.2M views`,
    thumbnails: [],
    index: String(index),
  });
const page = (from: number, count: number) =>
  elements(`[${Array.from({ length: count }, (_, i) => entry(from + i)).join(',')}]`);

async function listing(overrides: Overrides, operation: 'uploads' | 'playlist' = 'uploads'): Promise<string> {
  const format = await createFormat('table', options(operation, overrides));
  return (
    format.open(item(), json('{"numVideos":"1234"}')) +
    format.rows(item(), page(0, 7)) +
    format.rows(item(), page(1000, 7)) +
    format.close(item(), complete) +
    format.tail()
  );
}

async function body(
  operation: 'search' | 'latest' | 'resolve',
  text: string,
  overrides: Overrides = {},
): Promise<string[]> {
  return (await answered('table', operation, overrides, text)).split('\n').slice(0, -1);
}

for (const columns of [40, 60, 80, 100, 120, 200]) {
  test(`table: fits ${columns} columns, whatever the titles`, async () => {
    for (const operation of ['uploads', 'playlist'] as const) {
      const lines = (await listing({ terminal: screen(columns) }, operation)).trimEnd().split('\n');
      assert.equal(lines.length, 16);
      for (const line of lines) assert.ok(textWidth(line) <= columns, line);
    }
  });
}

test('table: has the most important columns at 60, 80 and 40 columns', async () => {
  const header = async (columns: number): Promise<string[]> =>
    ((await listing({ terminal: screen(columns) })).split('\n')[0] ?? '').trim().split(/ +/);
  assert.deepEqual(await header(120), ['#', 'videoId', 'length', 'views', 'title']);
  assert.deepEqual(await header(60), ['#', 'videoId', 'length', 'views', 'title']);
  assert.deepEqual(await header(40), ['videoId', 'length', 'title']);
  assert.deepEqual(await header(30), ['videoId', 'title']);
  assert.deepEqual(await header(12), ['title']);
});

test('table: a title has room for 16 columns before another column is shown', async () => {
  const entries = ['One', 'Two'].map((channel, index) => ({
    ...JSON.parse(entry(index)),
    channelTitle: `A channel ${channel}`,
    viewCountText: '434K views • 10 months ago',
  }));
  const header = async (columns: number): Promise<string | undefined> =>
    (await listed('table', 'playlist', { terminal: screen(columns) }, JSON.stringify(entries))).split(
      '\n',
    )[0];
  assert.doesNotMatch((await header(80)) ?? '', /channel/);
  assert.match((await header(100)) ?? '', /channel/);
});

test('table: header once, all rows aligned with it', async () => {
  const lines = (await listing({ terminal: screen(80) })).trimEnd().split('\n');
  const [header = '', rule = '', ...rows] = lines;
  assert.equal(lines.filter((line) => line.includes('videoId')).length, 1);
  assert.match(rule, /^─{80}$/);
  const at = header.indexOf('videoId');
  const lengthEnd = header.indexOf('length') + 'length'.length;
  for (const row of rows) {
    assert.match(row.slice(at), /^vid\d{8} {2}/);
    assert.match(row.slice(0, lengthEnd), / (4:05|1:02:33)$/);
    assert.match(row.slice(0, at - 2), /^ *\d+$/);
  }
  assert.equal(rows[7]?.slice(0, at - 2), ' 1000');
});

test('table: no colour means no escape sequence; with colour only the header and its rule have one', async () => {
  assert.ok(!(await listing({ terminal: screen(80) })).includes('\u001b'));
  const colored = await listing({ terminal: { columns: 80, color: true } });
  const [header = '', rule = '', ...rows] = colored.split('\n');
  assert.match(header, /^\u001b\[1m.*\u001b\[22m$/);
  assert.match(rule, /^\u001b\[2m─+\u001b\[22m$/);
  assert.ok(!rows.join('').includes('\u001b'));
  assert.equal(visible(colored), await listing({ terminal: screen(80) }));
});

test('table: cells and keys contain no control or bidirectional formatting characters', async () => {
  const evil = 'a\u001b]0;x\u0007\r\n\u009b2J\u202eb\u2066\u0000';
  const lines = [
    ...(await body('search', JSON.stringify([{ videoId: evil, title: evil }]), { terminal: screen(80) })),
    ...(await body('search', JSON.stringify([{ [evil]: evil, x: 1 }]), { terminal: screen(80) })),
    ...(await body('search', JSON.stringify([{ [evil]: evil, x: 1 }]))),
  ];
  for (const line of lines)
    assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
});

test('table: numbers are never cut: columns go first; a later one widens its column at the expense of the title', async () => {
  const row = (index: string, viewCount: string): string =>
    JSON.stringify({
      videoId: 'abcdefghijk',
      title: 'A title of some length, which is cut',
      viewCount,
      index,
    });
  const pages = [[row('1', '12')], [row('99999', '123456789'), row('2', '7')], [row('3', '8')]];
  const text = await listed('table', 'uploads', { terminal: screen(48) }, ...pages.map((all) => `[${all}]`));
  assert.deepEqual(text.split('\n'), [
    '    #  videoId           views  title',
    '────────────────────────────────────────────────',
    '    1  abcdefghijk          12  A title of some…',
    '99999  abcdefghijk  123,456,789  A title of som…',
    '    2  abcdefghijk            7  A title of som…',
    '    3  abcdefghijk            8  A title of som…',
    '',
  ]);
  const wide = await listed(
    'table',
    'uploads',
    { terminal: screen(44) },
    `[${row('1', '12')}]`,
    `[${row('99999', '1234567890123')}]`,
  );
  assert.deepEqual(wide.split('\n').slice(2), [
    'abcdefghijk          12  A title of some le…',
    'abcdefghijk  1,234,567,890,123  A title of …',
    '',
  ]);
  const narrow = await body('search', '[{"a":1234567890,"b":123456789012,"c":1}]', {
    terminal: screen(23),
  });
  assert.deepEqual(narrow, ['            a', '─────────────', '1,234,567,890']);
});

test('table: numbers are written alike: an index, what may be an ID, and what no table rounds stay as sent', async () => {
  const sent =
    '[{"n":1234567,"index":12345,"videoId":"12345678901","viewCount":"9876","big":12345678901234567890123,"f":1234.5}]';
  const lines = await body('search', sent, { fields: 'n,index,videoId,viewCount,big,f' });
  assert.match(lines[2] ?? '', /^1,234,567 +12345 +12345678901 +9,876 +12345678901234567890123 +1234\.5$/);
});

test('table: streamed rows keep their columns: room for five digits of an index and for ten hours', async () => {
  const row = (index: string, lengthText: string): string =>
    JSON.stringify({ videoId: 'abcdefghijk', title: 'T', lengthText, index });
  const pages = [`[${row('1', '0:07')}]`, `[${row('99999', '10:00:00')}]`];
  for (const columns of [60, 80]) {
    const text = await listed('table', 'uploads', { terminal: screen(columns) }, ...pages);
    assert.deepEqual(text.split('\n').slice(2), [
      '    1  abcdefghijk      0:07  T',
      '99999  abcdefghijk  10:00:00  T',
      '',
    ]);
  }
});

test('table: a page of any size is drawn in linear time', async () => {
  const rows = Array.from({ length: 5000 }, (_, i) => ({ videoId: String(i), title: '日' }));
  const lines = await body('search', JSON.stringify(rows), { terminal: screen(40) });
  assert.equal(lines.length, 5002);
  assert.match(lines[5001] ?? '', /^ *4999 +日$/);
});

test('table: a view count and an age in one text are two columns', async () => {
  const texts = ['434K views • 1 day ago', '1,234 views 3 days ago', 'No views', '7 views', ''];
  const entries = texts.map((viewCountText) => ({ videoId: 'v', title: 't', viewCountText }));
  assert.deepEqual(await body('search', JSON.stringify(entries)), [
    'videoId            views  published      title',
    '──────────────────────────────────────────────',
    'v             434K views  1 day ago      t',
    'v            1,234 views  3 days ago     t',
    'v               No views                 t',
    'v                7 views                 t',
    'v                                        t',
  ]);
});

test('table: any response fits', async () => {
  const text = fc.string({ unit: 'grapheme-ascii' });
  const records = fc.array(fc.dictionary(text, text), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(records, fc.integer({ min: 1, max: 90 }), async (each, columns) => {
      for (const line of await body('search', JSON.stringify(each), { terminal: screen(columns) }))
        assert.ok(textWidth(line) <= Math.max(columns, 40), line);
    }),
    { numRuns: 50 },
  );
});

test('table: a text is cut to any width between two characters, in no time', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, columns) => {
      const kept = cut(text, columns);
      assert.ok(textWidth(kept) <= columns);
      assert.ok(kept === text || kept.endsWith('…') || columns === 0);
    }),
  );
  assert.equal(cut('日本語のタイトル', 8), '日本語…');
  // Some terminals draw each part of a joined emoji: a row must not wrap there.
  assert.equal(cut('👩🏽‍🚀👨‍👩‍👧‍👦🇩🇪', 5), '…');
  assert.equal(cut('e\u0301'.repeat(1_000_000), 3), 'e\u0301e\u0301…');
  assert.equal(textWidth('क'.repeat(1_000_000)), 1_000_000);
});

test('table: not on a terminal: nothing is cut, nothing coloured; columns are as wide as the first page needs', async () => {
  const text = await listing({});
  assert.ok(!text.includes('\u001b'));
  assert.ok(!text.includes('…'));
  for (const title of titles) assert.ok(text.includes(title));
});

test('table: not on a terminal: a later cell that is longer widens its column from its page on', async () => {
  const pages = ['[{"title":"abc","index":"1"}]', '[{"title":"abcdefghijk","index":"2"},{"title":"d"}]'];
  assert.equal(
    await listed('table', 'uploads', { fields: 'title,index' }, ...pages, '[{"title":"e","index":"3"}]'),
    'title  index\n────────────\nabc        1\nabcdefghijk      2\nd\ne                3\n',
  );
});

const names = (lines: readonly string[]): string[] => (lines[0] ?? '').trim().split(/ +/);

test('table: the channel is shown if the entries have several', async () => {
  const one = '{"videoId":"a","title":"T","channelTitle":"C"}';
  assert.deepEqual(names(await body('search', `[${one},${one}]`)), ['videoId', 'title']);
  const other = one.replace('"C"', '"D"');
  assert.deepEqual(names(await body('search', `[${one},${other}]`)), ['videoId', 'channel', 'title']);
});

test('table: latest: the day at a terminal, the full timestamp elsewhere; views are right-aligned', async () => {
  const answer =
    '{"results":[{"videoId":"a","title":"T","published":"2026-01-02T03:04:05+00:00","viewCount":"1234"},{"videoId":"b","title":"U","published":"soon","viewCount":"7"}]}';
  const lines = await body('latest', answer, { terminal: screen(80) });
  assert.deepEqual(names(lines), ['videoId', 'views', 'published', 'title']);
  assert.match(lines[2] ?? '', /^a {2,} 1,234 {2}2026-01-02 {5}T$/);
  assert.match(lines[3] ?? '', /^b {2,}7 {2}soon {11}U$/);
  assert.match((await body('latest', answer))[2] ?? '', /^a {2,}1,234 {2}2026-01-02T03:04:05\+00:00 {2}T/);
});

test('table: several references: one table, with the given reference first', async () => {
  const format = await createFormat(
    'table',
    options('resolve', {
      several: true,
      terminal: screen(80),
    }),
  );
  assert.equal(
    format.body(item('@a'), json('{"channel_id":"UC0123456789012345678901","resolved_from":"@a"}')) +
      format.failed(item('@x'), notFound) +
      format.body(
        item('@a-handle-of-some-length'),
        json('{"channel_id":"UC1","resolved_from":"@a-handle-of-some-length"}'),
      ) +
      format.tail(),
    `${[
      '@reference            channel_id',
      '──────────────────────────────────────────────',
      '@a                    UC0123456789012345678901',
      '@a-handle-of-some-length  UC1',
    ].join('\n')}\n`,
  );
});

test('table: several references: the width reserved for them drops no column', async () => {
  const format = await createFormat('table', options('resolve', { several: true, terminal: screen(40) }));
  const [, , row] = String(format.body(item('@a'), json('{"channel_id":"UC0123456789012345678901"}'))).split(
    '\n',
  );
  assert.match(row ?? '', /^@a +UC0123456789012345678901$/);
});

test('table: --fields: exactly these columns in this order, numbers right-aligned', async () => {
  const lines = await body('search', '[{"b":12345,"a":"x","c":{"d":[1, 2]}},{"b":7,"a":null}]', {
    fields: 'b,a,c.d,nope,@reference',
    terminal: screen(80),
  });
  assert.deepEqual(lines, [
    '     b  a  c.d    nope  @reference',
    '──────────────────────────────────',
    '12,345  x  [1,2]        @demo',
    '     7                  @demo',
  ]);
});

test('table: unknown shapes: the scalar members by their keys; value for a record that is no object', async () => {
  for (const [sent, ...lines] of [
    ['{"total":12,"name":"n","deep":{"x":1},"a":[],"b":[]}', 'total  name', '───────────', '   12  n'],
    ['[0,{"title":null,"videoId":null}]', ...['value  title  videoId', '─────────────────────', '    0', '']],
    ['{}', 'value', '─────', '{}'],
  ] as const)
    assert.deepEqual(await body('search', sent), lines);
});

test('table: an empty list is a header without rows', async () => {
  const text = await listed('table', 'uploads', { terminal: screen(80) }, '[]');
  assert.match(text, /^ *# {2}videoId .*title\n─+\n$/);
  assert.equal((await body('search', '{"results":[]}')).length, 2);
});

test('table: an empty first page does not decide the columns', async () => {
  const text = await listed('table', 'uploads', {}, '[]', '[{"videoId":"a","title":"t"}]');
  assert.equal(text, 'videoId      title\n──────────────────\na            t\n');
});

test('table: a failure before anything arrived prints nothing', async () => {
  assert.equal(await listed('table', 'uploads', {}), '');
});
