import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createFormat } from '../../src/output/formats.ts';
import { complete, elements, item, json, notFound, options } from './support.ts';

suite('ndjson', () => {
  test('one entry per line, as sent, without white space between tokens', async () => {
    const format = await createFormat('ndjson', options('uploads'));
    const entries = elements(
      '[ {"title": "a  b", "n": 9007199254740993, "x": {"b": [1.0, 2], "a": null}},\n {"é": "\\u00e9"} ]',
    );
    assert.equal(
      format.head() +
        format.open(item(), json('{"title":"t"}')) +
        format.rows(item(), entries) +
        format.rows(item(), []) +
        format.close(item(), complete) +
        format.tail(),
      '{"title":"a  b","n":9007199254740993,"x":{"b":[1.0,2],"a":null}}\n{"é":"é"}\n',
    );
  });

  test('--fields: paths as keys, in their order, null if missing, the given reference as @reference', async () => {
    const format = await createFormat(
      'ndjson',
      options('uploads', { fields: 'thumbnails.0.url,@reference,videoId,nope,n' }),
    );
    const entries = elements('[{"videoId":"v","n":1.50,"thumbnails":[{"url":"u"}]},{"videoId":null},7]');
    assert.equal(
      format.rows(item('https://x.example/@a"b'), entries),
      '{"thumbnails.0.url":"u","@reference":"https://x.example/@a\\"b","videoId":"v","nope":null,"n":1.50}\n' +
        '{"thumbnails.0.url":null,"@reference":"https://x.example/@a\\"b","videoId":null,"nope":null,"n":null}\n' +
        '{"thumbnails.0.url":null,"@reference":"https://x.example/@a\\"b","videoId":null,"nope":null,"n":null}\n',
    );
  });

  test('without a reference @reference is null', async () => {
    const format = await createFormat('ndjson', options('uploads', { fields: '@reference' }));
    assert.equal(String(format.rows({ reference: null }, elements('[{}]'))), '{"@reference":null}\n');
  });

  test('bodies: the records of search and latest, the whole of resolve, nothing for a failure', async () => {
    const search = await createFormat('ndjson', options('search'));
    assert.equal(String(search.body(item(), json('{"results":[{"a":1},2]}'))), '{"a":1}\n2\n');
    assert.equal(String(search.body(item(), json('{"a": {}}'))), '{"a":{}}\n');
    assert.equal(search.failed(item(), notFound), '');
    const resolve = await createFormat('ndjson', options('resolve'));
    assert.equal(
      String(resolve.body(item(), json('{"channel_id":"UC","a":[1]}'))),
      '{"channel_id":"UC","a":[1]}\n',
    );
  });
});
