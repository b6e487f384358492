import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { collect } from '../support/collect.ts';

test('a Node that is too old: 1, and one line that names the version needed', async () => {
  for (const version of ['14', '18']) {
    for (const args of [['--version'], ['resolve', '@demo', '--sandbox']]) {
      const command = ['--yes', '--package', `node@${version}`, '--', 'node', 'bin/chanlist.js', ...args];
      const { exit, stdout, stderr } = await collect(spawn('npx', command));
      assert.deepEqual([exit, stdout], [1, ''], stderr);
      assert.match(
        stderr,
        new RegExp(
          `^chanlist: error: Node\\.js v${version}\\.\\d+\\.\\d+ is too old; install Node\\.js 20\\.18\\.1 or newer$`,
          'm',
        ),
      );
      assert.doesNotMatch(stderr, /^ +at /m);
    }
  }
});
