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

const specification: readonly (readonly [
  Operation,
  path: string,
  credits: number,
  reference: string,
  body: string,
  idField: string,
])[] = [
  [operations.resolve, '/api/v2/media/channel/resolve', 0, 'channel', 'record', 'channel_id'],
  [operations.search, '/api/v2/media/channel/search', 1, 'channel', 'list', 'videoId'],
  [operations.uploads, '/api/v2/media/channel/videos', 1, 'channel', 'page', 'videoId'],
  [operations.latest, '/api/v2/media/channel/latest', 0, 'channel', 'list', 'videoId'],
  [operations.playlist, '/api/v2/media/playlist/videos', 1, 'playlist', 'page', 'videoId'],
];

test('specification 1, 2 and 4: paths, costs, references and bodies of the five operations', () => {
  assert.deepEqual(
    Object.values(operations),
    specification.map(([operation]) => operation),
  );
  for (const [operation, path, ...row] of specification) {
    const { name, credits, reference, body, idField } = operation;
    assert.equal(operationPath(operation, defaultNamespace), path);
    assert.deepEqual([credits, reference, body, idField], row, path);
    assert.equal(operations[name], operation);
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
