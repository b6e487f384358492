import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure, systemCode } from '../errors.ts';
import { sanitize } from '../text/sanitize.ts';
import { Catalog } from './catalog.ts';
import { type Channel, channelByHandle } from './channels.ts';
import { sandboxDefaults } from './defaults.ts';
import { type FaultRule, faultSource } from './faults.ts';
import { PageCache } from './page-cache.ts';
import { type Reply, Service } from './service.ts';

/** Where the sandbox differs from its defaults. */
export interface SandboxOptions {
  /** Address to listen on (127.0.0.1). */
  readonly host?: string;
  /** Port; 0, the default, takes any free one. */
  readonly port?: number;
  /** The one key that is accepted (sk_sandbox). */
  readonly key?: string;
  /** Credits on the account (1000). */
  readonly credits?: number;
  /** Entries on a page (100). */
  readonly pageSize?: number;
  /** Milliseconds between a request's decision and its answer (0). */
  readonly latency?: number;
  /** Seed of the faults (1). The data never depend on it. */
  readonly seed?: number;
  readonly fail?: readonly FaultRule[];
  /** Called for each request with one line: method, path, status, credits left. Never holds a header. */
  readonly onRequest?: (line: string) => void;
}

/** A running sandbox. The methods that change data are for tests: a channel that grows, a video that goes. */
export interface Sandbox {
  readonly baseUrl: string;
  readonly key: string;
  /** Credits left. */
  credits(): number;
  setCredits(credits: number): void;
  /** The channel has `count` uploads now; new ones come first, old ones keep their IDs. */
  setUploads(handle: string, count: number): void;
  /** Deletes an upload of the channel. */
  hide(handle: string, videoId: string): void;
  /** `latest` shows `count` uploads that the list does not show yet. */
  latestAhead(handle: string, count: number): void;
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}

/** Bytes of pages kept, about a hundred pages. */
const cacheSize = 8 * 1024 * 1024;

/** Starts the service on a local address. Throws `failed` where that address cannot be listened on. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host, key, credits, pageSize, latency, seed } = { ...sandboxDefaults, ...options };
  const catalog = new Catalog();
  const service = new Service(key, credits, { catalog, pageSize, cache: new PageCache(cacheSize) });
  const faults = faultSource(options.fail ?? [], seed);
  const waiting = new Set<NodeJS.Timeout>();

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url = '' } = request;
    const { authorization, 'user-agent': userAgent } = request.headers;
    const reply = service.reply({ method, target: url, authorization, userAgent }, faults());
    const outcome = reply.ending === 'whole' ? reply.status : `${reply.status || '-'} (${reply.ending})`;
    options.onRequest?.(sanitize(`${method} ${url} ${outcome} ${service.credits} credits left`));
    if (latency === 0) {
      send(reply, response);
      return;
    }
    const timer = setTimeout(() => {
      waiting.delete(timer);
      send(reply, response);
    }, latency);
    waiting.add(timer);
  };

  // Longer than any client waits between two requests: a connection must not end just as it is used again.
  const server = createServer({ keepAliveTimeout: 120_000 }, handle);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(error, host, options.port ?? 0)));
    server.listen({ host, port: options.port ?? 0 }, resolve);
  });

  const channel = (name: string): Channel => {
    const found = channelByHandle(name);
    if (found === undefined) throw new Error(`there is no channel ${name}`);
    return found;
  };
  return {
    baseUrl: address(server.address() as AddressInfo),
    key,
    credits: () => service.credits,
    setCredits: (credits) => {
      service.credits = credits;
    },
    setUploads: (name, count) => catalog.setUploads(channel(name), count),
    hide: (name, id) => catalog.hide(channel(name), id),
    latestAhead: (name, count) => catalog.setAhead(channel(name), count),
    close: () => {
      for (const timer of waiting) clearTimeout(timer);
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function send(reply: Reply, response: ServerResponse): void {
  if (reply.ending === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-length': reply.body.length,
    ...reply.headers,
  });
  if (reply.ending === 'whole') response.end(reply.body);
  else response.write(reply.body.subarray(0, reply.body.length >> 1), () => response.socket?.destroy());
}

function address({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function listenFailure(error: Error, host: string, port: number): Failure {
  const code = systemCode(error);
  if (code === 'EADDRINUSE') {
    return new Failure('failed', `port ${port} of ${host} is in use`, {
      hint: 'choose another with --port, or any free one with --port 0',
      cause: error,
    });
  }
  const hints: Partial<Record<string, string>> = {
    EACCES: 'ports below 1024 need rights that this user lacks; choose another with --port',
    EADDRNOTAVAIL: 'this machine has no such address; without --host it is 127.0.0.1',
    ENOTFOUND: 'no such host is known; without --host it is 127.0.0.1',
  };
  const hint = hints[code ?? ''];
  return new Failure('failed', `cannot listen on ${host}, port ${port}: ${code ?? error.message}`, {
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  });
}
