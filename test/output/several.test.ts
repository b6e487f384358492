import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFormat, type FormatName } from '../../src/output/formats.ts';
import { parseCsv } from '../support/csv.ts';
import { complete, elements, item, json, options } from './support.ts';

/** The entries of each reference; listings have them in pages of two. */
const lists: readonly (readonly string[])[] = [['a1', 'a2', 'a3'], [], ['c1']];
const entryOf = (id: string): string => `{"videoId":"${id}","title":"漢字, \\"${id}\\""}`;

/** The IDs that a text holds per reference; formats that do not say which hold them all in one. */
const idsIn: Readonly<Record<string, (text: string, several: boolean) => unknown>> = {
  json: (text, several) => {
    const idsOf = ({ results }: { results: { videoId: string }[] }) => results.map(({ videoId }) => videoId);
    const document = JSON.parse(text);
    return several ? document.map(({ result }: { result: never }) => idsOf(result)) : [idsOf(document)];
  },
  ndjson: (text) => [
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).videoId),
  ],
  csv: (text) => {
    const [header = [], ...rows] = parseCsv(text);
    return [rows.map((row) => row[header.indexOf('videoId')])];
  },
  id: (text) => [text.split('\n').slice(0, -1)],
};

async function printed(
  name: FormatName,
  count: number,
  isListing: boolean,
  fields?: string,
): Promise<string> {
  const several = count > 1;
  const overrides = { several, ...(fields && { fields }) };
  const format = await createFormat(name, options(isListing ? 'uploads' : 'latest', overrides));
  let text = '';
  for (const [at, ids] of lists.slice(0, count).entries()) {
    const of = item(`@${at}`);
    if (isListing) {
      text += format.open(of, json('{}'));
      for (let i = 0; i < ids.length; i += 2)
        text += format.rows(of, elements(`[${ids.slice(i, i + 2).map(entryOf)}]`));
      text += format.close(of, complete);
    } else text += format.body(of, json(`{"results":[${ids.map(entryOf)}],"result_count":${ids.length}}`));
  }
  return text + format.tail();
}

for (const name of ['json', 'ndjson', 'csv', 'id'] as const)
  for (const isListing of [true, false])
    for (const fields of name === 'id' ? [undefined] : [undefined, 'videoId,title,_reference'])
      test(`${name}: ${isListing ? 'listings' : 'responses'} of one, two and three references${fields ? ', with --fields' : ''}`, async () => {
        for (const count of [1, 2, 3]) {
          const wanted = lists.slice(0, count);
          const text = await printed(name, count, isListing, fields);
          const ids = idsIn[name]?.(text, count > 1);
          assert.deepEqual(ids, name === 'json' ? wanted : [wanted.flat()], `${count}: ${text}`);
        }
      });
