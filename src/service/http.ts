import { isUtf8 } from 'node:buffer';
import type { Dispatcher } from 'undici';
import { Failure } from '../errors.ts';
import { JsonText } from '../json/json-text.ts';
import { indexJson, isUnsafeAt, maxJsonBytes, maxJsonSize, maxValues } from '../json/scanner.ts';
import { thousands } from '../text/count.ts';

export const tooLargeText = `the response is larger than ${maxJsonSize}`;

export interface Connections {
  readonly dispatcher: Dispatcher;
  /** The service, as messages name it. */
  readonly name: string;
  /** True once the service has closed a connection unannounced. Requests then get new ones: one that is cut off may be charged. */
  closesUnannounced: boolean;
  /** Aborts pending proxy connections; their requests fail with this error, or one about the proxy. */
  stopConnecting(error: Error): void;
  destroy(error: Error): Promise<void>;
}

export interface Response {
  readonly status: number;
  /** Values by name in lower case; for a header that occurs several times, the first value. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

export interface NoResponse {
  readonly cause: unknown;
  /** True if the request left this machine, so that it is unknown whether the service charged for it. */
  readonly sent: boolean;
  readonly status: number | null;
  readonly headers: Response['headers'];
}

/** An error raised by this program, with a code for the tables in failures.ts and a message of this program. */
export class TransportError extends Error {
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Sends one GET request and reads the response within `timeoutMs`, from start to last byte. Never throws. */
export function get(
  connections: Connections,
  request: { readonly origin: string; readonly path: string; readonly headers: Record<string, string> },
  timeoutMs: number,
): Promise<Response | NoResponse> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | null = null;
    let status: number | null = null;
    const headers: Record<string, string | undefined> = {};
    // One buffer, of the announced length or growing: a list of one-byte chunks would take a hundred times the memory.
    let body = Buffer.alloc(0);
    let length = 0;
    let isSettled = false;

    const settle = (outcome: Response | NoResponse): void => {
      isSettled = true;
      clearTimeout(timer);
      resolve(outcome);
    };
    const fail = (cause: unknown): void => {
      if (isSettled) return;
      settle({ cause, sent: controller !== null, status, headers });
      controller?.abort(new Error('no longer needed'));
    };
    const onTime = (): void => {
      if (isSettled) return;
      const error = new TransportError('TIMEOUT', `timed out after ${timeoutMs / 1000} s`);
      if (controller === null) connections.stopConnecting(error);
      fail(error);
    };
    // Deferred: data that arrived while the process was suspended is read first.
    const timer = setTimeout(() => setImmediate(onTime), timeoutMs);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        // Timed out before a connection was ready: the request is not sent.
        if (isSettled) started.abort(new Error('no longer needed'));
        else controller = started;
      },
      onResponseStart(_, statusCode, received) {
        if (statusCode < 200) return;
        status = statusCode;
        for (const [name, value] of Object.entries(received)) headers[name] = [value].flat()[0];
        const announced = Number(headers['content-length'] ?? 0);
        if (announced > maxJsonBytes) fail(new TransportError('TOO_LARGE', tooLargeText));
        else if (announced > 0) body = Buffer.allocUnsafe(announced);
      },
      onResponseData(_, chunk) {
        const end = length + chunk.length;
        if (end > maxJsonBytes) return fail(new TransportError('TOO_LARGE', tooLargeText));
        if (end > body.length) body = Buffer.concat([body], Math.max(2 * body.length, end));
        chunk.copy(body, length);
        length = end;
      },
      onResponseEnd() {
        if (status === null) fail(new Error('no status'));
        else if (!isSettled) settle({ status, headers, body: body.subarray(0, length) });
      },
      onResponseError: (_, error) => fail(error),
    };
    try {
      const reset = connections.closesUnannounced;
      connections.dispatcher.dispatch({ ...request, method: 'GET', reset }, handler);
    } catch (error) {
      fail(error);
    }
  });
}

/** Parses the body of a complete 200 (`JsonText.parse`). Throws `invalid_response` if it is not JSON, or too large. */
export function readBody(response: Response): JsonText {
  const sent = decompressed(response);
  if (!isUtf8(sent)) throw invalid('the response is not UTF-8 text');
  const bytes = sent.toString('latin1', 0, 3) === '\xef\xbb\xbf' ? sent.subarray(3) : sent;
  if (maxEscapedLength(bytes) > maxJsonBytes)
    throw invalid(`${tooLargeText} once its control characters are escaped`);
  const json = JsonText.parse(bytes, true);
  if (json !== null) return json;
  if (indexJson(bytes) === 'too many values')
    throw invalid(`the response has more than ${thousands(maxValues)} values`);
  throw invalid(`the response is ${String(bytes).trim() === '' ? 'empty' : 'not JSON'}`);
}

const invalid = (message: string): Failure => new Failure('invalid_response', message, { status: 200 });

/** Returns an upper bound of the length of a JSON text once each unsafe character is escaped (five bytes more). */
function maxEscapedLength(bytes: Buffer): number {
  let { length } = bytes;
  if (6 * length <= maxJsonBytes) return length;
  for (const at of bytes.keys()) if (isUnsafeAt(bytes, at)) length += 5;
  return length;
}

/** Decodes the content encoding of a body: the client does not ask for one, but the page is paid for. */
function decompressed({ headers, body }: Response): Buffer {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (!['gzip', 'x-gzip', 'deflate', 'br'].includes(encoding)) return body;
  const { brotliDecompressSync, unzipSync } = process.getBuiltinModule('node:zlib');
  try {
    return (encoding === 'br' ? brotliDecompressSync : unzipSync)(body, { maxOutputLength: maxJsonBytes });
  } catch {
    throw invalid(`the compressed body of the response is invalid, incomplete or larger than ${maxJsonSize}`);
  }
}
