import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { serviceEnvironment, temporaryFolder } from '../support/program.ts';
import { simulatedService, videos } from '../support/simulated-service.ts';
import { type FaultScenario, faultScenarios } from './fault-scenarios.ts';
import {
  describeFault,
  type Fault,
  faultsOf,
  noStrace,
  TracedProgram,
  type TracedResult,
} from './traced-program.ts';

/** Test every scenario; otherwise a few faults of the short ones. */
const isLong = process.env.CHANLIST_LONG === '1';
/** Faults per scenario: all of them; in CI a sample, spread over all. */
const sampleSize = !isLong ? 6 : process.env.CI ? 12 : Number.POSITIVE_INFINITY;

type Texts = ReadonlyMap<string, string | null>;

/** What faults of a scenario did and cost. */
interface Figures {
  faults: number;
  kills: number;
  /** Faults after which the run was complete nevertheless. */
  harmless: number;
  /** Credits paid beyond those of an undisturbed run. */
  extra: number;
}

/** One scenario in a folder that is set back before each fault. */
class FaultBench {
  readonly scenario: FaultScenario;
  readonly work: string;
  readonly #root: string;
  readonly #service: Awaited<ReturnType<typeof simulatedService>>;
  readonly #program: TracedProgram;
  #before: Texts = new Map();
  #after: Texts = new Map();
  #namesAfter: readonly string[] = [];
  #stdout = '';

  static async open(t: TestContext, scenario: FaultScenario): Promise<FaultBench> {
    const root = await temporaryFolder(t);
    return new FaultBench(scenario, root, await simulatedService(t, { pageSize: 5 }));
  }

  private constructor(
    scenario: FaultScenario,
    root: string,
    service: Awaited<ReturnType<typeof simulatedService>>,
  ) {
    this.scenario = scenario;
    this.#root = root;
    this.work = join(root, 'now/work');
    this.#service = service;
    const env = { ...serviceEnvironment(service.url), XDG_STATE_HOME: join(root, 'now/state') };
    this.#program = new TracedProgram(this.work, root, env);
  }

  /** Prepares the folder, runs the command once undisturbed, and returns all faults that it can meet. */
  async prepare(): Promise<{ paths: readonly string[]; faults: readonly Fault[] }> {
    const { scenario } = this;
    const service = this.#service;
    await mkdir(this.work, { recursive: true });
    await mkdir(join(this.#root, 'now/state/chanlist'), { recursive: true, mode: 0o700 });
    const channel = service.addChannel('a', { list: videos(0, 12) });
    service.addChannel('b', { list: videos(0, 7, {}, 'b_') });
    await scenario.prepare({
      service,
      channel,
      folder: this.work,
      run: async (args, exit = 0) => {
        const result = await this.#program.run(args);
        assert.equal(result.exit, exit, result.stderr);
      },
    });
    await cp(join(this.#root, 'now'), join(this.#root, 'initial'), { recursive: true });
    this.#before = await this.#outputs();
    const charged = service.charged();
    const clean = await this.#program.run(scenario.args);
    assert.equal(clean.exit, 0, clean.stderr);
    assert.equal(service.charged() - charged, scenario.credits);
    this.#stdout = clean.stdout;
    this.#after = await this.#outputs();
    this.#namesAfter = await this.#names();
    await this.#reset();
    const roots = [this.work, join(this.#root, 'now/state')];
    const { paths, calls, result } = await this.#program.survey(scenario.args, roots, () => this.#reset());
    assert.equal(result.exit, 0, result.stderr);
    return { paths, faults: faultsOf(calls) };
  }

  /** Runs the command with a fault, then without it to its end, and checks both; adds what it did to `figures`. */
  async meet(fault: Fault, paths: readonly string[], figures: Figures): Promise<void> {
    const { scenario } = this;
    await this.#reset();
    const charged = this.#service.charged();
    const cost = (): number => this.#service.charged() - charged;
    const result = await this.#program.runWith(scenario.args, paths, fault);
    if (!result.hit) return;
    figures.faults++;
    if (fault.kind === 'SIGKILL') figures.kills++;
    const shown = `${describeFault(fault)}: exit ${result.exit ?? result.signal}, ${result.stderr}`;
    this.#checkEnd(result, fault, cost(), shown);
    await this.#checkOutputs(shown);
    let printed = result.stdout;
    const isDone = await this.#isDone(result);
    if (result.exit === 0) {
      for (const [name, text] of await this.#outputs())
        assert.equal(text, this.#after.get(name), `${shown}: it says that ${name} is complete`);
      figures.harmless++;
    }
    if (!isDone || scenario.repeatable) {
      const next = await this.#program.run(scenario.args);
      assert.equal(next.exit, 0, `${shown}; afterwards ${next.stderr}`);
      printed += next.stdout;
      for (const [name, text] of await this.#outputs())
        assert.equal(text, this.#after.get(name), `${shown}: ${name} afterwards`);
      const names = (await this.#names()).filter((name) => !this.#namesAfter.includes(name));
      assert.deepEqual(names, [], `${shown}: left in the folder`);
    }
    if (scenario.prints)
      for (const line of this.#stdout.split('\n'))
        assert.ok(printed.split('\n').includes(line), `${shown}: not printed: ${line}`);
    const extra = cost() - scenario.credits;
    assert.ok(extra <= 1, `${shown}: ${extra} credits too many`);
    figures.extra += Math.max(0, extra);
    const noted = await this.#notedCredits();
    assert.ok(
      noted >= cost() || result.stderr.includes('ledger'),
      `${shown}: the ledger has ${noted} of ${cost()} credits`,
    );
  }

  #checkEnd(result: TracedResult, { kind }: Fault, spent: number, shown: string): void {
    const { exit, signal, stderr, hung } = result;
    assert.ok(!hung, `${shown}: it hangs`);
    if (kind === 'SIGKILL') {
      assert.equal(signal, 'SIGKILL', shown);
      return;
    }
    assert.ok(exit !== null && [0, 1, 2, 10].includes(exit), shown);
    const lines = stderr.split('\n').filter((line) => line !== '');
    assert.ok(
      lines.every((line) => line.startsWith('chanlist: ')),
      shown,
    );
    assert.ok(lines.length <= 3 && (exit === 0 || lines.length > 0), shown);
    // In a folder, one reference can be at fault after others were paid.
    const isFolder = this.scenario.args.includes('--output-dir');
    if (exit === 2 && !isFolder) assert.equal(spent, 0, shown);
    if (exit === 1 && spent > 0 && !isFolder) assert.match(stderr, /credit|ledger|summary/, shown);
  }

  /** Each file of the user's is the old one or the new one. */
  async #checkOutputs(shown: string): Promise<void> {
    for (const [name, text] of await this.#outputs())
      assert.ok(
        text === this.#before.get(name) || text === this.#after.get(name),
        `${shown}: ${name}: ${text}`,
      );
  }

  /** There is nothing to resume. */
  async #isDone({ stdout }: TracedResult): Promise<boolean> {
    const outputs = await this.#outputs();
    if ([...outputs].every(([name, text]) => text === this.#after.get(name))) return true;
    // A paid response that could not be written.
    return this.scenario.args[0] === 'search' && stdout === this.#after.get('found.json');
  }

  async #reset(): Promise<void> {
    await rm(join(this.#root, 'now'), { recursive: true, force: true });
    await cp(join(this.#root, 'initial'), join(this.#root, 'now'), {
      recursive: true,
      preserveTimestamps: true,
    });
  }

  async #outputs(): Promise<Texts> {
    const texts = new Map<string, string | null>();
    for (const name of this.scenario.outputs)
      texts.set(name, await readFile(join(this.work, name), 'utf8').catch(() => null));
    return texts;
  }

  /** Names in the folder: of `.chanlist` the records and rows, not what a kill may leave. */
  async #names(): Promise<string[]> {
    const names = await readdir(this.work, { recursive: true, encoding: 'utf8' });
    const isOther = (name: string): boolean => name.includes('.chanlist/') && !/\.(?:json|part)$/.test(name);
    return names.filter((name) => !isOther(name) && !name.endsWith('.tmp')).sort();
  }

  /** Credits that the ledger counts since the scenario started: all that are not known to be free. */
  async #notedCredits(): Promise<number> {
    const count = async (state: string): Promise<number> => {
      const folder = join(this.#root, state, 'state/chanlist');
      let credits = 0;
      for (const name of await readdir(folder).catch(() => [])) {
        for (const line of (await readFile(join(folder, name), 'utf8')).split('\n')) {
          if (line === '') continue;
          try {
            const { kind, outcome } = JSON.parse(line) as { kind?: string; outcome?: string };
            if (kind === 'request') credits++;
            if (outcome === 'free') credits--;
          } catch {
            credits++;
          }
        }
      }
      return credits;
    };
    return (await count('now')) - (await count('initial'));
  }
}

/** So many of them, spread over all. */
function sample<T>(items: readonly T[], size: number): T[] {
  const step = Math.max(1, items.length / size);
  return Array.from(
    { length: Math.min(size, items.length) },
    (_, i) => items[Math.floor((i + 0.5) * step)],
  ).filter((item) => item !== undefined);
}

describe('a system call on a file that fails, or is the last one before a kill', {
  skip: noStrace,
  concurrency: availableParallelism(),
}, () => {
  for (const scenario of faultScenarios.filter(({ short }) => isLong || short))
    test(scenario.name, async (t) => {
      const bench = await FaultBench.open(t, scenario);
      const { paths, faults } = await bench.prepare();
      assert.ok(faults.length > 15, `${faults.length} faults`);
      const chosen = sample(faults, sampleSize);
      const figures: Figures = { faults: 0, kills: 0, harmless: 0, extra: 0 };
      const failed: string[] = [];
      for (const fault of chosen)
        await bench.meet(fault, paths, figures).catch((error: unknown) => {
          failed.push(error instanceof Error ? error.message : String(error));
        });
      t.diagnostic(
        `${scenario.name}: ${figures.faults} of ${chosen.length} faults met, ${figures.kills} of them kills; ${figures.harmless} harmless; ${figures.extra} credits paid again`,
      );
      assert.deepEqual(failed, []);
      assert.ok(figures.faults >= chosen.length / 2, `${figures.faults} of ${chosen.length} faults met`);
    });
});
