import { constants, existsSync, promises as fs } from 'node:fs';
import type { Server } from 'node:net';
import { systemCode } from '../errors.ts';

/** Creates a socket that listens as long as this process lives; only this user can connect to it. */
export async function listen(path: string): Promise<Server> {
  const { createServer } = await import('node:net');
  return await new Promise((resolve, reject) => {
    const server = createServer((connection) => connection.destroy());
    server.on('error', reject);
    // `listen` creates the socket at once, with mode 0777 less the umask.
    const mask = process.umask(0o077);
    try {
      server.listen({ path, exclusive: true }, () => {
        server.unref();
        resolve(server);
      });
    } finally {
      process.umask(mask);
    }
  });
}

/** Whether the process that created a socket is alive. The kernel answers, even for a stopped or busy process. */
export async function examineSocket(path: string): Promise<'alive' | 'dead' | 'unknown'> {
  const { connect } = await import('node:net');
  return await new Promise((resolve) => {
    const socket = connect({ path });
    socket.on('connect', () => {
      socket.destroy();
      resolve('alive');
    });
    socket.on('error', (error) => {
      const code = systemCode(error) ?? '';
      if (['ECONNREFUSED', 'ENOENT'].includes(code)) resolve('dead');
      else resolve(code === 'EAGAIN' ? 'alive' : 'unknown');
    });
  });
}

/**
 * Calls `work` with a short path to a folder, because socket paths are limited to about 100 bytes. On Linux it refers
 * to the opened folder even if another one takes its name. Links are not followed.
 */
export async function inFolder<T>(folder: string, work: (base: string) => Promise<T>): Promise<T> {
  const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;
  const handle = await fs.open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const short = `/proc/self/fd/${handle.fd}`;
    return await work(process.platform === 'linux' && existsSync(short) ? short : folder);
  } finally {
    await handle.close();
  }
}
