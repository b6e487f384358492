import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Collected } from './collect.ts';
import { command } from './command.ts';
import {
  clockEnvironment,
  ended,
  type Line,
  linesOf,
  serviceEnvironment,
  start,
  temporaryFolder,
  wordsOf,
} from './program.ts';
import {
  type LoggedRequest,
  type SimulatedOptions,
  type SimulatedService,
  simulatedService,
} from './simulated-service.ts';
import { linesOfStderr } from './stderr.ts';
import { reported } from './summary.ts';

/** A paid request that ends a run, counted from 1, and how: a status, or the death of the process (page charged or not). */
export interface Stop {
  readonly at: number;
  readonly by: 402 | 500 | 'kill' | 'kill-charged';
}

export interface WorldOptions extends Partial<Stop> {
  readonly env?: Readonly<Record<string, string>>;
  /** Gets the process, e.g. to kill it. */
  readonly started?: (child: ChildProcess) => void;
  /** A command that runs the program, whose command line follows it. */
  readonly within?: readonly string[];
  /** A file descriptor in place of a pipe that is read to its end. */
  readonly stdout?: number;
  readonly noSummary?: boolean;
}

/** How a run ended, and what the service saw of it and charged. `errors` and `warnings`: without their beginning. */
export type WorldRun = Awaited<ReturnType<World['run']>>;

type Snapshot = ReadonlyMap<string, { readonly bytes: Buffer | null; readonly mode: number }>;

/** A service and a folder, in which the program runs: quickly in this process, or as a process of its own. */
export class World {
  readonly service: SimulatedService;
  readonly folder: string;
  /** HOME of the program; the ledger is one of its own: clocks differ. */
  readonly home: string;
  /** Whether runs write a summary: what it says was charged is then what the service charged. */
  readonly isReported: boolean = false;
  now = Date.parse('2026-03-01T03:00:00Z');

  constructor(service: SimulatedService, folder: string, home: string) {
    this.service = service;
    this.folder = folder;
    this.home = home;
  }

  /** The test's working directory is the folder from the first run until the test ends. */
  static async open(t: TestContext, options: SimulatedOptions = {}): Promise<World> {
    t.after(() => process.chdir(repository));
    return new World(await simulatedService(t, options), await temporaryFolder(t), await temporaryFolder(t));
  }

  pass(days: number): void {
    this.now += days * 24 * 60 * 60 * 1000;
  }

  /**
   * Runs the program once, in this process, but as one of its own with the last three options; no time passes. A kill of
   * this process is the folder as it was when the request arrived: what the run did after that is undone.
   */
  async run(line: Line, options: WorldOptions | null = null) {
    const words = withoutRetries(line);
    const { noSummary = !this.isReported, ...others } = options ?? {};
    const first = this.service.log.length;
    const path = noSummary || isLocal(words) ? null : join(this.home, 'summary.json');
    const charged = (): number => creditsOf(this.service.log.slice(first));
    return await reported(words, path, (all) => this.#run(all, others), charged);
  }

  async #run(words: readonly string[], options: WorldOptions) {
    const { at = Number.POSITIVE_INFINITY, by = 500, env, started, within, stdout } = options;
    const { service, folder, home, now } = this;
    const first = service.log.length;
    let atKill: Snapshot | null = null;
    const cancel = service.failPaid(at, faults[by], () => {
      if (by !== 402 && by !== 500) atKill = takeSnapshot(folder);
    });
    const own = { HOME: home, XDG_STATE_HOME: join(home, 'state'), TZ: 'UTC' };
    const environment = { ...serviceEnvironment(service.url), ...own, ...env };
    process.chdir(folder);
    let result: Collected;
    if (started === undefined && within === undefined && stdout === undefined)
      result = { ...(await command(words, { env: environment, now: () => now })), signal: null };
    else {
      const child = start(words, {
        env: { ...environment, ...clockEnvironment(now) },
        cwd: folder,
        stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
        ...(within !== undefined && { within }),
      });
      started?.(child);
      result = await ended(child);
      // The service charges for the request that was under way.
      await turn();
    }
    cancel();
    if (atKill !== null) restoreSnapshot(folder, atKill);
    const requests = service.log.slice(first);
    const mail = linesOf(result.stderr);
    assert.ok(mail.length <= 20, `a mail of ${mail.length} lines:\n${result.stderr}`);
    const { errors, warnings } = linesOfStderr(result.stderr);
    return {
      ...result,
      ...(atKill !== null && { exit: null, signal: 'SIGKILL' as const }),
      lines: linesOf(result.stdout),
      requests,
      operations: requests.map(({ operation }) => operation),
      errors,
      warnings,
      mail,
      credits: creditsOf(requests),
    };
  }

  /** Runs the program as a process, which gets a signal when the paid request of this number arrives, counted from 1. */
  async spawn(
    line: Line,
    at = Number.POSITIVE_INFINITY,
    signal: NodeJS.Signals = 'SIGKILL',
  ): Promise<WorldRun> {
    let left = at;
    let kill = async (): Promise<void> => {};
    const unhook = this.service.on(async (request) => {
      if (isPaid(request) && --left === 0) await kill();
    });
    const started = (child: ChildProcess): void => {
      kill = async () => {
        child.kill(signal);
        await once(child, 'exit');
      };
    };
    return await this.run(line, { started }).finally(unhook);
  }

  has(name: string): boolean {
    return fs.existsSync(join(this.folder, name));
  }

  read(name: string): string {
    return fs.readFileSync(join(this.folder, name), 'utf8');
  }

  write(name: string, text: string): void {
    fs.writeFileSync(join(this.folder, name), text);
  }

  remove(name: string): void {
    fs.rmSync(join(this.folder, name), { recursive: true, force: true });
  }

  /** All files in a folder, hidden ones too, but not `.chanlist`. */
  files(name = '.'): string[] {
    const all = fs.readdirSync(join(this.folder, name));
    return all.filter((each) => each !== '.chanlist').sort();
  }

  /** Pastes a command that the program has printed: one of the program, or of the shell (null). Throws unless it ends so. */
  async paste(line: string, exit = 0): Promise<WorldRun | null> {
    if (!line.startsWith('chanlist ')) {
      execFileSync('sh', ['-c', line], { cwd: this.folder });
      return null;
    }
    const run = await this.run(wordsOfShell(line).slice(1));
    assert.equal(run.exit, exit, `${line}: ${run.stderr}`);
    return run;
  }

  /** The IDs in a file of any format, in its order; null without one. */
  ids(name = 'a.ndjson', format = 'ndjson'): string[] | null {
    return this.has(name) ? idsInText(this.read(name), format) : null;
  }
}

const creditsOf = (requests: readonly LoggedRequest[]): number =>
  requests.reduce((sum, { credits }) => sum + credits, 0);

/** What the service does where a run stops. */
const faults = { 402: 402, 500: 500, kill: 'reset', 'kill-charged': 'reset-charged' } as const;

const isLocal = (words: readonly string[]): boolean => /^(?:show|check|credits)$/.test(words[0] ?? '');

/** Commands that send requests do not repeat them. */
const withoutRetries = (line: Line): readonly string[] => {
  const words = wordsOf(line);
  return isLocal(words) || words.includes('--retries') ? words : [...words, '--retries', '0'];
};

const isPaid = ({ operation }: LoggedRequest): boolean => operation === 'uploads' || operation === 'playlist';

// Before a test changes the working directory.
const repository = process.cwd();

/** The IDs in the text of an export with `videoId` as its first field. */
export function idsInText(text: string, format = 'ndjson'): string[] {
  if (format === 'json') {
    const { results } = JSON.parse(text) as { results: { videoId: string }[] };
    return results.map(({ videoId }) => videoId);
  }
  const lines = text.split('\n');
  assert.equal(lines.pop(), '', 'the last line has no end');
  if (format === 'id') return lines;
  if (format === 'csv') return lines.slice(1).map((line) => line.slice(0, line.indexOf(',')));
  return lines.map((line) => (JSON.parse(line) as { videoId: string }).videoId);
}

/** All files and folders below a folder; not the sockets, which no copy has. */
export function takeSnapshot(folder: string): Snapshot {
  const found = new Map<string, { bytes: Buffer | null; mode: number }>();
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() && !entry.isDirectory()) continue;
    found.set(path, {
      bytes: entry.isFile() ? fs.readFileSync(path) : null,
      mode: fs.statSync(path).mode & 0o777,
    });
  }
  return found;
}

/** Sets a folder back; files that have not changed are not written. */
export function restoreSnapshot(folder: string, snapshot: Snapshot): void {
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!snapshot.has(path)) fs.rmSync(path, { recursive: true, force: true });
  }
  for (const [path, { bytes, mode }] of snapshot) {
    if (bytes === null) fs.mkdirSync(path, { recursive: true, mode });
    else if (!fs.existsSync(path) || !fs.readFileSync(path).equals(bytes))
      fs.writeFileSync(path, bytes, { mode });
    if ((fs.statSync(path).mode & 0o777) !== mode) fs.chmodSync(path, mode);
  }
}

/** The words of a line that the program has quoted for a shell. */
export const wordsOfShell = (line: string): string[] =>
  [...line.matchAll(/'((?:[^']|'\\'')*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
