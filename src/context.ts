import { setMaxListeners } from 'node:events';
import type { Readable } from 'node:stream';
import { stoppedBy, stopSignals } from './errors.ts';

/** The clock of the program. Tests replace it, so that none of them sleeps. */
export interface Clock {
  /** Wall clock, in milliseconds since 1970: for dates only. */
  now(): number;
  /** Milliseconds since a fixed moment: for durations, because it never jumps. */
  elapsed(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason once that is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
}

export type Env = Readonly<Record<string, string | undefined>>;

/** Everything outside the process that a command uses, besides files. */
export interface Context {
  readonly stdin: Readable & { isTTY?: boolean; setRawMode?: (isRaw: boolean) => unknown };
  readonly stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  readonly stderr: Context['stdout'];
  readonly env: Env;
  readonly clock: Clock;
  /** Aborted, with a `Failure` as its reason, when a signal asks the program to stop. */
  readonly stop: AbortSignal;
}

const systemClock: Clock = {
  now: () => Date.now(),
  // Not `performance`, which Node loads on first use.
  elapsed: () => process.uptime() * 1000,
  random: () => Math.random(),
  sleep: async (ms, signal) => {
    const { setTimeout } = process.getBuiltinModule('node:timers/promises');
    await setTimeout(ms, undefined, { signal }).catch(() => {
      throw signal.reason;
    });
  },
};

/** A signal that repeats within this time counts once: `timeout` sends two. */
const repeatMs = 1000;

/**
 * Returns the context of this process. The first signal starts a graceful shutdown. A second one, more than a second later,
 * ends the process at once. A third one ends a process that hangs while it exits.
 */
export function processContext(): Context {
  const controller = new AbortController();
  // Allow many listeners: each concurrent request adds one.
  setMaxListeners(0, controller.signal);
  let stoppedAt = 0;
  const onSignal = (signal: (typeof stopSignals)[number]): void => {
    const reason = stoppedBy(signal);
    if (controller.signal.aborted) {
      if (systemClock.elapsed() - stoppedAt < repeatMs) return;
      for (const name of stopSignals) process.removeAllListeners(name);
      process.exit(reason.exit);
    }
    stoppedAt = systemClock.elapsed();
    controller.abort(reason);
  };
  for (const signal of stopSignals) process.on(signal, onSignal);
  // Opening a standard stream takes milliseconds: each is opened on first use.
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    get stderr() {
      return process.stderr;
    },
    env: process.env,
    clock: systemClock,
    stop: controller.signal,
  };
}
