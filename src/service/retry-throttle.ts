import type { Clock } from '../context.ts';

/** The waits of a call, and the rate limit that its requests share. Times are in milliseconds. */
export class RetryThrottle {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #onWait: (milliseconds: number, why: string) => void;
  /** Time (of `clock.elapsed`) until which a 429 pauses every request. */
  #pausedUntil = 0;
  /** Time until which some request waits. */
  #waitingUntil = 0;
  #totalMs = 0;

  /** `signal` ends every wait, which then throws its reason; `onWait` is called as each wait starts. */
  constructor(clock: Clock, signal: AbortSignal, onWait: (milliseconds: number, why: string) => void) {
    this.#clock = clock;
    this.#signal = signal;
    this.#onWait = onWait;
  }

  /** Total wait reserved since the last success; overlapping waits count once. */
  get totalMs(): number {
    return this.#totalMs;
  }

  /** How long the waits that are part of `totalMs` last from now. */
  get pendingMs(): number {
    return Math.max(0, this.#waitingUntil - this.#clock.elapsed());
  }

  /** A request has succeeded: the total starts again at 0. */
  succeeded(): void {
    this.#totalMs = 0;
  }

  /** Adds a wait that starts now to the total. */
  reserveWait(waitMs: number): void {
    this.#totalMs += Math.max(0, waitMs - this.pendingMs);
    this.#waitingUntil = Math.max(this.#waitingUntil, this.#clock.elapsed() + waitMs);
  }

  /** Pauses every request of the call. */
  pause(waitMs: number, why: string): void {
    const until = this.#clock.elapsed() + waitMs;
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    this.#onWait(waitMs, why);
  }

  /** Resolves once the call is not paused, even if the pause is extended meanwhile. */
  async paused(): Promise<void> {
    for (;;) {
      const left = this.#pausedUntil - this.#clock.elapsed();
      if (left <= 0) return;
      await this.#clock.sleep(left, this.#signal);
    }
  }

  /** Makes one request wait. */
  async sleep(waitMs: number, why: string): Promise<void> {
    this.#onWait(waitMs, why);
    await this.#clock.sleep(waitMs, this.#signal);
  }
}
