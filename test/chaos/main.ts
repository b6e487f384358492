/** The long chaos test: `npm run chaos [-- KILLS [SEED]]` (1,000 kills). Prints its figures. */

import { runChaos } from './chaos.ts';
import { Bench } from './fixture.ts';
import { scenarios } from './scenarios.ts';
import { killAtEachStep } from './steps.ts';

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

say('before each file operation, and in the middle of each write:');
const bench = await Bench.open();
try {
  for (const scenario of scenarios({ whole: 8, added: 3, lists: [6, 2, 0] })) {
    for (const torn of [false, true]) {
      const { steps, kills: killed, repeats } = await killAtEachStep(bench, scenario, torn);
      say(
        `  ${scenario.name}${torn ? ', torn' : ''}: ${steps} operations, ${killed} kills, ${repeats} pages paid again`,
      );
    }
  }
} finally {
  await bench.close();
}
say('all bytes are those of undisturbed runs, and nothing was left behind');
