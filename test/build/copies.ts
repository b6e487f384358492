import { type SpawnOptions, spawn } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { cleanEnvironment, temporaryFolder } from '../support/program.ts';

/** A copy of the installed program, to take parts out of; returns its folder. */
export async function copyOfProgram(t: TestContext): Promise<string> {
  const folder = join(await temporaryFolder(t), 'chanlist');
  for (const part of ['bin', 'dist', 'completions', 'package.json']) {
    await cp(part, join(folder, part), { recursive: true });
  }
  return folder;
}

export interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Node with these arguments to its end, in the given environment alone. */
export function runNode(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  options: Pick<SpawnOptions, 'cwd'> = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      ...options,
      env: cleanEnvironment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (exit) => resolve({ exit, stdout, stderr }));
  });
}
