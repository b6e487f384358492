/** The long chaos test: `npm run chaos [-- KILLS [SEED]]` (1,000 kills). Prints its figures. */

import { runChaos } from './chaos.ts';

const kills = Number(process.argv[2] ?? 1000);
const seed = Number(process.argv[3] ?? 1);
if (!Number.isSafeInteger(kills) || kills < 1 || !Number.isSafeInteger(seed)) {
  console.error('expected: npm run chaos [-- KILLS [SEED]]');
  process.exit(2);
}
const say = (line: string): void => console.log(line);

say(`random moments, seed ${seed}:`);
const figures = await runChaos({ kills, seed, log: (line) => say(`  ${line}`) });
const moments = Object.entries(figures.byMoment).map(([name, count]) => `${name} ${count}`);
say(`  ${figures.kills} kills (${moments.join(', ')}), ${figures.runs} runs, ${figures.exports} exports`);
say(`  ${figures.credits} credits, of them ${figures.repeats} for pages in flight at a kill, paid again`);

say('all bytes are those of undisturbed runs, and nothing was left behind');
