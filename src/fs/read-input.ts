import type { InputStream } from '../context.ts';
import { Failure, systemCode, usage } from '../errors.ts';

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

/**
 * The text of a file, a pipe or a device (a path), or of a stream, which is then closed. Throws a usage error that
 * begins with `problem` if it cannot be read or is larger than `maxBytes` (a multiple of 1024), and the reason of
 * `stop` once that is aborted.
 */
export async function readText(
  from: string | InputStream,
  maxBytes: number,
  { problem, hint, stop }: { problem: string; hint: string; stop?: AbortSignal | undefined },
): Promise<string> {
  const failed = (why: string): Failure => usage(`${problem}: ${why}`, hint);
  try {
    const stream = typeof from === 'string' ? await openPath(from) : from;
    if (stop !== undefined) (await import('node:stream')).addAbortSignal(stop, stream);
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk);
      length += bytes.length;
      if (length > maxBytes) throw failed(`it is larger than ${binarySize(maxBytes)}`);
      chunks.push(bytes);
    }
    return Buffer.concat(chunks, length).toString('utf8');
  } catch (error) {
    stop?.throwIfAborted();
    throw error instanceof Failure ? error : failed(readProblem(error));
  }
}

async function openPath(path: string): Promise<InputStream> {
  const { constants, createReadStream, openSync } = await import('node:fs');
  const { stat } = await import('node:fs/promises');
  if (!(await stat(path)).isFIFO()) return createReadStream(path);
  // `open` would block until there is a writer, and no signal could interrupt it.
  const { Socket } = await import('node:net');
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

const binarySize = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;
