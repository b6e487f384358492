import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FormatName } from '../../src/output/formats.ts';
import { printRows, type RowOptions } from '../../src/output/print-rows.ts';
import { Stderr } from '../../src/output/stderr.ts';
import { Stdout } from '../../src/output/stdout.ts';
import { fakeContext } from '../support/fake-context.ts';

const rows = [
  { name: 'one, two', sum: { a: 1 } },
  { name: 'x\u202e\u0085y', sum: null },
];

async function printed<R extends object = (typeof rows)[number]>(
  format: FormatName | null,
  options: Partial<RowOptions<R>> & { isTerminal?: boolean; width?: number; records?: readonly R[] } = {},
): Promise<string> {
  const { isTerminal = false, width, records = rows as unknown as readonly R[], ...others } = options;
  const { context, stdout } = fakeContext({ stdoutTerminal: isTerminal });
  if (width !== undefined) context.stdout.columns = width;
  const fields = Object.keys(records[0] ?? { name: '', sum: '' }) as (keyof R & string)[];
  const stderr = new Stderr(context);
  const output = { context, stdout: new Stdout(context, stderr, false), stderr };
  await printRows(records, { format, fields, ...others }, output);
  return stdout();
}

test('records are ndjson in a pipe, a table at a terminal; json and csv on request', async () => {
  const [one, other] = ['{"name":"one, two","sum":{"a":1}}', '{"name":"x\\u202e\\u0085y","sum":null}'];
  assert.equal(await printed(null), `${one}\n${other}\n`);
  assert.equal(await printed('json'), `[${one},${other}]\n`);
  assert.equal(await printed('csv'), 'name,sum\n"one, two","{""a"":1}"\nx\u202e\u0085y,\n');
  assert.equal(await printed('csv', { isTerminal: true }), 'name,sum\n"one, two","{""a"":1}"\nx y,\n');
  assert.match(await printed(null, { isTerminal: true }), /^name +sum\n─+\none, two +\{"a":1\}\nx y +-\n$/);
  assert.match(await printed('table', { tableRow: ({ name }) => ({ name }) }), /^name\n─+\none, two\nx y\n$/);
});

test('csv has flat columns: a member of several parts has one for each', async () => {
  const problem = { code: 'lost', message: 'the file is gone', fix: 'chanlist uploads @a -o a.ndjson' };
  const record = { today: null, total: { confirmed: 3, possibly_charged: 0 }, problem };
  const sums = 'today.confirmed,today.possibly_charged,total.confirmed,total.possibly_charged';
  const csvColumns = [...sums.split(','), 'problem.code', 'problem.message', 'problem.fix'];
  assert.equal(
    await printed('csv', { records: [record], csvColumns }),
    `${sums},problem.code,problem.message,problem.fix\n,,3,0,lost,the file is gone,${problem.fix}\n`,
  );
});

test('a table that does not fit has a line for each field, and is not cut', async () => {
  const records = [
    { name: 'x'.repeat(60), sum: { a: 1 } },
    { name: 'short', sum: false },
  ];
  assert.match(await printed(null, { records, isTerminal: true }), /^name +sum\n─{69}\nx/);
  const narrow = await printed(null, { records, isTerminal: true, width: 25 });
  assert.equal(narrow, `name  ${'x'.repeat(60)}\nsum   {"a":1}\n\nname  short\nsum   -\n`);
});

test('json is indented at a terminal; a single object is not in an array', async () => {
  const records = rows.slice(0, 1);
  const indented = '{\n  "name": "one, two",\n  "sum": {\n    "a": 1\n  }\n}\n';
  assert.equal(await printed('json', { records, isSingle: true, isTerminal: true }), indented);
  const one = '{"name":"one, two","sum":{"a":1}}\n';
  assert.equal(await printed('ndjson', { records, isSingle: true }), one);
  const tableRow = () => ({ name: 'one, two', sum: 1 });
  assert.equal(await printed('table', { records, tableRow, isSingle: true }), 'name  one, two\nsum   1\n');
});

test('in a table numbers are aligned right, also where one is unknown; credits possibly charged are behind the others', async () => {
  const records = [
    { count: 1234, sum: '1,234' },
    { count: 12, sum: '0 (+1)' },
    { count: null, sum: null },
  ];
  const lines = ['count     sum', '─────────────', '1,234   1,234', '   12  0 (+1)', '    -       -\n'];
  assert.equal(await printed('table', { records }), lines.join('\n'));
});

test('in a table a time has no seconds; a file with such a name is not a time', async () => {
  const names = ['2026-11-21T10:20:30.456Z', '2026-11-21T10:20.ndjson'];
  const records = names.map((name) => ({ name, sum: null }));
  const shown = await printed('table', { records, tableRow: ({ name }) => ({ name }) });
  assert.match(shown, /^name\n─+\n2026-11-21 10:20Z\n2026-11-21T10:20\.ndjson\n$/);
});

test('without records: nothing, an empty array, or a header', async () => {
  for (const [format, text] of [
    ['ndjson', ''],
    ['table', ''],
    ['json', '[]\n'],
    ['csv', 'name,sum\n'],
  ] as const)
    assert.equal(await printed(format, { records: [] }), text);
});
