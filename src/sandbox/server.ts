import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure, systemCode } from '../errors.ts';
import { defaultNamespace } from '../service/contract.ts';
import { sanitize } from '../text/sanitize.ts';
import { withoutSecret } from '../text/secret.ts';
import { type Catalog, demoCatalog } from './catalog.ts';
import { sandboxDefaults } from './defaults.ts';
import { type FaultRule, faultSource } from './faults.ts';
import { type Reply, Service } from './service.ts';

/** The options of the sandbox, with their defaults in brackets. */
export interface SandboxOptions {
  /** Address to listen on (127.0.0.1). */
  readonly host?: string;
  /** Port; 0, the default, is any free one. */
  readonly port?: number;
  /** The path segment after /api/v2/ (media). */
  readonly namespace?: string | undefined;
  /** The one accepted key (sk_sandbox). */
  readonly key?: string;
  /** Credits on the account (1000). */
  readonly credits?: number;
  /** Entries per page (100). */
  readonly pageSize?: number;
  /** Milliseconds between the decision on a request and its response (0). */
  readonly latency?: number;
  /** Seed of the faults (1). The data never depend on it. */
  readonly seed?: number;
  /** Requests per minute (no limit). */
  readonly rate?: number | undefined;
  /** New uploads per channel and minute, about (0). */
  readonly grow?: number;
  /** URL-safe tokens (false). */
  readonly plainTokens?: boolean;
  readonly fail?: readonly FaultRule[];
  /** The uploads of the channels (the demo data, which `grow` makes grow). */
  readonly catalog?: Catalog;
  /** The clock of `rate` and `grow`, in milliseconds since 1970 (the system's). */
  readonly now?: () => number;
  /** Called for each request with one line: method, path, status, credits left. Never holds the key. */
  readonly onRequest?: (line: string) => void;
}

/** A running sandbox. */
export interface Sandbox {
  readonly baseUrl: string;
  readonly key: string;
  /** The account of the key: the credits left. */
  readonly account: { credits: number };
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}

/** Starts the service on a local address. Throws `failed` if it cannot listen there. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = { ...sandboxDefaults, ...options };
  const { host, key, latency, now = Date.now, namespace = defaultNamespace, port = 0 } = settings;
  const { catalog = demoCatalog(settings.grow, now) } = settings;
  const service = new Service({ ...settings, catalog, namespace, now, rate: settings.rate });
  const faults = faultSource(settings.fail ?? [], settings.seed);

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url = '' } = request;
    const { authorization, 'user-agent': userAgent } = request.headers;
    const reply = service.reply({ method, target: url, authorization, userAgent }, faults());
    const outcome = reply.ending === 'whole' ? reply.status : `${reply.status || '-'} (${reply.ending})`;
    const line = `${method} ${withoutKey(url, key)} ${outcome} ${service.credits} credits left`;
    settings.onRequest?.(sanitize(line));
    if (latency === 0) send(reply, response);
    // Its connection keeps the process alive, not the timer.
    else setTimeout(send, latency, reply, response).unref();
  };

  // Longer than any client pauses between requests: a connection must not end just as it is used again.
  const server = createServer({ keepAliveTimeout: 120_000 }, handle);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(error, host, port)));
    server.listen({ host, port }, resolve);
  });
  return {
    baseUrl: baseUrl(server.address() as AddressInfo),
    key,
    account: service,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send({ status, headers, body, ending }: Reply, response: ServerResponse): void {
  if (ending === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(status, { 'content-length': body.length, ...headers });
  if (ending === 'whole') {
    response.end(body);
    return;
  }
  response.write(body.subarray(0, body.length >> 1), () => {
    if (ending === 'truncate') response.socket?.destroy();
  });
}

/** Removes the key from a target, where some clients put it. Very short keys would match ordinary words. */
function withoutKey(target: string, key: string): string {
  return key.length < 8 ? target : withoutSecret(target, key);
}

/** The address of the server for clients on this machine. */
function baseUrl({ address, family, port }: AddressInfo): string {
  const loopback: Partial<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const host = loopback[address] ?? address;
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}

function listenFailure(error: Error, host: string, port: number): Failure {
  const code = systemCode(error) ?? error.message;
  const hints: Partial<Record<string, string>> = {
    EADDRINUSE: 'choose another with --port, or any free one with --port 0',
    EACCES: 'ports below 1024 need privileges that this user lacks; choose another with --port',
    EADDRNOTAVAIL: 'this machine has no such address; the default of --host is 127.0.0.1',
    ENOTFOUND: 'there is no such host; the default of --host is 127.0.0.1',
  };
  const message =
    code === 'EADDRINUSE'
      ? `port ${port} of ${host} is in use`
      : `cannot listen on ${host}, port ${port}: ${code}`;
  return new Failure('failed', message, { hint: hints[code], cause: error });
}
