import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  codePoints,
  defaultNamespace,
  latestSize,
  type Operation,
  operationPath,
  operations,
  pageSize,
  videoFields,
} from '../../src/service/contract.ts';
import { specifiedFields } from '../support/specified-fields.ts';

// Every literal here is copied by hand from the service specification.

const specification: readonly [Operation, string, number, boolean][] = [
  [operations.resolve, '/api/v2/media/channel/resolve', 0, false],
  [operations.search, '/api/v2/media/channel/search', 1, false],
  [operations.uploads, '/api/v2/media/channel/videos', 1, true],
  [operations.latest, '/api/v2/media/channel/latest', 0, false],
  [operations.playlist, '/api/v2/media/playlist/videos', 1, true],
];

test('specification 1 and 4: paths, costs and paging of the five operations', () => {
  assert.equal(Object.keys(operations).length, 5);
  for (const [operation, path, credits, paged] of specification) {
    assert.equal(operationPath(operation, defaultNamespace), path);
    assert.equal(operation.credits, credits, path);
    assert.equal(operation.answer === 'page', paged, path);
  }
});

test('specification 1 rule 2: the path word can be another one', () => {
  assert.equal(operationPath(operations.latest, 'word'), '/api/v2/word/channel/latest');
});

test('specification 4: the parameters of each operation', () => {
  const names = ({ parameters }: Operation): string[] =>
    parameters.map(({ name, when }) => `${name} ${when}`);
  assert.deepEqual(names(operations.resolve), ['input required']);
  assert.deepEqual(names(operations.search), ['channel required', 'q required', 'limit optional']);
  assert.deepEqual(names(operations.uploads), ['channel first page', 'continuation next pages']);
  assert.deepEqual(names(operations.latest), ['channel required']);
  assert.deepEqual(names(operations.playlist), ['playlist first page', 'continuation next pages']);
});

test('specification 8: limits', () => {
  const limits = ({ parameters }: Operation, name: string): unknown[] => {
    const found = parameters.find((parameter) => parameter.name === name);
    return [found?.type, found?.minimum, found?.maximum, found?.default];
  };
  assert.deepEqual(limits(operations.resolve, 'input'), ['string', 1, 200, undefined]);
  assert.deepEqual(limits(operations.search, 'q'), ['string', 1, 200, undefined]);
  assert.deepEqual(limits(operations.search, 'limit'), ['integer', 1, 50, 30]);
  assert.equal(pageSize, 100);
  assert.equal(latestSize, 15);
});

test('rows: reference, shape of the answer and identifying field of the five operations', () => {
  const rows = Object.entries(operations).map(([key, { name, reference, answer, fields, idField }]) => {
    assert.equal(name, key);
    return [name, reference, answer, fields.length > 0, idField];
  });
  assert.deepEqual(rows, [
    ['resolve', 'channel', 'record', true, 'channel_id'],
    ['search', 'channel', 'list', false, 'videoId'],
    ['uploads', 'channel', 'page', true, 'videoId'],
    ['latest', 'channel', 'list', false, 'videoId'],
    ['playlist', 'playlist', 'page', true, 'videoId'],
  ]);
});

test('fields that a deployment is documented to send, in its order', () => {
  assert.equal(
    operations.search.documentedFields.join(' '),
    'type videoId title channelId channelTitle channelHandle channelVerified lengthText viewCountText ' +
      'publishedTimeText hasCaptions thumbnails',
  );
  assert.equal(
    operations.latest.documentedFields.join(' '),
    'videoId title channelId author published updated link description thumbnail viewCount starRating',
  );
  for (const { documentedFields } of [operations.uploads, operations.playlist]) {
    assert.deepEqual(documentedFields.slice(9), ['publishedTimeText', 'members_only']);
  }
  for (const { fields, documentedFields } of Object.values(operations)) {
    assert.deepEqual(documentedFields.slice(0, fields.length), [...fields]);
  }
});

test('specification 2.1 and 2.2: fields in their order', () => {
  assert.deepEqual([...operations.resolve.fields], ['channel_id', 'resolved_from']);
  assert.deepEqual([...videoFields], specifiedFields);
});

test('lengths are counted in Unicode code points', () => {
  assert.equal(codePoints('aé日👍'), 4);
  assert.equal(codePoints('👨‍👩‍👧'), 5);
});
