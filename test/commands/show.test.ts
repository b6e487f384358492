import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { command, runHere as run } from '../support/command.ts';
import { type Result, temporaryFolder } from '../support/program.ts';
import { specifiedFields } from '../support/specified-fields.ts';

/** Runs `chanlist show` in a folder with these files. */
async function shower(
  t: TestContext,
  files: Readonly<Record<string, string>>,
): Promise<{ cwd: string; show: (args: readonly string[], input?: string) => Promise<Result> }> {
  const cwd = await temporaryFolder(t);
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  return { cwd, show: (args, input = '') => run(['show', ...args], { cwd, input }) };
}

const first =
  '{"videoId":"a","title":"A, \\"quoted\\"","lengthText":"1:02:33","viewCountText":"434K views • 1 day ago","n":1.50,"big":12345678901234567890}';
const second = '{"title":"日本語","videoId":"b","lengthText":"LIVE","x":{"y":[1,2]}}';
const archive = `${first}\n${second}\n`;
const nine = specifiedFields.join(',');

test('show: prints an export in every format, without leftovers', async (t) => {
  const { cwd, show } = await shower(t, { 'a.ndjson': archive });
  for (const [args, expected] of [
    ['', archive],
    ['--json', `[${first},${second}]\n`],
    [
      '-f csv',
      `${nine},n,big,x\n` +
        'a,"A, ""quoted""",,,,1:02:33,434K views • 1 day ago,,,1.50,12345678901234567890,\n' +
        'b,日本語,,,,LIVE,,,,,,"{""y"":[1,2]}"\n',
    ],
    ['-f id', 'a\nb\n'],
    ['-n 1 --fields videoId,n', '{"videoId":"a","n":1.50}\n'],
  ] as const) {
    const { exit, stdout, stderr } = await show(['a.ndjson', ...args.split(' ').filter(Boolean)]);
    assert.deepEqual([exit, stdout, stderr], [0, expected, ''], args);
  }
  const table = (await show(['a.ndjson', '-f', 'table'])).stdout.split('\n');
  assert.deepEqual([table.length, /^videoId .*title$/.test(table[0] ?? '')], [5, true]);
  assert.match(table.at(-2) ?? '', /^b +LIVE +日本語$/);
  assert.deepEqual(await readdir(cwd), ['a.ndjson']);
});

test('show: several files and stdin, in their order; --limit counts per file', async (t) => {
  const { show } = await shower(t, { 'a.ndjson': archive, 'b.ndjson': archive.replaceAll('"b"', '"B"') });
  const input = '{"videoId":"in"}\r\n\n  \n{"videoId":"end"}';
  for (const [line, expected] of [
    ['a.ndjson - b.ndjson -f id', 'a\nb\nin\nend\na\nB\n'],
    ['a.ndjson - b.ndjson -f id -n 1', 'a\nin\na\n'],
    ['a.ndjson b.ndjson -n 1 --json --fields videoId', '[{"videoId":"a"},{"videoId":"a"}]\n'],
  ] as const)
    assert.equal((await show(line.split(' '), input)).stdout, expected, line);
  // The columns are those of all files, in any order.
  const video = (id: string, channel: string, length: string) =>
    `{"videoId":"${id}","title":"t","author":"${channel}","lengthText":"${length}"}\n`;
  const channels = await shower(t, {
    'c.ndjson': video('c', 'C', '1:00').repeat(300),
    'd.ndjson': video('d', 'D', 'PREMIERE'),
  });
  const [header, , ...rows] = (await channels.show(['c.ndjson', 'd.ndjson', '-f', 'table'])).stdout.split(
    '\n',
  );
  assert.equal(header, 'videoId        length  channel  title');
  assert.deepEqual(
    [rows[0], rows[300]],
    ['c                1:00  C        t', 'd            PREMIERE  D        t'],
  );
  const empty = await show(['-', '--json']);
  assert.deepEqual([empty.exit, empty.stdout], [0, '[]\n']);
  assert.equal((await show(['-', '-f', 'csv'])).stdout, `${nine}\n`);
});

test('show: a byte order mark is not part of the first record', async (t) => {
  const { show } = await shower(t, { 'a.ndjson': `\ufeff${archive}` });
  for (const args of [['a.ndjson'], ['-']]) {
    const { exit, stdout, stderr } = await show(args, `\ufeff${archive}`);
    assert.deepEqual([exit, stdout, stderr], [0, archive, '']);
  }
});

test('show: csv: every key of files; of stdin those of the first 100 entries, with one warning', async (t) => {
  const entries = Array.from({ length: 100 }, (_, i) => `{"videoId":"${i}"}`);
  entries[99] = '{"videoId":"99","extra":1}';
  const text = `${[...entries, '{"videoId":"x","late":1}', '{"videoId":"y","later":1,"late":2}'].join('\n')}\n`;
  const { show } = await shower(t, { 'a.ndjson': text });
  const file = await show(['a.ndjson', '-f', 'csv']);
  assert.deepEqual([file.exit, file.stderr], [0, '']);
  assert.deepEqual([file.lines[0], file.lines.at(-1)], [`${nine},extra,late,later`, 'y,,,,,,,,,,2,1']);
  const { exit, lines, stderr } = await show(['-', '-f', 'csv'], text);
  assert.deepEqual([exit, lines[0], lines.length, lines[101]], [0, `${nine},extra`, 103, 'x,,,,,,,,,']);
  assert.match(stderr, /^chanlist: warning: csv: left out .*not in the header: late, later; .*--fields\n$/);
});

test('show: -o FILE is replaced whole', async (t) => {
  const { cwd, show } = await shower(t, { 'a.ndjson': archive, 'out.csv': 'before' });
  const { exit, stdout, stderr } = await show(['a.ndjson', '-o', 'out.csv', '--fields', 'videoId', '-v']);
  assert.deepEqual([exit, stdout], [0, '']);
  assert.match(stderr, /^chanlist: 2 entries.* out\.csv\n$/);
  assert.equal(await readFile(join(cwd, 'out.csv'), 'utf8'), 'videoId\na\nb\n');
  assert.deepEqual(await readdir(cwd), ['a.ndjson', 'out.csv']);
});

test('show: a line that is not a record: 1, naming file and line, after the lines before it', async (t) => {
  const notRecord = 'not a record (a JSON object)';
  for (const [line, what] of Object.entries({
    '{"videoId":"c"': notRecord,
    '[1]': notRecord,
    dQw4w9WgXcQ: notRecord,
    '{"a":"\xff"}': 'not UTF-8 text',
    '{"results":[]}': notRecord,
  })) {
    const { cwd, show } = await shower(t, { 'a.ndjson': archive, 'out.csv': 'before' });
    await appendFile(join(cwd, 'a.ndjson'), Buffer.from(`${line}\n${first}\n`, 'latin1'));
    const { exit, stdout, stderr } = await show(['a.ndjson', '--json', '--fields', 'videoId']);
    assert.deepEqual([exit, stdout], [1, '[{"videoId":"a"},{"videoId":"b"}]\n'], line);
    const step = 'show reads ndjson exports; fix or remove the line';
    assert.equal(stderr, `chanlist: error: a.ndjson:3: ${what}; ${step}\n`);
    assert.equal((await show(['a.ndjson', '-n', '2'])).exit, 0);
    // A field may be in the entries after it.
    assert.equal((await show(['a.ndjson', '--fields', 'later'])).exit, 1);
    const file = await show(['a.ndjson', '-o', 'out.csv']);
    assert.deepEqual([file.exit, file.stdout], [1, '']);
    assert.equal(await readFile(join(cwd, 'out.csv'), 'utf8'), 'before');
    assert.deepEqual(await readdir(cwd), ['a.ndjson', 'out.csv']);
  }
});

test('show: a field that no entry of the files has: 2 with the one meant, before anything is printed', async (t) => {
  const late = `${'{"videoId":"x"}\n'.repeat(150)}{"videoId":"y","lateField":{"deep":[1]},"publishedTimeText":"1 day ago"}\n`;
  const { cwd, show } = await shower(t, { 'a.ndjson': archive, 'late.ndjson': late, 'empty.ndjson': '' });
  for (const [line, next] of [
    ['late.ndjson --fields videoId,latField', 'did you mean lateField?'],
    ['a.ndjson late.ndjson --fields latefield', 'did you mean lateField?'],
    ['late.ndjson --fields lateField.depp', 'their fields are videoId, lateField, publishedTimeText'],
    ['a.ndjson --fields videoId,lateField -o out.csv', 'their fields are videoId, title, lengthText, '],
    ['a.ndjson --fields published --json', 'their fields are videoId, '],
  ] as const) {
    const { exit, stdout, stderr } = await show(line.split(' '));
    assert.equal(exit, 2, line);
    assert.match(stderr, /^chanlist: error: --fields: no entry has '[^\n]*\n$/, line);
    assert.ok(stderr.includes(`; ${next}`), stderr);
    assert.equal(/videoId":"/.test(stdout), false);
  }
  assert.deepEqual(await readdir(cwd), ['a.ndjson', 'empty.ndjson', 'late.ndjson']);
  for (const line of [
    'a.ndjson late.ndjson --fields x,lateField.deep.0',
    'late.ndjson -n 1 --fields lateField',
  ])
    assert.equal((await show(line.split(' '))).exit, 0, line);
  assert.equal((await show(['empty.ndjson', '--fields', 'lateField'])).exit, 0);
  // What can be read only once is printed.
  const { exit, stdout, stderr } = await show(['-', '--fields', 'lateField'], '{"videoId":"x"}\n');
  assert.deepEqual([exit, stdout], [0, '{"lateField":null}\n']);
  assert.match(stderr, /^chanlist: warning: --fields: no entry on the first page has lateField; /);
});

test('show: files that cannot be shown are usage errors, before anything is printed', async (t) => {
  const { cwd, show } = await shower(t, { 'a.ndjson': archive });
  await mkdir(join(cwd, '.chanlist'));
  await writeFile(join(cwd, '.chanlist/c.ndjson.run'), '');
  for (const [line, message] of [
    ['b.ndjson a.ndjson', /cannot read b\.ndjson: there is no such file/],
    ['a.ndjson b.ndjson', /cannot read b\.ndjson: there is no such file/],
    ['c.ndjson', /of c\.ndjson is not complete; to see how to resume it: chanlist check c\.ndjson/],
    ['.', /\. is a folder; give its exports: chanlist show \.\/\*\.ndjson/],
    ['a.ndjson -o .chanlist/x', /chanlist's own/],
    ['-q', /missing|needs/],
    ['x'.repeat(5000), /^.{1,400}\n$/],
  ] as const) {
    const { exit, stdout, stderr } = await show(line.split(' '));
    assert.deepEqual([exit, stdout], [2, ''], line.slice(0, 80));
    assert.match(stderr, message);
  }
  const json = await show(['a.ndjson', 'b.ndjson', '--json']);
  assert.deepEqual([json.exit, JSON.parse(json.stdout).error.code], [2, 'usage']);
});

test('show: of nothing a table says so', async () => {
  const { exit, stdout, stderr } = await command('show -', { columns: 80, stdin: '\n' });
  assert.deepEqual([exit, stdout, stderr.split('\n').at(-2)], [0, '', 'chanlist: 0 entries']);
});
