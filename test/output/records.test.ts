import assert from 'node:assert/strict';
import { test } from 'node:test';
import { records } from '../../src/output/records.ts';
import { json } from './support.ts';

test('the records of a body of unknown shape: the array, results, the only array, else the body', () => {
  for (const [body, key, ...found] of [
    [' [1, {"a":[2]}] ', null, '1', '{"a":[2]}'],
    ['[]', null],
    ['{"other":[1],"results":[2,3],"more":[4]}', 'results', '2', '3'],
    ['{"count":1,"videos":[{"a":1}]}', 'videos', '{"a":1}'],
    ['{"results":{},"videos":[1]}', 'videos', '1'],
    // Of a member given twice the last one counts.
    ['{"results":[1],"results":[2]}', 'results', '2'],
    ['{"a":[1],"a":[2]}', 'a', '2'],
    ...['{"a":[1],"b":[2]}', '{"results":"x"}', '{}', '"text"', '1.0', 'null', 'true'].map(
      (one) => [one, null, one] as const,
    ),
  ] as const) {
    const all = records(json(body));
    assert.deepEqual([all.key, ...all.records.map(String)], [key, ...found], body);
    assert.equal(all.list === null, found[0] === body);
  }
});

test('a resolve result is one record with any content', () => {
  const body = json('{"channel_id":"UCx","names":["a","b"]}');
  assert.deepEqual(records(body, 'record').records, [body]);
  assert.equal(records(body, 'list').records.length, 2);
});
