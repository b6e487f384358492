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
      format.rows(item(), elements(`[${entry}]`)),
      `${nine.trimEnd()},more\nv,"a ""b"", c\nd",,true,9007199254740993,1.0,,"[{""url"":""u""}]",0,1\n`,
    );
  });

  test('resolve has its two columns first', async () => {
    const format = await createFormat('csv', options('resolve'));
    assert.equal(
      format.head() +
        format.body(item(), json('{"resolved_from":"@a","channel_id":"UCx"}')) +
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

  test('listings: the nine fields, then the other keys of the first page; later keys are left out with one warning', async () => {
    const format = await createFormat('csv', options('playlist'));
    assert.equal(format.head(), '');
    assert.equal(format.columns(), null);
    assert.equal(format.rows(item(), []), '');
    assert.equal(
      format.rows(item(), elements('[{"x":1,"videoId":"a"},{"members_only":true,"a,b":null}]')),
      `${nine.trimEnd()},x,members_only,"a,b"\na,,,,,,,,,1,,\n,,,,,,,,,,true,\n`,
    );
    assert.deepEqual(format.warnings(), []);
    assert.deepEqual(format.columns()?.slice(8), ['index', 'x', 'members_only', 'a,b']);
    assert.equal(
      format.rows(item(), elements('[{"new":1,"x":2},{"new":3,"newer":4}]')),
      ',,,,,,,,,2,,\n,,,,,,,,,,,\n',
    );
    assert.deepEqual(format.warnings(), [
      'csv: left out 2 fields that are not in the header: new, newer; name them with --fields',
    ]);
    assert.equal(format.close(item(), complete) + format.tail(), '');
  });

  test('given columns are kept: a new key is left out with a warning', async () => {
    const columns = ['videoId', '@published', 'title'];
    const format = await createFormat('csv', options('uploads', { columns, fields: 'videoId,@published,*' }));
    assert.equal(format.head(), 'videoId,@published,title\n');
    assert.deepEqual(format.columns(), columns);
    const from = { ...item(), published: () => '2026' };
    assert.equal(format.rows(from, elements('[{"title":"t","videoId":"a","x":1}]')), 'a,2026,t\n');
    assert.equal(format.warnings().length, 1);
    assert.equal(format.tail(), '');
  });

  test('search and latest: the documented fields first, also in the header of an empty result', async () => {
    const headers = {
      search:
        'type,videoId,title,channelId,channelTitle,channelHandle,channelVerified,lengthText,viewCountText,publishedTimeText,hasCaptions,thumbnails',
      latest:
        'videoId,title,channelId,author,published,updated,link,description,thumbnail,viewCount,starRating',
    };
    for (const [operation, header] of Object.entries(headers) as ['search' | 'latest', string][]) {
      const empty = await createFormat('csv', options(operation));
      assert.equal(empty.head() + empty.body(item(), json('{"results":[]}')) + empty.tail(), `${header}\n`);
      const full = await createFormat('csv', options(operation, { several: true }));
      const answer = full.body(item(), json('{"results":[{"extra":{"a": 1},"videoId":"v"}]}'));
      assert.match(String(answer), new RegExp(`^${header},extra\n.*,"{""a"":1}"\n$`));
      assert.equal(
        String(full.body(item(), json('[{"videoId":"w"}]')))
          .split(',')
          .filter(Boolean).length,
        2,
      );
    }
  });

  test('a listing of which nothing arrived has the header', async () => {
    const format = await createFormat('csv', options('uploads', { several: true }));
    assert.equal(format.close(item(), { hasMore: true, token: null, failure: notFound }), '');
    assert.equal(format.tail(), nine);
  });

  test('records that are no objects have the column value', async () => {
    const format = await createFormat('csv', options('search'));
    const rows = String(format.body(item(), json('["a",{"x":1},[2, 3],null]'))).split('\n');
    assert.match(rows[0] ?? '', /,value,x$/);
    assert.deepEqual(
      rows.slice(1).map((row) => row.replace(/^,{12}/, '')),
      ['a,', ',1', '"[2,3]",', ',', ''],
    );
  });

  test('a row of one empty cell is no empty line', async () => {
    const format = await createFormat('csv', options('uploads', { fields: 'title' }));
    assert.equal(format.head() + format.rows(item(), elements('[{},{"title":"a"}]')), 'title\n""\na\n');
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
        assert.deepEqual(parseCsv(format.head() + format.rows(item(), entries)), [
          ['title', 'videoId'],
          ...rows,
        ]);
      }),
    );
  });

  test('a carriage return is quoted', async () => {
    const format = await createFormat('csv', options('uploads', { fields: 'title' }));
    assert.equal(format.rows(item(), elements('[{"title":"a\\rb"}]')), '"a\rb"\n');
  });

  test('on a terminal cells are free of control and bidi characters, elsewhere they are as sent', async () => {
    const entries = elements(String.raw`[{"title":"a\u001b[31m\nb\u202e\u009f"}]`);
    const at = async (terminal: ReturnType<typeof screen> | null): Promise<string> =>
      (await createFormat('csv', options('uploads', { fields: 'title', terminal }))).rows(
        item(),
        entries,
      ) as string;
    assert.equal(await at(null), '"a\u001b[31m\nb\u202e\u009f"\n');
    assert.equal(await at(screen(80)), 'a [31m b \n');
  });
});
