/**
 * Runs the program in random sequences against the model of its contract (test/model):
 * `npm run model [-- steps [seed]]`, 20,000 steps by default. A failure prints the sequence and its seed.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('../', import.meta.url)));
const [steps = 20_000, seed = Date.now() % 1_000_000_000] = process.argv.slice(2).map(Number);
const { status } = spawnSync(process.execPath, ['scripts/test.mjs', 'test/model'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    CHANLIST_LONG: '1',
    CHANLIST_MODEL_STEPS: String(steps),
    CHANLIST_MODEL_SEED: String(seed),
  },
});
process.exitCode = status ?? 1;
