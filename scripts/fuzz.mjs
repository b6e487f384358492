/**
 * Runs the program on valid and invalid responses of every kind, for a long time: `npm run fuzz [-- calls [seed]]`, a million by
 * default. Ends with 1 at the first result that is neither correct nor a documented failure, and prints the case.
 */
import { fork } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundle } from './bundle.mjs';

process.chdir(fileURLToPath(new URL('../', import.meta.url)));
const [calls = 1_000_000, seed = Date.now() % 1_000_000_000] = process.argv.slice(2).map(Number);
const processes = Math.min(availableParallelism(), Math.ceil(calls / 1000));

const folder = join('.test-build', `fuzz-${process.pid}`);
mkdirSync(folder, { recursive: true });
try {
  const outfile = join(folder, 'main.mjs');
  await build({
    entryPoints: ['test/fuzz/main.ts'],
    outfile,
    ...bundle,
    sourcemap: 'inline',
  });
  console.log(`${calls} calls in ${processes} processes, seed ${seed}`);
  const started = Date.now();
  let done = 0;
  let reported = started;
  const work = Array.from({ length: processes }, (_, n) => {
    const share = Math.floor(calls / processes) + (n < calls % processes ? 1 : 0);
    const child = fork(outfile, [String(share), String(seed + n * 1_000_000_000)], {
      execArgv: ['--enable-source-maps'],
    });
    child.on('message', (count) => {
      done += count;
      if (Date.now() - reported < 10_000) return;
      reported = Date.now();
      console.log(`${done} calls, ${Math.round((done * 1000) / (reported - started))}/s`);
    });
    return new Promise((resolve) => child.on('close', resolve));
  });
  const failed = (await Promise.all(work)).some((code) => code !== 0);
  console.log(`${done} calls and ${10 * done} texts in ${Math.round((Date.now() - started) / 1000)} s`);
  process.exitCode = failed ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
