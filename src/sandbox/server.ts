import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure, systemCode } from '../errors.ts';
import { credits } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { type SandboxSettings, sandboxDefaults } from './defaults.ts';
import { faultSource } from './faults.ts';
import { demoService, type Reply } from './service.ts';

export interface Sandbox {
  readonly baseUrl: string;
  readonly key: string;
  /** The account of the key: the credits left. */
  readonly account: { credits: number };
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}

/** Starts the service on a local address. Throws `failed` if it cannot listen there. */
export async function startSandbox(options: Partial<SandboxSettings> = {}): Promise<Sandbox> {
  const settings = { ...sandboxDefaults, ...options };
  const { host, port, key, latency } = settings;
  const { account, reply: replyTo } = demoService(settings);
  const faults = faultSource(settings.fail, settings.seed);

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url } = request;
    const reply = replyTo(request, faults());
    const outcome = reply.ending === 'whole' ? reply.status : `${reply.status || '-'} (${reply.ending})`;
    settings.onRequest(sanitize(`${method} ${url} ${outcome} ${credits(account.credits)} left`));
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
    account,
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
  response.write(body.subarray(0, body.length >> 1), () => response.socket?.destroy());
}

function baseUrl({ address, family, port }: AddressInfo): string {
  const loopback: Partial<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const host = loopback[address] ?? address;
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}

function listenFailure(error: Error, host: string, port: number): Failure {
  const code = systemCode(error) ?? error.message;
  const why = code === 'EADDRINUSE' ? 'the port is in use' : code;
  return new Failure('failed', `cannot listen on ${host}, port ${port}: ${why}`, {
    hint: '--port 0 takes any free port; --host defaults to 127.0.0.1',
    cause: error,
  });
}
