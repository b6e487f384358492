import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { createFormat } from '../../src/output/formats.ts';
import { cut, textWidth } from '../../src/output/width.ts';
import { answered, item, json, listed, notFound, type Overrides, options, screen } from './support.ts';

const titles = [
  'Building a tiny compiler in an afternoon, and then a somewhat larger one the next morning, for all of us',
  '日本語のタイトルはとても長いので途中で切られることになります、どこかで。そしてもう少し続きます、最後まで',
  '👨‍👩‍👧‍👦 Family 👩🏽‍🚀 trip 🇩🇪🇫🇷 to the ❤️ of 1️⃣ country and back, with a rather long title that goes on and on',
  'שלום עולם: כותרת ארוכה בעברית 123 עם מספרים ועוד טקסט שממשיך עוד ועוד ועוד עד הסוף',
  'e\u0301tude Z\u0337\u0353\u0350 कि ก็',
  '',
];
const entry = (index: number) => ({
  videoId: `vid${String(index).padStart(8, '0')}`,
  title: titles[index % titles.length],
  channelTitle: 'Demo',
  lengthText: index % 2 ? '4:05' : '1:02:33',
  viewCountText: `${index}.2M views`,
  thumbnails: [],
  index: String(index),
});
const page = (from: number, count: number): string =>
  JSON.stringify(Array.from({ length: count }, (_, i) => entry(from + i)));

/** The lines of a listing of two pages, of 1,234,567 entries. */
async function listing(overrides: Overrides, operation: 'uploads' | 'playlist' = 'uploads') {
  const all = { info: '{"numVideos":"1,234,567"}', ...overrides };
  return (await listed('table', operation, all, page(0, 7), page(1000, 7))).trimEnd().split('\n');
}

async function body(
  operation: 'search' | 'latest' | 'resolve',
  text: string,
  overrides: Overrides = {},
): Promise<string[]> {
  return (await answered('table', operation, overrides, text)).split('\n').slice(0, -1);
}

const words = ([header = '']: readonly string[]): string[] => header.trim().split(/ +/);

test('table: fits any terminal, whatever the titles: the least important columns are dropped', async () => {
  for (const [columns, ...shown] of [
    [200, 'index', 'videoId', 'lengthText', 'viewCountText', 'title'],
    [80, 'index', 'videoId', 'lengthText', 'viewCountText', 'title'],
    [60, 'videoId', 'lengthText', 'viewCountText', 'title'],
    [40, 'videoId', 'title'],
    [12, 'title'],
  ] as const)
    for (const operation of ['uploads', 'playlist'] as const) {
      const lines = await listing({ terminal: screen(columns) }, operation);
      assert.equal(lines.length, 16);
      assert.deepEqual(words(lines), shown);
      for (const line of lines) assert.ok(textWidth(line) <= columns, line);
    }
});

test('table: header once, all rows aligned with it; an index has room for the last one', async () => {
  const lines = await listing({ terminal: screen(80) });
  const [header = '', rule = '', ...rows] = lines;
  assert.equal(lines.filter((line) => line.includes('videoId')).length, 1);
  assert.match(rule, /^─{80}$/);
  assert.match(header, /^ {2}index {2}videoId /);
  const lengthEnd = header.indexOf('lengthText') + 'lengthText'.length;
  for (const row of rows) {
    assert.match(row, /^ {3}[ \d]{3}\d {2}vid\d{8} {2}/);
    assert.match(row.slice(0, lengthEnd), / (4:05|1:02:33)$/);
  }
});

test('table: with colour only the header and its rule have escape sequences', async () => {
  const colored = await listing({ terminal: { columns: 80, color: true } });
  const [header = '', rule = '', ...rows] = colored;
  assert.match(header, /^\u001b\[1m.*\u001b\[22m$/);
  assert.match(rule, /^\u001b\[2m─+\u001b\[22m$/);
  assert.ok(!rows.join('').includes('\u001b'));
  assert.deepEqual(colored.map(stripVTControlCharacters), await listing({ terminal: screen(80) }));
});

test('table: cells and keys contain no control or bidirectional formatting characters', async () => {
  const evil = 'a\u001b]0;x\u0007\r\n\u009b2J\u202eb\u2066\u0000';
  for (const sent of [
    { videoId: evil, title: evil },
    { [evil]: evil, x: 1 },
  ])
    for (const terminal of [screen(80), null])
      for (const line of await body('search', JSON.stringify([sent]), { terminal }))
        assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
});

test('table: numbers are never cut: columns go first; a later one widens its column at the expense of the title', async () => {
  const row = (index: string, viewCount: string): string =>
    `[{"videoId":"abcdefghijk","title":"A title of some length, which is cut","viewCount":"${viewCount}","index":"${index}"}]`;
  const shown = async (columns: number, ...pages: readonly string[]) =>
    (await listed('table', 'uploads', { terminal: screen(columns) }, ...pages)).split('\n').slice(0, -1);
  assert.deepEqual(await shown(52, row('1', '12'), row('99999', '123456789'), row('2', '7')), [
    'index  videoId       viewCount  title',
    '────────────────────────────────────────────────────',
    '    1  abcdefghijk          12  A title of some len…',
    '99999  abcdefghijk  123,456,789  A title of some le…',
    '    2  abcdefghijk            7  A title of some le…',
  ]);
  assert.deepEqual((await shown(46, row('1', '12'), row('99999', '1234567890123'))).slice(2), [
    'abcdefghijk          12  A title of some leng…',
    'abcdefghijk  1,234,567,890,123  A title of so…',
  ]);
  assert.deepEqual(
    await body('search', '[{"a":1234567890,"b":123456789012,"c":1}]', { terminal: screen(29) }),
    ['            a', '─────────────', '1,234,567,890'],
  );
});

test('table: a page of any size is drawn in linear time', async () => {
  const rows = Array.from({ length: 5000 }, (_, i) => ({ videoId: String(i), title: '日' }));
  const lines = await body('search', JSON.stringify(rows), { terminal: screen(40) });
  assert.equal(lines.length, 5002);
  assert.match(lines[5001] ?? '', /^4999 +日$/);
});

test('table: a view count and an age in one text are two columns, unless the entries have a date', async () => {
  const texts = ['434K views • 1 day ago', '1,234 views 3 days ago', '3.2M views 1 hour ago', 'No views', ''];
  const entries = texts.map((viewCountText) => ({ videoId: 'v', title: 't', viewCountText }));
  assert.deepEqual(await body('search', JSON.stringify(entries)), [
    'videoId      viewCountText                 title',
    '────────────────────────────────────────────────',
    'v               434K views  1 day ago      t',
    'v              1,234 views  3 days ago     t',
    'v               3.2M views  1 hour ago     t',
    'v                 No views                 t',
    'v                                          t',
  ]);
  const dated = JSON.stringify([{ ...entries[0], publishedTimeText: '1 day ago' }]);
  const shown = words(await body('search', dated)).join(' ');
  assert.equal(shown, 'videoId viewCountText publishedTimeText title');
  // The channel is shown if the entries have several.
  const channels = ['C', 'C', 'D'].map((channelTitle) => ({ videoId: 'v', title: 't', channelTitle }));
  for (const [count, header] of Object.entries({ 2: 'videoId title', 3: 'videoId channelTitle title' }))
    assert.equal(
      words(await body('search', JSON.stringify(channels.slice(0, Number(count))))).join(' '),
      header,
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

test('table: not on a terminal nothing is cut or coloured; a longer cell widens its column from its page on', async () => {
  const text = (await listing({})).join('\n');
  assert.doesNotMatch(text, /[…\u001b]/);
  for (const title of titles) assert.ok(text.includes(title));
  const pages = ['[{"title":"abc","index":"1"}]', '[{"title":"abcdefghijk","index":"2"},{"title":"d"}]'];
  assert.equal(
    await listed('table', 'uploads', { fields: 'title,index' }, ...pages, '[{"title":"e","index":"3"}]'),
    'title  index\n────────────\nabc        1\nabcdefghijk      2\nd\ne                3\n',
  );
});

test('table: latest: the day at a terminal, the full timestamp elsewhere; views are right-aligned', async () => {
  const sent =
    '{"results":[{"videoId":"a","title":"T","published":"2026-01-02T03:04:05+00:00","viewCount":"1234"},{"videoId":"b","title":"U","published":"soon","viewCount":"7"}]}';
  const lines = await body('latest', sent, { terminal: screen(80) });
  assert.deepEqual(words(lines), ['videoId', 'viewCount', 'published', 'title']);
  assert.match(lines[2] ?? '', /^a {2,} 1,234 {2}2026-01-02 {2}T$/);
  assert.match(lines[3] ?? '', /^b {2,}7 {2}soon {8}T?U$/);
  assert.match((await body('latest', sent))[2] ?? '', /^a {2,}1,234 {2}2026-01-02T03:04:05\+00:00 {2}T/);
});

test('table: several references: one table, with the given reference first', async () => {
  const format = await createFormat('table', options('resolve', { several: true, terminal: screen(40) }));
  const id = 'UC0123456789012345678901';
  assert.equal(
    format.body(item('@a'), json(`{"channel_id":"${id}","resolved_from":"@a"}`)) +
      format.failed(item('@x'), notFound) +
      format.body(item('@handle-of-length'), json('{"channel_id":"UC1","resolved_from":"@b"}')) +
      format.tail(),
    `${[
      '_reference      channel_id',
      '────────────────────────────────────────',
      `@a              ${id}`,
      '@handle-of-length  UC1',
    ].join('\n')}\n`,
  );
});

test('table: --fields: exactly these columns in this order, numbers right-aligned', async () => {
  const lines = await body('search', '[{"b":12345,"a":"x","c":{"d":[1, 2]}},{"b":7,"a":null}]', {
    fields: 'b,a,c.d,nope,_reference',
    terminal: screen(80),
  });
  assert.deepEqual(lines, [
    '     b  a  c.d    nope  _reference',
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

test('table: without entries no header; an empty first page does not decide the columns', async () => {
  assert.equal(await listed('table', 'uploads', {}), '');
  assert.equal(await listed('table', 'uploads', { terminal: screen(80) }, '[]'), '');
  assert.deepEqual(await body('search', '{"results":[]}'), []);
  const text = await listed('table', 'uploads', {}, '[]', '[{"videoId":"a","title":"t"}]');
  assert.equal(text, 'videoId      title\n──────────────────\na            t\n');
});
