import { Failure } from '../errors.ts';
import { type Answer, header, type TransportError } from './http.ts';
import { responseFailure } from './response-failure.ts';
import { isRetriedStatus, retryAfter, span } from './retry.ts';

/** An attempt that did not bring a whole 200. */
export class FailedAttempt {
  readonly failure: Failure;
  /** Another try may help. */
  readonly again: boolean;
  /** Milliseconds to wait that the service named. */
  readonly delay: number | null;

  constructor(failure: Failure, again: boolean, delay: number | null = null) {
    this.failure = failure;
    this.again = again;
    this.delay = delay;
  }
}

/** Takes secrets out of a text. */
type Hide = (text: string) => string;

/** The problem with a whole answer other than a 200, or with one of which only the head is known. `now`: see `retryAfter`. */
export function failedResponse(
  answer: Pick<Answer, 'status' | 'headers'> & { body: Buffer | null },
  now: number,
  hide: Hide,
): FailedAttempt {
  const failure = responseFailure(answer, hide);
  if (!isRetriedStatus(answer.status)) return new FailedAttempt(failure, false);
  const date = Date.parse(header(answer, 'date') ?? '');
  return new FailedAttempt(
    failure,
    true,
    retryAfter(header(answer, 'retry-after'), Number.isNaN(date) ? now : date),
  );
}

/** The problem with a request of which no whole answer was read; `host`: who was asked. */
export function failedTransport(error: TransportError, host: string, now: number, hide: Hide): FailedAttempt {
  const { status, headers, message } = error;
  // The status alone says that nothing was charged, and what is wrong.
  if (status !== null && status !== 200) return failedResponse({ status, headers, body: null }, now, hide);
  const details = { cause: error, ...(status === null ? {} : { status }) };
  switch (error.problem) {
    case 'certificate': {
      const hint = 'a private authority is named by NODE_EXTRA_CA_CERTS';
      const what = `${host} cannot be trusted: ${message}`;
      return new FailedAttempt(new Failure('unreachable', what, { ...details, hint }), false);
    }
    case 'unreachable': {
      const hint = 'check the address and the network';
      const what = `cannot reach ${host}: ${message}`;
      return new FailedAttempt(new Failure('unreachable', what, { ...details, hint }), true);
    }
    case 'nonsense':
    case 'too large':
      return new FailedAttempt(new Failure('bad_answer', message, details), false);
    default:
      return new FailedAttempt(new Failure('unavailable', `no whole answer: ${message}`, details), true);
  }
}

/** The failure once all retries are used up. */
export function exhausted({ failure, delay }: FailedAttempt, retries: number): Failure {
  const tries = retries === 0 ? '' : `, after ${retries + 1} tries`;
  const when = delay === null || delay < 10_000 ? 'try again later' : `try again in ${span(delay)}`;
  return changed(failure, `${failure.message}${tries}`, failure.hint ?? when);
}

/** The failure where waiting for another try, for `wait` milliseconds, would take too long. */
export function tooLong({ failure, delay }: FailedAttempt, wait: number): Failure {
  const when =
    delay === null
      ? 'waited as long as --max-wait allows: try again later'
      : `try again in ${span(wait)}, or allow more with --max-wait`;
  return changed(failure, failure.message, when);
}

function changed(failure: Failure, message: string, hint: string): Failure {
  return new Failure(failure.code, message, {
    cause: failure.cause,
    scope: failure.scope,
    ...(failure.status === null ? {} : { status: failure.status }),
    hint,
  });
}
