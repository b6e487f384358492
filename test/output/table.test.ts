import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { createFormat } from '../../src/output/formats.ts';
import { fileShape } from '../../src/output/parse-fields.ts';
import { textWidth, truncateToWidth } from '../../src/output/width.ts';
import { oddTitles } from '../support/odd-titles.ts';
import {
  answer,
  answered,
  elements,
  item,
  listed,
  notFound,
  type Overrides,
  options,
  screen,
} from './support.ts';

const entry = (index: number) => ({
  videoId: `vid${String(index).padStart(8, '0')}`,
  title: oddTitles[index % oddTitles.length],
  channelTitle: 'Demo',
  lengthText: index % 2 ? '4:05' : '1:02:33',
  viewCountText: `${index % 100}.2M views`,
  thumbnails: [],
  index: String(index),
});
const page = (from: number, count: number): string =>
  JSON.stringify(Array.from({ length: count }, (_, i) => entry(from + i)));

/** The lines of a listing of two pages. */
async function listing(overrides: Overrides, operation: 'uploads' | 'playlist' = 'uploads') {
  return (await listed('table', operation, overrides, page(0, 7), page(1000, 7))).trimEnd().split('\n');
}

async function body(
  operation: 'search' | 'latest' | 'resolve',
  text: string,
  overrides: Overrides = {},
): Promise<string[]> {
  return (await answered('table', operation, overrides, text)).split('\n').slice(0, -1);
}

const words = ([header = '']: readonly string[]): string[] => header.trim().split(/ +/);

test('table: columns of words; at each width the least important ones are left out, so that titles have room', async () => {
  for (const [columns, ...shown] of [
    [200, 'index', 'videoId', 'length', 'views', 'title'],
    [100, 'index', 'videoId', 'length', 'views', 'title'],
    [99, 'videoId', 'length', 'views', 'title'],
    [60, 'videoId', 'length', 'views', 'title'],
    [40, 'videoId', 'length', 'title'],
    [20, 'title'],
  ] as const)
    for (const operation of ['uploads', 'playlist'] as const)
      assert.deepEqual(words(await listing({ terminal: screen(columns) }, operation)), shown);
  const wide = {
    channelHandle: '@a',
    lengthText: '1:02:33',
    viewCount: '12345678',
    publishedTimeText: '11 months ago',
  };
  const rows = ['A', 'Another channel'].map((channelTitle, i) => ({ ...entry(i), ...wide, channelTitle }));
  for (const [columns, ...shown] of [
    [120, 'index', 'videoId', 'length', 'views', 'age', 'channel', 'title'],
    [100, 'index', 'videoId', 'length', 'views', 'age', 'title'],
    [90, 'videoId', 'length', 'views', 'age', 'title'],
    [80, 'videoId', 'length', 'views', 'title'],
  ] as const) {
    const [header = ''] = await body('search', JSON.stringify(rows), { terminal: screen(columns) });
    assert.deepEqual(words([header]), shown);
    assert.ok(columns - header.indexOf('title') >= 34, 'columns of the title');
  }
});

test('table: no row is wider than its terminal, and none is out of line, whatever the titles', async () => {
  const rows = oddTitles.map((title, i) => ({
    ...entry(i),
    title,
    videoId: `vid${String(i).padStart(8, '0')}`,
  }));
  for (const fields of [undefined, 'title,videoId,channelTitle', 'channelTitle,title,videoId'])
    for (const columns of [40, 60, 80, 100, 120, 200]) {
      const overrides = { terminal: screen(columns), ...(fields && { fields }) };
      const lines = (await listed('table', 'uploads', overrides, JSON.stringify(rows))).trimEnd().split('\n');
      assert.equal(lines.length, 2 + oddTitles.length);
      const placeOfId = (line: string): number => textWidth(line.slice(0, line.search(/videoId|vid0/)));
      for (const line of lines) assert.ok(stringWidth(line) <= columns, line);
      const places = new Set(lines.toSpliced(1, 1).map(placeOfId));
      assert.equal(places.size, 1, `${fields} at ${columns}: ${[...places]}`);
    }
});

test('table: a text is as wide as terminals draw it', () => {
  // Seen in tmux: where its cursor is after the text.
  for (const [width, texts] of Object.entries({
    1: ['e\u0301'],
    2: ['ทำ', 'ກຳ', 'का', 'கொ', '각', '\u1100\u1161\u11a8', '🇩🇪', '👨‍👩‍👧‍👦'],
    4: ['स्त्री', '한글'],
    5: ['বাংলা'],
    6: ['क्षत्रिय'],
  }))
    for (const text of texts) assert.equal(textWidth(text), Number(width), text);
});

test('table: a cell of emoji that are drawn in parts has room in its column', async () => {
  const page = '[{"videoId":"a","channelTitle":"👩🏽‍🚀 Anna Weber"},{"videoId":"b","channelTitle":"B"}]';
  const table = await listed(
    'table',
    'uploads',
    { terminal: screen(200), fields: 'channelTitle,videoId' },
    page,
  );
  assert.ok(table.includes('👩🏽‍🚀 Anna Weber'), table);
});

test('table: the ID of resolve is not left out on a narrow terminal', async () => {
  const body = '{"channel_id":"UCdemo__________________","resolved_from":"@demo"}';
  const table = await answered('table', 'resolve', { terminal: screen(20), hasSeveral: true }, body);
  assert.match(table, /channel_id|chann/);
});

test('table: of several channels, the columns do not depend on the first one', async () => {
  const text = await listed('table', 'uploads', { hasSeveral: true }, '[{"videoId":"a","title":"t"}]');
  assert.match(text, /^reference +videoId +length +views +age +title$/m);
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

test('table: numbers are never cut: columns go first; a later one that is wider moves only its own row', async () => {
  const row = (index: string, viewCount: string): string =>
    `[{"videoId":"abcdefghijk","title":"A title of some length, which is cut","viewCount":"${viewCount}","index":"${index}"}]`;
  const pages = [row('1', '12'), row('99999', '123456789'), row('2', '7')];
  assert.equal(
    await listed('table', 'uploads', { terminal: screen(52) }, ...pages),
    [
      'videoId      views  title',
      '────────────────────────────────────────────────────',
      'abcdefghijk     12  A title of some length, which i…',
      'abcdefghijk  123,456,789  A title of some length, w…',
      'abcdefghijk      7  A title of some length, which i…\n',
    ].join('\n'),
  );
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

test('table: a view count and an age in one text are two columns; a date takes the place of the age', async () => {
  const texts = ['434K views • 1 day ago', '1,234 views 3 days ago', '3.2M views 1 hour ago', 'No views', ''];
  const entries = texts.map((viewCountText) => ({ videoId: 'v', title: 't', viewCountText }));
  assert.deepEqual(await body('search', JSON.stringify(entries)), [
    'videoId      views  age         title',
    '─────────────────────────────────────',
    'v             434K  1 day ago   t',
    'v            1,234  3 days ago  t',
    'v             3.2M  1 hour ago  t',
    'v                0              t',
    'v                               t',
  ]);
  // What is not a count is shown as it is; an exact count comes first.
  const others = [
    { viewCountText: '12 watching' },
    { viewCountText: '434 mil visualizaciones' },
    { viewCount: '1252603', viewCountText: '1.2M views' },
  ];
  const shown = await body('search', JSON.stringify(others.map((other) => ({ ...entries[4], ...other }))));
  assert.deepEqual(
    shown.slice(2).map((line) => line.slice(13, -3).trim()),
    ['12 watching', '434 mil visualizaciones', '1,252,603'],
  );
  const dated = JSON.stringify([{ ...entries[0], published: '2026-01-02T03:04:05Z' }, { ...entries[0] }]);
  assert.deepEqual((await body('search', dated, { terminal: screen(80) })).slice(2), [
    'v             434K  2026-01-02  t',
    'v             434K  1 day ago   t',
  ]);
  // The channel is shown if the entries have several.
  const channels = ['C', 'C', 'D'].map((channelTitle) => ({ videoId: 'v', title: 't', channelTitle }));
  for (const [count, header] of Object.entries({ 2: 'videoId title', 3: 'videoId channel title' }))
    assert.equal(
      words(await body('search', JSON.stringify(channels.slice(0, Number(count))))).join(' '),
      header,
    );
});

test('table: a text is cut to any width between two characters, in no time', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, columns) => {
      const kept = truncateToWidth(text, columns);
      assert.ok(textWidth(kept) <= columns);
      assert.ok(kept === text || kept.endsWith('…') || columns === 0);
    }),
  );
  assert.equal(truncateToWidth('日本語のタイトル', 8), '日本語…');
  // Some terminals draw each part of a joined emoji: a row must not wrap there.
  assert.equal(truncateToWidth('👩🏽‍🚀👨‍👩‍👧‍👦🇩🇪', 5), '…');
  assert.equal(truncateToWidth('e\u0301'.repeat(1_000_000), 3), 'e\u0301e\u0301…');
  assert.equal(textWidth('क'.repeat(1_000_000)), 1_000_000);
});

test('table: not on a terminal nothing is cut or coloured; a longer cell moves only its own row', async () => {
  const text = (await listing({})).join('\n');
  assert.doesNotMatch(text, /[…\u001b]/);
  for (const title of oddTitles.slice(0, 7)) assert.ok(text.includes(title.trimEnd()));
  const pages = ['[{"title":"abc","index":"1"}]', '[{"title":"abcdefghijk","index":"2"},{"title":"d"}]'];
  assert.equal(
    await listed('table', 'uploads', { fields: 'title,index' }, ...pages, '[{"title":"e","index":"3"}]'),
    'title  index\n────────────\nabc        1\nabcdefghijk      2\nd\ne          3\n',
  );
});

test('table: latest: the day at a terminal, the full timestamp elsewhere; views are right-aligned', async () => {
  const sent =
    '{"results":[{"videoId":"a","title":"T","published":"2026-01-02T03:04:05+00:00","viewCount":"1234"},{"videoId":"b","title":"U","published":"soon","viewCount":"7"}]}';
  const lines = await body('latest', sent, { terminal: screen(80) });
  assert.deepEqual(words(lines), ['videoId', 'views', 'published', 'title']);
  assert.match(lines[2] ?? '', /^a {2,} 1,234 {2}2026-01-02 {2}T$/);
  assert.match(lines[3] ?? '', /^b {2,}7 {2}soon {8}T?U$/);
  // Dates outlast views on a narrow terminal.
  const wide = sent.replace('"T"', `"${'T'.repeat(60)}"`).replace('"1234"', '"123456789"');
  const narrow = await body('latest', wide.replace('"a"', '"aaaaaaaaaaa"'), { terminal: screen(58) });
  assert.deepEqual(words(narrow), ['videoId', 'published', 'title']);
  assert.match((await body('latest', sent))[2] ?? '', /^a {2,}1,234 {2}2026-01-02T03:04:05\+00:00 {2}T/);
});

test('table: several references: one table, with the handle or ID first, cut to 24 columns', async () => {
  const format = await createFormat('table', {
    ...options('resolve', { hasSeveral: true, terminal: screen(60) }),
    referenceWidth: 70,
  });
  const id = 'UC0123456789012345678901';
  const sent = `{"channel_id":"${id}"}`;
  const url = 'https://example.com/c/of-an-address-without-a-handle';
  assert.equal(
    answer(format, item('@a'), `{"channel_id":"${id}","resolved_from":"@a"}`, 'resolve') +
      format.failed(item('@x'), notFound) +
      answer(format, { given: `example.com/channel/${id}`, value: id }, sent, 'resolve') +
      answer(format, { given: url, value: url }, sent, 'resolve') +
      format.tail(),
    [
      'reference                 channel_id',
      '──────────────────────────────────────────────────',
      `@a                        ${id}`,
      `${id}  ${id}`,
      `https://example.com/c/o…  ${id}\n`,
    ].join('\n'),
  );
});

test('table: a long reference is cut to 24 columns, also if it comes first', async () => {
  const long = '@a-very-very-long-handle-of-a-channel';
  const options80 = options('uploads', { hasSeveral: true, terminal: screen(80) });
  const format = await createFormat('table', { ...options80, referenceWidth: long.length });
  const lines = String(format.rows(item(long), elements(page(0, 1)))).split('\n');
  assert.match(lines[0] ?? '', /^reference {17}videoId/);
  assert.match(lines[2] ?? '', /^@a-very-very-long-handl… {2}vid00000000 /);
});

test('table: a listing of several pages has room for later lengths; one of a single page has none to spare', async () => {
  for (const [mayFollow, header] of [
    [true, 'videoId        length  title'],
    [false, 'videoId      length  title'],
  ] as const) {
    const format = await createFormat('table', options('uploads', { terminal: screen(80) }));
    const sent = elements('[{"videoId":"abcdefghijk","title":"t","lengthText":"4:05"}]');
    assert.equal(String(format.rows(item(), sent, mayFollow)).split('\n')[0], header);
  }
});

test('table: --fields: a title before other columns is as wide as its cells once all are known', async () => {
  const sent = '[{"title":"Bread","index":1},{"title":"Soup for ten","index":22}]';
  for (const [mayFollow, header] of [
    [true, 'title                               index'],
    [false, 'title         index'],
  ] as const) {
    const format = await createFormat(
      'table',
      options('uploads', { fields: 'title,index', terminal: screen(41) }),
    );
    assert.equal(String(format.rows(item(), elements(sent), mayFollow)).split('\n')[0], header);
  }
  const response = await body('search', sent, { fields: 'title,index', terminal: screen(200) });
  assert.equal(response[0], 'title         index');
});

test('table: numbers have thousands separators, whatever they are', async () => {
  const sent =
    '[{"videoId":"a","title":"t","viewCountText":"12345 views"},{"videoId":"b","viewCountText":"434K views"}]';
  const text = await answered('table', 'search', {}, sent);
  assert.deepEqual(text.match(/12,345|434K/g), ['12,345', '434K']);
  const rows = await answered(
    'table',
    'search',
    {},
    '[{"n":-1234567.891,"t":"1234","big":1234567890123456789}]',
  );
  assert.equal(rows.split('\n')[2]?.trim(), '-1,234,567.891  1234  1,234,567,890,123,456,789');
});

test('table: several references with --fields: references are whole, and there is room for later numbers', async () => {
  const fields = '_reference,_views,title';
  const several = {
    ...options('uploads', { hasSeveral: true, terminal: screen(80), fields }),
    referenceWidth: 13,
  };
  const format = await createFormat('table', several);
  const page = (name: string, views: string): string =>
    String(format.rows(item(name), elements(`[{"title":"T","viewCountText":"${views} views"}]`)));
  const lines = (page('@a', '7') + page('@size-1000000', '104M')).split('\n');
  assert.deepEqual(lines.toSpliced(1, 1), [
    '_reference          _views  title',
    '@a                       7  T',
    '@size-1000000  104,000,000  T',
    '',
  ]);
});

test('table: of files, later entries may be premieres; views that are words have room from 120 columns on', async () => {
  const first = '[{"videoId":"abcdefghijk","title":"t","lengthText":"4:05","viewCountText":"7 views"}]';
  const later =
    '[{"videoId":"abcdefghijk","title":"t","lengthText":"PREMIERE","viewCountText":"214 waiting"}]';
  for (const [columns, row] of [
    [119, 'abcdefghijk  PREMIERE      …  t'],
    [120, 'abcdefghijk  PREMIERE  214 waiting  t'],
  ] as const) {
    const rendering = { ...options('uploads', { terminal: screen(columns) }), shape: fileShape };
    const format = await createFormat('table', rendering);
    const text = [first, later].map((entries) => format.rows(item(), elements(entries))).join('');
    assert.equal(text.trimEnd().split('\n').at(-1)?.trimEnd(), row);
  }
});

test('table: several references: there is room for the counts of later ones', async () => {
  const format = await createFormat('table', {
    ...options('latest', { hasSeveral: true }),
    referenceWidth: 2,
  });
  const sent = (viewCount: string) => `[{"videoId":"abcdefghijk","title":"t","viewCount":"${viewCount}"}]`;
  assert.equal(
    answer(format, item('@a'), sent('7'), 'latest') + answer(format, item('@b'), sent('123456789'), 'latest'),
    [
      'reference  videoId            views  title',
      '──────────────────────────────────────────',
      '@a         abcdefghijk            7  t',
      '@b         abcdefghijk  123,456,789  t\n',
    ].join('\n'),
  );
});

test('table: --fields: at a terminal nothing is left out: texts are cut to 8, then the table is wider', async () => {
  const fields = 'videoId,title,channelTitle,channelHandle,lengthText,viewCountText,publishedTimeText';
  const sent = {
    ...entry(0),
    videoId: 'abcdefghijk',
    channelHandle: '@handle-of-length',
    publishedTimeText: '11 months ago',
  };
  const lines = async (columns: number) =>
    (await listed('table', 'uploads', { fields, terminal: screen(columns) }, JSON.stringify([sent]))).split(
      '\n',
    );
  assert.deepEqual(await lines(80), [
    'videoId      title         channelT…  channelH…  lengthTe…  viewCoun…  publishe…',
    '────────────────────────────────────────────────────────────────────────────────',
    'abcdefghijk  Building a …  Demo       @handle-…    1:02:33  0.2M vie…  11 month…',
    '',
  ]);
  assert.deepEqual(await lines(40), [
    'videoId      title     channel…  channel…  lengthT…  viewCou…  publish…',
    '───────────────────────────────────────────────────────────────────────',
    'abcdefghijk  Buildin…  Demo      @handle…   1:02:33  0.2M vi…  11 mont…',
    '',
  ]);
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

test('table: unknown shapes: the scalar members by their keys; value for a record that is not an object', async () => {
  for (const [sent, ...lines] of [
    ['{"total":12,"name":"n","deep":{"x":1},"a":[],"b":[]}', 'total  name', '───────────', '   12  n'],
    ['[0,{"title":null,"videoId":null}]', ...['value  title  videoId', '─────────────────────', '    0', '']],
    ['[0,{"title":null,"x":"y"}]', ...['value  title  x', '───────────────', '    0', '              y']],
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
