import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonText } from '../../src/json/json-text.ts';
import type { FileFormat } from '../../src/output/formats.ts';
import { createFormat } from '../../src/output/formats.ts';
import { complete, json, options } from '../output/support.ts';
import { reader } from './opened.ts';

const special = fc.constantFrom(
  '"',
  '""',
  ',',
  '\n',
  '\r',
  '\r\n',
  '\t',
  '\0',
  '\\',
  '{"videoId":"',
  ' ',
  '\u2028',
);
const odd = fc.string({
  unit: fc.oneof(special, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constant('a')),
  maxLength: 10,
});
/** IDs have no control characters: id would write others than it got. */
const id = fc.string({
  unit: fc.constantFrom('a', 'b', '-', '_', '"', ',', '\\', ' ', 'é', '😀'),
  maxLength: 5,
});
const member = fc.oneof(odd, fc.constant(null), fc.integer(), fc.array(odd, { maxLength: 2 }));
const entry = fc.record(
  { videoId: fc.oneof(id, fc.constant(null)), title: member, lengthText: member, more: member },
  { requiredKeys: [] },
);

/** The position of the ID in an entry. */
const orders = [
  ['videoId', 'title', 'lengthText', 'more'],
  ['title', 'videoId'],
] as const;
const fields = [null, 'videoId', 'title,videoId,lengthText', 'videoId,@reference'] as const;

/** All pages of an export, as they are written. */
async function written(format: FileFormat, given: string | null, pages: readonly string[]): Promise<string> {
  const overrides = given === null ? {} : { fields: given };
  const writer = await createFormat(format, options('uploads', overrides));
  const item = { reference: '@a,"b"\n' };
  let text = writer.head() + writer.open(item, json('{}'));
  for (const page of pages) text += writer.rows(item, [...JsonText.of(page).elements()]).toString();
  return text + writer.close(item, complete) + writer.tail();
}

test('the IDs of what the writers write are read back, whatever stands beside them', async (t) => {
  const read = await reader(t);
  const pages = fc.array(fc.array(entry, { maxLength: 4 }), { minLength: 1, maxLength: 3 });
  const formats = fc.constantFrom<FileFormat>('ndjson', 'csv', 'id', 'json');
  await fc.assert(
    fc.asyncProperty(
      pages,
      formats,
      fc.constantFrom(...fields),
      fc.constantFrom(...orders),
      async (all, format, given, order) => {
        const texts = all.map((page) => JSON.stringify(page, [...order]));
        const found = await read(await written(format, given, texts), { format, fields: given });
        const ids = all.flat().flatMap(({ videoId }) => videoId || []);
        assert.equal(found.damage, null);
        assert.deepEqual([...found.ids], [...new Set(ids)]);
        if (format !== 'id') assert.equal(found.entries, all.flat().length);
      },
    ),
    { numRuns: 500 },
  );
});
