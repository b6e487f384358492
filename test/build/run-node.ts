import { type SpawnOptions, spawn } from 'node:child_process';
import { collect } from '../support/collect.ts';
import { cleanEnvironment } from '../support/program.ts';

/** Runs Node with these arguments to its end, in the given environment alone. */
export function runNode(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const stdio: SpawnOptions['stdio'] = ['ignore', 'pipe', 'pipe'];
  return collect(spawn(process.execPath, args, { env: cleanEnvironment(env), stdio }));
}
