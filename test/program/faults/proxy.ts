import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { listen } from '../../support/listen.ts';
import type { Credentials } from './authority.ts';

/**
 * A real proxy on loopback. It connects to `target`, a local port, whatever host is requested; null: it refuses with
 * `status`. With `credentials` it is reached through TLS.
 */
export async function startProxy(
  t: TestContext,
  target: number | null,
  status = 502,
  credentials: Credentials | null = null,
) {
  /** The requested hosts: `CONNECT host:port` or a plain request. */
  const asked: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  const note = (request: IncomingMessage): void => {
    asked.push(request.url ?? '');
    headers.push(request.headers);
  };
  const server = credentials === null ? createServer() : createSecureServer(credentials);
  server.on('request', (request, response) => {
    note(request);
    response.writeHead(500).end();
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    note(request);
    sockets.add(socket);
    socket.on('error', () => {});
    if (target === null) {
      socket.end(`HTTP/1.1 ${status} Refused\r\nProxy-Authenticate: Basic realm="x"\r\n\r\n`);
      return;
    }
    const upstream = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket
        .on('data', (chunk) => chunks.push(chunk))
        .pipe(upstream)
        .pipe(socket);
    });
    sockets.add(upstream);
    upstream.on('error', () => socket.destroy());
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const { port } = new URL(await listen(t, server));
  const through = () => Buffer.concat(chunks);
  return { port: Number(port), asked, headers, through };
}
