import assert from 'node:assert/strict';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { command } from '../support/command.ts';
import {
  clockEnvironment,
  ended,
  type Line,
  type Result,
  serviceEnvironment,
  start,
  temporaryFolder,
  wordsOf,
} from '../support/program.ts';
import {
  type LoggedRequest,
  type Operation,
  type SimulatedOptions,
  type SimulatedService,
  simulatedService,
} from '../support/simulated-service.ts';
import { said } from '../support/stderr.ts';
import {
  assertSummary,
  isSummaryDue,
  onlyReference,
  type ReferenceSummary,
  type Summary,
  takeSummary,
} from '../support/summary.ts';

/** The cases that take minutes run too, and each run is a process of its own. */
export const long = process.env.CHANLIST_LONG === '1';

/** How a run ended, and what the service saw of it. */
export interface Night extends Result {
  /** Null without one. */
  readonly summary: Summary | null;
  /** The only reference of the summary. */
  readonly only: ReferenceSummary;
  /** Charged by the service. */
  readonly credits: number;
  readonly requests: readonly LoggedRequest[];
  readonly operations: readonly (Operation | null)[];
  /** Lines of stderr; the first two without their beginning. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly mail: readonly string[];
  /** The `counts` of the summary, without those that are 0. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface NightOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Gets the process, e.g. to kill it. */
  readonly started?: (child: ChildProcess) => void;
  /** A file descriptor in place of a pipe that is read to its end. */
  readonly stdout?: number;
  readonly noSummary?: boolean;
}

export interface NightsOptions extends SimulatedOptions {
  /** Words of the nightly line before its options. */
  readonly references?: Line;
  /** Where it writes to, and other options. */
  readonly output?: Line;
}

const day = 24 * 60 * 60 * 1000;
// Before a test changes the working directory.
const repository = process.cwd();

/**
 * A folder, a service and a nightly line, `uploads @a -o a.ndjson --update`, which runs once a day at three; the first
 * night, without `--update`, is the first export. Each run is held to its summary: what it says was charged is what the
 * service charged.
 */
export class Nights {
  /** What the program's clock shows when the next run starts. */
  now = new Date('2026-03-01T03:00:00Z');
  readonly service: SimulatedService;
  readonly folder: string;
  /** HOME of the program, and the summary of the run. */
  readonly home: string;
  readonly #references: readonly string[];
  readonly #output: readonly string[];

  constructor(service: SimulatedService, folder: string, home: string, options: NightsOptions) {
    this.service = service;
    this.folder = folder;
    this.home = home;
    this.#references = wordsOf(options.references ?? '@a');
    this.#output = wordsOf(options.output ?? '-o a.ndjson');
  }

  /** Lets days pass. */
  pass(days: number): void {
    this.now = new Date(this.now.getTime() + days * day);
  }

  /** Runs the program once; no time passes. */
  async run(line: Line, { env, started, stdout, noSummary }: NightOptions = {}): Promise<Night> {
    const { service, folder, home } = this;
    const first = service.log.length;
    const isReported = !noSummary && !/^(?:check|credits)$/.test(wordsOf(line)[0] ?? '');
    const path = join(home, 'summary.json');
    const words = [...wordsOf(line), ...(isReported ? ['--summary', path] : [])];
    const now = this.now.getTime();
    const environment = {
      ...serviceEnvironment(service.url),
      HOME: home,
      XDG_STATE_HOME: join(home, 'state'),
      TZ: 'UTC',
      ...env,
    };
    process.chdir(folder);
    let result: Omit<Result, 'lines'>;
    if (started === undefined && stdout === undefined)
      result = { ...(await command(words, { env: environment, now: () => now })), signal: null };
    else {
      const stdio: StdioOptions = ['ignore', stdout ?? 'pipe', 'pipe'];
      const child = start(words, { env: { ...environment, ...clockEnvironment(now) }, cwd: folder, stdio });
      started?.(child);
      result = await ended(child);
    }
    const requests = service.log.slice(first);
    const credits = requests.reduce((sum, request) => sum + request.credits, 0);
    const summary = isReported ? await takeSummary(path) : null;
    const { errors, warnings } = said(result.stderr);
    const mail = result.stderr.split('\n').filter((line) => line !== '');
    assert.ok(mail.length <= 20, `a mail of ${mail.length} lines:\n${result.stderr}`);
    assert.ok(summary !== null || !isSummaryDue(words, result), 'there is no summary');
    assertSummary(summary, result, credits);
    return {
      ...result,
      ...{ lines: result.stdout.split('\n').filter((line) => line !== ''), summary, credits, requests },
      ...{ errors, warnings, mail, operations: requests.map(({ operation }) => operation) },
      counts: Object.fromEntries(Object.entries(summary?.counts ?? {}).filter(([, count]) => count > 0)),
      get only() {
        return onlyReference(summary);
      },
    };
  }

  /** The nightly line of this fixture, and more words; then a day passes. */
  async night(more: Line = [], options: NightOptions = {}): Promise<Night> {
    const isFirst = !existsSync(join(this.folder, this.#output[1] ?? ''));
    const words = ['--update', '--retries', '0', ...wordsOf(more)];
    const ofUpdates = ['--update', '--all', '--print-new'];
    const flags = words.filter((word) => !isFirst || !ofUpdates.includes(word));
    const result = await this.run(['uploads', ...this.#references, ...this.#output, ...flags], options);
    this.pass(1);
    return result;
  }

  read(name: string): Promise<string> {
    return readFile(join(this.folder, name), 'utf8');
  }

  write(name: string, text: string): Promise<void> {
    return writeFile(join(this.folder, name), text);
  }

  /** The `videoId` of each line of an NDJSON file. */
  async ids(name = 'a.ndjson'): Promise<(string | null)[]> {
    return idsOf(await this.read(name));
  }
}

/** Opens a fixture, which ends with the test. */
export async function nightlyRuns(t: TestContext, options: NightsOptions = {}): Promise<Nights> {
  t.after(() => process.chdir(repository));
  const service = await simulatedService(t, options);
  return new Nights(service, await temporaryFolder(t), await temporaryFolder(t), options);
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
