import { ClosedPipe, type ExitCode, Failure, gravest, toFailure, type Warning } from '../errors.ts';
import type { Stderr } from '../output/stderr.ts';
import { failureLines, tallyText, warningLines } from './report-lines.ts';
import { type Result, type Subject, unreachedResult } from './results.ts';
import { type Session, sandboxName } from './session.ts';
import type { WriteSummary } from './summary.ts';

/** What happened in a run: its warnings, what ended it, and at the end its lines on stderr and `--summary`. */
export class Report {
  /** The references, in input order. */
  readonly subjects: readonly Subject[];
  /** The reader of stdout has closed it: the end of the work, and no failure. */
  hasReaderLeft = false;
  /** What has ended the run; null while it works. */
  ended: Failure | null = null;
  readonly #session: Session;
  readonly #warnings: Warning[];
  readonly #writeSummary: WriteSummary;
  #failuresInRow = 0;

  constructor(
    session: Session,
    subjects: readonly Subject[],
    warnings: Warning[],
    writeSummary: WriteSummary,
  ) {
    this.#session = session;
    this.subjects = subjects;
    this.#warnings = warnings;
    this.#writeSummary = writeSummary;
  }

  /** Adds a warning to those that are printed at the end. */
  warn(code: Warning['code'], label: string | null, message: string): void {
    this.#warnings.push({ code, label, message });
  }

  /** Why no more work may start: a signal, or the failure that has ended the run; null if it may. */
  get stopped(): Failure | null {
    const { aborted, reason } = this.#session.context.stop;
    return aborted ? (reason as Failure) : this.ended;
  }

  /** Ends the run: nothing more is sent. */
  end(failure: Failure): void {
    this.ended ??= failure;
    this.#session.client.end(failure);
  }

  /** Ends the run at what a write to stdout has thrown: its reader has left, or it cannot be written. */
  endAt(thrown: unknown): void {
    if (thrown instanceof ClosedPipe) this.hasReaderLeft = true;
    else this.end(toFailure(thrown));
  }

  /** Does the work of a reference, unless the run has ended. A failure in its result may end the run. */
  async work(subject: Subject, work: () => Promise<Result>): Promise<Result> {
    const { stopped } = this;
    if (stopped !== null) return unreachedResult(subject, stopped);
    const result = await work();
    this.#add(result.failure);
    this.#session.progress.referenceDone();
    return result;
  }

  /** The same for a request of a reference: returns the response, or the failure. */
  async request<T>(send: () => Promise<T>): Promise<T | Failure> {
    const { stopped } = this;
    if (stopped !== null) return stopped;
    const response = await send().catch(toFailure);
    this.#add(response instanceof Failure ? response : null);
    return response;
  }

  #add(failure: Failure | null): void {
    this.#failuresInRow = failuresInRow(this.#failuresInRow, failure);
    if (failure?.scope === 'run') this.end(failure);
    else if (failure !== null && this.#failuresInRow >= outageLength) {
      const { status } = failure;
      this.end(
        new Failure('outage', `${outageLength} references in a row failed`, { status, cause: failure }),
      );
    }
  }

  /** Writes the first `--summary`. Throws as `WriteSummary`. */
  async start(): Promise<void> {
    await this.#writeSummary(
      this.subjects.map((subject) => unreachedResult(subject, null)),
      null,
    );
  }

  /**
   * Ends a run when its work ends, also if that throws: prints one line per cause and the tally, writes `--summary`, and
   * returns the exit code. `destination`: where the output went; null: stdout. Throws what the work throws before its
   * first request.
   */
  async finish(work: Promise<readonly Result[]>, destination: string | null): Promise<ExitCode> {
    const { stderr, progress, serviceName, budget, operation } = this.#session;
    let refusal: unknown = null;
    const results = await work.catch((error: unknown) => {
      this.end(toFailure(error));
      if (budget.total.requests === 0) refusal = error;
      return this.subjects.map((subject) => unreachedResult(subject, this.ended));
    });
    await progress.stop();
    if (this.hasReaderLeft) {
      await this.#writeSummary(results, { exit: 0, failure: null });
      return 0;
    }
    const isUndone = results.some(({ failure }) => failure !== null);
    const ended = this.ended ?? (isUndone ? this.stopped : null);
    // The handle of a channel that is gone also fails to resolve; do not report it twice.
    const gone = new Set(results.flatMap(({ failure, label }) => (failure?.code === 'gone' ? [label] : [])));
    reportWarnings(
      stderr,
      this.#warnings.filter(({ code, label }) => code !== 'unresolved' || !gone.has(label)),
    );
    if (refusal === null) {
      for (const { text, failure } of failureLines(results, ended, serviceName === sandboxName)) {
        stderr.error(text);
        stderr.printStack(failure);
      }
      if (ended === null || results.length > 1)
        stderr.note(tallyText(results, budget.total.credits, operation.credits > 0, destination));
    }
    const exit = gravest([...results.map(({ failure }) => failure?.exit ?? 0), ended?.exit ?? 0]);
    try {
      await this.#writeSummary(results, { exit, failure: ended });
    } catch (error) {
      stderr.error(toFailure(error).line());
      return exit === 0 ? 1 : exit;
    }
    if (refusal !== null) throw refusal;
    return exit;
  }
}

/** Prints warnings: one line per code, or per message without a reference. */
export function reportWarnings(stderr: Stderr, warnings: readonly Warning[]): void {
  for (const { text, isNote } of warningLines(warnings)) {
    if (isNote) stderr.note(text);
    else stderr.warn(text);
  }
}

/** Consecutive references with exit code 7 or 8 that end a run. */
export const outageLength = 5;

/**
 * How many references in a row have failed with 7 or 8, after one more is done; `failure`: null if it succeeded, which
 * ends the row. Other failures, and a feed that is empty or 404, do not count.
 */
export function failuresInRow(before: number, failure: Failure | null): number {
  if (failure === null) return 0;
  const counts = (failure.exit === 7 || failure.exit === 8) && failure.code !== 'no_feed';
  return counts ? before + 1 : before;
}
