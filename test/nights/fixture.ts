import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { command } from '../support/command.ts';
import { ended, type Result, serviceEnvironment, start, temporaryFolder } from '../support/program.ts';
import { type Receipt, type ReferenceReceipt, takeReceipt } from '../support/receipt.ts';
import {
  type LoggedRequest,
  type Operation,
  type SimulatedOptions,
  type SimulatedService,
  simulatedService,
} from '../support/simulated-service.ts';
import { said } from '../support/stderr.ts';

/** The cases that take minutes run too, and each run is a process of its own. */
export const long = process.env.CHANLIST_LONG === '1';

export type { Receipt, ReferenceReceipt } from '../support/receipt.ts';

/** How a run ended, and what the service saw of it. */
export interface Night extends Result {
  /** Null without one. */
  readonly receipt: Receipt | null;
  /** The only reference of the receipt. */
  readonly only: ReferenceReceipt;
  /** Charged by the service. */
  readonly credits: number;
  readonly requests: readonly LoggedRequest[];
  readonly operations: readonly (Operation | null)[];
  /** Lines of stderr; the first two without their beginning. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly mail: readonly string[];
  /** The `counts` of the receipt, without those that are 0. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface NightOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Gets the process, e.g. to kill it. */
  readonly started?: (child: ChildProcess) => void;
  /** A file descriptor in place of a pipe that is read to its end. */
  readonly stdout?: number;
  readonly noReceipt?: boolean;
}

export interface Nights {
  readonly service: SimulatedService;
  readonly folder: string;
  /** HOME of the program. */
  readonly home: string;
  /** What the program's clock shows when the next run starts. */
  now: Date;
  /** Path of the receipt that is being written. */
  readonly receiptPath: string;
  /** Runs the program once; no time passes. */
  run(args: readonly string[], options?: NightOptions): Promise<Night>;
  /** The nightly line of this fixture, and more words; then a day passes. */
  night(more?: readonly string[], options?: NightOptions): Promise<Night>;
  /** Lets days pass. */
  pass(days: number): void;
  read(name: string): Promise<string>;
  write(name: string, text: string): Promise<void>;
  /** The `videoId` of each line of an NDJSON file. */
  ids(name?: string): Promise<(string | null)[]>;
}

export interface NightsOptions extends SimulatedOptions {
  /** Words of the nightly line before its options. */
  readonly references?: readonly string[];
  /** Where it writes to, and other options. */
  readonly output?: readonly string[];
}

const day = 24 * 60 * 60 * 1000;
// Before a test changes the working directory.
const repository = process.cwd();
const clock = join(repository, 'test/support/fake-clock.cjs');

/**
 * A folder, a service and a nightly line, `uploads @a -o a.ndjson --update`, which runs once a day at three; the first
 * night, without `--update`, is the first export. Each run is held to its receipt: what it says was charged is what the
 * service charged.
 */
export async function nightlyRuns(t: TestContext, options: NightsOptions = {}): Promise<Nights> {
  const { references = ['@a'], output = ['-o', 'a.ndjson'] } = options;
  const service = await simulatedService(t, options);
  const folder = await temporaryFolder(t);
  const home = await temporaryFolder(t);
  const receiptPath = join(await temporaryFolder(t), 'receipt.json');
  t.after(() => process.chdir(repository));
  const target = join(folder, output[1] ?? '');
  const nights: Nights = {
    service,
    folder,
    home,
    now: new Date('2026-03-01T03:00:00Z'),
    receiptPath,
    pass: (days) => {
      nights.now = new Date(nights.now.getTime() + days * day);
    },
    run: async (args, { env, started, stdout, noReceipt } = {}) => {
      const first = service.log.length;
      const receiptArgs = noReceipt ? [] : ['--summary', receiptPath];
      const words = [...args, ...receiptArgs];
      const environment = { ...serviceEnvironment(service.url), HOME: home, TZ: 'UTC', ...env };
      const inProcess = !long && started === undefined && stdout === undefined;
      process.chdir(folder);
      const result = inProcess
        ? await runHere(words, environment, nights.now)
        : await spawn(words, environment, nights.now, { folder, stdout, started });
      const requests = service.log.slice(first);
      const credits = requests.reduce((sum, request) => sum + request.credits, 0);
      const receipt = noReceipt ? null : await takeReceipt(receiptPath);
      const { errors, warnings } = said(result.stderr);
      const mail = result.stderr.split('\n').filter((line) => line !== '');
      assert.ok(mail.length <= 20, `a mail of ${mail.length} lines:\n${result.stderr}`);
      assert.doesNotMatch(result.stderr, /^\s+at /m);
      // A usage error and --dry-run need not have one.
      const isDue = !noReceipt && result.signal === null && result.exit !== 2 && !args.includes('--dry-run');
      assert.ok(!isDue || receipt !== null, 'there is no receipt');
      if (result.signal === null && receipt !== null) {
        const { confirmed, possibly_charged: possibly } = receipt.credits;
        assert.ok(
          confirmed <= credits && credits <= confirmed + possibly,
          `the receipt says ${confirmed} + ${possibly} credits, the service ${credits}`,
        );
        assert.equal(receipt.exit, result.exit, result.stderr);
      }
      return {
        ...result,
        receipt,
        credits,
        requests,
        errors,
        warnings,
        operations: requests.map(({ operation }) => operation),
        mail,
        counts: Object.fromEntries(Object.entries(receipt?.counts ?? {}).filter(([, count]) => count > 0)),
        get only() {
          assert.equal(receipt?.references.length, 1, result.stderr);
          const [only] = receipt.references;
          assert.ok(only);
          return only;
        },
      };
    },
    night: async (more = [], nightOptions = {}) => {
      const isFirst = !existsSync(target);
      const ofUpdates = ['--update', '--all', '--print-new'];
      const line = ['uploads', ...references, ...output, '--update', '--retries', '0', ...more].filter(
        (word) => !isFirst || !ofUpdates.includes(word),
      );
      const result = await nights.run(line, nightOptions);
      nights.pass(1);
      return result;
    },
    read: (name) => readFile(join(folder, name), 'utf8'),
    write: (name, text) => writeFile(join(folder, name), text),
    ids: async (name = 'a.ndjson') => idsOf(await nights.read(name)),
  };
  return nights;
}

/** Runs the program in this process. */
async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  now: Date,
): Promise<Result> {
  const { exit, stdout, stderr } = await command(args, { env, now: () => now.getTime() });
  return { exit, signal: null, stdout, stderr, lines: stdout.split('\n').filter((line) => line !== '') };
}

interface SpawnOptions {
  readonly folder: string;
  readonly stdout: number | undefined;
  readonly started: NightOptions['started'] | undefined;
}

/** Runs the built program. */
async function spawn(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  now: Date,
  { folder, stdout, started }: SpawnOptions,
): Promise<Result> {
  const child = start(args, {
    env: { ...env, NODE_OPTIONS: `--require=${clock}`, CHANLIST_TEST_NOW: now.toISOString() },
    cwd: folder,
    stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
  });
  started?.(child);
  return await ended(child);
}

/** The `videoId` of each line. */
export function idsOf(ndjson: string): (string | null)[] {
  const lines = ndjson.split('\n');
  assert.equal(lines.pop(), '', 'the last line has no end');
  return lines.map((line) => (JSON.parse(line) as { videoId: string | null }).videoId);
}

/** Exit, status, credits by the service and new entries: what most tests are about. */
export function outcome({ exit, only, credits }: Night) {
  return { exit, status: only.status, credits, new: only.new };
}

export const unchanged = { exit: 0, status: 'unchanged', credits: 0, new: 0 } as const;

/** An update that added so many entries for so many credits. */
export const updated = (added: number, credits: number) => ({
  exit: 0,
  status: 'complete' as const,
  credits,
  new: added,
});

/** IDs of the entries of a list, in its order. */
export const idsIn = (list: readonly { readonly videoId?: unknown }[]): unknown[] =>
  list.map(({ videoId }) => videoId);
