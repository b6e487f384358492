import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { testKey } from '../support/program.ts';
import { entry, page, scriptedService } from '../support/service.ts';
import { missing, workshop } from '../support/shell.ts';

/** Titles that break careless lines and tables. */
const titles = [
  'line\nbreak',
  'carriage\r\nreturn',
  'a "quoted" word',
  'comma, semicolon; tab\t.',
  "it's $HOME `id` $(id) \\n %s",
  '',
  ' spaces  around ',
  '日本 👨‍👩‍👧‍👦 e\u0301',
  '\u2028\u0085\u202e\u0000',
];

/** A workshop whose service lists these titles. */
async function nasty(t: Parameters<typeof workshop>[0]) {
  const at = await workshop(t);
  const service = await scriptedService(t, () => {
    const body = page(0, titles.length, null);
    return { body: { ...body, results: titles.map((title, n) => ({ ...entry(n), title })) } };
  });
  const prefix = `export CHANLIST_BASE_URL='${service.url}' CHANLIST_API_KEY='${testKey}'; `;
  return { ...at, sh: (line: string) => at.sh(prefix + line) };
}

test('one record per line, whatever it holds: wc, while read and jq count the same', {
  skip: missing('jq'),
}, async (t) => {
  const { sh } = await nasty(t);
  const count = `${titles.length}\n`;
  assert.equal((await sh('chanlist uploads @a | wc -l')).stdout.trim(), count.trim());
  const loop = `chanlist uploads @a | while IFS= read -r line; do printf '%s\\n' "$line" | jq -j '.title | @base64'; echo; done`;
  assert.deepEqual(
    (await sh(loop)).stdout
      .split('\n')
      .slice(0, -1)
      .map((text) => Buffer.from(text, 'base64').toString()),
    titles,
  );
  assert.equal((await sh('chanlist uploads @a | jq -s length')).stdout, count);
  assert.equal((await sh("chanlist uploads @a --json | jq '.results | length'")).stdout, count);
});

test('sqlite3 reads the same text from CSV and from NDJSON', { skip: missing('sqlite3') }, async (t) => {
  const { sh, folder } = await nasty(t);
  // A NUL ends a text in SQLite's shell.
  const expected = titles.map((title) => title.replace(/\0.*/s, ''));
  await sh(
    'chanlist uploads UCtesttesttesttesttestte -o a.csv && chanlist uploads UCtesttesttesttesttestte -o a.ndjson',
  );
  const imported = await sh(
    `sqlite3 a.db '.import --csv a.csv a' && sqlite3 -json a.db 'select title from a order by rowid'`,
  );
  const rows = JSON.parse(imported.stdout) as { title: string }[];
  assert.deepEqual(
    rows.slice(0, -1).map(({ title }) => title),
    expected.slice(0, -1),
    imported.stderr,
  );
  const json = await sh(
    `sqlite3 -json b.db "select json_extract(value, '$.title') as title from json_each('[' || replace(rtrim(readfile('a.ndjson'), char(10)), char(10), ',') || ']')"`,
  );
  const texts = (JSON.parse(json.stdout) as { title: string }[]).map(({ title }) => title);
  assert.deepEqual(texts.slice(0, -1), expected.slice(0, -1), json.stderr);
  assert.equal(
    (await readFile(join(folder, 'a.ndjson'), 'utf8')).trimEnd().split('\n').length,
    titles.length,
  );
});

test('xargs: references in, IDs on to the next command', { skip: missing('xargs') }, async (t) => {
  const { sh, sandbox } = await workshop(t);
  const one = await sh("printf '@demo\\n@size-3\\n' | xargs chanlist resolve --format id");
  const other = await sh("printf '@demo\\n@size-3\\n' | chanlist resolve --from - --format id");
  assert.match(one.stdout, /^UC[\w-]{22}\nUC[\w-]{22}\n$/);
  assert.equal(one.stdout, other.stdout);
  const chained = await sh(
    'chanlist resolve @demo --format id | xargs chanlist latest --format id | xargs -n 5 echo',
  );
  assert.match(chained.stdout, /^(?:(?:[\w-]{11} ){4}[\w-]{11}\n){3}$/);
  assert.equal(sandbox.account.credits, 1000);
});

test('GNU parallel: records spread over jobs, none lost', { skip: missing('parallel') }, async (t) => {
  const { sh } = await workshop(t);
  const line =
    "chanlist uploads @demo | parallel --pipe --jobs 2 -N 100 'wc -l' | awk '{ n += $1 } END { print n }'";
  const { exit, stdout } = await sh(line);
  assert.deepEqual([exit, stdout], [0, '1234\n']);
});

test('a failure in the middle shows with pipefail; the lines printed are complete', async (t) => {
  const { sh } = await workshop(t);
  const { exit, stdout, stderr } = await sh('chanlist uploads @demo --max-credits 3 | wc -l');
  assert.deepEqual([exit, stdout.trim()], [9, '300']);
  assert.match(
    stderr,
    /^chanlist: error: @demo: stopped at --max-credits.* resume with: chanlist uploads .*\n$/,
  );
  const [, next = ''] = /resume with: (.*)\n$/.exec(stderr) ?? [];
  const rest = await sh(`${next.replace('--max-credits 3', '')} | wc -l`);
  assert.deepEqual([rest.exit, rest.stdout.trim(), rest.stderr], [0, '934', '']);
});

test('a reader that closes the pipe ends it quietly: exit 0 with pipefail', async (t) => {
  const { sh } = await workshop(t);
  for (const line of [
    'chanlist uploads @demo | head -n 1',
    'chanlist uploads @demo --json | head -c 10',
    'chanlist uploads @demo --format csv | sed 3q',
    'chanlist uploads @demo | true',
    'chanlist --help | true',
  ]) {
    const { exit, stderr } = await sh(line);
    assert.deepEqual([exit, stderr], [0, ''], line);
  }
});
