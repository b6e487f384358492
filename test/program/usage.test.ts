import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHere as run } from '../support/command.ts';
import { launcher, run as runProcess, serviceEnvironment, temporaryFolder } from '../support/program.ts';
import { onlyError } from '../support/stderr.ts';

test('a usage error prints one document on stdout if json is asked for, and its line on stderr', async () => {
  for (const [line, message] of [
    ['uploads @x --nope --json', 'uploads has no flag --nope'],
    ['-f json uploads @x --limit 0', "--limit is '0': expected a whole number, 1 or more"],
    ['check -fjson --fields a', 'check does not take --fields'],
    ['uploads @x --format=json --update -o x', '--update works with ndjson, not with json'],
    ['serve --json', 'serve does not take --format'],
    ['uplaods @x --json', "there is no command 'uplaods'"],
    ['--json', 'missing command'],
    ['uploads @x --json --continuation abc', '--continuation takes no reference'],
  ] as const) {
    const { exit, stdout, stderr } = await run(line.split(' '));
    assert.equal(exit, 2, line);
    assert.deepEqual(JSON.parse(stdout), { error: { code: 'usage', status: null, message } }, line);
    assert.ok(stderr.startsWith('chanlist: ') && stderr.includes(message) && stderr.split('\n').length === 2);
  }
  for (const line of ['uploads @x --nope', 'uploads @x --nope -f ndjson', 'uploads --nope -- --json'])
    assert.equal((await run(line.split(' '))).stdout, '', line);
});

test('a message repeats at most 200 characters of an argument; deep paths are refused at once', async (t) => {
  const folder = await temporaryFolder(t);
  const long = 'x'.repeat(100_000);
  const [sandbox, deep] = [['uploads', '@x', '--sandbox'], './'.repeat(3000)];
  const flags = [
    '-f',
    '-n',
    '-o',
    '--from',
    '--key-file',
    '--timeout',
    '--max-credits',
    '--profile',
    `--${long}`,
  ];
  for (const line of [
    ...flags.map((flag) => ['uploads', '@x', flag, long]),
    ...[[], ['auth'], ['check'], ['show'], ['latest', '@x', '--seen'], ['credits', '--month']].map(
      (words) => [...words, long],
    ),
    ['check', './'.repeat(15_000)],
    [...sandbox, '-o', `${deep}x.ndjson`],
    [...sandbox, '--output-dir', deep],
    [...sandbox, '--output-dir', 'x/'.repeat(15_000)],
    [...sandbox, '--summary', `${deep}s.json`],
  ]) {
    const { exit, stderr } = await run(line, { cwd: folder });
    const what = line.map((word) => word.slice(0, 20)).join(' ');
    assert.ok(exit === 1 || exit === 2, `${what}: ${exit}`);
    assert.match(stderr, /^chanlist: error: .{1,500}\n$/, what);
    assert.doesNotMatch(stderr, /call stack|ENAMETOOLONG:/, what);
  }
  assert.deepEqual(readdirSync(folder), []);
});

test('an argument that is not UTF-8 is refused', async (t) => {
  const folder = await temporaryFolder(t);
  const bytes = String.raw`@caf\351`;
  for (const command of ['uploads "$X"', 'search @x "$X"', 'latest @x -o "$X"']) {
    const script = `X=$(printf '${bytes}'); exec "$0" "$1" ${command}`;
    const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, launcher], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.equal(status, 2, stderr);
    assert.equal(stderr, "chanlist: error: '@caf\ufffd' is not UTF-8 text; type it again\n");
  }
});

test('what works on a file is refused on stdout, a device and a pipe, before anything is opened or sent', async (t) => {
  const folder = await temporaryFolder(t);
  assert.equal(spawnSync('mkfifo', ['fifo'], { cwd: folder }).status, 0);
  symlinkSync('/dev/stdout', join(folder, 'link'));
  const env = serviceEnvironment('http://127.0.0.1:1');
  for (const output of ['', ' -o -', ' -o /dev/stdout', ' -o /dev/null', ' -o fifo', ' -o link'])
    for (const [line, message] of [
      ['uploads @x --update', '--update needs a file'],
      ['uploads @x --update --all', '--update needs a file'],
      ['uploads @x --update --print-new', '--update needs a file'],
      ['uploads @x --update --dry-run', '--update needs a file'],
      ['uploads @x --restart', '--restart needs a file'],
      ['playlist PLx --restart', '--restart needs a file'],
      ['uploads @x --print-new', '--print-new needs --update'],
    ] as const) {
      const result = await run(`${line}${output}`, { cwd: folder, env });
      assert.deepEqual([result.exit, result.stdout], [2, ''], `${line}${output}`);
      onlyError(result, message);
    }
  const all = await runProcess('uploads @size-250 --sandbox --all -o /dev/stdout', { cwd: folder });
  assert.deepEqual([all.exit, all.lines.length], [0, 250]);
});

test('search without a channel says that it is missing', async () => {
  for (const [line, message] of [
    ['search --sandbox bread', 'missing query; see: chanlist help search'],
    ['search @demo --sandbox', 'missing query; see: chanlist help search'],
    ['search youtube.example/@demo', 'missing query; see: chanlist help search'],
  ] as const) {
    const result = await run(line);
    assert.equal(result.exit, 2);
    assert.equal(result.stderr, `chanlist: error: ${message}\n`);
  }
});
