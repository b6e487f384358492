import type { Clock } from '../context.ts';

/** The waits of a run, and the rate limit that its requests share. Times are in milliseconds. */
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

  /** Total wait since the last success if a wait of `waitMs` started now. Overlapping waits count once. */
  totalWith(waitMs: number): number {
    return this.#totalMs + Math.max(0, waitMs - Math.max(0, this.#waitingUntil - this.#clock.elapsed()));
  }

  /** A request has succeeded: the total starts again at 0. */
  succeeded(): void {
    this.#totalMs = 0;
  }

  /** Makes one request wait; or every request of the run, until `paused` resolves. */
  async wait(waitMs: number, pausesRun: boolean, why: string): Promise<void> {
    const until = this.#clock.elapsed() + waitMs;
    this.#totalMs = this.totalWith(waitMs);
    this.#waitingUntil = Math.max(this.#waitingUntil, until);
    if (pausesRun && until <= this.#pausedUntil) return;
    this.#onWait(waitMs, why);
    if (pausesRun) this.#pausedUntil = until;
    else await this.#clock.sleep(waitMs, this.#signal);
  }

  /** Resolves once the run is not paused, even if the pause is extended meanwhile. */
  async paused(): Promise<void> {
    for (;;) {
      const left = this.#pausedUntil - this.#clock.elapsed();
      if (left <= 0) return;
      await this.#clock.sleep(left, this.#signal);
    }
  }
}
