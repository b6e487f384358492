import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { failureCodes } from '../../src/errors.ts';
import { computedFields } from '../../src/output/fields.ts';
import { formatNames, formats } from '../../src/output/formats.ts';
import type { Collected } from '../support/collect.ts';
import { documentText, exampleOf } from '../support/documents.ts';
import { missing, type Workshop, workshop } from '../support/shell.ts';
import { recipe as recipeOf, runExample, testExamples } from './run-examples.ts';

const file = 'docs/scripts.md';

const recipe = (at: Workshop, beginning: string): Promise<string> => recipeOf(file, at, beginning);

const lines = (text: string): string[] => text.split('\n').slice(0, -1);

const read = ({ folder }: Workshop, name: string): Promise<string> => readFile(join(folder, name), 'utf8');

const write = ({ folder }: Workshop, name: string, text: string): Promise<void> =>
  writeFile(join(folder, name), text);

const dates = await exampleOf(file, 'chanlist latest @demo > dates.ndjson');

/** The newest upload is dated, an old one is not. */
async function dated(at: Workshop): Promise<Collected> {
  const result = await runExample(dates, at);
  const rows = lines(result.stdout);
  assert.equal(rows.length, 1234);
  assert.match(rows[0] ?? '', /^"\d{4}-\d\d-\d\dT[\d:]+Z","/);
  assert.match(rows.at(-1) ?? '', /^,"/);
  return result;
}

const id = 'UCdemo__________________';

/** Lists as other programs write them. */
const subscriptions = {
  'subscriptions.csv': `Channel Id,Channel Url,Channel Title\n${id},http://x.example/channel/${id},"Smith, Jones"\n`,
  'subscriptions.opml': `<opml><body><outline xmlUrl="https://x.example/videos.xml?channel_id=${id}"/></body></opml>\n`,
  'subscriptions.json': `{"app_version":"1","subscriptions":[{"url":"https://x.example/channel/${id}","name":"UC"}]}\n`,
  'list.txt': Buffer.from(`\ufeff${id}\n`, 'utf16le'),
};

testExamples(
  file,
  {
    'chanlist latest --from refs.txt --seen seen.txt >> new.ndjson': { stderr: /added 2 references/ },
    [dates.text]: { run: dated, stderr: /added 1 reference/ },
    "chanlist uploads --from refs.txt --dry-run --format ndjson | jq -s 'map(.cost) | add'": {
      stderr: /^chanlist: \d requests, at least \d credits\n$/,
    },
  },
  async (at) => {
    await write(at, 'team.csv', '@size-250,Ben\n@demo,Anna\n');
    for (const [name, text] of Object.entries(subscriptions)) await writeFile(join(at.folder, name), text);
    return {};
  },
);

test('the table of exit codes has every code of an error', async () => {
  const text = await documentText('docs/failures.md');
  const codes = [...text.matchAll(/^\| [\d, ]+ \| ((?:`\w+`(?:, )?)+): /gm)].flatMap(([, cell = '']) =>
    cell.split(', '),
  );
  assert.deepEqual(codes.sort(), failureCodes.map((code) => `\`${code}\``).sort());
});

test('it has every format, extension and computed field', async () => {
  const text = await documentText(file);
  const extensions = formatNames.flatMap((name) => formats[name].extensions.map((each) => `.${each}`));
  for (const word of [...formatNames, ...extensions, ...computedFields])
    assert.ok(text.includes(`\`${word}\``), word);
});

test('exit codes: a script distinguishes a missing channel, a known one and an empty account', async (t) => {
  const at = await workshop(t);
  const { text } = await exampleOf(file, 'channel=@demo');
  const answer = (name: string) => at.sh(text.replace('channel=@demo', `channel=${name}`));
  assert.deepEqual(await answer('@demo').then(({ exit, stdout }) => [exit, stdout]), [0, '']);
  assert.equal(lines(await read(at, 'list.ndjson')).length, 1234);
  await at.sh('rm list.ndjson');
  const unknown = await answer('@nobody');
  assert.deepEqual([unknown.exit, unknown.stdout], [0, 'there is no channel @nobody\n']);
  assert.match(unknown.stderr, /^chanlist: error: @nobody: .*\n$/);
  at.sandbox.account.credits = 0;
  assert.equal((await answer('@demo')).stdout, 'no credits left for @demo\n');
});

test('json: an error is in the document, beside other results', {
  skip: missing('jq'),
}, async (t) => {
  const at = await workshop(t);
  const several = await exampleOf(file, 'chanlist resolve @demo @size-250 --json');
  const { exit, stdout } = await at.sh(several.text.replace('@size-250', '@nobody'));
  assert.deepEqual([exit, stdout], [5, '@demo\tUCdemo__________________\n@nobody\tnot_found\n']);
});

for (const [language, beginning] of [
  ['python', 'import json'],
  ['js', 'import { spawn'],
] as const) {
  test(`${language}: titles while they arrive, and a failure`, {
    skip: language === 'python' && missing('python3'),
  }, async (t) => {
    const at = await workshop(t);
    assert.equal(lines(await recipe(at, beginning)).length, 1234);
    const example = await exampleOf(file, beginning);
    assert.equal(example.language, language);
    at.sandbox.account.credits = 3;
    const poor = await runExample(example, at);
    assert.deepEqual([poor.exit, lines(poor.stdout).length], [1, 300]);
    assert.match(poor.stderr, /^chanlist: error: no credits/m);
    assert.match(poor.stderr, language === 'python' ? /returned non-zero exit status 4/ : /exited with 4/);
  });
}

test('each line that makes a list from another program prints the references alone', {
  skip: missing('jq'),
}, async (t) => {
  const at = await workshop(t);
  for (const [name, text] of Object.entries(subscriptions)) await writeFile(join(at.folder, name), text);
  const { text } = await exampleOf(file, 'cut -d , -f 1 subscriptions.csv');
  assert.equal(text.split('\n').length, 4);
  for (const line of text.split('\n')) {
    const { exit, stdout, stderr } = await at.sh(
      `${line}; chanlist resolve --from refs.txt -f id; rm refs.txt`,
    );
    assert.deepEqual([exit, stdout, stderr], [0, `${id}\n`, ''], line);
  }
});

test('join: the lines of the list, each with what the service says about its reference', async (t) => {
  const at = await workshop(t);
  await write(at, 'team.csv', '@size-250,Ben\n@demo,Anna\n');
  assert.deepEqual(lines(await recipe(at, 'cut -d , -f 1 team.csv')), [
    '@demo,Anna,UCdemo__________________,@demo',
    '@size-250,Ben,UCsize-250______________,@size-250',
  ]);
});

test('serve: the shell can evaluate its first lines', async (t) => {
  const at = await workshop(t);
  const { text } = await exampleOf(file, 'chanlist serve --port');
  const { exit, stdout } = await at.sh(`unset CHANLIST_API_KEY CHANLIST_BASE_URL; ${text}`);
  assert.deepEqual([exit, stdout.trim(), at.sandbox.account.credits], [0, '250', 1000]);
});
