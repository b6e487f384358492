import type { Clock } from '../context.ts';
import { type ExitCode, Failure, toFailure } from '../errors.ts';
import type { Tally } from '../service/budget.ts';
import { escapeUnsafe } from '../text/sanitize.ts';
import { type Result, statuses } from './results.ts';

/** How a run has ended. `total`: what it has sent and spent. */
export interface RunEnd {
  readonly exit: ExitCode;
  readonly failure: Failure | null;
  readonly total: Tally;
}

/** The JSON report of a run (`--summary FILE`): written at the start of the work and replaced at its end. */
export class Summary {
  readonly #command: string;
  readonly #path: string | null;
  readonly #clock: Clock;
  readonly #started: string;
  readonly #startedAt: number;

  /** `path`: null if none is asked for. */
  constructor(command: string, path: string | null, clock: Clock) {
    this.#command = command;
    this.#path = path;
    this.#clock = clock;
    this.#started = new Date(clock.now()).toISOString();
    this.#startedAt = clock.elapsed();
  }

  /** `end`: null while the run works. Throws `failed` (1) if the file cannot be written. */
  async write(results: readonly Result[], end: RunEnd | null): Promise<void> {
    if (this.#path === null) return;
    const text = `${escapeUnsafe(JSON.stringify(this.#report(results, end), null, 2))}\n`;
    try {
      const { resolveTarget } = await import('../fs/output-target.ts');
      const target = resolveTarget(this.#path);
      const { writeFileAtomic } = await import('../fs/atomic.ts');
      writeFileAtomic(target, text);
    } catch (error) {
      const { message, next } = toFailure(error);
      throw new Failure('failed', `--summary: ${message}`, { next, cause: error });
    }
  }

  #report(results: readonly Result[], end: RunEnd | null): object {
    const counts = statuses.map((status) => [
      status,
      results.filter((result) => result.status === status).length,
    ]);
    return {
      command: this.#command,
      started: this.#started,
      seconds: Math.round(this.#clock.elapsed() - this.#startedAt) / 1000,
      exit: end?.exit ?? null,
      error: errorOf(end?.failure ?? null),
      // Null until the run ends: the summary of a killed run does not claim that nothing was spent.
      credits: end?.total.credits ?? null,
      requests: end?.total.requests ?? null,
      retries: end?.total.retries ?? null,
      counts: Object.fromEntries(counts),
      references: results.map((result) => ({
        reference: result.reference,
        id: result.id,
        file: result.file,
        status: result.status,
        entries: result.entries,
        new: result.added,
        missing: result.missing,
        unlisted: result.unlisted,
        pages: result.pages,
        credits: end && result.tally.credits,
        resumed: result.resumed,
        continuation_token: result.token,
        error: errorOf(result.failure),
        exit: result.failure?.exit ?? null,
      })),
    };
  }
}

const errorOf = (failure: Failure | null): object | null =>
  failure && { code: failure.code, status: failure.status, message: failure.message };
