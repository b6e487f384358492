import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readResponse } from '../../src/output/document.ts';
import { json } from './support.ts';

test('the entries of a body of unknown shape: the array, results, the only array, else the body; what is around them', () => {
  for (const [body, before, entries, after] of [
    [' [1, {"a":[2]}] ', '[', ['1', '{"a":[2]}'], ']'],
    ['[]', '[', [], ']'],
    ['{"other":[1],"results":[2,3],"more":[4.0]}', '{"other":[1],"results":[', ['2', '3'], '],"more":[4.0]}'],
    ['{"count":1,"videos":[{"a":1}]}', '{"count":1,"videos":[', ['{"a":1}'], ']}'],
    ['{"results":{},"videos":[1]}', '{"results":{},"videos":[', ['1'], ']}'],
    // Of a member given twice the last one counts.
    ['{"results":[1],"results":[2]}', '{"results":[1],"results":[', ['2'], ']}'],
    ['{"a":[1],"a":[2]}', '{"a":[1],"a":[', ['2'], ']}'],
    ...['{"a":[1],"b":[2]}', '{"results":"x"}', '{}', '"text"', '1.0', 'null', 'true'].map(
      (text) => [text, '', [text], ''] as const,
    ),
  ] as const) {
    const parts = readResponse(json(body));
    assert.deepEqual([parts.before, parts.entries.map(String), parts.after], [before, entries, after], body);
    assert.equal(parts.isList, after !== '');
  }
});

test('a resolve result is one record with any content', () => {
  const body = json('{"channel_id":"UCx","names":["a","b"]}');
  assert.deepEqual(readResponse(body, 'object').entries, [body]);
});
