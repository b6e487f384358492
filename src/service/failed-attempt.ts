import { Failure } from '../errors.ts';
import { type Answer, header, type TransportError } from './http.ts';
import { responseFailure } from './response-failure.ts';
import { isRetriedStatus, type RetryCause, retryAfter, span } from './retry.ts';

/** An attempt that did not end with a complete 200. */
export class FailedAttempt implements RetryCause {
  readonly failure: Failure;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;

  constructor(failure: Failure, retryable: boolean, retryAfterMs: number | null = null) {
    this.failure = failure;
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }

  get status(): number | null {
    return this.failure.status;
  }
}

/** The next step if no connection was made. */
const connectionHints = {
  certificate: 'name a private certificate authority with NODE_EXTRA_CA_CERTS',
  'refused by proxy': 'check the proxy in HTTPS_PROXY or HTTP_PROXY, its user name and password',
  unreachable: 'check the address and the network',
};

/** Removes secrets from a text. */
type Hide = (text: string) => string;

/**
 * The failed attempt of a response other than a 200; `body` is null if only its headers arrived. `now`: see
 * `retryAfter`.
 */
export function failedResponse(
  answer: Pick<Answer, 'status' | 'headers'> & { body: Buffer | null },
  now: number,
  hide: Hide,
): FailedAttempt {
  const failure = responseFailure(answer, hide);
  if (!isRetriedStatus(answer.status)) return new FailedAttempt(failure, false);
  const date = Date.parse(header(answer, 'date') ?? '');
  const sentAt = Number.isNaN(date) ? now : date;
  return new FailedAttempt(failure, true, retryAfter(header(answer, 'retry-after'), sentAt));
}

/** The failed attempt of a request without a complete response. `origin`: for messages. `now`: see `retryAfter`. */
export function failedTransport(
  error: TransportError,
  origin: string,
  now: number,
  hide: Hide,
): FailedAttempt {
  const { status, headers, message } = error;
  // The status alone shows that nothing was charged, and why.
  if (status !== null && status !== 200) return failedResponse({ status, headers, body: null }, now, hide);
  const details = { cause: error, status };
  switch (error.problem) {
    case 'certificate':
    case 'refused by proxy':
    case 'unreachable': {
      const isTrusted = error.problem !== 'certificate';
      const what = `${isTrusted ? `cannot reach ${origin}` : `${origin} cannot be trusted`}: ${message}`;
      const failure = new Failure('unreachable', what, { ...details, hint: connectionHints[error.problem] });
      return new FailedAttempt(failure, error.problem === 'unreachable');
    }
    case 'invalid':
    case 'too large':
      return new FailedAttempt(new Failure('bad_answer', message, details), false);
    default:
      return new FailedAttempt(new Failure('unavailable', `no complete response: ${message}`, details), true);
  }
}

/** The failure that ends a request after its last attempt, of `attempts`, with the time to come back. */
export function finalFailure(
  { failure, retryAfterMs }: FailedAttempt,
  reason: 'retries' | 'max-wait',
  attempts: number,
): Failure {
  if (reason === 'max-wait') {
    const hint =
      retryAfterMs === null
        ? 'waited as long as --max-wait allows: try again later'
        : `try again in ${span(retryAfterMs)}, or allow more with --max-wait`;
    return failure.with({ hint });
  }
  const message = attempts === 1 ? failure.message : `${failure.message}, after ${attempts} attempts`;
  const when = retryAfterMs === null ? 'try again later' : `try again in ${span(retryAfterMs)}`;
  return failure.with({ message, hint: failure.hint ?? when });
}
