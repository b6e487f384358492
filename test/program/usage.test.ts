import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../support/program.ts';

test('a usage error prints one document on stdout if json is asked for, and its line on stderr', async () => {
  for (const [line, message] of [
    ['uploads @x --nope --json', 'uploads has no flag --nope'],
    ['-f json uploads @x --limit 0', "--limit is '0': expected a whole number, 1 or more"],
    ['check -fjson --fields a', 'check does not take --fields'],
    ['uploads @x --format=json --update -o x', '--update does not work with json'],
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
