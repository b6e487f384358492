import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FormatName } from '../../src/output/formats.ts';
import { Stderr } from '../../src/output/stderr.ts';
import { printRecords, type RecordOptions } from '../../src/run/output.ts';
import { fakeContext } from '../support/fake-context.ts';

interface Row {
  readonly name: string;
  readonly sum: { readonly a: number } | null;
}

const rows: readonly Row[] = [
  { name: 'one, two', sum: { a: 1 } },
  { name: 'x\u202e\u0085y', sum: null },
];

async function printed(
  format: FormatName | null,
  { isTerminal = false, records = rows, ...options }: Partial<RecordOptions<Row>> & Settings = {},
): Promise<string> {
  const { context, stdout } = fakeContext({ stdoutTerminal: isTerminal });
  const stderr = new Stderr(context, { quiet: false, verbose: 0 });
  const fields = ['name', 'sum'] as const;
  await printRecords(records, { format, color: false, context, stderr, fields, ...options });
  return stdout();
}

interface Settings {
  readonly isTerminal?: boolean;
  readonly records?: readonly Row[];
}

test('records are ndjson in a pipe, a table at a terminal; json and csv on request', async () => {
  const [one, other] = ['{"name":"one, two","sum":{"a":1}}', '{"name":"x\\u202e\\u0085y","sum":null}'];
  assert.equal(await printed(null), `${one}\n${other}\n`);
  assert.equal(await printed('json'), `[${one},${other}]\n`);
  assert.equal(await printed('csv'), 'name,sum\n"one, two","{""a"":1}"\nx\u202e\u0085y,\n');
  assert.equal(await printed('csv', { isTerminal: true }), 'name,sum\n"one, two","{""a"":1}"\nx y,\n');
  assert.match(await printed(null, { isTerminal: true }), /^name +sum\n─+\none, two +\{"a":1\}\nx y +-\n$/);
  assert.match(await printed('table', { columns: ['name'] }), /^name\n─+\none, two\nx y\n$/);
});

test('json is indented at a terminal; a single object is no array', async () => {
  const [row] = rows;
  const records = row === undefined ? [] : [row];
  const indented = '{\n  "name": "one, two",\n  "sum": {\n    "a": 1\n  }\n}\n';
  assert.equal(await printed('json', { records, document: 'object', isTerminal: true }), indented);
  assert.equal(
    await printed('ndjson', { records, document: 'object' }),
    '{"name":"one, two","sum":{"a":1}}\n',
  );
  assert.equal(await printed('table', { records, document: 'object' }), 'name  one, two\nsum   {"a":1}\n');
});

test('in a table a time has no seconds; a file with such a name is no time', async () => {
  const records = ['2026-11-21T10:20:30.456Z', '2026-11-21T10:20.ndjson'].map((name) => ({
    name,
    sum: null,
  }));
  const shown = await printed('table', { records, columns: ['name'] });
  assert.match(shown, /^name\n─+\n2026-11-21 10:20\n2026-11-21T10:20\.ndjson\n$/);
});

test('without records: nothing, an empty array, or a header', async () => {
  const texts = await Promise.all(
    (['ndjson', 'table', 'json', 'csv'] as const).map((format) => printed(format, { records: [] })),
  );
  assert.deepEqual(texts, ['', '', '[]\n', 'name,sum\n']);
});
