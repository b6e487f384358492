import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bodyRecords, records } from '../../src/output/records.ts';
import { operations } from '../../src/service/contract.ts';
import { json } from './support.ts';

const found = (body: string): { list: string | null; key: string | null; records: string[] } => {
  const { list, key, records: all } = records(json(body));
  return { list: list === null ? null : list.toString(), key, records: all.map(String) };
};

suite('records of an answer of unknown shape', () => {
  test('the body if it is an array', () => {
    assert.deepEqual(found(' [1, {"a":[2]}] '), {
      list: '[1,{"a":[2]}]',
      key: null,
      records: ['1', '{"a":[2]}'],
    });
    assert.deepEqual(found('[]'), { list: '[]', key: null, records: [] });
  });

  test('else results, also among other arrays', () => {
    assert.deepEqual(found('{"other":[1],"results":[2,3],"more":[4]}'), {
      list: '[2,3]',
      key: 'results',
      records: ['2', '3'],
    });
  });

  test('else the only array among its members', () => {
    assert.deepEqual(found('{"count":1,"videos":[{"a":1}]}'), {
      list: '[{"a":1}]',
      key: 'videos',
      records: ['{"a":1}'],
    });
    assert.equal(found('{"results":{},"videos":[1]}').key, 'videos');
  });

  test('else the whole body is one record', () => {
    for (const body of ['{"a":[1],"b":[2]}', '{"results":"x"}', '{}', '"text"', '1.0', 'null', 'true']) {
      assert.deepEqual(found(body), { list: null, key: null, records: [body] });
    }
  });

  test('of a member given twice the last one counts', () => {
    assert.deepEqual(found('{"results":[1],"results":[2]}').records, ['2']);
    assert.equal(found('{"a":[1],"a":[2]}').key, 'a');
  });

  test('a resolve result is one record with any content', () => {
    const body = json('{"channel_id":"UCx","names":["a","b"]}');
    assert.deepEqual(bodyRecords(operations.resolve, body).records, [body]);
    assert.equal(bodyRecords(operations.latest, body).records.length, 2);
  });
});
