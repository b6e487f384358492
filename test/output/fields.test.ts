import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  durationSeconds,
  memberField,
  parseFields,
  picker,
  shownEntries,
  views,
} from '../../src/output/fields.ts';
import type { Item, RecordShape } from '../../src/output/format.ts';
import { createFormat } from '../../src/output/formats.ts';
import { type OperationName, operations } from '../../src/service/contract.ts';
import { isFailure } from '../support/failures.ts';
import { specifiedFields } from '../support/specified-fields.ts';
import { elements, item, json, listed, options } from './support.ts';

const fieldsOf = (value: string, operation: RecordShape) => parseFields(value, operation) ?? [];

const refused = (value: string, says: string, operation: 'uploads' | 'resolve' = 'uploads'): void =>
  assert.throws(() => parseFields(value, operations[operation]), isFailure(2, says), value);

test('--fields: paths, in the order given', () => {
  assert.deepEqual(parseFields('title, thumbnails.0.url,@reference', operations.uploads), [
    { name: 'title', path: ['title'] },
    { name: 'thumbnails.0.url', path: ['thumbnails', '0', 'url'] },
    { name: '@reference', path: null },
  ]);
});

test('--fields: an unspecified field is accepted, a near miss of a specified one is not', () => {
  assert.deepEqual(parseFields('members_only', operations.uploads), [memberField('members_only')]);
  assert.equal(fieldsOf('viewCount,published,author,link', operations.latest).length, 4);
  refused('chanel_id', "'chanel_id'; did you mean channel_id?", 'resolve');
  refused('@page', '@reference, @seconds, @views, @published');
  refused('@seconds.0', 'nothing inside @seconds');
  refused('*.a', 'nothing inside *');
});

const meant: Readonly<Record<string, string>> = {
  id: 'videoId',
  ID: 'videoId',
  views: '@views',
  viewCount: '@views',
  duration: '@seconds',
  length: '@seconds',
  published: '@published',
  'published.0': '@published',
  url: 'thumbnails.0.url, or videoId',
  'thumbnails[0].url': 'thumbnails.0.url',
};

test('names from elsewhere: uploads and playlist: an error that names the field that is meant', () => {
  for (const [name, field] of Object.entries(meant))
    for (const operation of [operations.uploads, operations.playlist])
      assert.throws(() => parseFields(`title,${name}`, operation), {
        exit: 2,
        message: `--fields: there is no field '${name.replace('.0', '').replace('.url', '')}'`,
        hint: `did you mean ${field}?`,
      });
});

test('names from elsewhere: latest, search and show: fields that entries may have', () => {
  for (const name of Object.keys(meant))
    for (const operation of [operations.latest, operations.search, shownEntries])
      assert.equal(fieldsOf(name, operation)[0]?.name, name);
});

const entry = json('{"a":{"b":[1,{"c":"x"}]},"n":1.50,"a.b":2,"twice":1,"twice":{"x":3},"nil":null}');
const fields = fieldsOf('n,a.b.1.c,a.b.2,twice.x,nil,@reference,a.b', operations.latest);

test('picking: reads each field of an entry, null if missing', () => {
  const expected = ['1.50', '"x"', 'null', '3', 'null', '"@demo"', '[1,{"c":"x"}]'];
  assert.deepEqual(picker(fields, operations.latest)(entry, item()).map(String), expected);
});

test('picking: reaches into entries that are arrays, finds nothing in others', () => {
  const first = picker(fieldsOf('0.x', operations.latest), operations.latest);
  assert.deepEqual(first(json('[{"x":1}]'), item()).map(String), ['1']);
  assert.deepEqual(first(json('"text"'), item()).map(String), ['null']);
});

test('@seconds: minutes and seconds, hours too; null if it is no duration', () => {
  const cases: Record<string, string | null> = {
    '0:07': '7',
    '4:05': '245',
    '62:33': '3753',
    '1:02:33': '3753',
    '100:00:00': '360000',
    '1000:59': '60059',
    LIVE: null,
    '': null,
    '33': null,
    '4:5': null,
    '4:60': null,
    '1:60:00': null,
    '1:2:33': null,
    '1:02:03:04': null,
    '-1:00': null,
    PT4M: null,
  };
  for (const [text, expected] of Object.entries(cases)) assert.equal(durationSeconds(text), expected, text);
  assert.equal(durationSeconds(undefined), null);
});

test('@views: of viewCount digit for digit, else of viewCountText; never a guess', () => {
  const texts: Record<string, string | null> = {
    '434K views': '434000',
    '3.2M views': '3200000',
    '3.2M views • 2 years ago': '3200000',
    '1.25B views': '1250000000',
    '1,234 views': '1234',
    '1,234,567 views 3 days ago': '1234567',
    '1 view': '1',
    '0 views': '0',
    'No views': '0',
    'No views • 1 hour ago': '0',
    '9007199254740993 views': '9007199254740993',
    '12 watching': null,
    '1.234 views': null,
    '1.2345K views': null,
    '12,34 views': null,
    '3,2M views': null,
    '434 mil visualizaciones': null,
    '3.2 million views': null,
    '5T views': null,
    '434K': null,
    '10 viewers': null,
    '': null,
  };
  for (const [text, expected] of Object.entries(texts)) assert.equal(views(undefined, text), expected, text);
  assert.equal(views('9007199254740993', '1 view'), '9007199254740993');
  assert.equal(views('', '2 views'), '2');
  assert.equal(views('1e3', undefined), null);
  assert.equal(views('-5', undefined), null);
  assert.equal(views('007', undefined), '7');
});

test('no text takes more than linear time', () => {
  for (const long of [' ', '1', '1,', ':', '1:', 'no '].map((part) => part.repeat(600_000))) {
    assert.equal(durationSeconds(`1${long}:00x`), null);
    assert.equal(views(undefined, `1${long}views`), null);
    assert.equal(views(`${long}x`, undefined), null);
  }
});

test('are numbers and strings in every format', async () => {
  const fields = '@reference,@seconds,@views,@published';
  const published = (id: string): string | null => (id === 'v' ? '2026-01-01T16:00:00Z' : null);
  const from = { ...item('@a'), published };
  const entries = elements(
    '[{"videoId":"v","lengthText":"1:02:33","viewCountText":"434K views","published":"x"},{"lengthText":"LIVE"}]',
  );
  const rows = async (name: 'ndjson' | 'csv'): Promise<string> =>
    String((await createFormat(name, options('uploads', { fields }))).rows(from, entries));
  assert.equal(
    await rows('ndjson'),
    '{"@reference":"@a","@seconds":3753,"@views":434000,"@published":"2026-01-01T16:00:00Z"}\n' +
      '{"@reference":"@a","@seconds":null,"@views":null,"@published":null}\n',
  );
  assert.equal(await rows('csv'), `${fields}\n@a,3753,434000,2026-01-01T16:00:00Z\n@a,,,\n`);
});

test('@published is what latest sent; null elsewhere', async () => {
  const sent = '[{"published":"2026-01-01T16:00:00Z"},{"published":1767283200}]';
  const none = '{"@published":null}\n'.repeat(2);
  for (const [operation, text] of [
    ['latest', '{"@published":"2026-01-01T16:00:00Z"}\n{"@published":1767283200}\n'],
    ['search', none],
    ['playlist', none],
  ] as const)
    assert.equal(await listed('ndjson', operation, { fields: '@published' }, sent), text);
});

test('@published where it cannot be known is null, with one warning', async () => {
  const entries = elements('[{"videoId":"v"},{"videoId":"w","published":"x"}]');
  const warnings = async (operation: OperationName, shape: RecordShape, from: Item): Promise<string[]> => {
    const format = await createFormat('ndjson', options(operation, { fields: 'videoId,@published', shape }));
    for (let page = 0; page < 2; page++) format.rows(from, entries);
    return format.warnings();
  };
  const published = (): null => null;
  const warning = '--fields: @published is null: only latest and ndjson exports of uploads have dates';
  for (const name of ['uploads', 'playlist', 'search'] as const)
    assert.deepEqual(await warnings(name, operations[name], item()), [warning], name);
  assert.deepEqual(await warnings('playlist', operations.playlist, { ...item(), published }), [warning]);
  assert.deepEqual(await warnings('uploads', operations.uploads, { ...item(), published }), []);
  assert.deepEqual(await warnings('latest', operations.latest, item()), []);
  assert.deepEqual(await warnings('uploads', shownEntries, item()), []);
});

test('* stands for all fields as sent: in ndjson at its place, without those that are named; in csv the documented columns, then the others', async () => {
  const sent = '[{"b":1.0,"a":{"c":[]},"title":"t"},{"a":2}]';
  for (const [format, fields, text] of [
    [
      'ndjson',
      '@reference,*',
      '{"@reference":"@demo","b":1.0,"a":{"c":[]},"title":"t"}\n{"@reference":"@demo","a":2}\n',
    ],
    [
      'ndjson',
      'title,*,@seconds',
      '{"title":"t","b":1.0,"a":{"c":[]},"@seconds":null}\n{"title":null,"a":2,"@seconds":null}\n',
    ],
    [
      'csv',
      '@reference,*',
      `@reference,${specifiedFields},b,a\n@demo,,t,,,,,,,,1.0,"{""c"":[]}"\n@demo,,,,,,,,,,,2\n`,
    ],
  ] as const)
    assert.equal(await listed(format, 'uploads', { fields }, sent), text);
});

test('a path that no entry on the first page has is a warning', async () => {
  const format = await createFormat(
    'ndjson',
    options('uploads', { fields: 'videoId,members_only,thumbnails.0.url' }),
  );
  format.rows(item(), []);
  assert.deepEqual(format.warnings(), []);
  format.rows(item(), elements('[{"videoId":"a"},{"videoId":null,"thumbnails":[]}]'));
  format.rows(item(), elements('[{}]'));
  assert.deepEqual(format.warnings(), [
    '--fields: no entry on the first page has members_only, thumbnails.0.url; its fields are videoId, thumbnails',
  ]);
  const present = await createFormat('csv', options('latest', { fields: 'videoId,author' }));
  present.body(item(), json('{"results":[{"videoId":"a"},{"author":null,"videoId":"b"}]}'));
  assert.deepEqual(present.warnings(), []);
});
