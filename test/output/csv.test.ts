import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { createFormat } from '../../src/output/formats.ts';
import { complete, elements, item, json, notFound, options, screen } from './support.ts';

const nine = 'videoId,title,channelId,channelTitle,channelHandle,lengthText,viewCountText,thumbnails,index\n';

/** A reader of RFC 4180 with LF line ends. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      at++;
      for (;;) {
        if (text[at] === undefined) throw new Error('quote not closed');
        if (text[at] === '"' && text[at + 1] === '"') {
          cell += '"';
          at += 2;
        } else if (text[at] === '"') break;
        else cell += text[at++];
      }
      at++;
    } else while (text[at] !== ',' && text[at] !== '\n' && text[at] !== undefined) cell += text[at++];
    row.push(cell);
    if (text[at] === '\n') {
      rows.push(row);
      row = [];
    } else if (text[at] !== ',') throw new Error(`unexpected ${text[at]} at ${at}`);
    at++;
  }
  return rows;
}

suite('csv', () => {
  test('uploads and playlist have the nine fields of 2.2, with a header also for an empty list', async () => {
    for (const operation of ['uploads', 'playlist'] as const) {
      const format = await createFormat('csv', options(operation));
      const text =
        format.head() + format.open(item(), json('{}')) + format.close(item(), complete) + format.tail();
      assert.equal(text, nine);
    }
  });

  test('strings raw, numbers digit for digit, booleans as text, null and missing empty, nested as compact JSON', async () => {
    const format = await createFormat('csv', options('uploads'));
    const entry =
      '{"title":"a \\"b\\", c\\nd","videoId":"v","channelId":null,"channelTitle":true,"channelHandle":9007199254740993,' +
      '"lengthText":1.0,"thumbnails":[ {"url": "u"} ],"index":"0","more":1}';
    assert.equal(
      format.rows(item(), elements(`[${entry}]`), 0),
      'v,"a ""b"", c\nd",,true,9007199254740993,1.0,,"[{""url"":""u""}]",0\n',
    );
  });

  test('resolve has two columns', async () => {
    const format = await createFormat('csv', options('resolve'));
    assert.equal(
      format.head() +
        format.body(item(), json('{"resolved_from":"@a","channel_id":"UCx","more":[]}')) +
        format.failed(item(), notFound) +
        format.tail(),
      'channel_id,resolved_from\nUCx,@a\n',
    );
  });

  test('--fields are the columns', async () => {
    const format = await createFormat('csv', options('search', { fields: 'thumbnails.0.url,@reference,x' }));
    assert.equal(
      format.head() + format.body(item('@a,b'), json('[{"thumbnails":[{"url":"u"}],"x":false}]')),
      'thumbnails.0.url,@reference,x\nu,"@a,b",false\n',
    );
  });

  test('search and latest: the keys of the first answer; later ones are left out, and said so', async () => {
    const format = await createFormat('csv', options('latest', { several: true }));
    assert.equal(format.head(), '');
    assert.equal(
      format.body(item('@a', 0), json('{"results":[{"b":1,"a,":2},{"c":3,"b":4}]}')),
      'b,"a,",c\n1,2,\n4,,3\n',
    );
    assert.deepEqual(format.warnings?.(), []);
    assert.equal(format.body(item('@b', 1), json('[{"d":1,"b":2}]')), '2,,\n');
    assert.equal(format.tail(), '');
    const warnings = format.warnings?.() ?? [];
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /: d;/);
  });

  test('search and latest without records have the nine fields', async () => {
    const format = await createFormat('csv', options('search'));
    assert.equal(format.head() + format.body(item(), json('{"results":[]}')) + format.tail(), nine);
  });

  test('records that are no objects have the column value', async () => {
    const format = await createFormat('csv', options('search'));
    assert.equal(format.body(item(), json('["a",{"x":1},[2, 3],null]')), 'value,x\na,\n,1\n"[2,3]",\n,\n');
  });

  test('a row of one empty cell is no empty line', async () => {
    const format = await createFormat('csv', options('uploads', { fields: 'title' }));
    assert.equal(format.head() + format.rows(item(), elements('[{},{"title":"a"}]'), 0), 'title\n""\na\n');
  });

  test('any text comes back from an RFC 4180 reader', async () => {
    const format = await createFormat('csv', options('uploads', { fields: 'title,videoId' }));
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom('"', ',', '\n', '\r', ' ', 'a'),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 5 }), (rows) => {
        const entries = rows.map(([title, videoId]) => json(JSON.stringify({ videoId, title })));
        assert.deepEqual(parseCsv(format.head() + format.rows(item(), entries, 0)), [
          ['title', 'videoId'],
          ...rows,
        ]);
      }),
    );
  });

  test('on a terminal cells are free of control and bidi characters, elsewhere they are as sent', async () => {
    const entries = elements(String.raw`[{"title":"a\u001b[31m\nb\u202e"}]`);
    const at = async (terminal: ReturnType<typeof screen> | null): Promise<string> =>
      (await createFormat('csv', options('uploads', { fields: 'title', terminal }))).rows(item(), entries, 0);
    assert.equal(await at(null), '"a\u001b[31m\nb\u202e"\n');
    assert.equal(await at(screen(80)), 'a [31m b \n');
  });
});
