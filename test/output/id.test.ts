import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createFormat } from '../../src/output/formats.ts';
import { complete, elements, item, json, notFound, options, screen } from './support.ts';

suite('id', () => {
  test('one videoId per line; entries without one are skipped', async () => {
    const format = await createFormat('id', options('uploads'));
    assert.equal(
      format.head() +
        format.open(item(), null) +
        format.rows(item(), elements('[{"videoId":"a"},{"title":"x"},{"videoId":null},{"videoId":7.0},3]')) +
        format.close(item(), complete) +
        format.tail(),
      'a\n7.0\n',
    );
  });

  test('resolve has the channel_id', async () => {
    const format = await createFormat('id', options('resolve'));
    assert.equal(format.body(item(), json('{"channel_id":"UCx","resolved_from":"@a"}')), 'UCx\n');
    assert.equal(format.failed(item(), notFound), '');
  });

  test('latest has the videoId of each record', async () => {
    const format = await createFormat('id', options('latest'));
    assert.equal(format.body(item(), json('{"results":[{"videoId":"a"},{"videoId":"b"}]}')), 'a\nb\n');
  });

  test('--fields: values with tabs between them', async () => {
    const format = await createFormat('id', options('uploads', { fields: 'videoId,title,thumbnails' }));
    assert.equal(
      format.rows(
        item(),
        elements('[{"videoId":"a","title":"x\\ty","thumbnails":[1, 2]},{"index":"1"},{"title":"t"}]'),
      ),
      'a\tx y\t[1,2]\n\tt\t\n',
    );
  });

  test('a value never takes two lines, and is harmless on a terminal', async () => {
    const entries = elements(String.raw`[{"videoId":"a\r\nb\u001b[2J\u2066"}]`);
    const plain = await createFormat('id', options('uploads'));
    assert.equal(plain.rows(item(), entries), 'a b\u001b[2J\u2066\n');
    const terminal = await createFormat('id', options('uploads', { terminal: screen(80) }));
    assert.equal(terminal.rows(item(), entries), 'a b [2J \n');
  });
});
