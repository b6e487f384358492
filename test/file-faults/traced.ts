import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Collected, collect } from '../support/collect.ts';
import { launcher, serviceEnvironment } from '../support/program.ts';
import type { World } from '../support/world.ts';

/** Why these tests cannot run; false if they can. CI must have strace. */
export const noStrace =
  process.env.CI !== undefined || spawnSync('strace', ['--version']).status === 0
    ? false
    : 'strace is missing';

/** System calls that change files or make a change durable. */
const changing = 'write,pwrite64,fsync,fdatasync,ftruncate,fchmod,rename,unlink,mkdir,rmdir';

export interface Traced extends Collected {
  /** The calls on files below the folder, one a line, with the paths of descriptors: `fsync(18</a/b>) = 0`. */
  readonly calls: readonly string[];
}

/** Runs the built program under strace. */
export async function traced(
  { folder, home, service }: World,
  args: readonly string[],
  names = changing,
): Promise<Traced> {
  const log = join(home, 'trace');
  const trace = ['-f', '-y', '-s', '4096', '-o', log, '-e', `trace=${names}`];
  const env = {
    PATH: process.env.PATH ?? '',
    ...{ HOME: home, XDG_STATE_HOME: join(home, 'state'), ...serviceEnvironment(service.url) },
  };
  const program = [process.execPath, launcher, ...args, '--retries', '0'];
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  const result = await collect(spawn('strace', [...trace, ...program], { cwd: folder, env, stdio }));
  const calls = readFileSync(log, 'utf8')
    .split('\n')
    .map((line) => line.replace(/^\d+ +/, ''));
  rmSync(log);
  return { ...result, calls: calls.filter((line) => line.includes(folder)) };
}
