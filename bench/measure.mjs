import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const usageFile = join(tmpdir(), `chanlist-usage-${process.pid}`);

/**
 * Runs Node to its end with these arguments: its time and processor time in milliseconds, its peak of memory in MB.
 * `out`: the name of a file for stdout, or null: a pipe that is read. `isStart`: nothing is loaded before the program,
 * and only its time is known. Rejects if it fails.
 */
export async function measured(node, args, env, out = null, isStart = false) {
  const fd = out === null ? null : openSync(out, 'w');
  const preload = isStart ? [] : ['-r', join(import.meta.dirname, 'usage.cjs')];
  const command = node === null ? args : [node, ...preload, ...args];
  const started = performance.now();
  const child = spawn(command[0], command.slice(1), {
    env: { ...env, USAGE_FILE: usageFile },
    stdio: ['ignore', fd ?? 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stdout?.resume();
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  const time = performance.now() - started;
  if (fd !== null) closeSync(fd);
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${stderr.slice(0, 500)}`);
  return isStart || node === null ? { time } : { time, ...JSON.parse(readFileSync(usageFile, 'utf8')) };
}

/** Runs all cases once to warm up, then `runs` times in turn; the median of each, of what `metric` names. */
export async function inTurn(cases, runs, metric) {
  const found = cases.map(() => []);
  for (let run = 0; run <= runs; run++)
    for (const [at, measure] of cases.entries()) {
      const { [metric]: figure } = await measure();
      if (run > 0) found[at].push(figure);
    }
  return found.map((figures) => figures.sort((a, b) => a - b)[figures.length >> 1]);
}
