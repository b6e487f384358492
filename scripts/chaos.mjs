/** Kills exports at random, and counts credits: `npm run chaos [-- KILLS [SEED]]` (1,000 kills). */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('../', import.meta.url)));
const [kills = '1000', seed = '1'] = process.argv.slice(2);
const { status } = spawnSync(process.execPath, ['scripts/test.mjs', 'test/chaos'], {
  stdio: 'inherit',
  env: { ...process.env, CHANLIST_KILLS: kills, CHANLIST_SEED: seed, CHANLIST_LONG: '1' },
});
process.exitCode = status ?? 1;
