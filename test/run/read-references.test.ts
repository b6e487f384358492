import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  assertSomeGoodLine,
  readReferences,
  uniqueReferences,
  validReferences,
} from '../../src/run/read-references.ts';
import { command } from '../support/command.ts';
import { isFailure } from '../support/failures.ts';
import { fakeContext } from '../support/fake-context.ts';
import { temporaryFolder } from '../support/program.ts';
import { linesOfStderr, onlyError } from '../support/stderr.ts';

const read = (list: string | null, ...references: string[]) =>
  readReferences(
    { references, from: list === null ? null : '-' },
    'channel',
    fakeContext({ stdin: list ?? '' }).context,
  );

test('references: arguments, then the list without comments, blank lines, bullets, BOM and CR; one given twice is asked for once', async () => {
  const list =
    '\ufeff# x\r\n\r\n- "@b" # note\r\n  https://x.y/@a/videos#top\n* @c\n• @d\n– @e\n1. @f\n- [x] @g\n';
  const references = await read(list, '@a');
  const words = '@a, stdin:3 @b, stdin:4 https://x.y/@a/videos#top, stdin:5 @c, stdin:6 @d, stdin:7 @e';
  assert.equal(references.map(({ label }) => label).join(', '), `${words}, stdin:8 @f, stdin:9 @g`);
  assert.equal(references.map(({ value }) => value).join(), '@a,@b,@a,@c,@d,@e,@f,@g');
  assert.equal(references[2]?.repeats, references[0]);
  assert.deepEqual([uniqueReferences(references).length, validReferences(references).length], [7, 8]);
});

test('a bad line of a list is a failure of its own, in its place', async () => {
  const references = await read(`@a\nno\n${'x'.repeat(9000)}\nhttps://youtu.be/abc\n@b\n`);
  const rows = references.map(({ label, failure }) => `${label}: ${failure?.scope} ${failure?.message}`);
  for (const [at, row] of [
    'stdin:1 @a: undefined',
    "stdin:2: reference 'no' is not a channel reference: expected",
    'stdin:3: reference the line is longer than 8 KiB',
    "stdin:4: reference 'https://youtu.be/abc' is a video: expected",
    'stdin:5 @b: undefined',
  ].entries())
    assert.equal(rows[at]?.slice(0, row.length), row);
});

test('a bad argument, and no reference at all, are refused', async () => {
  await assert.rejects(read('@a\n', 'demo'), isFailure(2, "'demo' is not a", 'did you mean @demo?'));
  await assert.rejects(read(null, 'a b', '@a', 'c d'), isFailure(2, "'a b' is not a channel reference"));
  await assert.rejects(read('# nothing\n'), isFailure(2, 'stdin contains no channel reference'));
  await assert.rejects(read(null), isFailure(2, 'missing channel'));
  for (const list of ['README.md', '-'])
    await assert.rejects(read(null, list), isFailure(2, `did you mean --from ${list}?`));
  await assert.rejects(
    read(null, '@a', 'title,videoId'),
    isFailure(2, 'did you mean --fields title,videoId?'),
  );
  // With a list already, that cannot be meant.
  await assert.rejects(
    read('@a\n', 'README.md'),
    isFailure(2, "'README.md' is not a channel", 'did you mean @README'),
  );
});

test('a bad argument among good ones is one error, in JSON too', async () => {
  const { exit, stdout } = await command('resolve @demo bad --json --sandbox');
  assert.deepEqual([exit, Object.keys(JSON.parse(stdout))], [2, ['error']]);
});

/** Lists without a reference, and what the refusal says of them. */
const otherLists: readonly (readonly [list: string, ...says: string[]])[] = [
  [
    'no\nnor this\n',
    "no line of stdin is a channel reference: stdin:1 'no', stdin:2 'nor this'; did you mean @no?",
  ],
  ['a b\n'.repeat(9), ": stdin:1 'a b', stdin:2 'a b', stdin:3 'a b'; expected one reference per line"],
  [`${'a '.repeat(50)}\n`, `'${'a '.repeat(29)}a…'; expected`],
  ['Channel Id,Channel Url,Channel Title\nUCa,http://x.y/channel/UCa,A\n', 'it looks like CSV: see "Lists'],
  ['Channel Id\tTitle\nUCa\tA\n', 'it looks like CSV'],
  ['<opml version="1.1">\n<body>\n', 'it looks like OPML'],
  ['{"subscriptions":\n[]}\n', 'it looks like JSON'],
  ['[{"channel": "UCa"}]\n', 'it looks like JSON'],
  ['[\n  {\n', 'it looks like JSON'],
  ['[InternetShortcut]\nURL=x\n', '; did you mean @InternetShortcut?'],
  ['{\\rtf1 a\n', '; expected one reference per line'],
  ['@\0d\0', 'it is UTF-16: save it as UTF-8'],
];

test('a list without a reference is refused: its first three lines, and what it looks like', async () => {
  const options = { references: [], from: '-' };
  for (const [list, ...says] of otherLists)
    await assert.rejects(
      async () => assertSomeGoodLine(await read(list), options, 'channel'),
      isFailure(2, ...says),
      list,
    );
});

test('the summary of a refused list has its bad lines, each with its failure', async (t) => {
  const folder = await temporaryFolder(t);
  const [list, summary] = [join(folder, 'bad'), join(folder, 'summary.json')];
  writeFileSync(list, 'x y\nfoo bar\n');
  for (const name of ['uploads', 'resolve', 'uploads --output-dir lists --dry-run', 'uploads @demo']) {
    const run = await command(`${name} --sandbox --from ${list} --summary ${summary}`);
    onlyError(run, `no line of ${list} is a channel reference: ${list}:1 'x y', ${list}:2 'foo bar'`);
    assert.equal(run.exit, 2);
    if (name.endsWith('--dry-run')) continue;
    const { exit, counts, references } = JSON.parse(readFileSync(summary, 'utf8'));
    assert.deepEqual([exit, counts.failed], [2, 2]);
    const [first, second] = references.slice(-2);
    assert.deepEqual([first.reference, first.status, second.reference], ['x y', 'failed', 'foo bar']);
    assert.match(second.error.message, /^'foo bar' is not a channel reference/);
  }
});

/** What follows the list, and what stdout has of its two good references. */
const runs: readonly (readonly [line: string, stdout: RegExp])[] = [
  ['resolve', /^\{.*@size-3.*\n\{.*@size-4.*\n$/],
  ['resolve -f csv', /^channel_id,.*\n.*\n.*\n$/],
  [
    'resolve --json',
    /^\[.*@size-3.*,\{"reference":"no","result":\{"error":\{"code":"usage".*,\{.*@size-4.*\]\n$/,
  ],
  ['uploads -f id', /^(?:\w{11}\n){7}$/],
  ['uploads -f json', /^\[.*\},\{"reference":"no","result":\{"error":\{"code":"usage".*@size-4.*\]\n$/],
  ['latest -f id --limit 1', /^(?:\w{11}\n){2}$/],
  ['uploads --dry-run -f ndjson', /^\{"reference":"@size-3".*\n\{"reference":"@size-4".*\n$/],
  ['uploads --output-dir lists', /^$/],
  ['uploads --output-dir lists --update', /^$/],
];

test('in every run the good lines of a list are done: exit 2, and the summary has the bad one', async (t) => {
  const folder = await temporaryFolder(t);
  const [refs, summary] = [join(folder, 'refs.txt'), join(folder, 'summary.json')];
  writeFileSync(refs, '@size-3\nno\n@size-4\n');
  for (const [line, stdout] of runs) {
    const words = line.replace('lists', join(folder, 'lists'));
    const result = await command(`${words} --sandbox --from ${refs} --summary ${summary}`);
    assert.equal(result.exit, 2, result.stderr);
    assert.match(result.stdout, stdout, line);
    const { errors } = linesOfStderr(result.stderr);
    assert.deepEqual(
      [errors.length, errors[0]?.startsWith(`${refs}:2: 'no' is not a channel`)],
      [1, true],
      line,
    );
    if (line.includes('--dry-run')) continue;
    const { exit, counts, references } = JSON.parse(readFileSync(summary, 'utf8'));
    assert.deepEqual([exit, counts.failed, references[1].reference, references[1].exit], [2, 1, 'no', 2]);
  }
  const check = await command(`check ${join(folder, 'lists')} --from ${refs}`);
  assert.equal(check.exit, 2);
  onlyError(check, `${refs}:2: 'no' is not a channel reference`);
});
