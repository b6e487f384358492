/**
 * Kills the real program with SIGKILL, at random moments, with changing umasks and modes, again and again until each export is done: after some time,
 * after so many requests, or right after a response. (test/faults kills before each system call on a file.)
 * `npm run chaos`: CHANLIST_COUNT sets how often, CHANLIST_SEED repeats the choices of a run.
 */
import assert from 'node:assert/strict';
import { chmod, cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { seeded } from '../../src/sandbox/random.ts';
import { type ExportFixture, exportFixture, type Outcome } from '../support/exports.ts';
import { temporaryFolder } from '../support/program.ts';
import { contents, pageSize, rowsLeft, type Scenario, scenarios, sizes } from './scenarios.ts';

const wanted = Number(process.env.CHANLIST_COUNT ?? 25);
const seed = Number(process.env.CHANLIST_SEED ?? 7);
const random = seeded(seed);
const below = (n: number): number => Math.floor(random() * n);
const umasks = [0o000, 0o002, 0o022, 0o077] as const;
const modes = [0o600, 0o640, 0o644, 0o660, 0o664, 0o666] as const;
const oneOf = <T>(all: readonly [T, ...T[]]): T => all[below(all.length)] ?? all[0];

/** A run that follows a kill keeps what is complete, with a warning. */
const onlyWarnings = /^(?:chanlist: warning: [^\n]*\n)*$/;

/** The files of the folder before a scenario, and after an undisturbed run. */
interface Reference {
  readonly before: ReadonlyMap<string, string>;
  readonly after: ReadonlyMap<string, string>;
}

/** A scenario in a folder that can be set back. */
class Bench {
  readonly fixture: ExportFixture;
  readonly #initial: string;

  private constructor(fixture: ExportFixture, initial: string) {
    this.fixture = fixture;
    this.#initial = initial;
  }

  static async open(t: TestContext): Promise<Bench> {
    const fixture = await exportFixture(t, { pageSize, credits: 1_000_000_000 });
    return new Bench(fixture, await temporaryFolder(t));
  }

  /** Prepares a scenario, two days ago, runs it once undisturbed, and sets the folder back. */
  async prepare(scenario: Scenario): Promise<Reference> {
    const { folder, sandbox } = this.fixture;
    const now = Date.now() - 48 * 60 * 60 * 1000;
    await empty(folder);
    await scenario.prepare(sandbox, folder, async (args) => void (await this.#whole(args, now)));
    await empty(this.#initial);
    await cp(folder, this.#initial, { recursive: true });
    const before = await contents(folder);
    assert.equal((await this.#whole(scenario.args)).charged, scenario.credits, scenario.name);
    const after = await contents(folder);
    await empty(folder);
    await cp(this.#initial, folder, { recursive: true });
    return { before, after };
  }

  async #whole(args: readonly string[], now = Date.now()): Promise<Outcome> {
    const outcome = await this.fixture.run(args, { now });
    assert.deepEqual([outcome.exit, outcome.stderr], [0, ''], args.join(' '));
    return outcome;
  }

  /** Each FILE gets another mode. */
  async #changeModes(): Promise<void> {
    const { folder } = this.fixture;
    for (const name of (await contents(folder)).keys())
      if (/\.\w+$/.test(name)) await chmod(join(folder, name), oneOf(modes));
  }

  /** Runs the program and kills it at a random moment; it may be done before that. */
  async runKilled(args: readonly string[]): Promise<Outcome> {
    const moment = oneOf(['time', 'request', 'response']);
    const delay = moment === 'time' ? 30 + below(90) : below(4);
    let left = 1 + below(6);
    let kill = (): void => {};
    let timer: NodeJS.Timeout | undefined;
    this.fixture.onRequest = () => {
      if (moment === 'time' || --left !== 0) return;
      // The response is sent when this function has returned.
      if (moment === 'request') kill();
      else timer = setTimeout(kill, delay);
    };
    await this.#changeModes();
    const umask = process.umask(oneOf(umasks));
    const outcome = await this.fixture.run(args, {
      started: (child) => {
        kill = () => child.kill('SIGKILL');
        if (moment === 'time') timer = setTimeout(kill, delay);
      },
    });
    process.umask(umask);
    clearTimeout(timer);
    this.fixture.onRequest = () => {};
    return outcome;
  }
}

async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
  await mkdir(folder, { recursive: true });
}

/** Runs a scenario until it is done; returns kills and credits. */
async function exportOnce(
  bench: Bench,
  scenario: Scenario,
  most: number,
): Promise<readonly [number, number]> {
  const { name, args, until, credits, concurrency } = scenario;
  const { before, after } = await bench.prepare(scenario);
  let [kills, paid] = [0, 0];
  for (;;) {
    const isLast = kills >= most;
    const outcome = isLast ? await bench.fixture.run(args) : await bench.runKilled(args);
    paid += outcome.charged;
    const now = await contents(bench.fixture.folder);
    for (const [path, text] of after)
      assert.ok([before.get(path), text].includes(now.get(path)), `${name}: ${path} is half-written`);
    let ended = outcome;
    if (outcome.signal === 'SIGKILL') {
      kills++;
      if (until === undefined || now.get(until) !== after.get(until)) continue;
      // Finished, or all but its record: without the flag that would start over.
      ended = await bench.fixture.run(args.slice(0, -1));
      paid += ended.charged;
    }
    assert.equal(ended.exit, 0, `${name}: ${ended.stderr}`);
    assert.match(ended.stderr, onlyWarnings, name);
    break;
  }
  assert.deepEqual(await contents(bench.fixture.folder), after, name);
  assert.deepEqual(await rowsLeft(bench.fixture.folder), [], `${name}: rows that nothing resumes`);
  const shown = `${name}: ${paid} credits for ${credits} pages and ${kills} kills`;
  assert.ok(paid >= credits && paid <= credits + kills * concurrency, shown);
  return [kills, paid - credits];
}

test(`killed at random moments: same bytes, no leftovers, at most the page in flight paid again (CHANLIST_SEED=${seed})`, {
  timeout: 60_000 + wanted * 5_000,
}, async (t) => {
  const bench = await Bench.open(t);
  let [kills, exports, repeats] = [0, 0, 0];
  while (kills < wanted) {
    const lists = [oneOf(sizes.list), oneOf(sizes.list), oneOf(sizes.list)] as const;
    for (const scenario of scenarios({ whole: oneOf(sizes.whole), added: oneOf(sizes.added), lists })) {
      if (kills >= wanted) break;
      const [ofThis, extra] = await exportOnce(bench, scenario, wanted - kills);
      kills += ofThis;
      repeats += extra;
      exports++;
    }
  }
  t.diagnostic(`${kills} kills, ${exports} exports, ${repeats} pages paid again`);
});
