import type { Dispatcher } from 'undici';
import { systemCode } from '../errors.ts';

/** Bytes of an answer's body at the most, also when it is unpacked. */
export const mostBytes = 64 * 1024 * 1024;

/** Bytes of an error's body that are kept. */
const mostOfError = 64 * 1024;
/** Milliseconds by which a timer is late only where the program was stopped, and that it then has to read on. */
const stoppedFor = 1000;
const grace = 2000;

/** Milliseconds of a clock that goes on while the program is stopped. */
const now = (): number => process.uptime() * 1000;

/** A whole answer. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A header of an answer, the first where it came several times. */
export function header({ headers }: Pick<Answer, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export type TransportProblem =
  | 'unreachable'
  | 'certificate'
  | 'timeout'
  | 'broken'
  | 'nonsense'
  | 'too large'
  | 'stopped';

/** No whole answer was read. */
export class TransportError extends Error {
  readonly problem: TransportProblem;
  /** The request left this machine: whether the service charged for it cannot be known. */
  readonly sent: boolean;
  /** HTTP status, where that much arrived. */
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
  /** Milliseconds from the start of the request to its last byte. */
  readonly timeout: number;
  /** Aborts the request with its reason. */
  readonly stop: AbortSignal;
}

/** Sends one GET request and reads the whole answer; throws a `TransportError`. No retries, no redirects. */
export function get(dispatcher: Dispatcher, request: HttpRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let status: number | null = null;
    let headers: Answer['headers'] = {};
    let body: Buffer = Buffer.alloc(0);
    let size = 0;
    let over = false;

    const settle = (): boolean => {
      if (over) return false;
      over = true;
      clearTimeout(timer);
      request.stop.removeEventListener('abort', onStop);
      return true;
    };
    const fail = (problem: TransportProblem, message: string, cause?: unknown): void => {
      if (!settle()) return;
      const error = new TransportError(problem, message, {
        sent: controller !== null,
        status,
        headers,
        cause,
      });
      controller?.abort(error);
      reject(error);
    };
    const onStop = (): void => fail('stopped', 'stopped', request.stop.reason);
    const due = now() + request.timeout;
    let waking = false;
    const onTime = (): void => {
      // The program was stopped meanwhile (Ctrl-Z): what has arrived since is still to be read.
      if (now() - due > stoppedFor && !waking) {
        waking = true;
        timer = setTimeout(onTime, grace);
        return;
      }
      fail(
        controller === null ? 'unreachable' : 'timeout',
        `no whole answer within ${request.timeout / 1000} s`,
      );
    };
    let timer = setTimeout(onTime, request.timeout);
    if (request.stop.aborted) return onStop();
    request.stop.addEventListener('abort', onStop, { once: true });

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        // Ended while it waited for a connection: then it is not sent at all.
        if (over) started.abort(new Error('not wanted any more'));
        else controller = started;
      },
      onResponseStart(_, statusCode, received) {
        if (statusCode < 200) return;
        status = statusCode;
        headers = received;
        if (Number(received['content-length']) > mostBytes) tooLarge();
      },
      onResponseData(_, chunk) {
        if (status !== 200 && size > mostOfError) return;
        const end = size + chunk.length;
        if (end > mostBytes) return tooLarge();
        // In one piece: a chunk may be a single byte, and costs a hundred times as much.
        if (end > body.length) {
          const larger = Buffer.allocUnsafe(Math.max(2 * body.length, end, expected(headers)));
          body.copy(larger, 0, 0, size);
          body = larger;
        }
        chunk.copy(body, size);
        size = end;
      },
      onResponseEnd() {
        if (status === null) return fail('broken', 'the connection ended before an answer');
        if (settle()) resolve({ status, headers, body: body.subarray(0, size) });
      },
      onResponseError(_, error) {
        if (controller !== null)
          fail(status === null && isNonsense(error) ? 'nonsense' : 'broken', describe(error), error);
        else if (isCertificateError(error)) fail('certificate', describe(error), error);
        else fail('unreachable', describe(error), error);
      },
    };
    const tooLarge = (): void => fail('too large', `an answer of over ${mostBytes / 1024 / 1024} MiB`);
    try {
      dispatcher.dispatch(
        { origin: request.origin, path: request.path, method: 'GET', headers: request.headers },
        handler,
      );
    } catch (error) {
      fail('unreachable', describe(error), error);
    }
  });
}

/** Bytes that a body should have, as far as its head can be trusted. */
function expected({ 'content-length': length }: Answer['headers']): number {
  const bytes = Number(length);
  return bytes > 0 && bytes <= 1024 * 1024 ? bytes : 0;
}

/** What answers is no HTTP server, or its headers are too long or contradict each other: so the next time. */
function isNonsense(error: unknown): boolean {
  const code = systemCode(error);
  return (
    isNotHttp(error) || code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
  );
}

/** The parser's error has no code of its own. */
function isNotHttp(error: unknown): boolean {
  return error instanceof Error && error.name === 'HTTPParserError';
}

function isCertificateError(error: unknown): boolean {
  const code = systemCode(error) ?? '';
  return (
    /^(?:CERT_|CRL_|ERR_TLS_CERT|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/.test(
      code,
    ) || code === 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'
  );
}

const plainWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connecting timed out',
  EPIPE: 'connection reset',
  UND_ERR_CONNECT_TIMEOUT: 'connecting timed out',
  UND_ERR_SOCKET: 'the connection broke off',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not as long as it says',
  UND_ERR_HEADERS_OVERFLOW: 'the answer has too many headers',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an unknown authority',
};

function describe(error: unknown): string {
  if (isNotHttp(error)) return 'the answer is not HTTP';
  const code = systemCode(error) ?? '';
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return `no TLS connection: ${tlsReason(error)}`;
  return plainWords[code] ?? (error instanceof Error && error.message !== '' ? error.message : String(error));
}

/** OpenSSL's own words, out of a message that is full of its file names. */
function tlsReason(error: unknown): string {
  const reason = error instanceof Error && 'reason' in error ? error.reason : undefined;
  return typeof reason === 'string' ? reason : 'the handshake failed';
}
