/**
 * Runs a random test for a long time, as `npm run NAME [-- COUNT [SEED]]`: `chaos` kills exports and counts credits (1,000
 * kills), `model` compares runs with the model of the contract (20,000).
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('../', import.meta.url)));
const [folder, defaultCount, count = defaultCount, seed = Date.now() % 1_000_000_000] = process.argv.slice(2);
const { status } = spawnSync(process.execPath, ['scripts/test.mjs', folder], {
  stdio: 'inherit',
  env: { ...process.env, CHANLIST_LONG: '1', CHANLIST_COUNT: count, CHANLIST_SEED: String(seed) },
});
process.exitCode = status ?? 1;
