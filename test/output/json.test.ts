import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../src/errors.ts';
import { shownEntries } from '../../src/output/fields.ts';
import { createFormat } from '../../src/output/formats.ts';
import { complete, elements, item, json, notFound, options, screen } from './support.ts';

const unavailable = new Failure('unavailable', 'down', { status: 503 });
const errorText = String.raw`{"code":"not_found","status":404,"message":"no channel \"x\" \u202e here"}`;

suite('json: a listing', () => {
  test('is the page envelope with all pages in it', async () => {
    const format = await createFormat('json', options('uploads'));
    assert.equal(
      format.head() +
        format.open(item(), json('{ "title": "t", "numVideos": "3" }')) +
        format.rows(item(), elements('[{"a": 1.0}, {"b": 2}]')) +
        format.rows(item(), []) +
        format.rows(item(), elements('[3]')) +
        format.close(item(), complete) +
        format.tail(),
      '{"playlist_info":{"title":"t","numVideos":"3"},"results":[{"a":1.0},{"b":2},3],"continuation_token":null,"has_more":false}\n',
    );
  });

  test('cut short it has the token of the first page that is not wholly printed', async () => {
    const format = await createFormat('json', options('playlist'));
    assert.equal(
      format.open(item(), json('{}')) +
        format.rows(item(), elements('[1]')) +
        format.close(item(), { hasMore: true, token: 'a"+/=\u202e', failure: null }),
      String.raw`{"playlist_info":{},"results":[1],"continuation_token":"a\"+/=\u202e","has_more":true}` +
        '\n',
    );
  });

  test('after a failure it has the error, even if nothing arrived', async () => {
    const format = await createFormat('json', options('uploads'));
    assert.equal(
      format.head() +
        format.open(item(), null) +
        format.close(item(), { hasMore: true, token: null, failure: unavailable }) +
        format.tail(),
      '{"playlist_info":null,"results":[],"continuation_token":null,"has_more":true,"error":{"code":"unavailable","status":503,"message":"down"}}\n',
    );
  });

  test('has_more is false if the reference does not exist', async () => {
    const format = await createFormat('json', options('uploads'));
    for (const code of ['not_found', 'usage', 'refused'] as const) {
      const failure = new Failure(code, 'no');
      const close = (token: string | null): string => format.close(item(), { hasMore: true, token, failure });
      assert.match(close(null), /"continuation_token":null,"has_more":false,"error"/);
      assert.match(close('t'), /"continuation_token":"t","has_more":true,"error"/);
    }
  });

  test('a failure without an HTTP status has a null one', async () => {
    const format = await createFormat('json', options('uploads'));
    const failure = new Failure('unreachable', 'no connection');
    assert.match(
      format.close(item(), { hasMore: true, token: 't', failure }),
      /"error":\{"code":"unreachable","status":null,"message":"no connection"\}\}\n$/,
    );
  });

  test('several references are an array in input order', async () => {
    const format = await createFormat('json', options('uploads', { several: true }));
    const text =
      format.head() +
      format.open(item('@a'), json('{}')) +
      format.rows(item('@a'), elements('[1]')) +
      format.close(item('@a'), complete) +
      format.open(item('@b"'), null) +
      format.close(item('@b"'), { hasMore: true, token: null, failure: notFound }) +
      format.tail();
    assert.equal(
      text,
      '[{"reference":"@a","result":{"playlist_info":{},"results":[1],"continuation_token":null,"has_more":false}},' +
        `{"reference":"@b\\"","result":{"playlist_info":null,"results":[],"continuation_token":null,"has_more":false,"error":${errorText}}}]\n`,
    );
  });

  test('several references of which none was reached are an empty array', async () => {
    const format = await createFormat('json', options('uploads', { several: true }));
    assert.equal(format.head() + format.tail(), '[]\n');
  });

  test('is valid at every end, with and without --fields', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.json({ maxDepth: 2 }), { maxLength: 4 }), { maxLength: 4 }),
        fc.boolean(),
        fc.option(fc.string({ unit: 'binary' })),
        fc.boolean(),
        async (pages, several, message, picked) => {
          const overrides = picked ? { several, fields: 'videoId,a.0,@reference' } : { several };
          const format = await createFormat('json', options('uploads', overrides));
          let text = format.head() + format.open(item(), pages.length > 0 ? json('{}') : null);
          let count = 0;
          for (const page of pages) {
            text += format.rows(item(), elements(`[${page.join(',')}]`));
            count += page.length;
          }
          const failure = message === null ? null : new Failure('bad_answer', message);
          text +=
            format.close(item(), { hasMore: failure !== null, token: message, failure }) + format.tail();
          const document = JSON.parse(text);
          const listing = several ? document[0].result : document;
          assert.equal(listing.results.length, count);
          assert.equal(listing.continuation_token, message);
          assert.equal(listing.error?.message, message ?? undefined);
          assert.match(text, /^[^\n]*\n$/);
        },
      ),
    );
  });
});

suite('json: a body', () => {
  test('is printed as the service sent it', async () => {
    const format = await createFormat('json', options('search'));
    assert.equal(
      format.head() + format.body(item(), json(' { "results": [ {"n": 1e5} ], "x": 1.0 } ')) + format.tail(),
      '{"results":[{"n":1e5}],"x":1.0}\n',
    );
  });

  test('is an error if there was no answer', async () => {
    const one = await createFormat('json', options('resolve'));
    assert.equal(one.head() + one.failed(item(), notFound) + one.tail(), `{"error":${errorText}}\n`);
    const several = await createFormat('json', options('resolve', { several: true }));
    assert.equal(
      several.head() +
        several.body(item('@a'), json('{"channel_id":"UC"}')) +
        several.failed(item('@b'), notFound) +
        several.tail(),
      `[{"reference":"@a","result":{"channel_id":"UC"}},{"reference":"@b","result":{"error":${errorText}}}]\n`,
    );
  });

  test('--fields picks inside the list and keeps what is around it', async () => {
    const format = await createFormat('json', options('latest', { fields: 'videoId,views' }));
    const print = (body: string): string => String(format.body(item(), json(body)));
    assert.equal(
      print('{"channel": {"a": 1}, "results": [{"videoId":"v","x":1}, 2], "result_count": 2.0}'),
      '{"channel":{"a":1},"results":[{"videoId":"v","views":null},{"videoId":null,"views":null}],"result_count":2.0}\n',
    );
    assert.equal(print('[{"videoId":"v"}]'), '[{"videoId":"v","views":null}]\n');
    assert.equal(print('{"videoId":"v","x":1}'), '{"videoId":"v","views":null}\n');
    assert.equal(print('{"k":[0],"a":1,"k":[]}'), '{"k":[0],"a":1,"k":[]}\n');
  });
});

suite('json: at a terminal', () => {
  test('is indented by two spaces, each value as sent', async () => {
    const format = await createFormat('json', options('uploads', { terminal: screen(80) }));
    const text =
      format.head() +
      format.open(item(), json('{"title":"a{\\"[,:","empty":{},"none":[]}')) +
      format.rows(item(), elements('[{"n":1.50,"x":[1,9007199254740993]}]')) +
      format.rows(item(), elements('["t",true]')) +
      format.close(item(), complete) +
      format.tail();
    assert.equal(
      text,
      `{
  "playlist_info": {
    "title": "a{\\"[,:",
    "empty": {},
    "none": []
  },
  "results": [
    {
      "n": 1.50,
      "x": [
        1,
        9007199254740993
      ]
    },
    "t",
    true
  ],
  "continuation_token": null,
  "has_more": false
}
`,
    );
  });

  test('holds the same values as the compact document', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.json({ maxDepth: 3 })), fc.boolean(), async (pages, several) => {
        const write = async (terminal: ReturnType<typeof screen> | null): Promise<string> => {
          const format = await createFormat('json', options('search', { several, terminal }));
          const parts = pages.map((page) => String(format.body(item(), json(page))));
          return format.head() + parts.join(several ? '' : '\n') + format.tail();
        };
        const indented = await write(screen(80));
        const compact = indented.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+/gs, (part) =>
          part[0] === '"' ? part : '',
        );
        assert.equal(compact, (await write(null)).replaceAll('\n', ''));
      }),
    );
  });
});

test('json: records of no operation are an array', async () => {
  const format = await createFormat('json', { ...options('uploads'), operation: shownEntries });
  const write = (...pages: string[]): string => {
    const rows = pages.map((page) => String(format.rows(item(), elements(page))));
    return (
      format.head() +
      format.open(item(), null) +
      rows.join('') +
      format.close(item(), complete) +
      format.tail()
    );
  };
  assert.equal(write('[{"a":1.0}]', '[{"b":2},{}]'), '[{"a":1.0},{"b":2},{}]\n');
  assert.equal(write(), '[]\n');
});
