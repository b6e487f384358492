import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

/**
 * Runs a program to its end and returns how long that took, in milliseconds. `stdout`: `null` throws it away, `pipe`
 * reads it, else it is the name of a file. Rejects if the program fails.
 */
export function timed({ command, env, stdout = 'pipe' }) {
  const [program, ...args] = command;
  const file = stdout === null || stdout === 'pipe' ? null : openSync(stdout, 'w');
  const out = file ?? (stdout === null ? 'ignore' : 'pipe');
  return new Promise((resolve, reject) => {
    let said = '';
    const started = performance.now();
    const child = spawn(program, args, { env, stdio: ['ignore', out, 'pipe'] });
    child.stdout?.resume();
    child.stderr.on('data', (text) => {
      said += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      const took = performance.now() - started;
      if (file !== null) closeSync(file);
      if (code === 0) resolve(took);
      else reject(new Error(`${command.join(' ')} ended with ${code}: ${said.slice(0, 500)}`));
    });
  });
}

/** Runs all cases once to warm up, then `runs` times in turn; sets `median` of each, in milliseconds. */
export async function inTurn(cases, runs) {
  const times = cases.map(() => []);
  for (let run = 0; run <= runs; run++) {
    for (const [i, each] of cases.entries()) {
      const took = await timed(each);
      if (run > 0) times[i].push(took);
    }
  }
  return cases.map((each, i) => ({ ...each, median: median(times[i]) }));
}

/** The median of some numbers. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
