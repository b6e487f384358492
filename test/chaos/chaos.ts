import type { ChildProcess } from 'node:child_process';
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { seeded } from '../../src/sandbox/random.ts';
import { Bench, checkFinished, checkShown } from './fixture.ts';
import { contents, type Scenario, scenarios, sizes } from './scenarios.ts';

export interface ChaosOptions {
  /** Kills in all. */
  readonly kills: number;
  readonly seed: number;
  /** Called after each finished export. */
  readonly log?: (line: string) => void;
}

export interface ChaosFigures {
  readonly kills: number;
  readonly byMoment: Readonly<Record<string, number>>;
  /** Starts of the program. */
  readonly runs: number;
  /** Exports that came to their end. */
  readonly exports: number;
  readonly credits: number;
  /** Credits paid beyond what undisturbed runs cost: a page in flight, paid again. */
  readonly repeats: number;
}

/** When a run is killed. */
const moments = ['time', 'request', 'answer', 'file', 'operation'] as const;
type Moment = (typeof moments)[number];

/** A run that follows a kill keeps what is complete, with a warning. */
const onlyWarnings = /^(?:chanlist: warning: [^\n]*\n)*$/;

/**
 * Kills the real program with SIGKILL, at random moments, again and again until each export is done: after some
 * time, after so many requests, right after an answer, when a file changes, before a file
 * operation or in the middle of a write. Throws if a byte is wrong, something is left behind, or more is paid
 * than a page for each request that was under way at a kill.
 */
export async function runChaos({ kills: wanted, seed, log = () => {} }: ChaosOptions): Promise<ChaosFigures> {
  const random = seeded(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const oneOf = <T>(all: readonly [T, ...T[]]): T => all[below(all.length)] ?? all[0];
  const bench = await Bench.open();
  const byMoment: Record<Moment, number> = { time: 0, request: 0, answer: 0, file: 0, operation: 0 };
  let [kills, runs, exports, credits, repeats] = [0, 0, 0, 0, 0];

  const exportOnce = async (scenario: Scenario): Promise<void> => {
    const reference = await bench.prepare(scenario);
    const { args, name, until } = scenario;
    const before = bench.sandbox.account.credits;
    let own = 0;
    for (;;) {
      runs++;
      const moment = kills + own < wanted ? (moments[below(moments.length)] ?? 'time') : null;
      const { exit, killed, stderr } =
        moment === null ? await bench.run(args) : await runKilled(bench, args, moment, below);
      const now = await contents(bench.folder);
      checkShown(name, reference, now);
      if (killed && moment !== null) {
        byMoment[moment]++;
        own++;
        if (until === undefined || now.get(until) !== reference.after.get(until)) continue;
        // Finished, or all but its record: without the flag that would start over.
        const { exit, stderr } = await bench.run(args.slice(0, -1));
        if (exit !== 0 || !onlyWarnings.test(stderr)) throw new Error(`${name}: exit ${exit}, ${stderr}`);
      } else if (exit !== 0 || !onlyWarnings.test(stderr))
        throw new Error(`${name}: exit ${exit}, ${stderr}`);
      await checkFinished(name, reference, bench.folder);
      break;
    }
    const paid = before - bench.sandbox.account.credits;
    if (paid < scenario.credits || paid > scenario.credits + own * scenario.concurrency) {
      throw new Error(`${name}: ${paid} credits for ${scenario.credits} pages and ${own} kills`);
    }
    kills += own;
    exports++;
    credits += paid;
    repeats += paid - scenario.credits;
    log(`${name}: ${own} kills, ${paid} credits for ${scenario.credits} pages`);
  };

  try {
    while (kills < wanted) {
      const list = () => oneOf(sizes.list);
      const all = scenarios({
        whole: oneOf(sizes.whole),
        added: oneOf(sizes.added),
        // With none before, an update is an export of all.
        lists: [list(), list(), list()],
      });
      for (const scenario of all) if (kills < wanted) await exportOnce(scenario);
    }
  } finally {
    await bench.close();
  }
  return { kills, byMoment, runs, exports, credits, repeats };
}

/** Runs the program and kills it at a moment of a kind; it may be done before that. */
async function runKilled(
  bench: Bench,
  args: readonly string[],
  moment: Moment,
  below: (n: number) => number,
): Promise<{ exit: number | null; killed: boolean; stderr: string }> {
  let child: ChildProcess | null = null;
  const kill = (): void => void child?.kill('SIGKILL');
  const started = (started: ChildProcess): void => {
    child = started;
  };
  switch (moment) {
    case 'time': {
      let timer: NodeJS.Timeout | undefined;
      const after = 30 + below(90);
      const ended = await bench.run(args, {
        started: (started) => {
          child = started;
          timer = setTimeout(kill, after);
        },
      });
      clearTimeout(timer);
      return ended;
    }
    case 'request':
    case 'answer': {
      let left = 1 + below(6);
      const delay = below(4);
      bench.onRequest = () => {
        if (--left !== 0) return;
        // The answer is sent when this function has returned.
        if (moment === 'request') kill();
        else if (delay === 0) setImmediate(kill);
        else setTimeout(kill, delay);
      };
      const ended = await bench.run(args, { started });
      bench.onRequest = () => {};
      return ended;
    }
    case 'file': {
      let left = 1 + below(40);
      let watcher: FSWatcher | null = null;
      const ended = await bench.run(args, {
        started: (started) => {
          child = started;
          watcher = watch(bench.folder, { recursive: false }, () => {
            if (--left === 0) kill();
          });
          watcher.on('error', () => {});
        },
      });
      (watcher as FSWatcher | null)?.close();
      return ended;
    }
    case 'operation': {
      const env = { KILL_AT: String(1 + below(120)), ...(below(2) === 0 && { KILL_TORN: '1' }) };
      const node = ['--require', join(process.cwd(), 'test/chaos/kill-at.cjs')];
      return await bench.run(args, { node, env });
    }
  }
}
