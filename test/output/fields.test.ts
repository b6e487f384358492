import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { memberFields, parseFields, pick, picker } from '../../src/output/fields.ts';
import { nearest } from '../../src/text/nearest.ts';
import { item, json } from './support.ts';

const refused = (
  value: string,
  pattern: RegExp,
  operation: 'uploads' | 'resolve' | 'latest' = 'uploads',
): void => {
  assert.throws(
    () => parseFields(value, operation),
    (error) => {
      assert.ok(error instanceof Failure);
      assert.equal(error.exit, 2);
      assert.match(`${error.message}: ${error.hint ?? ''}`, pattern);
      return true;
    },
    value,
  );
};

suite('--fields', () => {
  test('paths, in the order given', () => {
    assert.deepEqual(parseFields('title, thumbnails.0.url,@reference', 'uploads'), [
      { name: 'title', path: ['title'] },
      { name: 'thumbnails.0.url', path: ['thumbnails', '0', 'url'] },
      { name: '@reference', path: null },
    ]);
  });

  test('a field of its own name is taken, a near miss of a specified one is not', () => {
    assert.deepEqual(parseFields('members_only', 'uploads'), memberFields(['members_only']));
    refused('vidoeId', /vidoeId.*videoId/);
    refused('title,tumbnails.0.url', /tumbnails.*thumbnails/);
    refused('VideoID', /VideoID.*videoId/);
    refused('chanel_id', /chanel_id.*channel_id/, 'resolve');
    refused('@refrence', /@refrence.*@reference/);
    refused('@page', /@page.*@reference/);
  });

  test('fields that deployments send in latest are no near misses', () => {
    assert.equal(parseFields('viewCount,published,author,link', 'latest').length, 4);
  });

  test('empty and repeated names are refused', () => {
    for (const value of ['', 'title,', ',title', 'title,,index', 'a..b', '.a', 'a.'])
      refused(value, /empty name/);
    refused('title,index,title', /title twice/);
  });
});

suite('picking', () => {
  const entry = json('{"a":{"b":[1,{"c":"x"}]},"n":1.50,"a.b":2,"twice":1,"twice":{"x":3},"nil":null}');
  const fields = parseFields('n,a.b.1.c,a.b.2,twice.x,nil,@reference,a.b', 'latest');

  test('reads each field of an entry, null where it is missing', () => {
    const expected = ['1.50', '"x"', 'null', '3', 'null', '@demo', '[1,{"c":"x"}]'];
    assert.deepEqual(picker(fields)(entry, item()).map(String), expected);
    assert.deepEqual(
      fields.map((field) => String(pick(field, entry, item()))),
      expected,
    );
  });

  test('reaches into entries that are arrays, finds nothing in others', () => {
    const first = picker(parseFields('0.x', 'latest'));
    assert.deepEqual(first(json('[{"x":1}]'), item()).map(String), ['1']);
    assert.deepEqual(first(json('"text"'), item()), [null]);
  });
});

test('nearest finds one or two slips', () => {
  assert.equal(nearest('vidoeId', ['title', 'videoId']), 'videoId');
  assert.equal(nearest('videoid', ['title', 'videoId']), 'videoId');
  assert.equal(nearest('nothing', ['title', 'videoId']), undefined);
});
