import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bench, checkFinished, checkShown, isThrough } from './fixture.ts';
import { contents, type Scenario } from './scenarios.ts';

export interface StepsFigures {
  readonly steps: number;
  readonly kills: number;
  /** Credits paid beyond what an undisturbed run costs. */
  readonly repeats: number;
}

/**
 * Runs a scenario once for each of its file operations: killed right before it (`torn`: in the middle of it,
 * where it is a write), then run again to its end. Throws where a byte or a credit is not what it should be.
 */
export async function killAtEachStep(
  bench: Bench,
  scenario: Scenario,
  torn: boolean,
  every = 1,
): Promise<StepsFigures> {
  const reference = await bench.prepare(scenario);
  const node = ['--require', join(process.cwd(), 'test/chaos/kill-at.cjs')];
  const scratch = await mkdtemp(join(tmpdir(), 'chanlist-steps-'));
  const count = join(scratch, 'count');
  await bench.run(scenario.args, { node, env: { KILL_COUNT: count } });
  const steps = Number(await readFile(count, 'utf8'));
  await rm(scratch, { recursive: true });
  let kills = 0;
  let repeats = 0;
  for (let step = 1; step <= steps; step += every) {
    await bench.reset();
    const name = `${scenario.name}, killed ${torn ? 'in' : 'before'} operation ${step} of ${steps}`;
    const credits = bench.sandbox.credits();
    const env = { KILL_AT: String(step), ...(torn && { KILL_TORN: '1' }) };
    const first = await bench.run(scenario.args, { node, env });
    if (!first.killed && scenario.concurrency === 1)
      throw new Error(`${name}: exit ${first.exit}, ${first.stderr}`);
    if (first.killed) kills++;
    const now = await contents(bench.folder);
    checkShown(name, reference, now);
    const paidFirst = credits - bench.sandbox.credits();
    const second = await bench.run(scenario.args);
    if (second.exit !== 0 || second.stderr !== '') {
      throw new Error(`${name}: afterwards exit ${second.exit}, ${second.stderr}`);
    }
    // Killed when all was done already: the same command is another export then, and begins anew.
    const paid = isThrough(reference, now) ? paidFirst : credits - bench.sandbox.credits();
    if (paid > scenario.credits + scenario.concurrency || paid < scenario.credits) {
      throw new Error(`${name}: ${paid} credits, not ${scenario.credits}`);
    }
    repeats += paid - scenario.credits;
    checkFinished(name, reference, await contents(bench.folder));
  }
  return { steps, kills, repeats };
}
