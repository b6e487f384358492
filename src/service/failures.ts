/** What a failed attempt means: a table of HTTP statuses, and a table of errors of the transport. */
import { getSystemErrorMap } from 'node:util';
import { excerpt, Failure, type FailureCode, systemCode } from '../errors.ts';
import { type NoResponse, type Response, TransportError } from './http.ts';
import { type EndReason, type FailedAttempt, retryAfter, span } from './retry.ts';

interface Meaning {
  readonly code: FailureCode;
  /** The message. `words`: the status and what the service said, or those of the error; `at` names the service. */
  say(words: string, at: string): string;
  readonly isRetryable?: boolean;
  readonly hint?: string;
}

const response = (what: string) => (words: string) => `${what} (${words})`;

const rejected: Meaning = {
  code: 'unauthorized',
  say: response('the key was rejected'),
  hint: 'see which key is used: chanlist auth status; store another one: chanlist auth login',
};
const unavailable: Meaning = { code: 'unavailable', say: response('the service is not available') };
const busy: Meaning = { ...unavailable, isRetryable: true };
const refused: Meaning = { code: 'refused', say: response('the service refused the request') };
const unexpected: Meaning = {
  code: 'invalid_response',
  say: response('the service sent an unexpected status'),
};
const redirect: Meaning = {
  code: 'invalid_response',
  say: response('the service redirects, which is not followed'),
  hint: 'set the address with --base-url',
};
const blocked: Meaning = {
  code: 'refused',
  say: response('something in front of the service refused the request'),
  hint: 'check the address and the network: a proxy or a firewall responded',
};

/** Statuses (docs/service.md, 7; README.md, "Exit codes"). The others go by their class. */
const statuses: Readonly<Record<number, Meaning>> = {
  401: rejected,
  402: { code: 'no_credits', say: response('no credits'), hint: 'add credits to the account' },
  403: rejected,
  404: { code: 'not_found', say: response('not found'), hint: 'check the spelling' },
  408: busy,
  429: { code: 'rate_limited', say: response('rate limited'), isRetryable: true },
  500: busy,
  502: busy,
  503: busy,
  504: busy,
};

function meaningOfStatus(status: number): Meaning {
  return (
    statuses[status] ??
    (status >= 500 ? unavailable : status >= 400 ? refused : status >= 300 ? redirect : unexpected)
  );
}

/** Before a request was sent. */
const unreachable: Meaning = { code: 'unreachable', say: (words, at) => `cannot reach ${at}: ${words}` };
const connection: Meaning = { ...unreachable, isRetryable: true, hint: 'check the address and the network' };
const certificate: Meaning = {
  code: 'unreachable',
  say: (words, at) => `${at} cannot be trusted: ${words}`,
  hint: 'check the address; name a private certificate authority with NODE_EXTRA_CA_CERTS',
};
const proxyFault: Meaning = {
  ...unreachable,
  hint: 'check the proxy in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, its user name and password',
};
/** After it was sent. */
const broken: Meaning = {
  code: 'unavailable',
  say: (words) => `no complete response: ${words}`,
  isRetryable: true,
};
const invalid: Meaning = { code: 'invalid_response', say: (words) => words };

/** Errors of the transport: their words (null: their own), and a meaning that does not depend on what was sent. */
const errors: Readonly<Record<string, readonly [words: string | null, meaning?: Meaning]>> = {
  ECONNRESET: ['connection reset'],
  EPIPE: ['connection reset'],
  ENOTFOUND: ['no such host'],
  EAI_AGAIN: ['the host name could not be looked up'],
  UND_ERR_CONNECT_TIMEOUT: ['connecting timed out'],
  UND_ERR_SOCKET: ['the connection was closed'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['the response is not as long as its Content-Length', invalid],
  UND_ERR_HEADERS_OVERFLOW: ['the response has too many headers', invalid],
  HTTPParserError: ['the response is not valid HTTP', invalid],
  ERR_ASSERTION: ['the response is not valid HTTP', invalid],
  TOO_LARGE: [null, invalid],
  PROXY: [null, proxyFault],
};

/** The codes of certificates that OpenSSL rejects. */
const certificateCode =
  /^(?:CERT_|CRL_|ERR_TLS_CERT|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|ERR_SSL_TLSV1_ALERT_UNKNOWN_CA)/;

function keyOf(error: Error): string {
  // A response that ended too early, which only the message shows.
  if (error.message.includes('Invalid EOF state')) return 'UND_ERR_SOCKET';
  return systemCode(error) ?? error.name;
}

/** An error of the transport in words: never remote text, nor a library's message. */
export function errorWords(error: unknown): string {
  if (error instanceof TransportError || error instanceof Failure) return error.message;
  if (!(error instanceof Error)) return 'the connection failed';
  const key = keyOf(error);
  const words = errors[key]?.[0];
  if (words) return words;
  if (certificateCode.test(key)) return `its certificate is not valid (${key})`;
  if (key === 'EPROTO' || key.startsWith('ERR_SSL_')) {
    // OpenSSL's message has file names, too.
    return `no TLS connection: ${'reason' in error ? error.reason : 'handshake failed'}`;
  }
  const [, system] = [...getSystemErrorMap().values()].find(([name]) => name === key) ?? [];
  return system ?? `the connection failed (${key})`;
}

function meaningOfError({ cause, sent, status }: NoResponse): Meaning {
  const key = cause instanceof Error ? keyOf(cause) : '';
  // After the headers a wrong length means that the connection ended too early.
  const isCut = key === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && status !== null;
  const meaning = errors[key]?.[1];
  if (sent) return meaning === invalid && !isCut ? invalid : broken;
  return certificateCode.test(key) ? certificate : (meaning ?? connection);
}

interface AttemptContext {
  /** The service, in messages. */
  readonly at: string;
  readonly now: number;
  /** The next step after a 404, instead of the usual one. */
  readonly notFoundHint?: string | undefined;
  /** The text without the key. */
  hide(text: string): string;
}

/** What a response other than a 200, or a request without a complete response, means. */
export function failedAttempt(outcome: Response | NoResponse, context: AttemptContext): FailedAttempt {
  if ('body' in outcome) return failedResponse(outcome, context);
  const { status, headers, cause, sent } = outcome;
  // The status alone shows that nothing was charged, and why.
  if (status !== null && status !== 200) return failedResponse({ status, headers, body: null }, context);
  const { code, say, hint, isRetryable = false } = meaningOfError(outcome);
  const failure = new Failure(code, say(errorWords(cause), context.at), { status, hint, cause });
  return { failure, status, isRetryable, retryAfterMs: null, charge: sent ? 'possibly_charged' : 'none' };
}

/** The body may not have arrived. */
function failedResponse(
  { status, headers, body }: Omit<Response, 'body'> & { readonly body: Buffer | null },
  { at, now, hide, notFoundHint }: AttemptContext,
): FailedAttempt {
  const detail = detailOf(body);
  const meaning = status === 403 && detail === null ? blocked : meaningOfStatus(status);
  const { code, say, isRetryable = false } = meaning;
  const hint = (status === 404 ? notFoundHint : undefined) ?? meaning.hint;
  const said = status < 400 ? (headers.location ?? '') : (detail ?? '').replace(/\s+/g, ' ').trim();
  const words = said === '' ? `${status}` : `${status}: ${excerpt(hide(said))}`;
  const failure = new Failure(code, say(words, at), { status, hint });
  const date = Date.parse(headers.date ?? '');
  const retryAfterMs = retryAfter(headers['retry-after'], Number.isNaN(date) ? now : date);
  return { failure, status, isRetryable, retryAfterMs, charge: 'none' };
}

/** The message in an error body; null if that is not JSON. */
function detailOf(body: Buffer | null): string | null {
  try {
    return messageOf(JSON.parse(String(body ?? '').replace(/^\ufeff/, '')));
  } catch {
    return null;
  }
}

/** `detail` as a string, an object with a message, or a list of `{loc, msg}`; '' for anything else. */
function messageOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  if (Array.isArray(value)) return value.slice(0, 5).map(messageOf).filter(Boolean).join('; ');
  const { loc, msg, detail, message, error } = value as Record<string, unknown>;
  if (typeof msg !== 'string') return messageOf(detail || message || error);
  const place = Array.isArray(loc) ? loc.filter((part) => typeof part !== 'object').join('.') : '';
  return place === '' ? msg : `${place}: ${msg}`;
}

/** The failure of a request after its last attempt, of `attempts`: says when to come back. */
export function finalFailure(attempt: FailedAttempt, reason: EndReason, attempts: number): Failure {
  const { failure, retryAfterMs } = attempt;
  if (reason === 'not retried') return failure;
  const when = retryAfterMs === null ? 'try again later' : `try again in ${span(retryAfterMs)}`;
  if (reason === 'max-wait') return failure.with({ hint: `${when}, or allow more with --max-wait` });
  const message = attempts === 1 ? failure.message : `${failure.message}, after ${attempts} attempts`;
  const hint =
    reason === 'charged twice' ? `each attempt may have been charged: ${when}` : (failure.hint ?? when);
  return failure.with({ message, hint });
}
