import { constants } from 'node:os';
import { messageLine, type Step, stepText } from './text/command.ts';
import { excerpt } from './text/truncate.ts';

/** The exit codes: one row per code. `chanlist help exit-codes` and the man page print these rows. */
export const exitCodes = {
  0: 'done, or the reader closed the pipe',
  1: 'something else went wrong (disk, a damaged store, ledger or archive, entries lost, a bug)',
  2: 'usage; nothing was spent for what it names',
  3: 'no account is configured (address or key missing), or the key or access to a reference was rejected (401, 403)',
  4: 'no credits (402): free requests need at least one too',
  5: 'not found (404)',
  6: 'rate limited, and waiting would take too long',
  7: 'the service, its feed or the network is not available',
  8: 'the service refused the request (other 4xx) or its response is invalid',
  9: 'stopped by --max-credits, more to come',
  10: 'another run is writing this file',
  11: 'check found problems',
  129: 'stopped by SIGHUP, after saying how to resume',
  130: 'stopped by SIGINT, after saying how to resume',
  143: 'stopped by SIGTERM, after saying how to resume',
} as const;

export type ExitCode = keyof typeof exitCodes;

interface FailureRow {
  readonly exit: ExitCode;
  /** What the failure stops: its `reference` alone, `purchases` (free requests are still sent), or the whole `run`. */
  readonly scope: 'reference' | 'purchases' | 'run';
  readonly step?: Step;
}

/** The closed set of failures: one row per kind. */
const failureRows = {
  failed: { exit: 1, scope: 'run', step: 'run the same command again' },
  damaged: { exit: 1, scope: 'reference' },
  lost: { exit: 1, scope: 'reference' },
  usage: { exit: 2, scope: 'run' },
  unauthorized: { exit: 3, scope: 'run' },
  no_credits: { exit: 4, scope: 'run' },
  not_found: { exit: 5, scope: 'reference' },
  gone: { exit: 5, scope: 'reference', step: 'if it is gone for good, remove it from your list' },
  rate_limited: { exit: 6, scope: 'run', step: 'try again later' },
  unreachable: { exit: 7, scope: 'run' },
  unavailable: { exit: 7, scope: 'reference', step: 'try again later' },
  no_feed: { exit: 7, scope: 'reference' },
  refused: { exit: 8, scope: 'reference', step: 'check the reference and the options' },
  unresumable: { exit: 8, scope: 'reference' },
  invalid_response: { exit: 8, scope: 'reference', step: 'try again later, or contact support' },
  loop: { exit: 8, scope: 'reference', step: 'start the listing again later: it cannot be resumed' },
  budget: { exit: 9, scope: 'purchases', step: 'raise this bound' },
  locked: { exit: 10, scope: 'reference', step: 'wait until the other run has ended' },
  interrupted: { exit: 130, scope: 'run', step: 'run the same command again' },
} as const satisfies Record<string, FailureRow>;

type WarningCode =
  | ('kept' | 'adopted' | 'repaired' | 'vanished' | 'not removed' | 'no lock')
  | ('nothing in common' | 'not listed' | 'clock' | 'no feed' | 'feeds')
  | ('all new' | 'not written' | 'format' | 'ledger');

/** A warning about a reference, or about the run (label null). */
export interface Warning {
  /** Warnings about references with the same code are printed as one line. */
  readonly code: WarningCode;
  readonly label: string | null;
  readonly message: string;
}

/** Exit codes from the most to the least severe: a run ends with the most severe of its failures. */
export const severityOrder: readonly ExitCode[] = [129, 130, 143, 1, 3, 4, 2, 8, 7, 6, 9, 10, 5, 11];

export function mostSevere(exits: readonly ExitCode[]): ExitCode {
  return severityOrder.find((exit) => exits.includes(exit)) ?? 0;
}

/** The word that the JSON error and the summary call `code`. */
export type FailureCode = keyof typeof failureRows;
const failures: Readonly<Record<FailureCode, FailureRow>> = failureRows;
export const failureCodes = Object.keys(failures) as readonly FailureCode[];

interface FailureDetails {
  status?: number | null;
  /** Default: the step of its row. */
  step?: Step | null | undefined;
  scope?: FailureRow['scope'];
  exit?: ExitCode;
  isInherited?: boolean;
  origin?: Failure;
  cause?: unknown;
}

/** A failure that is reported to the user in one line. Anything else thrown is a bug (exit 1). */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly status: number | null;
  /** What to do next; null if nothing is known to help. */
  readonly step: Step | null;
  readonly scope: FailureRow['scope'];
  readonly exit: ExitCode;
  /** Whether this is a copy of the failure that ended the run: the reference itself did not fail. */
  readonly isInherited: boolean;
  /** The failure that this one is a copy of (`with`), or itself. */
  readonly origin: Failure;

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.status = details.status ?? null;
    this.step = details.step === undefined ? (failures[code].step ?? null) : details.step;
    this.scope = details.scope ?? failures[code].scope;
    this.exit = details.exit ?? failures[code].exit;
    this.isInherited = details.isInherited ?? false;
    this.origin = details.origin ?? this;
  }

  with({ message = this.message, ...changes }: FailureDetails & { message?: string }): Failure {
    return new Failure(this.code, message, { ...this, cause: this.cause, ...changes });
  }

  /** Returns the failure with an exit code for a run that has done work: 2 would mean that nothing was spent. */
  afterWork(): Failure {
    return this.exit === 2 ? this.with({ exit: 1 }) : this;
  }

  get hasDefaultStep(): boolean {
    return this.step === (failures[this.code].step ?? null);
  }

  /** Appends `resume` to this failure's own step. A default step is replaced. */
  resumableWith(resume: Step): Failure {
    const first = this.hasDefaultStep ? null : this.step;
    if (first === null) return this.with({ step: resume });
    if (typeof resume !== 'string') {
      // Separate with a semicolon: a shell accepts it if the user copies it with the command.
      const before = typeof first === 'string' ? `${first}, ` : `${stepText(first)}; `;
      return this.with({ step: { ...resume, purpose: `${before}then ${resume.purpose}` } });
    }
    // A command stands alone: no sentence follows it.
    return typeof first === 'string' ? this.with({ step: `${first}, then ${resume}` }) : this;
  }

  line(): string {
    return messageLine(this.message, this.step);
  }

  /** The `error` of a JSON document. */
  toJSON(): { code: FailureCode; status: number | null; message: string; next: string | null } {
    const { code, status, message, step } = this;
    return { code, status, message, next: step === null ? null : stepText(step) };
  }
}

/** Returns a usage error (exit 2): nothing was spent. Truncates long words and quoted texts in the message. */
export function usage(message: string, step?: Step): Failure {
  return new Failure('usage', message.replace(/(?<=')[^']+(?=')|[^\s']+/g, excerpt), { step });
}

/** The reader of stdout has closed it: the end of the work, not an error (exit 0). */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
export const stopSignals = Object.keys(signals) as (keyof typeof signals)[];

export function stoppedBy(signal: keyof typeof signals): Failure {
  return new Failure('interrupted', `stopped by ${signal}`, { exit: signals[signal] });
}

/** Converts a thrown value: returns a `Failure` unchanged, and anything else as `failed` (exit 1) with its message. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const place = 'path' in error ? `${error.path}: ` : '';
  // Node's own message would be `EIO: i/o error, close`.
  const words = 'syscall' in error ? `${place}a system call failed (${systemCode(error)})` : error.message;
  return new Failure('failed', words, { cause: error });
}

/** The system's error code (`ENOSPC`), if the error has one. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined;
  // Node has no name for this error.
  const isQuota = 'errno' in error && error.errno === -constants.errno.EDQUOT;
  return isQuota ? 'EDQUOT' : error.code;
}
