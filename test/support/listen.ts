import type { Server } from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import type { TestContext } from 'node:test';

/** Lets a server listen on loopback until the test ends; returns its address. */
export async function listen(t: TestContext, server: Server | TcpServer): Promise<string> {
  const isHttp = 'closeAllConnections' in server;
  if (isHttp) server.on('clientError', (_, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    if (!isHttp) return;
    server.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
