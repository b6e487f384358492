import { type SpawnOptions, spawn } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Collected, collect } from '../support/collect.ts';
import { cleanEnvironment, temporaryFolder } from '../support/program.ts';

/** A copy of the installed program, to take parts out of; returns its folder. */
export async function copyOfProgram(t: TestContext): Promise<string> {
  const folder = join(await temporaryFolder(t), 'chanlist');
  for (const part of ['bin', 'dist', 'completions', 'package.json']) {
    await cp(part, join(folder, part), { recursive: true });
  }
  return folder;
}

/** Runs Node with these arguments to its end, in the given environment alone. */
export function runNode(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  options: Pick<SpawnOptions, 'cwd'> = {},
): Promise<Collected> {
  const stdio: SpawnOptions['stdio'] = ['ignore', 'pipe', 'pipe'];
  return collect(spawn(process.execPath, args, { ...options, env: cleanEnvironment(env), stdio }));
}
