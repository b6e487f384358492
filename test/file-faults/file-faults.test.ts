/**
 * Every file operation of a run fails once, or is the last one before a kill; then the same command ends with the whole FILE,
 * for nothing but the page in flight. In this process: `system-calls.test.ts` and test/chaos run the built program.
 */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../support/program.ts';
import { simulatedService, videos } from '../support/simulated-service.ts';
import { World } from '../support/world.ts';
import { canKill, type Fault, kinds, withFault } from './file-faults.ts';
import { type Scenario, scenarios } from './scenarios.ts';

/** Faults per scenario: all of them, or a sample that is spread over all. */
const sampleSize =
  process.env.CHANLIST_LONG === '1' && process.env.CI === undefined ? Number.POSITIVE_INFINITY : 12;
const umasks = [0o022, 0o000, 0o002, 0o077];
const modes = [0o644, 0o600, 0o640, 0o660, 0o664, 0o666];
const figures = { faults: 0, kills: 0, harmless: 0, extra: 0 };

const namesIn = (folder: string): string[] => fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });

/** One scenario in a folder that is set back before each fault. */
class Bench {
  readonly #scenario: Scenario;
  readonly #root: string;
  readonly #world: World;
  #before: readonly (string | null)[] = [];
  #after: readonly (string | null)[] = [];
  #names: readonly string[] = [];
  #notedBefore = 0;

  static async open(t: TestContext, scenario: Scenario): Promise<Bench> {
    const root = await temporaryFolder(t);
    const [folder, home] = [join(root, 'now/folder'), join(root, 'now/home')];
    for (const path of [folder, home]) fs.mkdirSync(path, { recursive: true });
    return new Bench(scenario, root, new World(await simulatedService(t, { pageSize: 5 }), folder, home));
  }

  private constructor(scenario: Scenario, root: string, world: World) {
    this.#scenario = scenario;
    this.#root = root;
    this.#world = world;
  }

  /** Prepares the folder, runs the command once undisturbed, and returns all faults that it can meet. */
  async prepare(): Promise<Fault[]> {
    const { credits, prepare } = this.#scenario;
    const world = this.#world;
    const channel = world.service.addChannel('a', { list: videos(0, 12) });
    world.service.addChannel('b', { list: videos(0, 7, {}, 'b_') });
    process.chdir(world.folder);
    await prepare({
      channel,
      run: async (words, exit = 0) => {
        const result = await world.run(words);
        assert.equal(result.exit, exit, result.stderr);
      },
    });
    this.#copy('now', 'initial');
    this.#before = this.#outputs();
    this.#notedBefore = this.#noted();
    const { result, operations } = await this.#run(null);
    assert.deepEqual([result.exit, result.credits], [0, credits], result.stderr);
    this.#after = this.#outputs();
    this.#names = namesIn(world.folder);
    return operations.flatMap((operation, i): Fault[] => {
      const kills = canKill(operation) ? umasks.map(() => 'kill' as const) : [];
      return [...kinds, ...kills].map((kind) => ({ n: i + 1, operation, kind }));
    });
  }

  /** Runs the command with a fault, then without it to its end, and checks both. */
  async meet(fault: Fault, turn: number): Promise<void> {
    const { args, credits, outputs, isRepeatable } = this.#scenario;
    const world = this.#world;
    const umask = umasks[turn % umasks.length] ?? 0;
    const mode = modes[turn % modes.length] ?? 0;
    process.umask(0);
    fs.rmSync(join(this.#root, 'now'), { recursive: true });
    this.#copy('initial', 'now');
    for (const name of outputs) if (world.has(name)) fs.chmodSync(join(world.folder, name), mode);
    const modeOf = (name: string): number => (world.has(name) ? mode : 0o666 & ~umask);
    const expectedModes = outputs.map(modeOf);
    process.umask(umask);
    const { result: run, operations } = await this.#run(fault);
    if (operations[fault.n - 1] !== fault.operation) return;
    // What the end of the process does.
    for (const name of namesIn(this.#root))
      if (name.endsWith('.lock')) fs.rmSync(join(this.#root, name), { recursive: true });
    const isKill = fault.kind === 'kill';
    figures.faults++;
    if (isKill) figures.kills++;
    else if (run.exit === 0) figures.harmless++;
    const shown = `${JSON.stringify(fault)}: exit ${run.exit}, ${run.stderr}`;
    assert.doesNotMatch(run.stderr, /a fault/, `${shown}: a text of Node`);
    const now = this.#outputs();
    for (const [i, text] of now.entries()) {
      const isWhole = text === this.#after[i];
      assert.ok(isWhole || text === this.#before[i], `${shown}: ${outputs[i]}: ${text}`);
      assert.ok(isWhole || isKill || run.exit !== 0, `${shown}: ${outputs[i]} is not whole`);
    }
    assert.ok(isKill || run.exit === 0 || ([1, 2].includes(run.exit ?? 0) && run.errors.length > 0), shown);
    if (!isKill && run.exit === 2 && outputs.length === 1) assert.equal(run.credits, 0, shown);
    const isInterrupted = namesIn(world.folder).some((name) => name.endsWith('.run'));
    const isDone = !isInterrupted && now.every((text, i) => text === this.#after[i]);
    let paid = run.credits;
    if (isRepeatable || !isDone) {
      // What --restart has begun is resumed without it.
      const line = isInterrupted ? args.filter((word) => word !== '--restart') : args;
      const { result: next } = await this.#run(null, line);
      paid += next.credits;
      assert.equal(next.exit, 0, `${shown}; afterwards ${next.stderr}`);
      assert.deepEqual(this.#outputs(), this.#after, `${shown}: afterwards`);
      // Nothing looks for what a kill has left of another file than an export.
      const known = [...this.#names, '.chanlist', '.chanlist/.gitignore'];
      const isKnown = (name: string): boolean => known.includes(name) || name.startsWith('.chanlist-');
      const left = namesIn(world.folder).filter((name) => !isKnown(name));
      assert.deepEqual(left, [], `${shown}: left in the folder`);
    }
    const modesNow = outputs.map((name) => fs.statSync(join(world.folder, name)).mode & 0o777);
    assert.deepEqual(modesNow, expectedModes, `${shown}: modes`);
    assert.ok(paid - credits <= 1, `${shown}: ${paid - credits} credits too many`);
    figures.extra += Math.max(0, paid - credits);
    const noted = this.#noted() - this.#notedBefore;
    const isNoted = noted >= paid || run.stderr.includes('ledger');
    assert.ok(isNoted, `${shown}: the ledger has ${noted} of ${paid} credits`);
  }

  #run(fault: Fault | null, args = this.#scenario.args) {
    return withFault(join(this.#root, 'now'), fault, () => this.#world.run(args));
  }

  /** Outputs are linked: the program never changes them, and a copy would have another time. */
  #copy(from: string, to: string): void {
    const [source, target] = [join(this.#root, from), join(this.#root, to)];
    const { mode } = fs.statSync(source);
    if (fs.statSync(source).isDirectory()) {
      fs.mkdirSync(target, { mode: mode & 0o777 });
      for (const name of fs.readdirSync(source)) this.#copy(join(from, name), join(to, name));
    } else if (this.#scenario.outputs.some((name) => basename(name) === basename(source)))
      fs.linkSync(source, target);
    else fs.copyFileSync(source, target);
  }

  #outputs(): (string | null)[] {
    const world = this.#world;
    return this.#scenario.outputs.map((name) => (world.has(name) ? world.read(name) : null));
  }

  /** Credits in the ledger that are not known to be free. */
  #noted(): number {
    const folder = join(this.#world.home, 'state/chanlist');
    const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    const text = names.map((name) => fs.readFileSync(join(folder, name), 'utf8')).join('');
    return text.split('"kind":"request"').length - text.split('"outcome":"free"').length;
  }
}

/** So many of them, spread over all. */
function sample<T>(items: readonly T[], size: number): T[] {
  const step = Math.max(1, items.length / size);
  return items.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step)).slice(0, size);
}

const [umask, repository] = [process.umask(), process.cwd()];
for (const scenario of scenarios)
  test(scenario.name, { timeout: 3_600_000 }, async (t) => {
    t.after(() => {
      process.umask(umask);
      process.chdir(repository);
    });
    const bench = await Bench.open(t, scenario);
    const all = await bench.prepare();
    const failed: string[] = [];
    for (const [turn, fault] of sample(all, sampleSize).entries())
      await bench.meet(fault, turn).catch((error: unknown) => {
        failed.push(error instanceof Error ? error.message : String(error));
      });
    t.diagnostic(`${all.length} possible; all scenarios so far: ${JSON.stringify(figures)}`);
    assert.deepEqual(failed, []);
  });
