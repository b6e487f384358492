import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { command } from './command.ts';
import {
  clockEnvironment,
  ended,
  type Line,
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
import { said } from './stderr.ts';

/** A paid request that ends a run, counted from 1, and how: a status, or the death of the process (page charged or not). */
export interface Stop {
  readonly at: number;
  readonly by: 402 | 500 | 'kill' | 'kill-charged';
}

/** How a run ended, and what the service charged for it. */
export interface WorldRun {
  /** Null if it was killed. */
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly credits: number;
  /** Lines of stderr, without their beginning. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

type Snapshot = ReadonlyMap<string, { readonly bytes: Buffer | null; readonly mode: number }>;

/** A service and a folder, in which the program runs: quickly in this process, or as a process of its own. */
export class World {
  readonly service: SimulatedService;
  readonly folder: string;
  /** Names the service; the ledger is one of its own: clocks differ. */
  readonly #env: Readonly<Record<string, string>>;
  /** What the program's clock shows. */
  now = Date.parse('2026-03-01T03:00:00Z');

  private constructor(service: SimulatedService, folder: string, state: string) {
    this.service = service;
    this.folder = folder;
    this.#env = { ...serviceEnvironment(service.url), XDG_STATE_HOME: state };
  }

  /** The test's working directory is the folder until the test ends. */
  static async open(t: TestContext, options: SimulatedOptions = {}): Promise<World> {
    const service = await simulatedService(t, options);
    const folder = await temporaryFolder(t);
    process.chdir(folder);
    t.after(() => process.chdir(repository));
    return new World(service, folder, await temporaryFolder(t));
  }

  pass(days: number): void {
    this.now += days * 24 * 60 * 60 * 1000;
  }

  /**
   * Runs a command in this process. A kill is the folder as it was when the request arrived: what the run did after
   * that is undone.
   */
  async run(line: Line, stop: Stop | null = null): Promise<WorldRun> {
    const first = this.service.log.length;
    let atKill: Snapshot | null = null;
    let cancel = (): void => {};
    if (stop !== null) {
      const isKill = typeof stop.by === 'string';
      const fault = stop.by === 'kill' ? 'reset' : stop.by === 'kill-charged' ? 'reset-charged' : stop.by;
      const forget = this.service.failPaid(stop.at, fault);
      let left = stop.at;
      const unhook = this.service.on((request) => {
        if (isPaid(request) && --left === 0 && isKill) atKill = takeSnapshot(this.folder);
      });
      cancel = () => {
        forget();
        unhook();
      };
    }
    const { exit, stdout, stderr } = await command(withoutRetries(line), {
      env: this.#env,
      now: () => this.now,
    });
    cancel();
    if (atKill !== null) restoreSnapshot(this.folder, atKill);
    return this.#result(atKill === null ? exit : null, stdout, stderr, first);
  }

  /** Runs a command as a process; killed when the paid request of this number arrives, counted from 1. */
  async spawn(line: Line, killAt = Number.POSITIVE_INFINITY): Promise<WorldRun> {
    const first = this.service.log.length;
    const env = { ...this.#env, ...clockEnvironment(this.now) };
    const child = start(withoutRetries(line), { cwd: this.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const end = ended(child);
    let left = killAt;
    const unhook = this.service.on(async (request) => {
      if (!isPaid(request) || --left !== 0) return;
      child.kill('SIGKILL');
      await end;
    });
    const { exit, stdout, stderr } = await end;
    unhook();
    // The service charges for the request that was under way.
    await turn();
    return this.#result(exit, stdout, stderr, first);
  }

  has(name: string): boolean {
    return existsSync(join(this.folder, name));
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  remove(name: string): void {
    rmSync(join(this.folder, name), { recursive: true, force: true });
  }

  /** The IDs in a file of any format, in its order; null without one. */
  ids(name: string, format: string): string[] | null {
    return this.has(name) ? idsInText(this.read(name), format) : null;
  }

  #result(exit: number | null, stdout: string, stderr: string, first: number): WorldRun {
    const credits = this.service.log.slice(first).reduce((sum, request) => sum + request.credits, 0);
    const { errors, warnings } = said(stderr);
    return { exit, stdout, stderr, credits, errors, warnings };
  }
}

/** Commands that send requests do not repeat them. */
const withoutRetries = (line: Line): readonly string[] => {
  const words = wordsOf(line);
  return ['show', 'check'].includes(words[0] ?? '') ? words : [...words, '--retries', '0'];
};

const isPaid = ({ operation }: LoggedRequest): boolean => operation === 'uploads' || operation === 'playlist';

// Before a test changes the working directory.
const repository = process.cwd();

/** The IDs in the text of an export with `videoId` as its first field. */
export function idsInText(text: string, format: string): string[] {
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
function takeSnapshot(folder: string): Snapshot {
  const found = new Map<string, { bytes: Buffer | null; mode: number }>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() && !entry.isDirectory()) continue;
    found.set(path, { bytes: entry.isFile() ? readFileSync(path) : null, mode: statSync(path).mode & 0o777 });
  }
  return found;
}

/** Sets a folder back; files that have not changed are not written. */
function restoreSnapshot(folder: string, snapshot: Snapshot): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!snapshot.has(path)) rmSync(path, { recursive: true, force: true });
  }
  for (const [path, { bytes, mode }] of snapshot) {
    if (bytes === null) mkdirSync(path, { recursive: true, mode });
    else if (!existsSync(path) || !readFileSync(path).equals(bytes)) writeFileSync(path, bytes, { mode });
    if ((statSync(path).mode & 0o777) !== mode) chmodSync(path, mode);
  }
}

/**
 * The first command that a message says to run, as words: from `chanlist` to the end of its clause; null if it names
 * none.
 */
export function printedCommand(stderr: string): string[] | null {
  const [, line] = /(?<!^)\bchanlist ((?:uploads|playlist|show|check) [^\n;()]*)/m.exec(stderr) ?? [];
  if (line === undefined) return null;
  const [clause = ''] = line.split(
    /(?:, (?!')| to (?:resume|start|adopt|repair|convert|refresh)\b| prints |\.$|\. )/,
  );
  return wordsOfShell(clause);
}

/** The words of a line that the program has quoted for a shell. */
export const wordsOfShell = (line: string): string[] =>
  [...line.matchAll(/'((?:[^']|'\\'')*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
