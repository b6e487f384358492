import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Collected, collect } from './collect.ts';
import { refuseKeyInFiles, watchForKey } from './key-watch.ts';

/** The built program, as a person or a cron job starts it. */
export const launcher = join(process.cwd(), 'bin/chanlist.js');

/** The key that every test service takes, and that must never be seen in any output. */
export const testKey = 'sk_test_7f3a9c1e55d2b8';

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdio?: SpawnOptions['stdio'];
  readonly node?: readonly string[];
  /** A command that runs the program, whose command line follows it. */
  readonly within?: readonly string[];
}

export interface RunOptions extends StartOptions {
  readonly input?: string | Uint8Array;
  /** Called with the process once it runs. */
  readonly started?: (child: ChildProcess) => void;
}

export interface Result extends Collected {
  /** The records of stdout, one JSON value a line. */
  readonly lines: string[];
}

/** A folder of its own for a test, removed afterwards; the test fails if the program wrote the key into it. */
export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'chanlist-test-'));
  t.after(async () => {
    // A hook that throws would be the last one: servers stayed open, and the process would not end.
    await refuseKeyInFiles(folder, testKey).catch((error: unknown) =>
      queueMicrotask(() => {
        throw error;
      }),
    );
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Folder of the credit ledger, one for all tests of a file. */
export const stateHome = mkdtempSync(join(tmpdir(), 'chanlist-state-'));
process.on('exit', () => rmSync(stateHome, { recursive: true, force: true }));

/** Environment of a run: nothing of the machine's but what Node needs, and a home that does not exist. */
export function cleanEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: '/nonexistent', XDG_STATE_HOME: stateHome, ...extra };
}

export function serviceEnvironment(baseUrl: string): Record<string, string> {
  return { CHANLIST_BASE_URL: baseUrl, CHANLIST_API_KEY: testKey };
}

// Before a test changes the working directory.
const fakeClock = join(process.cwd(), 'test/support/fake-clock.cjs');

/** Environment of a process whose clock shows this time, in milliseconds since 1970. */
export function clockEnvironment(now: number): Record<string, string> {
  const time = new Date(now).toISOString();
  return { TZ: 'UTC', NODE_OPTIONS: `--require=${fakeClock}`, CHANLIST_TEST_NOW: time };
}

/** A command line: its words, or a text with a space between them. */
export type Line = string | readonly string[];

export const wordsOf = (line: Line): readonly string[] => (typeof line === 'string' ? line.split(' ') : line);

/** Starts the built program. What it writes, and its line in the process list, must not contain the key. */
export function start(line: Line, options: StartOptions = {}): ChildProcess {
  const { env, cwd, stdio = 'pipe', node = [], within = [] } = options;
  const [command = '', ...words] = [...within, process.execPath, ...node, launcher, ...wordsOf(line)];
  const child = spawn(command, words, { env: cleanEnvironment(env), cwd, stdio });
  watchForKey(child, testKey);
  return child;
}

/** How often a line says how to repeat or resume the run. */
const nextSteps = (line: string): number => line.match(/\bthe same command\b|; resume with: /g)?.length ?? 0;

/** Throws if a run has shown the key, or says in one line how to resume twice. */
export function assertOutput(stdout: string, stderr: string): void {
  if (`${stdout}${stderr}`.includes(testKey)) throw new Error('the key was shown');
  const repetitive = stderr.split('\n').find((line) => nextSteps(line) > 1);
  if (repetitive !== undefined) throw new Error(`it says twice how to resume: ${repetitive}`);
}

export const linesOf = (stdout: string): string[] => stdout.split('\n').filter((line) => line !== '');

export async function ended(child: ChildProcess): Promise<Result> {
  const collected = await collect(child);
  assertOutput(collected.stdout, collected.stderr);
  return { ...collected, lines: linesOf(collected.stdout) };
}

export function run(line: Line, options: RunOptions = {}): Promise<Result> {
  const child = start(line, options);
  child.stdin?.on('error', () => {});
  child.stdin?.end(options.input ?? '');
  options.started?.(child);
  return ended(child);
}
