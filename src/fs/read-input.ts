import type { InputStream } from '../context.ts';
import { systemCode } from '../errors.ts';

/** Why a file cannot be read, in words. */
export function readProblem(error: unknown): string {
  const code = systemCode(error);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'there is no such file';
    case 'EISDIR':
      return 'it is a folder';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    default:
      return code ?? 'it is not a file name';
  }
}

/** The input is larger than allowed. */
export class TooLarge extends Error {}

/**
 * Reads a file, a pipe or a device to its end. Throws `TooLarge` after `maxBytes`, the reason of `stop` once that is
 * aborted, and the system's error if it cannot be read.
 */
export async function readPath(path: string, maxBytes: number, stop?: AbortSignal): Promise<Buffer> {
  const { constants, openSync } = await import('node:fs');
  const { open, stat } = await import('node:fs/promises');
  if ((await stat(path)).isFIFO()) {
    // `open` would block until there is a writer, and no signal could interrupt it.
    const { Socket } = await import('node:net');
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const socket = new Socket({ fd, readable: true, writable: false });
    try {
      return await readStream(socket, maxBytes, stop);
    } finally {
      socket.destroy();
    }
  }
  const file = await open(path, 'r');
  try {
    const chunks: Buffer[] = [];
    for (let length = 0; ; ) {
      stop?.throwIfAborted();
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(64 * 1024), 0, 64 * 1024);
      if (bytesRead === 0) return Buffer.concat(chunks, length);
      length += bytesRead;
      if (length > maxBytes) throw new TooLarge();
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** Reads a stream to its end; throws as `readPath`. */
export async function readStream(stream: InputStream, maxBytes: number, stop?: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  stop?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const settle = (act: () => void): void => {
      stream.removeListener('data', onData);
      stream.removeListener('end', onEnd);
      stop?.removeEventListener('abort', onStop);
      stream.pause();
      act();
    };
    const onData = (chunk: Buffer | string): void => {
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      length += bytes.length;
      if (length > maxBytes) settle(() => reject(new TooLarge()));
    };
    const onEnd = (): void => settle(resolve);
    const onStop = (): void => settle(() => reject(stop?.reason));
    stop?.addEventListener('abort', onStop);
    stream.on('end', onEnd);
    // Never removed: a stream that is no longer read may still fail.
    stream.on('error', (error) => settle(() => reject(error)));
    stream.on('data', onData);
  });
  return Buffer.concat(chunks, length);
}
