import type { Dispatcher } from 'undici';
import { systemCode } from '../errors.ts';
import type { Connections } from './dispatcher.ts';

/** Largest response body in bytes, also after decompression. */
export const maxBodyBytes = 64 * 1024 * 1024;

/** Maximum number of bytes kept of the body of an error. */
const maxErrorBytes = 64 * 1024;
/** If the timer fires this much late, the process was suspended (Ctrl-Z). In milliseconds, as is the next. */
const suspendedMs = 1000;
/** Time to read what has arrived while the process was suspended. */
const resumeMs = 2000;

/** Milliseconds of a clock that also runs while the process is suspended. */
const now = (): number => process.uptime() * 1000;

/** A complete response. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A header of a response, the first if it occurs several times. */
export function header({ headers }: Pick<Answer, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export type TransportProblem =
  | 'unreachable'
  | 'certificate'
  | 'refused by proxy'
  | 'timeout'
  | 'broken'
  | 'invalid'
  | 'too large'
  | 'stopped';

/** No complete response was read. */
export class TransportError extends Error {
  readonly problem: TransportProblem;
  /** The request left this machine: whether the service charged for it is unknown. */
  readonly sent: boolean;
  /** HTTP status; null if it did not arrive. */
  readonly status: number | null;
  readonly headers: Answer['headers'];

  constructor(
    problem: TransportProblem,
    message: string,
    details: { sent: boolean; status?: number | null; headers?: Answer['headers']; cause?: unknown },
  ) {
    super(message, { cause: details.cause });
    this.problem = problem;
    this.sent = details.sent;
    this.status = details.status ?? null;
    this.headers = details.headers ?? {};
  }
}

export interface HttpRequest {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds from the start of the request to the last byte of its response. */
  readonly timeout: number;
  /** Aborts the request with its reason. */
  readonly stop: AbortSignal;
}

/** Sends one GET request and reads the complete response; throws a `TransportError`. No retries, no redirects. */
export function get(connections: Connections, request: HttpRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let status: number | null = null;
    let headers: Answer['headers'] = {};
    const body = new GrowingBody();
    let settled = false;

    const settle = (): boolean => {
      if (settled) return false;
      settled = true;
      endTimeout();
      request.stop.removeEventListener('abort', onStop);
      return true;
    };
    const fail = (problem: TransportProblem, message: string, cause?: unknown): void => {
      if (!settle()) return;
      const sent = controller !== null;
      const error = new TransportError(problem, message, { sent, status, headers, cause });
      controller?.abort(error);
      reject(error);
    };
    const tooLarge = (): void =>
      fail('too large', `the response is larger than ${maxBodyBytes / 1024 / 1024} MiB`);
    const onStop = (): void => fail('stopped', 'stopped', request.stop.reason);
    const endTimeout = startTimeout(request.timeout, () => {
      const problem = controller === null ? 'unreachable' : 'timeout';
      fail(problem, `no complete response within ${request.timeout / 1000} s`);
    });
    if (request.stop.aborted) return onStop();
    request.stop.addEventListener('abort', onStop, { once: true });

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        // It ended before a connection was ready: it is not sent.
        if (settled) started.abort(new Error('no longer needed'));
        else controller = started;
      },
      onResponseStart(_, statusCode, received) {
        if (statusCode < 200) return;
        status = statusCode;
        headers = received;
        if (Number(received['content-length']) > maxBodyBytes) tooLarge();
      },
      onResponseData(_, chunk) {
        if (status !== 200 && body.length > maxErrorBytes) return;
        if (body.length + chunk.length > maxBodyBytes) tooLarge();
        else body.append(chunk, expected(headers));
      },
      onResponseEnd() {
        if (status === null) return fail('broken', 'the connection ended before the response');
        if (settle()) resolve({ status, headers, body: body.bytes });
      },
      onResponseError(_, error) {
        if (!settled && controller !== null && status === null) connections.closesUnannounced = true;
        fail(problemOf(error, controller !== null, status !== null), describe(error), error);
      },
    };
    try {
      const { origin, path, headers } = request;
      const reset = connections.closesUnannounced;
      connections.dispatcher.dispatch({ origin, path, method: 'GET', headers, reset }, handler);
    } catch (error) {
      fail('unreachable', describe(error), error);
    }
  });
}

/**
 * Calls `onTime` after `timeout` milliseconds, a little later if the process was suspended: what has arrived meanwhile
 * is read first. Returns a function that ends the wait.
 */
function startTimeout(timeout: number, onTime: () => void): () => void {
  const due = now() + timeout;
  let timer = setTimeout(() => {
    if (now() - due > suspendedMs) timer = setTimeout(onTime, resumeMs);
    else onTime();
  }, timeout);
  return () => clearTimeout(timer);
}

/** One growing buffer: a list of one-byte chunks would take a hundred times the memory. */
class GrowingBody {
  length = 0;
  #room: Buffer = Buffer.alloc(0);

  get bytes(): Buffer {
    return this.#room.subarray(0, this.length);
  }

  /** `expected`: the length that the body will have, if it is known; 0: unknown. */
  append(chunk: Buffer, expected: number): void {
    const end = this.length + chunk.length;
    if (end > this.#room.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#room.length, end, expected));
      this.#room.copy(larger, 0, 0, this.length);
      this.#room = larger;
    }
    chunk.copy(this.#room, this.length);
    this.length = end;
  }
}

/** The length of a body that its headers announce, if it is plausible. */
function expected({ 'content-length': length }: Answer['headers']): number {
  const bytes = Number(length);
  return bytes > 0 && bytes <= 1024 * 1024 ? bytes : 0;
}

function problemOf(error: unknown, sent: boolean, hasStatus: boolean): TransportProblem {
  if (sent) return isInvalid(error, hasStatus) ? 'invalid' : 'broken';
  if (isCertificateError(error)) return 'certificate';
  const status = proxyStatus(error);
  const refused = status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429;
  return refused ? 'refused by proxy' : 'unreachable';
}

/** Whether the response is not valid HTTP: a retry would fail the same way. */
function isInvalid(error: unknown, hasStatus: boolean): boolean {
  if (isNotHttp(error) || isContinue(error)) return true;
  const code = systemCode(error);
  // After the headers a wrong length means that the connection ended too early.
  return (
    code === 'UND_ERR_HEADERS_OVERFLOW' || (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !hasStatus)
  );
}

/** An error of undici's parser, except for a response that ended too early, which only the message shows. */
function isNotHttp(error: unknown): boolean {
  return isParserError(error) && !isEarlyEnd(error);
}

function isEarlyEnd(error: unknown): boolean {
  return isParserError(error) && error.message.includes('Invalid EOF state');
}

function isParserError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'HTTPParserError';
}

/** An unrequested `100 Continue`: undici ends the connection with an error that has no code of its own. */
function isContinue(error: unknown): boolean {
  return error instanceof Error && systemCode(error) === 'UND_ERR_SOCKET' && error.message === 'bad response';
}

/** The status of a proxy's response to CONNECT, if that is the error: undici gives it only in the message. */
function proxyStatus(error: unknown): number | null {
  const [, status] = (error instanceof Error && /^Proxy response \((\d+)\)/.exec(error.message)) || [];
  return status === undefined ? null : Number(status);
}

function isCertificateError(error: unknown): boolean {
  const code = systemCode(error) ?? '';
  return (
    /^(?:CERT_|CRL_|ERR_TLS_CERT|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/.test(
      code,
    ) || code === 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'
  );
}

const descriptions: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connecting timed out',
  EPIPE: 'connection reset',
  UND_ERR_CONNECT_TIMEOUT: 'connecting timed out',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response is not as long as its Content-Length',
  UND_ERR_HEADERS_OVERFLOW: 'the response has too many headers',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an unknown authority',
};

function describe(error: unknown): string {
  if (isNotHttp(error)) return 'the response is not valid HTTP';
  if (isEarlyEnd(error)) return 'the connection was closed';
  if (isContinue(error)) return 'the service sent 100 Continue, which was not requested';
  const proxied = proxyStatus(error);
  if (proxied !== null) return `the proxy refuses the connection (${proxied})`;
  const code = systemCode(error) ?? '';
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return `no TLS connection: ${tlsReason(error)}`;
  return (
    descriptions[code] ?? (error instanceof Error && error.message !== '' ? error.message : String(error))
  );
}

/** OpenSSL's reason: its message has file names, too. */
function tlsReason(error: unknown): string {
  const reason = error instanceof Error && 'reason' in error ? error.reason : undefined;
  return typeof reason === 'string' ? reason : 'the handshake failed';
}
