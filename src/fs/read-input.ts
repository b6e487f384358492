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
  const { constants, createReadStream, openSync } = await import('node:fs');
  const { stat } = await import('node:fs/promises');
  if (!(await stat(path)).isFIFO()) return await readStream(createReadStream(path), maxBytes, stop);
  // `open` would block until there is a writer, and no signal could interrupt it.
  const { Socket } = await import('node:net');
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return await readStream(new Socket({ fd, readable: true, writable: false }), maxBytes, stop);
}

/** Reads a stream to its end and closes it; throws as `readPath`. */
export async function readStream(stream: InputStream, maxBytes: number, stop?: AbortSignal): Promise<Buffer> {
  const { addAbortSignal } = await import('node:stream');
  const chunks: Buffer[] = [];
  let length = 0;
  if (stop !== undefined) addAbortSignal(stop, stream);
  try {
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk);
      length += bytes.length;
      if (length > maxBytes) throw new TooLarge();
      chunks.push(bytes);
    }
  } catch (error) {
    stop?.throwIfAborted();
    throw error;
  }
  return Buffer.concat(chunks, length);
}
