import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../src/errors.ts';
import { listingEnd, listingStart } from '../../src/output/document.ts';
import { createFormat } from '../../src/output/formats.ts';
import { answered, elements, item, json, listed, options, screen } from './support.ts';

const errorText = String.raw`{"code":"not_found","status":404,"message":"no channel \"x\" \u202e here","next":null}`;

test('json: a listing: is valid at every end, with and without --fields', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.json({ maxDepth: 2 }), { maxLength: 4 }), { maxLength: 4 }),
      fc.boolean(),
      fc.option(fc.string({ unit: 'binary' })),
      fc.boolean(),
      async (pages, hasSeveral, message, picked) => {
        const overrides = picked ? { hasSeveral, fields: 'videoId,a.0,_reference' } : { hasSeveral };
        const format = await createFormat('json', options('uploads', overrides));
        let text = format.open(item(), listingStart(pages.length > 0 ? json('{}') : null));
        let count = 0;
        for (const page of pages) {
          text += format.rows(item(), elements(`[${page.join(',')}]`));
          count += page.length;
        }
        const failure = message === null ? null : new Failure('invalid_response', message);
        text += format.close(item(), listingEnd(failure !== null, message, failure)) + format.tail();
        const document = JSON.parse(text);
        const listing = hasSeveral ? document[0].result : document;
        assert.equal(listing.results.length, count);
        assert.equal(listing.continuation_token, message);
        assert.equal(listing.error?.message, message ?? undefined);
        assert.match(text, /^[^\n]*\n$/);
      },
    ),
  );
});

test('json: a body: is an error if there was no response', async () => {
  assert.equal(await answered('json', 'resolve', {}, null), `{"error":${errorText}}\n`);
  assert.equal(
    await answered('json', 'resolve', { hasSeveral: true }, '{"channel_id":"UC"}', null),
    `[{"reference":"@demo","result":{"channel_id":"UC"}},{"reference":"@demo","result":{"error":${errorText}}}]\n`,
  );
  assert.equal(await answered('json', 'resolve', { hasSeveral: true }), '[]\n');
});

test('json: a body: --fields picks inside the list; the rest of the body is printed as sent', async () => {
  for (const [sent, printed] of [
    [
      '{"channel": {"a": 1}, "results": [{"videoId":"v","x":1}, 2], "result_count": 2.0}',
      '{"channel":{"a":1},"results":[{"videoId":"v","seen":null},{"videoId":null,"seen":null}],"result_count":2.0}',
    ],
    ['[{"videoId":"v"}]', '[{"videoId":"v","seen":null}]'],
    ['{"videoId":"v","x":1}', '{"videoId":"v","seen":null}'],
    ['{"k":[0],"a":1,"k":[]}', '{"k":[0],"a":1,"k":[]}'],
  ] as const)
    assert.equal(await answered('json', 'latest', { fields: 'videoId,seen' }, sent), `${printed}\n`);
});

test('json: at a terminal: is indented by two spaces, each value as sent', async () => {
  const pages = ['[{"n":1.50,"x":[1,9007199254740993],"t":"a{\\"[,:"}]', '["t",true,{},[]]'];
  const text = await listed('json', 'uploads', { terminal: screen(80) }, ...pages);
  assert.equal(
    text,
    `{
  "playlist_info": {},
  "results": [
    {
      "n": 1.50,
      "x": [
        1,
        9007199254740993
      ],
      "t": "a{\\"[,:"
    },
    "t",
    true,
    {},
    []
  ],
  "continuation_token": null,
  "has_more": false
}
`,
  );
});
