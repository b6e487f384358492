import { Readable } from 'node:stream';
import type { Context } from '../../src/context.ts';
import { main } from '../../src/main.ts';
import { capture } from './fake-context.ts';
import { assertOutput, type Line, linesOf, type RunOptions, stateHome, wordsOf } from './program.ts';

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array | undefined;
  /** stdout and stderr are terminals of so many columns. */
  readonly columns?: number;
  /** stderr is not a terminal. */
  readonly isStderrFile?: boolean;
  /** The wall clock, in milliseconds since 1970, in place of one that advances only with the waits. */
  readonly now?: () => number;
  /** Each wait ends when this does (default: at once). */
  readonly sleeping?: () => Promise<void>;
}

export type CommandResult = Awaited<ReturnType<typeof command>>;

/**
 * Runs a command in this process with a fake context: captured streams, a clock that only waits move. `waits`: each wait,
 * in milliseconds.
 */
export async function command(line: Line, options: CommandOptions = {}) {
  const out = capture(options.columns);
  const err = capture(options.isStderrFile ? undefined : options.columns);
  const waits: number[] = [];
  let time = 0;
  const context: Context = {
    stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
    stdout: out.stream,
    stderr: err.stream,
    env: { TERM: 'dumb', XDG_STATE_HOME: stateHome, ...options.env },
    clock: {
      now: options.now ?? (() => Date.UTC(2026, 0, 1) + time),
      elapsed: () => time,
      random: () => 0,
      sleep: async (milliseconds, signal) => {
        signal.throwIfAborted();
        waits.push(milliseconds);
        const aborted = new Promise<void>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
        await Promise.race([options.sleeping?.(), aborted]);
        time += milliseconds;
      },
    },
    stop: new AbortController().signal,
  };
  const exit = await main([...wordsOf(line)], context);
  const [stdout, stderr] = [out.text(), err.text()];
  assertOutput(stdout, stderr);
  return { exit, signal: null, stdout, stderr, lines: linesOf(stdout), waits };
}

/**
 * Runs a command in this process as `run` of `program.ts` runs the built program: with the time, and the ledger of all runs.
 * `cwd`: the working directory of this process meanwhile; such runs are not concurrent. `now`: what the clock shows.
 */
export async function runHere(
  line: Line,
  { env, input, cwd, now }: Pick<RunOptions, 'env' | 'input' | 'cwd'> & { readonly now?: number } = {},
) {
  const before = process.cwd();
  process.chdir(cwd ?? before);
  const options = { env: { HOME: '/nonexistent', ...env }, stdin: input, now: () => now ?? Date.now() };
  return await command(line, options).finally(() => process.chdir(before));
}
