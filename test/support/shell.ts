import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { startSandbox } from '../../src/sandbox/server.ts';
import { type Collected, collect } from './collect.ts';
import { watchOutput } from './key-watch.ts';
import { cleanEnvironment, launcher, temporaryFolder, testKey } from './program.ts';

export interface ShellOptions {
  readonly input?: string;
  readonly started?: (child: ChildProcess) => void;
}

export type Workshop = Awaited<ReturnType<typeof workshop>>;

/**
 * A folder in which shell lines are run as a user with a stored service would: `chanlist` is on their PATH, and a sandbox of
 * its own named by its environment. `bin` holds `chanlist` and `node`, and nothing else.
 */
export async function workshop(t: TestContext, key = testKey) {
  const folder = await temporaryFolder(t);
  // Long ago, so that new uploads are not in the future.
  let minutes = 1;
  const sandbox = await startSandbox({ key, grow: 1, now: () => minutes * 60_000 });
  t.after(() => sandbox.close());
  /** Adds new uploads to every channel. */
  const grow = (count: number): void => {
    minutes += count;
  };
  const bin = join(folder, '.bin');
  await mkdir(bin);
  await symlink(process.execPath, join(bin, 'node'));
  await writeFile(join(bin, 'chanlist'), `#!/bin/sh\nexec node '${launcher}' "$@"\n`);
  await chmod(join(bin, 'chanlist'), 0o755);
  const env = {
    PATH: `${bin}:${process.env.PATH ?? ''}`,
    HOME: folder,
    LANG: 'C.UTF-8',
    CHANLIST_BASE_URL: sandbox.baseUrl,
    CHANLIST_API_KEY: key,
  };
  /** Runs a line with bash; a failure anywhere in a pipe is one of the line. */
  const sh = (line: string, options: ShellOptions = {}): Promise<Collected> =>
    runCommand(['bash', '-o', 'pipefail', '-c', line], { cwd: folder, env, ...options });
  return { folder, bin, env, sandbox, grow, sh };
}

export function runCommand(
  [command = '', ...args]: readonly string[],
  options: ShellOptions & { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Collected> {
  const { cwd, env, input, started } = options;
  const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  watchOutput(child, testKey);
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  started?.(child);
  return collect(child);
}

/** Runs a command that the program has printed, in a shell. */
export function runPrinted(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Collected> {
  const line = command.replace(/^chanlist /, `'${process.execPath}' '${launcher}' `);
  return runCommand(['sh', '-c', line], { cwd, env: cleanEnvironment(env) });
}

/** Skips a test for want of tools, and says which; where CI is set they are required. */
export function missing(...tools: readonly string[]): string | false {
  const absent = tools.filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0);
  if (absent.length === 0) return false;
  if (process.env.CI) throw new Error(`needed by this test: ${absent.join(', ')}`);
  return `not installed: ${absent.join(', ')}`;
}
