import type { ChildProcess } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect } from '../support/collect.ts';
import { watchForKey } from '../support/key-watch.ts';
import { start } from '../support/program.ts';
import { startTestSandbox, type TestSandbox } from '../support/test-sandbox.ts';
import { contents, pageSize, rowsLeft, type Scenario } from './scenarios.ts';

const key = 'sk_chaos';

/** How a run of the program ended. */
export interface Ended {
  readonly exit: number | null;
  readonly killed: boolean;
  readonly stderr: string;
}

/** What a scenario starts from and should end with. */
export interface Reference {
  readonly before: ReadonlyMap<string, string>;
  readonly after: ReadonlyMap<string, string>;
}

/** The real program, a service that keeps accounts, and a folder that is set back as often as is needed. */
export class Bench {
  readonly sandbox: TestSandbox;
  /** Called at each request, before it is answered. */
  onRequest: () => void = () => {};
  readonly #root: string;
  readonly folder: string;
  readonly #initial: string;

  private constructor(root: string, sandbox: TestSandbox) {
    this.#root = root;
    this.folder = join(root, 'work');
    this.#initial = join(root, 'initial');
    this.sandbox = sandbox;
  }

  static async open(): Promise<Bench> {
    const root = await mkdtemp(join(tmpdir(), 'chanlist-chaos-'));
    let bench: Bench | null = null;
    const sandbox = await startTestSandbox({
      key,
      pageSize,
      credits: 1_000_000_000,
      onRequest: () => bench?.onRequest(),
    });
    bench = new Bench(root, sandbox);
    return bench;
  }

  async close(): Promise<void> {
    await this.sandbox.close();
    await rm(this.#root, { recursive: true, force: true });
  }

  /** Prepares a scenario, runs it once undisturbed, and returns what the folder held before and afterwards. */
  async prepare(scenario: Scenario): Promise<Reference> {
    await rm(this.#initial, { recursive: true, force: true });
    await mkdir(this.#initial);
    await scenario.prepare(this.sandbox, this.#initial, (args, folder) =>
      this.#whole(args, folder, twoDaysAgo()),
    );
    const before = await contents(this.#initial);
    await this.reset();
    const credits = this.sandbox.account.credits;
    await this.#whole(scenario.args, this.folder);
    const charged = credits - this.sandbox.account.credits;
    if (charged !== scenario.credits) {
      throw new Error(`${scenario.name}: ${charged} credits without a kill, not ${scenario.credits}`);
    }
    const after = await contents(this.folder);
    await this.reset();
    return { before, after };
  }

  /** Sets the folder back to what was there before. */
  async reset(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    await cp(this.#initial, this.folder, { recursive: true });
  }

  /** Runs the program; `started` may kill it. */
  async run(
    args: readonly string[],
    options: {
      readonly started?: (child: ChildProcess) => void;
      readonly node?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly folder?: string;
    } = {},
  ): Promise<Ended> {
    const service = { CHANLIST_BASE_URL: this.sandbox.baseUrl, CHANLIST_API_KEY: key };
    const child = start(args, {
      cwd: options.folder ?? this.folder,
      env: { ...service, ...options.env },
      node: options.node ?? [],
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    watchForKey(child, key);
    const result = collect(child);
    options.started?.(child);
    const { exit, signal, stderr } = await result;
    return { exit, killed: signal === 'SIGKILL', stderr };
  }

  async #whole(
    args: readonly string[],
    folder: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { exit, stderr } = await this.run(args, { folder, env });
    if (exit !== 0 || stderr !== '') throw new Error(`${args.join(' ')}: exit ${exit}, ${stderr}`);
  }
}

/** Environment of a run two days ago. */
const twoDaysAgo = (): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--require=${join(process.cwd(), 'test/support/fake-clock.cjs')}`,
  CHANLIST_TEST_NOW: new Date(Date.now() - 48 * 60 * 60 * 1000).toISOString(),
});

/** Throws if a finished file is neither the old one nor the new one. */
export function checkShown(
  name: string,
  { before, after }: Reference,
  now: ReadonlyMap<string, string>,
): void {
  for (const [path, text] of after) {
    const shown = now.get(path);
    if (shown !== before.get(path) && shown !== text) throw new Error(`${name}: ${path} is half-written`);
  }
}

/** Throws if the folder is not what an undisturbed run leaves. */
export async function checkFinished(name: string, { after }: Reference, folder: string): Promise<void> {
  const now = await contents(folder);
  const names = [...now.keys()].join(' ');
  if (names !== [...after.keys()].join(' ')) throw new Error(`${name}: left in the folder: ${names}`);
  for (const [path, text] of after) {
    if (now.get(path) !== text) throw new Error(`${name}: ${path} is not that of an undisturbed run`);
  }
  const rows = await rowsLeft(folder);
  if (rows.length > 0) throw new Error(`${name}: rows that nothing resumes: ${rows.join(' ')}`);
}
