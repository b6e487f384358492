import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { failureCodes } from '../../src/errors.ts';
import { computedFields } from '../../src/output/fields.ts';
import { formatNames, formats } from '../../src/output/formats.ts';
import { documentText, exampleOf } from '../support/documents.ts';
import { missing, type Workshop, workshop } from '../support/shell.ts';
import { recipe as recipeOf, runExample, testExamples } from './run-examples.ts';

const file = 'docs/scripts.md';

interface Entry {
  readonly videoId: string;
  readonly title: string;
  readonly channelId: string;
  readonly lengthText: string;
}

const recipe = (at: Workshop, beginning: string): Promise<string> => recipeOf(file, at, beginning);

const lines = (text: string): string[] => text.split('\n').slice(0, -1);

const read = ({ folder }: Workshop, name: string): Promise<string> => readFile(join(folder, name), 'utf8');

const write = ({ folder }: Workshop, name: string, text: string): Promise<void> =>
  writeFile(join(folder, name), text);

/** All uploads of @demo, as one plain run prints them. */
async function demo({ sh }: Workshop): Promise<Entry[]> {
  const { stdout } = await sh('chanlist uploads @demo');
  return lines(stdout).map((line) => JSON.parse(line) as Entry);
}

const spent = ({ sandbox }: Workshop): number => 1000 - sandbox.account.credits;

/** Seconds of `minutes:seconds`. */
function seconds(lengthText: string): number {
  const [minutes, rest] = lengthText.split(':').map(Number);
  return (minutes ?? 0) * 60 + (rest ?? 0);
}

testExamples(
  file,
  { 'chanlist latest --from refs.txt --seen seen.txt': { stderr: /added 2 references/ } },
  async (at) => {
    await write(at, 'team.csv', '@size-250,Ben\n@demo,Anna\n');
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

test('@seconds and @views are numbers: long uploads, and the ten with the most views', {
  skip: missing('jq'),
}, async (t) => {
  const at = await workshop(t);
  const titles = lines(await recipe(at, 'chanlist uploads @demo --fields @seconds,title | jq'));
  const long = (await demo(at)).filter(({ lengthText }) => seconds(lengthText) > 3600);
  assert.ok(long.length > 50);
  assert.deepEqual(
    titles,
    long.map(({ title }) => title),
  );
  const top = JSON.parse(await recipe(at, 'chanlist uploads @demo --fields @views')) as {
    '@views': number;
  }[];
  const views = top.map((entry) => entry['@views']);
  assert.equal(views.length, 10);
  assert.ok(Math.min(...views) > 100_000_000);
  assert.deepEqual(
    views,
    [...views].sort((a, b) => b - a),
  );
});

test('show: an export as csv, with numbers beside the texts that they are computed from', async (t) => {
  const at = await workshop(t);
  await recipe(at, 'chanlist uploads @demo --output demo.ndjson');
  const before = spent(at);
  await recipe(at, 'chanlist show demo.ndjson --fields @seconds');
  const rows = lines(await read(at, 'lengths.csv'));
  assert.deepEqual([rows.length, rows[0]], [1 + 1234, '@seconds,@views,title']);
  assert.match(rows[1] ?? '', /^2093,\d+,/);
  assert.equal(lines(await recipe(at, 'chanlist show demo.ndjson --format id')).length, 5);
  assert.equal(spent(at), before);
});

test('head: the first IDs; further pages are not bought', async (t) => {
  const at = await workshop(t);
  const ids = lines(await recipe(at, 'chanlist uploads @demo --format id | head'));
  assert.ok(spent(at) === 1 || spent(at) === 2, `${spent(at)} credits`);
  const first = (await demo(at)).slice(0, 5);
  assert.deepEqual(
    ids,
    first.map(({ videoId }) => videoId),
  );
});

test('xargs and comm: a command for each ID, and the uploads that are not in a playlist', async (t) => {
  const at = await workshop(t);
  const entries = await demo(at);
  assert.deepEqual(
    lines(await recipe(at, 'chanlist latest @demo --format id | xargs')),
    entries.slice(0, 15).map(({ videoId }) => `https://video.example/watch?v=${videoId}`),
  );
  await recipe(at, 'chanlist playlist PLdemo --format id');
  await recipe(at, 'chanlist uploads @demo --format id | sort | comm');
  const listed = new Set(lines(await read(at, 'in-playlist.txt')));
  assert.equal(listed.size, 321);
  const rest = entries.map(({ videoId }) => videoId).filter((id) => !listed.has(id));
  assert.deepEqual(lines(await read(at, 'not-in-playlist.txt')).sort(), rest.sort());
});

test("join: one's own columns beside the IDs", async (t) => {
  const at = await workshop(t);
  await write(at, 'team.csv', '@size-250,Ben\n@demo,Anna\n');
  await recipe(at, 'cut -d');
  await recipe(at, "chanlist resolve --from refs.txt --fields '@reference");
  assert.deepEqual(lines(await recipe(at, 'sort team.csv')), [
    '@demo,Anna,UCdemo__________________,@demo',
    '@size-250,Ben,UCsize-250______________,@size-250',
  ]);
});

test('while read: every record once, its title whole', { skip: missing('jq') }, async (t) => {
  const at = await workshop(t);
  const printed = lines(await recipe(at, 'chanlist search @demo bread | jq -r'));
  const { stdout } = await at.sh('chanlist search @demo bread');
  const found = lines(stdout).map((line) => JSON.parse(line) as Entry);
  assert.equal(found.length, 30);
  assert.deepEqual(
    printed,
    found.map(({ videoId, title }) => `${videoId}: ${title}`),
  );
});

test('sqlite3: run every night, each video is there once', { skip: missing('sqlite3') }, async (t) => {
  const at = await workshop(t);
  const rows = async () => {
    const { stdout } = await at.sh(
      "sqlite3 -json uploads.db 'select id, title, channel from videos order by id'",
    );
    return JSON.parse(stdout) as unknown;
  };
  const expected = async () => {
    const entries = (await demo(at)).map(({ videoId: id, title, channelId: channel }) => ({
      id,
      title,
      channel,
    }));
    return entries.sort((a, b) => (a.id < b.id ? -1 : 1));
  };
  const night = () => recipe(at, 'chanlist uploads @demo --output demo.ndjson --update\nsqlite3');
  await recipe(at, 'chanlist uploads @demo --output demo.ndjson');
  await night();
  assert.deepEqual(await rows(), await expected());
  at.sandbox.setUploads('@demo', 1240);
  await night();
  assert.deepEqual(await rows(), await expected());
});

test('latest --seen: each new upload once, for free', { skip: missing('jq') }, async (t) => {
  const at = await workshop(t);
  await write(at, 'refs.txt', '@demo\n@size-250\n');
  const first = await runExample(await exampleOf(file, 'chanlist latest --from refs.txt --seen'), at);
  assert.deepEqual([first.exit, first.stdout], [0, '']);
  assert.match(first.stderr, /^chanlist: .*added 2 references.*\n$/);
  at.sandbox.setUploads('@size-250', 251);
  assert.equal(lines(await recipe(at, 'chanlist latest --from refs.txt --seen')).length, 1);
  assert.equal(await recipe(at, 'chanlist latest --from refs.txt --seen'), '');
  assert.equal(spent(at), 0);
});

test('serve: its first lines point the shell at it', { skip: missing('curl') }, async (t) => {
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
