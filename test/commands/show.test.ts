import assert from 'node:assert/strict';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runHere as run } from '../support/command.ts';
import { type Result, temporaryFolder } from '../support/program.ts';
import { specifiedFields } from '../support/specified-fields.ts';

/** Runs `chanlist show` in a folder with these files. */
async function shower(
  t: TestContext,
  files: Readonly<Record<string, string>>,
): Promise<{ cwd: string; show: (args: string[], input?: string) => Promise<Result> }> {
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
  const text = async (...args: string[]): Promise<string> => {
    const { exit, stdout, stderr } = await show(['a.ndjson', ...args]);
    assert.deepEqual([exit, stderr], [0, '']);
    return stdout;
  };
  assert.equal(await text(), archive);
  assert.equal(await text('--json'), `[${first},${second}]\n`);
  assert.equal(
    await text('-f', 'csv'),
    `${nine},n,big,x\n` +
      'a,"A, ""quoted""",,,,1:02:33,434K views • 1 day ago,,,1.50,12345678901234567890,\n' +
      'b,日本語,,,,LIVE,,,,,,"{""y"":[1,2]}"\n',
  );
  assert.equal(await text('-f', 'id'), 'a\nb\n');
  assert.deepEqual(
    (await text('-f', 'table')).split('\n').filter((line) => !line.startsWith('─')),
    [
      'videoId        length       views  published      title',
      'a             1:02:33  434K views  1 day ago      A, "quoted"',
      'b                LIVE                             日本語',
      '',
    ],
  );
  assert.deepEqual(await readdir(cwd), ['a.ndjson']);
});

test('show: --fields: paths and computed fields; a value that an export has computed is printed', async (t) => {
  const kept = '{"videoId":"c","@published":"2026-01-01T16:00:00Z","thumbnails.0.url":"u"}';
  const latest = '{"videoId":"d","published":"2026-02-02T00:00:00Z","viewCount":"7"}';
  const { show } = await shower(t, { 'a.ndjson': `${archive}${kept}\n${latest}\n` });
  const fields = 'videoId,@seconds,@views,@published,thumbnails.0.url,x.y.1,@reference';
  const { stdout } = await show(['a.ndjson', '-f', 'csv', '--fields', fields]);
  assert.equal(
    stdout,
    `${fields}\na,3753,434000,,,,\nb,,,,,2,\nc,,,2026-01-01T16:00:00Z,u,,\nd,,7,2026-02-02T00:00:00Z,,,\n`,
  );
  const wrong = await show(['a.ndjson', '--fields', 'vidoeId']);
  assert.equal(wrong.exit, 2);
  assert.match(wrong.stderr, /^chanlist: error: .*vidoeId.*did you mean videoId\?\n$/);
});

test('show: several files and stdin, in their order; --limit counts per file', async (t) => {
  const { show } = await shower(t, { 'a.ndjson': archive, 'b.ndjson': archive.replaceAll('"b"', '"B"') });
  const ids = async (...args: string[]): Promise<string> =>
    (await show([...args, '-f', 'id'], '\ufeff{"videoId":"in"}\r\n\n  \n{"videoId":"end"}')).stdout;
  assert.equal(await ids('a.ndjson', '-', 'b.ndjson'), 'a\nb\nin\nend\na\nB\n');
  assert.equal(await ids('a.ndjson', '-', 'b.ndjson', '-n', '1'), 'a\nin\na\n');
  const json = await show(['a.ndjson', 'b.ndjson', '-n', '1', '--json', '--fields', 'videoId']);
  assert.equal(json.stdout, '[{"videoId":"a"},{"videoId":"a"}]\n');
  const empty = await show(['-', '--json']);
  assert.deepEqual([empty.exit, empty.stdout], [0, '[]\n']);
  assert.equal((await show(['-', '-f', 'csv'])).stdout, `${nine}\n`);
});

test('show: csv: every key of files; of stdin those of the first 100 entries, with one warning', async (t) => {
  const entries = Array.from({ length: 100 }, (_, i) => `{"videoId":"${i}"}`);
  const late = ['{"videoId":"x","late":1}', '{"videoId":"y","later":1,"late":2}'];
  entries[99] = '{"videoId":"99","extra":1}';
  const text = `${[...entries, ...late].join('\n')}\n`;
  const { show } = await shower(t, { 'a.ndjson': text });
  const file = await show(['a.ndjson', '-f', 'csv']);
  assert.deepEqual([file.exit, file.stderr], [0, '']);
  assert.deepEqual([file.lines[0], file.lines.at(-1)], [`${nine},extra,late,later`, 'y,,,,,,,,,,2,1']);
  const { exit, lines, stderr } = await show(['-', '-f', 'csv'], text);
  assert.equal(exit, 0);
  assert.deepEqual([lines[0], lines.length, lines[101]], [`${nine},extra`, 103, 'x,,,,,,,,,']);
  assert.equal(
    stderr,
    'chanlist: warning: csv: left out 2 fields that are not in the header: late, later; name them with --fields\n',
  );
});

test('show: -o FILE is replaced whole', async (t) => {
  const { cwd, show } = await shower(t, { 'a.ndjson': archive, 'out.csv': 'before' });
  const { exit, stdout, stderr } = await show(['a.ndjson', '-o', 'out.csv', '--fields', 'videoId', '-v']);
  assert.deepEqual([exit, stdout], [0, '']);
  assert.match(stderr, /^chanlist: 2 entries.* out\.csv\n$/);
  assert.equal(await readFile(join(cwd, 'out.csv'), 'utf8'), 'videoId\na\nb\n');
  assert.deepEqual(await readdir(cwd), ['a.ndjson', 'out.csv']);
});

for (const [name, line, what] of [
  ['no JSON', '{"videoId":"c"', 'not a record'],
  ['no object', '[1]', 'not a record'],
  ['an ID', 'dQw4w9WgXcQ', 'not a record'],
  ['no UTF-8', '{"a":"\\xff"}', 'not a record'],
] as const) {
  test(`show: a line that is ${name}: exit 1, after what stands before it`, async (t) => {
    const { cwd, show } = await shower(t, { 'a.ndjson': archive, 'out.csv': 'before' });
    const bytes = Buffer.from(`${line.replace('\\xff', '\u00ff')}\n${first}\n`, 'latin1');
    await appendFile(join(cwd, 'a.ndjson'), bytes);
    const { exit, stdout, stderr } = await show(['a.ndjson', '--json', '--fields', 'videoId']);
    assert.deepEqual([exit, stdout], [1, '[{"videoId":"a"},{"videoId":"b"}]\n']);
    assert.match(stderr, new RegExp(`^chanlist: error: a\\.ndjson:3: ${what}.*; fix or remove the line\n$`));
    assert.equal((await show(['a.ndjson', '-n', '2'])).exit, 0);
    const file = await show(['a.ndjson', '-o', 'out.csv']);
    assert.deepEqual([file.exit, file.stdout], [1, '']);
    assert.equal(await readFile(join(cwd, 'out.csv'), 'utf8'), 'before');
    assert.deepEqual(await readdir(cwd), ['a.ndjson', 'out.csv']);
  });
}

test('show: a listing in json is no record: the error has the command that prints its entries', async (t) => {
  const envelope = `{"playlist_info":null,"results":[${first},${second}],"has_more":false}\n`;
  const { cwd, show } = await shower(t, { 'a b.json': envelope });
  const { exit, stdout, stderr } = await show(['a b.json', '-f', 'id']);
  assert.deepEqual([exit, stdout], [1, '']);
  assert.match(stderr, /^chanlist: error: a b\.json:1: a listing in json, not an ndjson record; /);
  const [, jq = ''] = / with: (.*) \| chanlist show -\n$/.exec(stderr) ?? [];
  assert.equal(jq, "jq -c '.results[]' 'a b.json'");
  assert.equal((await show(['-', '-f', 'id'], archive)).stdout, 'a\nb\n');
  assert.deepEqual(await readdir(cwd), ['a b.json']);
});

test('show: a file that is not there is an error before anything is printed, as json too', async (t) => {
  const { show } = await shower(t, { 'a.ndjson': archive });
  const { exit, stdout } = await show(['a.ndjson', 'b.ndjson', '--json']);
  assert.deepEqual([exit, JSON.parse(stdout).error.code], [2, 'usage']);
});

test('show: files that cannot be shown are usage errors', async (t) => {
  const { show } = await shower(t, { 'a.ndjson': archive });
  for (const [line, message] of [
    ['b.ndjson a.ndjson', /cannot read b\.ndjson: there is no such file/],
    ['a.ndjson b.ndjson', /cannot read b\.ndjson: there is no such file/],
    ['.', /\. is a folder; name its exports: chanlist show \.\/\*\.ndjson/],
    ['.chanlist/a.ndjson.part', /chanlist's own/],
    ['a.ndjson -o a.ndjson', /the same file/],
    ['a.ndjson -f table -o x.csv', /table/],
    ['a.ndjson -o x.xlsx', /\.xlsx.*--format/],
    ['-q', /missing|needs/],
    ['x'.repeat(5000), /^.{1,400}\n$/],
  ] as const) {
    const { exit, stdout, stderr } = await show(line.split(' '));
    assert.deepEqual([exit, stdout], [2, ''], line.slice(0, 80));
    assert.match(stderr, message);
  }
});
