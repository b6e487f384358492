import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFormat } from '../../src/output/formats.ts';
import { answer, elements, item, listingFrame, options } from './support.ts';

/** The entries of each reference; listings have them in pages of two. */
const lists: readonly (readonly string[])[] = [['a1', 'a2', 'a3'], [], ['c1']];
const row = (id: string): string => `{"videoId":"${id}"}`;
const rows = lists.map((ids) => `[${ids.map(row)}]`);
const ids = lists.flat();

const document = (resultOf: (list: string) => string): string =>
  `[${rows.map((list, at) => `{"reference":"@${at}","result":${resultOf(list)}}`)}]\n`;

test('several references: json is an array of results; the other formats print all entries, csv with one header', async () => {
  const ndjson = ids.map((id) => `${row(id)}\n`).join('');
  const csv = ['videoId', ...ids, ''].join('\n');
  const end = '"continuation_token":null,"has_more":false';
  for (const [name, listings, responses] of [
    [
      'json',
      document((list) => `{"playlist_info":{},"results":${list},${end}}`),
      document((list) => `{"results":${list}}`),
    ],
    ['ndjson', ndjson, ndjson],
    ['csv', csv, csv],
    ['id', csv.replace('videoId\n', ''), csv.replace('videoId\n', '')],
  ] as const) {
    const overrides = { hasSeveral: true, ...(name !== 'id' && { fields: 'videoId' }) };
    const listing = await createFormat(name, options('uploads', overrides));
    const response = await createFormat(name, options('latest', overrides));
    let [listed, answered] = ['', ''];
    for (const [at, list] of lists.entries()) {
      const of = item(`@${at}`);
      listed += listing.open(of, listingFrame.before);
      for (let i = 0; i < list.length; i += 2)
        listed += listing.rows(of, elements(`[${list.slice(i, i + 2).map(row)}]`));
      listed += listing.close(of, listingFrame.after);
      answered += answer(response, of, `{"results":${rows[at]}}`, 'latest');
    }
    assert.deepEqual([listed + listing.tail(), answered + response.tail()], [listings, responses], name);
  }
});
