/**
 * The closed set of failures. Each kind has one exit code and one scope: a failure of a `reference` stops
 * only that one, a failure of the `call` ends everything.
 */
const kinds = {
  failed: { exit: 1, scope: 'call' },
  usage: { exit: 2, scope: 'call' },
  unauthorized: { exit: 3, scope: 'call' },
  no_credits: { exit: 4, scope: 'call' },
  not_found: { exit: 5, scope: 'reference' },
  rate_limited: { exit: 6, scope: 'call' },
  unreachable: { exit: 7, scope: 'call' },
  unavailable: { exit: 7, scope: 'reference' },
  refused: { exit: 8, scope: 'reference' },
  bad_answer: { exit: 8, scope: 'reference' },
  budget: { exit: 9, scope: 'call' },
  locked: { exit: 10, scope: 'reference' },
  interrupted: { exit: 130, scope: 'call' },
} as const satisfies Record<string, { exit: number; scope: 'call' | 'reference' }>;

/** A word of the closed set: what the JSON error and the receipt call `code`. */
export type FailureCode = keyof typeof kinds;

export interface FailureDetails {
  /** HTTP status of the answer that failed, if there was one. */
  status?: number;
  /** What to do next, in a few words; printed behind the message. */
  hint?: string;
  /** Overrides the scope of the kind. */
  scope?: 'call' | 'reference';
  /** Overrides the exit code (signals). */
  exit?: number;
  cause?: unknown;
}

/** A failure that the user is told about in one line. Anything else thrown is a bug (exit 1). */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly status: number | null;
  readonly hint: string | undefined;
  readonly scope: 'call' | 'reference';
  readonly exit: number;

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'Failure';
    this.code = code;
    this.status = details.status ?? null;
    this.hint = details.hint;
    this.scope = details.scope ?? kinds[code].scope;
    this.exit = details.exit ?? kinds[code].exit;
  }

  /** The failure as it stands in JSON output and receipts. */
  toJSON(): { code: FailureCode; status: number | null; message: string } {
    return { code: this.code, status: this.status, message: this.message };
  }
}

/** A usage error (exit 2): found before any request. */
export function usage(message: string, hint?: string): Failure {
  return new Failure('usage', message, hint === undefined ? {} : { hint });
}

/** The reader of stdout has closed it: the end of the work, not an error (exit 0). */
export class ClosedPipe extends Error {
  constructor() {
    super('the reader closed the pipe');
    this.name = 'ClosedPipe';
  }
}

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
export type StopSignal = keyof typeof signals;
export const stopSignals = Object.keys(signals) as StopSignal[];

/** The failure that a signal causes (exit 128 + its number). */
export function interrupted(signal: StopSignal): Failure {
  return new Failure('interrupted', `stopped by ${signal}`, { exit: signals[signal] });
}

/** Whatever was thrown as a failure: known ones as they are, others as `failed` (exit 1) with their message. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return new Failure('failed', error.message, { cause: error });
}

/** The system's error code (`ENOSPC`), if the error has one. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What each exit code means: printed by `chanlist help exit-codes`. */
export const exitCodes: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'done, or the reader closed the pipe'],
  ['1', 'something else went wrong (disk, a damaged store, a bug)'],
  ['2', 'usage: found before any request'],
  ['3', 'no key, or the key was refused (401, 403)'],
  ['4', 'no credits (402): free calls need at least one too'],
  ['5', 'not found (404)'],
  ['6', 'rate limited, and waiting would take too long'],
  ['7', 'the service or the network is not available'],
  ['8', 'the service refused the request (other 4xx) or its answer makes no sense'],
  ['9', 'stopped by --max-credits, more to come'],
  ['10', 'another run is writing this file'],
  ['129, 130, 143', 'stopped by SIGHUP, SIGINT, SIGTERM, after saying how to go on'],
];

/** What to do next, where nothing better is known. */
export const lastResort: Partial<Record<FailureCode, string>> = {
  refused: 'check the reference and the options',
  bad_answer: 'try again later, or ask the owner of the service',
  budget: 'allow more with --max-credits',
  interrupted: 'run it again',
  failed: 'run it again',
};
