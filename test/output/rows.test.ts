import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { memberField } from '../../src/output/fields.ts';
import { createFormat, type FormatName } from '../../src/output/formats.ts';
import type { OperationName } from '../../src/service/contract.ts';
import { latestFields, searchFields, specifiedFields } from '../support/specified-fields.ts';
import { answered, elements, item, json, listed, listingFrame, options, screen } from './support.ts';

const nine = specifiedFields.join(',');
const noFields = ','.repeat(12);
const unsafe = String.raw`[{"videoId":"a\r\nb\u001b[2J\u2066"}]`;

/** Format, operation and fields; a list, or (if it is not an array) a whole response; what is printed. */
const printed = [
  // Fields as keys, in their order; null if missing, and of a record that is not an object.
  [
    'ndjson uploads thumbnails.0.url,_reference,nope,n',
    '[{"n":1.50,"thumbnails":[{"url":"u"}]},7]',
    '{"thumbnails.0.url":"u","_reference":"@demo","nope":null,"n":1.50}\n' +
      '{"thumbnails.0.url":null,"_reference":"@demo","nope":null,"n":null}\n',
  ],
  ['ndjson resolve', '{"channel_id":"UC","a":[1]}', '{"channel_id":"UC","a":[1]}\n'],
  // Strings raw, numbers digit for digit, booleans as text, null and missing empty, nested as compact JSON.
  [
    'csv uploads',
    '[{"title":"a \\"b\\", c\\nd","videoId":"v","channelId":null,"channelTitle":true,"channelHandle":9007199254740993,' +
      '"lengthText":1.0,"thumbnails":[ {"url": "u"} ],"index":"0","more":1}]',
    `${nine},more\nv,"a ""b"", c\nd",,true,9007199254740993,1.0,,"[{""url"":""u""}]",0,1\n`,
  ],
  ['csv resolve', '{"resolved_from":"@a","channel_id":"UCx"}', 'channel_id,resolved_from\nUCx,@a\n'],
  [
    'csv uploads thumbnails.0.url,_reference,x',
    '[{"thumbnails":[{"url":"u,v"}],"x":false}]',
    'thumbnails.0.url,_reference,x\n"u,v",@demo,false\n',
  ],
  // A column without --fields is a key of the entries: it is neither a path nor computed.
  [
    'csv uploads',
    '[{"a.b":1,"_views":5},{"a":{"b":2},"viewCountText":"7 views"}]',
    `${nine},a.b,_views,a\n,,,,,,,,,1,5,\n,,,,,,7 views,,,,,"{""b"":2}"\n`,
  ],
  // A record that is not an object is a value.
  [
    'csv search',
    '[{"a":1},2,"x",null]',
    `${searchFields},a,value\n${noFields}1,\n${noFields},2\n${noFields},x\n${noFields},\n`,
  ],
  // Most programs read a cell up to its first NUL.
  ['csv uploads title,a', '[{"title":"before\\u0000after","a":"\\u0000,"}]', 'title,a\nbeforeafter,","\n'],
  // Only null is an empty cell, not a text that begins like it.
  ['csv uploads title,a', '[{"title":"no","a":"null"},{"title":null,"a":""}]', 'title,a\nno,null\n,\n'],
  // A row of one empty cell is not an empty line.
  ['csv uploads title', '[{}]', 'title\n""\n'],
  ['csv uploads x', '[{"x":"a\\rb"}]', 'x\n"a\rb"\n'],
  // As sent, but free of control and bidi characters on a terminal; an ID never takes two lines.
  ['csv uploads videoId', unsafe, 'videoId\n"a\r\nb\u001b[2J\u2066"\n'],
  ['csv uploads videoId terminal', unsafe, 'videoId\na b [2J \n'],
  ['csv uploads  terminal', String.raw`[{"a\u001b[2J":1}]`, `${nine},a [2J\n,,,,,,,,,1\n`],
  ['id uploads', unsafe, 'a b\u001b[2J\u2066\n'],
  ['id uploads  terminal', unsafe, 'a b [2J \n'],
  ['id uploads', '[{"videoId":7.0},3]', '7.0\n'],
  ['id resolve', '{"channel_id":"UCx","resolved_from":"@a"}', 'UCx\n'],
] as const;

test('ndjson, csv and id: what is printed of entries, at a terminal and elsewhere', async () => {
  for (const [how, body, text] of printed) {
    const [format, operation, fields, terminal] = how.split(' ') as [
      FormatName,
      OperationName,
      string?,
      string?,
    ];
    const overrides = { ...(fields && { fields }), terminal: terminal ? screen(80) : null };
    const print = body.startsWith('[') ? listed : answered;
    assert.equal(await print(format, operation, overrides, body), text, how);
  }
});

test('id: entries that it leaves out are a warning', async () => {
  const format = await createFormat('id', options('uploads'));
  assert.equal(format.rows(item(), elements('[{"videoId":"a"}]')), 'a\n');
  assert.deepEqual(format.warnings(), []);
  assert.equal(format.rows(item(), elements('[{"title":"x"},{"videoId":"b"},{"videoId":null}]')), 'b\n');
  assert.equal(format.rows(item(), elements('[{"title":"y"},{"videoId":"c"}]')), 'c\n');
  assert.equal(format.rows(item(), elements('[{"videoId":"d"}]')), 'd\n');
  assert.deepEqual(format.warnings(), ['id: left out 3 entries without videoId']);
});

test('csv: the nine fields, then the other keys of the first page; later keys are left out with one warning', async () => {
  const format = await createFormat('csv', options('playlist'));
  assert.equal(format.rows(item(), []), '');
  assert.equal(
    String(format.rows(item(), elements('[{"x":1,"videoId":"a"},{"members_only":true,"a,b":null}]'))),
    `${nine},x,members_only,"a,b"\na,,,,,,,,,1,,\n,,,,,,,,,,true,\n`,
  );
  assert.deepEqual(format.warnings(), []);
  assert.equal(
    String(format.rows(item(), elements('[{"new":1,"x":2},{"new":3,"newer":4}]'))),
    ',,,,,,,,,2,,\n,,,,,,,,,,,\n',
  );
  assert.deepEqual(format.warnings(), [
    'csv: left out fields that are not in the header: new, newer; name them with --fields',
  ]);
  assert.equal(format.close(item(), listingFrame.after) + format.tail(), '');
});

test('csv: at most 1,000 columns, in linear time, with the same warning', async () => {
  const pages = Array.from({ length: 2 }, (_, page) =>
    Array.from({ length: 100 }, (_, n) => {
      const keys = Array.from({ length: 800 }, (_, k) => `"k${page}_${n}_${k}":${k}`);
      return `{"videoId":"v${n}",${keys.join(',')}}`;
    }),
  );
  for (const columns of [null, Array.from({ length: 3000 }, (_, k) => memberField(`k0_${k % 100}_${k}`))]) {
    const format = await createFormat('csv', options('uploads', { columns }));
    const [header, row] =
      pages.map((page) => String(format.rows(item(), elements(`[${page}]`))))[0]?.split('\n') ?? [];
    assert.equal(header?.split(',').length, 1000);
    assert.equal(row?.split(',').length, 1000);
    const [warning = ''] = format.warnings();
    assert.match(
      warning,
      /^csv: left out fields that are not in the header: .*k.*…; name them with --fields$/,
    );
    assert.ok(warning.length < 400);
  }
  const format = await createFormat('csv', options('uploads', { fields: '_views,*' }));
  const [header] = String(format.rows(item(), elements(`[${pages[0]},${pages[1]}]`))).split('\n');
  assert.equal(header?.split(',').length, 1000);
});

test('csv: search and latest: the documented fields first, also in the header of an empty result', async () => {
  for (const [operation, fields] of [
    ['search', searchFields],
    ['latest', latestFields],
  ] as const) {
    const header = fields.join(',');
    assert.equal(await answered('csv', operation, {}, '{"results":[]}'), `${header}\n`);
    const bodies = ['[{"extra":{"a": 1},"videoId":"v"}]', '[{"videoId":"w"}]'];
    const full = await answered('csv', operation, {}, ...bodies);
    assert.match(full, new RegExp(`^${header},extra\n[,v]*,"{""a"":1}"\n[,w]*\n$`));
  }
});

/** A cell of RFC 4180 with LF line ends, quoted or not, and what follows it. */
const cell = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))([,\n])/gy;

function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let isNewRow = true;
  let length = 0;
  for (const [whole, quoted, plain = '', next] of text.matchAll(cell)) {
    if (isNewRow) rows.push([]);
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    isNewRow = next === '\n';
    length += whole.length;
  }
  if (length < text.length) throw new Error(`not CSV: ${text.slice(length, length + 80)}`);
  return rows;
}

test('csv: an RFC 4180 reader returns any text unchanged, without NUL', async () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom('"', ',', '\n', '\r', ' ', 'a'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, text), { maxLength: 5 }), async (rows) => {
      const format = await createFormat('csv', options('uploads', { fields: 'title,videoId' }));
      const entries = rows.map(([title, videoId]) => json(JSON.stringify({ videoId, title })));
      assert.deepEqual(parseCsv(format.rows(item(), entries) + format.tail()), [
        ['title', 'videoId'],
        ...rows.map((row) => row.map((cell) => cell.replaceAll('\0', ''))),
      ]);
    }),
  );
});

test('csv: fields that are named are in the header, however many * stands for', async () => {
  const keys = Array.from({ length: 3000 }, (_, k) => `"k${k}":${k}`).join(',');
  const text = await listed('csv', 'uploads', { fields: '*,k2999,videoId' }, `[{"videoId":"a",${keys}}]`);
  assert.deepEqual(text.split('\n')[0]?.split(',').slice(-2), ['k2999', 'videoId']);
});
