import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHere as run } from '../support/command.ts';
import { serviceEnvironment } from '../support/program.ts';

test('a usage error prints one document on stdout if json is asked for, and its line on stderr', async () => {
  for (const [line, message] of [
    ['uploads @x --nope --json', 'uploads has no flag --nope'],
    ['-f json uploads @x --limit 0', "--limit is '0': expected a whole number, 1 or more"],
    ['check -fjson --fields a', 'check has no flag --fields'],
    ['serve --json', 'serve has no flag --json'],
    ['uplaods @x --json', "there is no command 'uplaods'"],
    ['--json', 'missing command'],
    ['uploads @x --json --continuation abc', '--continuation takes no reference'],
  ] as const) {
    const { exit, stdout, stderr } = await run(line.split(' '));
    assert.equal(exit, 2, line);
    const { next, ...error } = JSON.parse(stdout).error;
    assert.deepEqual(error, { code: 'usage', status: null, message }, line);
    assert.ok(stderr.endsWith(next === null ? `${message}\n` : `; ${next}\n`), stderr);
    assert.ok(stderr.startsWith('chanlist: ') && stderr.includes(message) && stderr.split('\n').length === 2);
  }
  for (const line of ['uploads @x --nope', 'uploads @x --nope -f ndjson', 'uploads --nope -- --json'])
    assert.equal((await run(line.split(' '))).stdout, '', line);
});

test('usage errors that only a command finds', async () => {
  const env = serviceEnvironment('http://127.0.0.1:1');
  for (const [line, message] of [
    ['uploads @x --update', '--update needs a file; give it with -o FILE or --output-dir DIR'],
    ['uploads @x --update --dry-run -o -', '--update needs a file; give it with -o FILE or --output-dir DIR'],
    ['playlist PLx --restart', '--restart needs a file; give it with -o FILE'],
    ['search @demo --sandbox', 'missing query; see: chanlist help search'],
    [
      'search bread --sandbox',
      "'bread' is not a channel reference: expected a handle (@name), a channel URL (https://...) or an ID beginning with UC; did you mean @bread?",
    ],
    [
      'search old town @demo',
      "'old' is not a channel: the channel comes first; did you mean: chanlist search @demo old town",
    ],
    [
      'search town @demo --profile work -n 5',
      "'town' is not a channel: the channel comes first; did you mean: chanlist search @demo town --profile work --limit 5",
    ],
    [
      'search town @demo --base-url api.example.com --namespace x',
      "'town' is not a channel: the channel comes first; did you mean: chanlist search @demo town --base-url api.example.com --namespace x",
    ],
    // What may be a key, or has a password, is not repeated.
    ...['sk_live_1234', 'https://user:word@x.example'].map(
      (url) =>
        [
          `search town @demo --base-url ${url}`,
          "'town' is not a channel: the channel comes first; did you mean: chanlist search @demo town",
        ] as const,
    ),
    ['@demo --sandbox', "there is no command '@demo'; did you mean: chanlist uploads @demo --sandbox"],
    [
      'check nofile',
      'nofile: there is no such file or folder; check the path, and whether the disk is mounted',
    ],
    ['completion tcsh', "the shell is 'tcsh'; expected one of bash, zsh, fish"],
    ['help uplaods', "there is no command 'uplaods'; did you mean uploads?"],
    ['--help exit-code', "there is no command 'exit-code'; did you mean exit-codes?"],
    ['help exit', "there is no command 'exit'; did you mean exit-codes?"],
    ['help auth lgin', "auth has no action 'lgin'; did you mean login?"],
    [
      'latest PLdemo -n 2 --seen s.txt --key-file key.txt --from refs.txt',
      "'PLdemo' is a playlist: expected a handle (@name), a channel URL (https://...) or an ID beginning with UC; did you mean: chanlist playlist PLdemo --limit 2",
    ],
  ] as const) {
    const { exit, stdout, stderr } = await run(line, { env });
    assert.deepEqual([exit, stdout, stderr], [2, '', `chanlist: error: ${message}\n`], line);
  }
});
