import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asObject, memberField, picker } from '../../src/output/fields.ts';
import type { EntryShape } from '../../src/output/format.ts';
import { createFormat } from '../../src/output/formats.ts';
import { fileShape, parseFields } from '../../src/output/parse-fields.ts';
import { parseDuration, parseViewCount } from '../../src/output/video-texts.ts';
import { operations } from '../../src/service/contract.ts';
import { isFailure } from '../support/failures.ts';
import { specifiedFields } from '../support/specified-fields.ts';
import { elements, item, json, listed, options } from './support.ts';

const { uploads, playlist, latest, search, resolve } = operations;
const fieldsOf = (value: string, operation: EntryShape) => parseFields(value, operation) ?? [];

test('--fields: paths, in the order given; an unspecified field is accepted', () => {
  assert.deepEqual(parseFields('title, thumbnails.0.url,_reference,members_only', uploads), [
    { name: 'title', path: ['title'] },
    { name: 'thumbnails.0.url', path: ['thumbnails', '0', 'url'] },
    { name: '_reference', path: null },
    memberField('members_only'),
  ]);
});

test('--fields: a name that every object of JavaScript has is a field like any other', async () => {
  for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
    for (const operation of [uploads, latest, fileShape])
      assert.deepEqual(parseFields(name, operation), [{ name, path: [name] }]);
    const page = `[{"videoId":"a","${name}":"own"},{"videoId":"b"}]`;
    const fields = `videoId,${name}`;
    const table = await listed('table', 'uploads', { fields, hasSeveral: true }, page);
    assert.equal(table.split('\n')[1], '─'.repeat(9 + name.length), name);
    const [own, missing] = (await listed('ndjson', 'uploads', { fields }, page)).split('\n');
    assert.deepEqual([own, missing], [`{"videoId":"a","${name}":"own"}`, `{"videoId":"b","${name}":null}`]);
  }
});

const link = 'did you mean videoId? only latest has links (link)';
const date = 'did you mean publishedTimeText? only latest has dates (published)';

test('--fields: a near miss, and in uploads and playlist a name from elsewhere, is an error that names the field meant', () => {
  const elsewhere = {
    id: 'did you mean videoId?',
    ID: 'did you mean videoId?',
    views: 'did you mean _views or viewCountText?',
    viewCount: 'did you mean _views?',
    duration: 'did you mean _seconds or lengthText?',
    length: 'did you mean _seconds or lengthText?',
    age: 'did you mean publishedTimeText or viewCountText?',
    channel: 'did you mean channelTitle or channelHandle or channelId?',
    url: link,
    link,
    date,
    published: date,
    'published.0': date,
    publishedAt: date,
    starRating: 'only latest has it',
    hasCaptions: 'only search has it',
    'thumbnails[0].url': 'did you mean thumbnails.0.url?',
  };
  for (const [name, hint] of Object.entries(elsewhere)) {
    for (const operation of [uploads, playlist])
      assert.throws(() => parseFields(`title,${name}`, operation), { exit: 2, step: hint });
  }
  // Other entries may have such fields.
  for (const name of ['id', 'duration', 'url', 'thumbnails[0].url'])
    for (const operation of [latest, search, fileShape])
      assert.equal(fieldsOf(name, operation)[0]?.name, name);
  for (const [name, says, operation] of [
    ['vidoeId', "'vidoeId'; did you mean videoId?", search],
    ['chanel_id', "'chanel_id'; did you mean channel_id?", resolve],
    ['_vews', 'did you mean _views?', latest],
    ['_seconds.0', "'_seconds.0'; did you mean _seconds?", uploads],
    ['title,title', 'twice', uploads],
    ['title,', 'empty name', uploads],
  ] as const)
    assert.throws(() => parseFields(name, operation), isFailure(2, says), name);
});

test('--fields: the word that heads a column names the fields below it; an unknown name with _ is an error everywhere', () => {
  for (const [operation, name, ...meant] of [
    [latest, 'views', '_views', 'viewCount'],
    [search, 'published', 'publishedTimeText'],
    [search, 'channel', 'channelTitle', 'channelHandle', 'channelId'],
    [latest, 'age', 'published'],
    [fileShape, 'length', '_seconds', 'lengthText'],
    [resolve, 'reference', '_reference'],
  ] as const)
    assert.throws(() => parseFields(name, operation), {
      exit: 2,
      step: `did you mean ${meant.join(' or ')}?`,
    });
  assert.equal(fieldsOf('published', latest)[0]?.name, 'published');
  for (const operation of [uploads, playlist, latest, search, resolve, fileShape]) {
    const step = 'the computed fields are _reference, _seconds, _views';
    assert.throws(() => parseFields('_url', operation), { exit: 2, step });
  }
});

test('picking: each field of an entry, null if missing; a key written like the field comes first', () => {
  const picked = (entry: string, fields: string): string[] =>
    picker(fieldsOf(fields, latest))(json(entry), item()).map(String);
  assert.deepEqual(
    picked(
      '{"a":{"b":[1,{"c":"x"}]},"n":1.50,"a.b.0":2,"twice":1,"twice":{"x":3},"nil":null,"_views":7}',
      'n,a.b.1.c,a.b.2,a.b.0,twice.x,nil,_reference,_views,a.b',
    ),
    ['1.50', '"x"', 'null', '2', '3', 'null', '"@demo"', '7', '[1,{"c":"x"}]'],
  );
  for (const value of ['[{"x":1}]', '"text"'])
    assert.deepEqual(asObject(json(value)).get('value')?.toString(), value);
  const many = Array.from({ length: 60 }, (_, n) => `k${n}`);
  assert.deepEqual(picked('{"k59":1,"k0":2}', many.join(',')), ['2', ...Array(58).fill('null'), '1']);
});

test('_seconds: minutes and seconds, hours too; null if it is not a duration', () => {
  const cases: Record<string, string | null> = {
    ...{ '0:07': '7', '4:05': '245', '62:33': '3753', '1:02:33': '3753', '100:00:00': '360000' },
    ...{ '1000:59': '60059', LIVE: null, '': null, '33': null, '4:5': null, '4:60': null, '1:60:00': null },
    ...{ '1:2:33': null, '1:02:03:04': null, '-1:00': null, PT4M: null },
  };
  for (const [text, expected] of Object.entries(cases)) assert.equal(parseDuration(text), expected, text);
  assert.equal(parseDuration(undefined), null);
});

test('_views: of viewCount digit for digit, else of viewCountText; never a guess', () => {
  const texts: Record<string, string | null> = {
    ...{ '434K views': '434000', '3.2M views • 2 years ago': '3200000', '1.25B views': '1250000000' },
    ...{ '1,234,567 views 3 days ago': '1234567', '1 view': '1', 'No views • 1 hour ago': '0' },
    ...{ '9007199254740993 views': '9007199254740993', '12 watching': null, '1.234 views': null },
    ...{ '1.2345K views': null, '12,34 views': null, '3,2M views': null, '3.2 million views': null },
    ...{ '434 mil visualizaciones': null, '5T views': null, '434K': null, '10 viewers': null, '': null },
  };
  for (const [text, expected] of Object.entries(texts))
    assert.equal(parseViewCount(undefined, text), expected, text);
  assert.equal(parseViewCount('9007199254740993', '1 view'), '9007199254740993');
  assert.equal(parseViewCount('', '2 views'), '2');
  for (const [count, expected] of Object.entries({ '1e3': null, '-5': null, '007': '7' }))
    assert.equal(parseViewCount(count, undefined), expected);
});

test('no text takes more than linear time', () => {
  for (const long of [' ', '1', '1,', ':', '1:', 'no '].map((part) => part.repeat(600_000))) {
    assert.equal(parseDuration(`1${long}:00x`), null);
    assert.equal(parseViewCount(undefined, `1${long}views`), null);
    assert.equal(parseViewCount(`${long}x`, undefined), null);
  }
});

test('computed fields, and * for all fields as sent: in ndjson at its place, in csv the documented columns first', async () => {
  const sent = '[{"b":1.0,"lengthText":"1:02:33","viewCountText":"434K views"},{"lengthText":"LIVE","a":[]}]';
  for (const [format, fields, text] of [
    ['csv', '_seconds,_views', '_seconds,_views\n3753,434000\n,\n'],
    [
      'ndjson',
      'lengthText,*,_views',
      '{"lengthText":"1:02:33","b":1.0,"viewCountText":"434K views","_views":434000}\n{"lengthText":"LIVE","a":[],"_views":null}\n',
    ],
    [
      'csv',
      '_reference,*',
      `_reference,${specifiedFields},b,a\n@demo,,,,,,1:02:33,434K views,,,1.0,\n@demo,,,,,,LIVE,,,,,[]\n`,
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
    '--fields: no entry on the first page has members_only, thumbnails.0.url; the fields are videoId, thumbnails',
  ]);
  const present = await createFormat('csv', options('latest', { fields: 'videoId,author' }));
  present.rows(item(), elements('[{"videoId":"a"},{"author":null,"videoId":"b"}]'));
  assert.deepEqual(present.warnings(), []);
  const several = await createFormat('csv', options('latest', { fields: 'videoId,nope', hasSeveral: true }));
  several.rows(item(), elements('[{"videoId":"a","title":"b"}]'));
  assert.deepEqual(several.warnings(), [
    '--fields: no entry of the first response has nope; the fields are videoId, title',
  ]);
});
