import { lstatSync } from 'node:fs';
import type { CommonOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, type ExitCode, type Failure, toFailure } from '../errors.ts';
import { newTally } from '../service/budget.ts';
import { checkPaths, openOutput } from './output.ts';
import { type Report, type Result, reportText } from './results.ts';

/** The report of `--summary`: a JSON file, written at the start of the work (`"exit": null`) and replaced at its end. */
export class Summary {
  readonly #command: string;
  readonly #options: Pick<CommonOptions, 'summary' | 'quiet' | 'verbose'>;
  readonly #context: Context;
  readonly #started: number;
  readonly #startedAt: number;

  constructor(
    command: string,
    options: Pick<CommonOptions, 'summary' | 'quiet' | 'verbose'>,
    context: Context,
  ) {
    this.#command = command;
    this.#options = options;
    this.#context = context;
    this.#started = context.clock.now();
    this.#startedAt = context.clock.elapsed();
  }

  /** Writes it at the start. Throws `failed` if it cannot be created, a usage error for a link that others planted. */
  async start(results: readonly Result[]): Promise<void> {
    const { summary } = this.#options;
    if (summary === null) return;
    try {
      await this.#write({ exit: null, failure: null, results, total: null });
    } catch (error) {
      const failure = toFailure(error);
      throw failure.with({
        message: `--summary: ${failure.message}`,
        exit: isLink(summary) ? failure.exit : 1,
      });
    }
  }

  /** Writes it at the end. A reader that has gone, or does not read after a signal, is no failure. */
  async finish(report: Pick<Report, 'failure' | 'results' | 'total'> & { exit: ExitCode }): Promise<void> {
    if (this.#options.summary === null) return;
    await this.#write(report).catch((error: unknown) => {
      if (!(error instanceof ClosedPipe) && error !== this.#context.stop.reason) throw error;
    });
  }

  async #write(report: Pick<Report, 'exit' | 'failure' | 'results' | 'total'>): Promise<void> {
    const path = this.#options.summary ?? '';
    const seconds = (this.#context.clock.elapsed() - this.#startedAt) / 1000;
    const text = reportText({ ...report, command: this.#command, started: this.#started, seconds });
    const { resolveTarget } = await import('../fs/output-target.ts');
    const target = resolveTarget(path);
    if (target.kind === 'file') {
      const { writeFileAtomic } = await import('../fs/atomic.ts');
      writeFileAtomic(target, text);
    } else if (report.exit !== null) {
      // A device or a pipe gets the final report alone.
      await (await openOutput(target, this.#context, this.#options)).write(text);
    }
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Writes the receipt of a run that failed before it was opened; its failure is what counts. */
export async function writeSummaryOf(
  failure: Failure,
  options: Partial<CommonOptions>,
  context: Context,
): Promise<void> {
  const { summary = null, output = null, keyFile, dryRun, invocation, quiet = false, verbose = 0 } = options;
  if (dryRun) return;
  try {
    await checkPaths({ ...options, summary, output, keyFile }, context);
    const report = new Summary(invocation?.name ?? '', { summary, quiet, verbose }, context);
    await report.finish({ exit: failure.exit, failure, results: [], total: newTally() });
  } catch {
    // Reported is what went wrong first.
  }
}
