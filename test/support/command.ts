import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Context } from '../../src/context.ts';
import { main } from '../../src/main.ts';
import { capture } from './fake-context.ts';
import { type Line, stateHome, testKey, wordsOf } from './program.ts';

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** stdout and stderr are terminals of so many columns. */
  readonly columns?: number;
  /** The wall clock, in milliseconds since 1970, in place of one that advances only with the waits. */
  readonly now?: () => number;
  /** Each wait ends when this does (default: at once). */
  readonly sleeping?: () => Promise<void>;
}

export interface CommandResult {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Each wait, in milliseconds; none of them took any time. */
  readonly waits: readonly number[];
}

/** A folder of ledgers for each month: one of a later month would show that the clock is behind. */
const stateOf = (now: number): string => join(stateHome, new Date(now).toISOString().slice(0, 7));

/** Runs a command in this process with a fake context: captured streams, a clock that only waits move. */
export async function command(line: Line, options: CommandOptions = {}): Promise<CommandResult> {
  const out = capture(options.columns);
  const err = capture(options.columns);
  const waits: number[] = [];
  let time = 0;
  const now = options.now ?? (() => Date.UTC(2026, 0, 1) + time);
  const context: Context = {
    stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
    stdout: out.stream,
    stderr: err.stream,
    env: { TERM: 'dumb', XDG_STATE_HOME: stateOf(now()), ...options.env },
    clock: {
      now,
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
  if (`${stdout}${stderr}`.includes(testKey)) throw new Error('the key was shown');
  return { exit, stdout, stderr, waits };
}
