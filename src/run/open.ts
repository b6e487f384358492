import type { CommonOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import type { Failure, Warning } from '../errors.ts';
import { Stderr } from '../output/stderr.ts';
import type { Budget } from '../service/budget.ts';
import type { Client } from '../service/client.ts';
import type { Operation } from '../service/contract.ts';
import { Report, reportWarnings } from './report.ts';
import type { Result, Subject } from './results.ts';
import { Session } from './session.ts';
import { summaryWriter } from './summary.ts';

export type { Warning } from '../errors.ts';
export { sandboxName, serviceName } from './session.ts';

/** What a run does. */
interface Work {
  /** That of the command. */
  readonly operation: Operation;
  /** The references, in input order. */
  readonly subjects: readonly Subject[];
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
}

/** A run of a command that uses the service. The members but `session` and `report` are theirs. */
export class Run {
  readonly session: Session;
  readonly report: Report;

  constructor(session: Session, report: Report) {
    this.session = session;
    this.report = report;
  }

  get operation(): Operation {
    return this.session.operation;
  }

  get context(): Context {
    return this.session.context;
  }

  get stderr(): Stderr {
    return this.session.stderr;
  }

  get client(): Client {
    return this.session.client;
  }

  get budget(): Budget {
    return this.session.budget;
  }

  get serviceName(): string {
    return this.session.serviceName;
  }

  get isNothingAllowed(): boolean {
    return this.session.isNothingAllowed;
  }

  get subjects(): readonly Subject[] {
    return this.report.subjects;
  }

  get stopped(): Failure | null {
    return this.report.stopped;
  }

  shareProgress(): void {
    this.session.shareProgress(this.report.subjects.length);
  }

  warn(code: Warning['code'], label: string | null, message: string): void {
    this.report.warn(code, label, message);
  }

  end(failure: Failure): void {
    this.report.end(failure);
  }

  work(subject: Subject, work: () => Promise<Result>): Promise<Result> {
    return this.report.work(subject, work);
  }

  request<T>(send: () => Promise<T>): Promise<T | Failure> {
    return this.report.request(send);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session[Symbol.asyncDispose]();
  }
}

/**
 * Opens a run: the service, with `--sandbox` a new one, and the first `--summary`. Throws as `Session.open` and
 * `Report.start`; warnings are printed first.
 */
export async function openRun(
  { operation, subjects, concurrency }: Work,
  options: CommonOptions,
  context: Context,
): Promise<Run> {
  const warnings: Warning[] = [];
  const warn = (message: string): void => void warnings.push({ code: 'ledger', label: null, message });
  const connections = Math.min(concurrency, subjects.length);
  const stderr = new Stderr(context, options);
  let session: Session | null = null;
  try {
    session = await Session.open({ operation, connections, warn }, options, context, stderr);
    // A ledger that a bound needs and that cannot be used stops a paid run before its first request.
    if (operation.credits > 0) await session.budget.prepare();
    const writeSummary = summaryWriter(operation.name, options.summary, session.budget.total, context);
    const report = new Report(session, subjects, warnings, writeSummary);
    await report.start();
    return new Run(session, report);
  } catch (error) {
    await session?.[Symbol.asyncDispose]();
    reportWarnings(stderr, warnings);
    throw error;
  }
}
