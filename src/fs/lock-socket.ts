import type { Server } from 'node:net';
import { systemCode } from '../errors.ts';

/** A socket at a path (short enough for the system) that listens as long as this process lives. */
export async function listen(path: string): Promise<Server> {
  const { createServer } = await import('node:net');
  return await new Promise((resolve, reject) => {
    const server = createServer((connection) => connection.destroy());
    server.on('error', reject);
    server.listen({ path, exclusive: true }, () => {
      server.unref();
      resolve(server);
    });
  });
}

/**
 * False where the process that made a socket is dead (it refuses connections) or has taken it away. The system
 * answers, so a process that is stopped or busy is alive too; and whatever cannot be asked counts as alive.
 */
export async function isAlive(path: string): Promise<boolean> {
  const { connect } = await import('node:net');
  return await new Promise((resolve) => {
    const socket = connect({ path });
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', (error) => {
      resolve(!['ECONNREFUSED', 'ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? ''));
    });
  });
}
