/** One of the processes of `npm run fuzz`: so many calls, ten times as many texts, with a seed; tells how far it is. */
import fc from 'fast-check';
import { cases } from './cases.ts';
import { fuzzService } from './check.ts';
import { checkText, texts } from './texts.ts';

const [runs = 0, firstSeed = 0] = process.argv.slice(2).map(Number);
const portion = 2000;
const service = await fuzzService();
try {
  for (let done = 0; done < runs; done += portion) {
    const numRuns = Math.min(portion, runs - done);
    const seed = firstSeed + done;
    await fc.assert(
      fc.asyncProperty(cases, (given) => service.check(given)),
      { numRuns, seed },
    );
    fc.assert(fc.property(texts, checkText), { numRuns: 10 * numRuns, seed });
    process.send?.(numRuns);
  }
} finally {
  service.close();
  process.disconnect?.();
}
