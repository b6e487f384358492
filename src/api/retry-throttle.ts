import type { Clock } from '../context.ts';

/** All waits of a call: their bound, and the rate limit that its requests share. Times are in milliseconds. */
export class RetryThrottle {
  readonly #clock: Clock;
  readonly #over: AbortSignal;
  readonly #most: number;
  readonly #told: (milliseconds: number, why: string) => void;
  /** Moment (of `clock.elapsed`) until which a 429 keeps every request waiting. */
  #pausedUntil = 0;
  /** Moment until which any request waits before it is sent again. */
  #waitingUntil = 0;
  /** Waited since the last success; of waits side by side the time, not their sum. */
  #waited = 0;

  /**
   * `over`: ends every wait, which then throws its reason. `most`: that may be waited in all without a success in
   * between. `told`: hears of each wait that begins.
   */
  constructor(
    clock: Clock,
    over: AbortSignal,
    most: number,
    told: (milliseconds: number, why: string) => void,
  ) {
    this.#clock = clock;
    this.#over = over;
    this.#most = most;
    this.#told = told;
  }

  /** A request has succeeded: the count starts anew. */
  succeeded(): void {
    this.#waited = 0;
  }

  /** Takes a wait into account; false where it would be longer than allowed. */
  reserveWait(wait: number): boolean {
    const now = this.#clock.elapsed();
    const more = Math.max(0, now + wait - Math.max(this.#waitingUntil, now));
    if (this.#waited + more > this.#most) return false;
    this.#waited += more;
    this.#waitingUntil = Math.max(this.#waitingUntil, now + wait);
    return true;
  }

  /** Keeps every request waiting. */
  pause(wait: number, why: string): void {
    const until = this.#clock.elapsed() + wait;
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    this.#told(wait, why);
  }

  /** Resolves when no pause keeps requests waiting. */
  async paused(): Promise<void> {
    for (;;) {
      const left = this.#pausedUntil - this.#clock.elapsed();
      if (left <= 0) return;
      await this.#clock.sleep(left, this.#over);
    }
  }

  /** RetryThrottle for one request. */
  async sleep(wait: number, why: string): Promise<void> {
    this.#told(wait, why);
    await this.#clock.sleep(wait, this.#over);
  }
}
