import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { failureCodes } from '../../src/errors.ts';
import { computedFields } from '../../src/output/fields.ts';
import { formatNames, formats } from '../../src/output/formats.ts';
import { documentText, exampleOf } from '../support/documents.ts';
import { testKey } from '../support/program.ts';
import { missing, type Workshop, workshop } from '../support/shell.ts';
import { recipe as recipeOf, runExample, testExamples } from './run-examples.ts';

const file = 'docs/scripts.md';

const recipe = (at: Workshop, beginning: string): Promise<string> => recipeOf(file, at, beginning);

const lines = (text: string): string[] => text.split('\n').slice(0, -1);

const read = ({ folder }: Workshop, name: string): Promise<string> => readFile(join(folder, name), 'utf8');

const write = ({ folder }: Workshop, name: string, text: string): Promise<void> =>
  writeFile(join(folder, name), text);

const spent = ({ sandbox }: Workshop): number => 1000 - sandbox.account.credits;

/** The key comes from a command: no other source is needed. */
const { text: keyCommand } = await exampleOf(file, 'chanlist resolve @demo --key-file');

testExamples(
  file,
  {
    'chanlist latest --from refs.txt --seen seen.txt': { stderr: /added 2 references/ },
    'chanlist uploads @demo @size-250 --dry-run': { stderr: /^chanlist: 2 requests, at least 2 credits\n$/ },
    "chanlist uploads --from refs.txt --dry-run --format ndjson | jq -s 'map(.cost) | add'": {
      stderr: /^chanlist: \d requests, at least \d credits\n$/,
    },
    [keyCommand]: { run: ({ sh }) => sh(`unset CHANLIST_API_KEY; ${keyCommand}`) },
  },
  async (at) => {
    await write(at, 'team.csv', '@size-250,Ben\n@demo,Anna\n');
    await write(at, 'key.txt', `${testKey}\n`);
    const pass = `#!/bin/sh\n[ "$*" = 'show chanlist' ] && cat "$HOME/key.txt"\n`;
    await writeFile(join(at.bin, 'pass'), pass, { mode: 0o755 });
    return {};
  },
);

test('its tables have every code of an error, format and computed field', async () => {
  const text = await documentText(file);
  const rows = (heading: string): string[] => {
    const [, rest = ''] = text.split(`| ${heading} |`);
    const [table = ''] = rest.split('\n\n');
    return [...table.matchAll(/^\| `([@\w]+)` \|/gm)].map(([, name = '']) => name);
  };
  assert.deepEqual(rows('`code`'), [...failureCodes]);
  assert.deepEqual(rows('`-f`').sort(), [...formatNames].sort());
  assert.deepEqual(rows('field').sort(), [...computedFields].sort());
  for (const name of formatNames)
    for (const extension of formats[name].extensions) assert.ok(text.includes(`\`.${extension}\``));
});

test('exit codes: a script distinguishes a missing channel, a known one and an empty account', async (t) => {
  const at = await workshop(t);
  const { text } = await exampleOf(file, 'set -euo pipefail');
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

test('json: an error is in the document, alone or beside other results', {
  skip: missing('jq'),
}, async (t) => {
  const at = await workshop(t);
  assert.match(await recipe(at, 'result=$(chanlist resolve @nobody'), /^not_found: /);
  const several = await exampleOf(file, 'chanlist resolve @demo @size-250 --json');
  const { exit, stdout } = await at.sh(several.text.replace('@size-250', '@nobody'));
  assert.deepEqual([exit, stdout], [5, '@demo\tUCdemo__________________\n@nobody\tnot_found\n']);
});

for (const [language, beginning, known] of [
  ['python', 'import json', '1234\nUCdemo__________________ None\n'],
  ['js', 'import { spawn', '1234\nUCdemo__________________ null\n'],
] as const) {
  test(`${language}: entries while they arrive, a missing channel, and a failure`, {
    skip: language === 'python' && missing('python3'),
  }, async (t) => {
    const at = await workshop(t);
    assert.equal(await recipe(at, beginning), known);
    const example = await exampleOf(file, beginning);
    assert.equal(example.language, language);
    at.sandbox.account.credits = 3;
    const poor = await runExample(example, at);
    assert.equal(poor.exit, 1);
    assert.match(poor.stderr, /^chanlist: error: no credits/m);
    assert.match(poor.stderr, language === 'python' ? /returned non-zero exit status 4/ : /exited with 4/);
  });
}

test('a long table: every row, nothing cut', { skip: missing('less') }, async (t) => {
  const at = await workshop(t);
  const table = lines(await recipe(at, 'chanlist uploads @demo -f table'));
  assert.equal(table.filter((line) => /^ *\d+ /.test(line)).length, 100);
  assert.doesNotMatch(table.join('\n'), /…/);
});

test('join: the lines of the list, each with what the service says about its reference', async (t) => {
  const at = await workshop(t);
  await write(at, 'team.csv', '@size-250,Ben\n@demo,Anna\n');
  await recipe(at, 'cut -d , -f 1 team.csv');
  await recipe(at, 'chanlist resolve --from refs.txt --fields');
  assert.deepEqual(lines(await recipe(at, 'sort team.csv')), [
    '@demo,Anna,UCdemo__________________,@demo',
    '@size-250,Ben,UCsize-250______________,@size-250',
  ]);
});

test('serve: the shell can evaluate its first lines', { skip: missing('curl') }, async (t) => {
  const at = await workshop(t);
  const { text } = await exampleOf(file, 'chanlist serve --port');
  const { exit, stdout } = await at.sh(`unset CHANLIST_API_KEY CHANLIST_BASE_URL; ${text}`);
  assert.equal(exit, 0);
  const [count = '', ...answer] = lines(`${stdout}\n`);
  assert.equal(count.trim(), '250');
  assert.deepEqual(JSON.parse(answer.join('')), {
    channel_id: 'UCdemo__________________',
    resolved_from: '@demo',
  });
  assert.equal(spent(at), 0);
});
