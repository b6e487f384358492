import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { watchOutput } from '../support/key-watch.ts';
import {
  cleanEnvironment,
  launcher,
  serviceEnvironment,
  temporaryFolder,
  testKey,
} from '../support/program.ts';
import { page, scriptedService } from '../support/service.ts';

const skip = spawnSync('script', ['--version']).status === 0 ? false : 'script is not installed';

/** A shell that passes SIGHUP on, as shells at a terminal do, and keeps the exit code of its command. */
const shell = (command: string): string =>
  `${command} <&0 & child=$!; trap 'kill -HUP $child' HUP; wait $child; wait $child; echo $? > status`;

test('a terminal that closes: 129, no abort, no core file', { skip, timeout: 60_000 }, async (t) => {
  for (const args of [
    ['uploads', '@a', '--all'],
    ['uploads', 'UC0123456789abcdefghijkl', '-o', 'out'],
  ]) {
    const cwd = await temporaryFolder(t);
    let close = (): void => {};
    const service = await scriptedService(t, ({ query }) => {
      if (!query.has('continuation')) return { body: page(0, 2, 'second') };
      close();
      return () => {};
    });
    const command = shell(['ulimit -c unlimited;', process.execPath, launcher, ...args].join(' '));
    const env = { ...cleanEnvironment(serviceEnvironment(service.url)), SHELL: '/bin/sh', TERM: 'xterm' };
    const terminal = spawn('script', ['-qec', command, '/dev/null'], { cwd, env, stdio: 'pipe' });
    watchOutput(terminal, testKey);
    close = () => terminal.kill('SIGKILL');
    await new Promise((resolve) => terminal.on('exit', resolve));
    let status = '';
    while (status === '') {
      status = await readFile(join(cwd, 'status'), 'utf8').catch(() => '');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal(status, '129\n', args.join(' '));
    assert.ok(!(await readdir(cwd)).some((each) => each.startsWith('core')), args.join(' '));
  }
});
