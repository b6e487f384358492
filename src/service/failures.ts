/** What a failed attempt means: a table of HTTP statuses, and a table of errors of the transport. */
import { getSystemErrorMap } from 'node:util';
import { Failure, type FailureCode, systemCode } from '../errors.ts';
import { formatDuration } from '../text/duration.ts';
import { excerpt } from '../text/truncate.ts';
import { type NoResponse, type Response, TransportError, tooLargeText } from './http.ts';
import { type EndReason, type FailedAttempt, retryAfter } from './retry.ts';

interface Meaning {
  readonly code: FailureCode;
  readonly what: string;
  readonly isRetryable?: boolean;
  readonly step?: string;
}

const busy: Meaning = { code: 'unavailable', what: 'the service is not available', isRetryable: true };

/** Other statuses are classified by their first digit. */
const statusMeanings: Readonly<Record<number, Meaning>> = {
  401: { code: 'unauthorized', what: 'the key was rejected' },
  402: { code: 'no_credits', what: 'no credits', step: 'add credits to the account' },
  403: { code: 'unauthorized', what: 'access was refused' },
  404: { code: 'not_found', what: 'not found', step: 'check the spelling' },
  408: busy,
  429: { code: 'rate_limited', what: 'rate limited', isRetryable: true },
  500: busy,
  502: busy,
  503: busy,
  504: busy,
};

const notFoundOrNoFeed: Meaning = {
  code: 'not_found',
  what: 'there is no such channel, or it has no feed',
  step: 'use resolve to find out whether the channel exists, for free',
};
/** The next step after a 404 without a JSON body: the path may be wrong. */
export const checkAddressStep = 'check the spelling, the address and --namespace';
const blocked: Meaning = {
  code: 'refused',
  what: 'something in front of the service refused the request',
  step: 'check the address and the network: a proxy or a firewall responded',
};

/** Returns the meaning of an HTTP status. `detail` is the message in a JSON body; null if the body is not JSON. */
function meaningOfStatus(status: number, isFeed: boolean, detail: string | null): Meaning {
  if (status === 403 && detail === null) return blocked;
  const meaning = status === 404 && isFeed ? notFoundOrNoFeed : statusMeanings[status];
  if (meaning !== undefined)
    return status === 404 && !detail ? { ...meaning, step: checkAddressStep } : meaning;
  if (status >= 500) return { ...busy, isRetryable: false };
  if (status >= 400) return { code: 'refused', what: 'the service refused the request' };
  if (status < 300) return { code: 'invalid_response', what: 'the service sent an unexpected status' };
  const step = 'correct the address of the service';
  return { code: 'invalid_response', what: 'the service sent a redirect, which is not followed', step };
}

const errorTexts: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name could not be looked up',
  UND_ERR_CONNECT_TIMEOUT: 'connecting timed out',
  UND_ERR_SOCKET: 'the connection was closed',
};

/** Errors of a response that a retry would not change. */
const invalidResponses: Readonly<Record<string, string>> = {
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response is not as long as its Content-Length',
  UND_ERR_HEADERS_OVERFLOW: 'the response has too many headers',
  HTTPParserError: 'the response is not valid HTTP',
  ERR_ASSERTION: 'the response is not valid HTTP',
  TOO_LARGE: tooLargeText,
};

const certificateCode =
  /^(?:CERT_|CRL_|ERR_TLS_CERT|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|ERR_SSL_TLSV1_ALERT_UNKNOWN_CA)/;

/** Whether an error comes from JavaScript itself: a bug of the program or its HTTP client, or too little memory. */
const isProgramError = (error: unknown): error is Error =>
  error instanceof Error && /^(?:Range|Type|Reference|Syntax|Compile|Link|Runtime)Error$/.test(error.name);

function errorCodeOf(error: Error): string {
  // Only the message says that a response ended too early.
  if (error.message.includes('Invalid EOF state')) return 'UND_ERR_SOCKET';
  return systemCode(error) ?? error.name;
}

/** Describes an error of the transport: never with remote text, nor with a library's message. */
export function describeError(error: unknown): string {
  if (error instanceof TransportError || error instanceof Failure) return error.message;
  if (!(error instanceof Error)) return 'the connection failed';
  const key = errorCodeOf(error);
  const words = errorTexts[key] ?? invalidResponses[key];
  if (words !== undefined) return words;
  if (certificateCode.test(key)) return `its certificate is not valid (${key})`;
  if (key === 'EPROTO' || key.startsWith('ERR_SSL_')) {
    // Not the message of OpenSSL, which contains file names, too.
    return `no TLS connection: ${'reason' in error ? error.reason : 'handshake failed'}`;
  }
  for (const [name, message] of getSystemErrorMap().values()) if (name === key) return message;
  return `the connection failed (${key})`;
}

function meaningOfError({ cause, sent, status }: NoResponse, serviceName: string): Meaning {
  if (isProgramError(cause)) return { code: 'failed', what: `the HTTP client failed: ${cause.message}` };
  const key = cause instanceof Error ? errorCodeOf(cause) : '';
  const words = describeError(cause);
  if (sent) {
    // After the headers a wrong length means that the connection ended too early.
    const endedEarly = key === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && status !== null;
    if (key in invalidResponses && !endedEarly) return { code: 'invalid_response', what: words };
    return { ...busy, what: `no complete response: ${words}` };
  }
  const code = 'unreachable';
  if (certificateCode.test(key)) {
    const step = 'check the address; give a private certificate authority with NODE_EXTRA_CA_CERTS';
    return { code, what: `${serviceName} cannot be trusted: ${words}`, step };
  }
  const what = `cannot reach ${serviceName}: ${words}`;
  if (key === 'PROXY')
    return { code, what, step: 'check the proxy (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY) and its password' };
  return { code, what, isRetryable: true, step: 'check the address and the network' };
}

interface AttemptContext {
  readonly serviceName: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** True for a request of a feed, where a 404 may mean that there is no feed. */
  readonly isFeed: boolean;
  /** Removes the key from a text. */
  redact(text: string): string;
}

/** Returns what the outcome of an attempt without a complete 200 means. */
export function failedAttempt(
  outcome: Response | NoResponse,
  { serviceName, now, isFeed, redact }: AttemptContext,
): FailedAttempt {
  const { status, headers } = outcome;
  if ('cause' in outcome && (status === null || status === 200)) {
    const { cause, sent } = outcome;
    const { code, what, step, isRetryable = false } = meaningOfError(outcome, serviceName);
    const failure = new Failure(code, redact(what), { status, step, cause });
    return { failure, isRetryable, retryAfterMs: null, charge: sent ? 'possibly_charged' : 'free' };
  }
  // The status alone shows that nothing was charged, and why, even if the body did not arrive.
  const detail = 'body' in outcome ? detailOf(outcome.body) : null;
  const { code, what, step, isRetryable = false } = meaningOfStatus(status ?? 0, isFeed, detail);
  const isRedirect = status !== null && status < 400;
  const remoteText = isRedirect ? headers.location : detail?.replace(/\s+/g, ' ').trim();
  const words = remoteText ? `${status}: ${excerpt(redact(remoteText))}` : `${status}`;
  const failure = new Failure(code, `${what} (${words})`, { status, step });
  return { failure, isRetryable, retryAfterMs: retryAfter(headers['retry-after'], now), charge: 'free' };
}

/** Returns the message in an error body; null if the body is not JSON. */
function detailOf(body: Buffer): string | null {
  try {
    return messageOf(JSON.parse(String(body).replace(/^\ufeff/, '')));
  } catch {
    return null;
  }
}

/** Reads a `detail` that is a string, an object with a message, or a list of `{loc, msg}`; returns '' for anything else. */
function messageOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  if (Array.isArray(value)) return value.slice(0, 5).map(messageOf).filter(Boolean).join('; ');
  const { loc, msg, detail, message, error } = value as Record<string, unknown>;
  if (typeof msg !== 'string') return messageOf(detail || message || error);
  const place = Array.isArray(loc) ? loc.filter((part) => typeof part !== 'object').join('.') : '';
  return place === '' ? msg : `${place}: ${msg}`;
}

/** Returns the failure of a request after its last attempt (number `attempts`), and adds when to try again. */
export function finalFailure(attempt: FailedAttempt, reason: EndReason, attempts: number): Failure {
  const { failure, retryAfterMs } = attempt;
  if (reason === 'not retried') return failure;
  const when = retryAfterMs === null ? 'later' : `in ${formatDuration(retryAfterMs)}`;
  if (reason === 'max-wait')
    return failure.with({ step: `try again ${when}, or allow more with --max-wait` });
  const message = attempts === 1 ? failure.message : `${failure.message}, after ${attempts} attempts`;
  if (reason === 'charged twice')
    return failure.with({
      message: `${message}, ${attempts === 2 ? 'each' : 'two'} of which may have been charged`,
    });
  return failure.with({ message, step: retryAfterMs === null ? failure.step : `try again ${when}` });
}
