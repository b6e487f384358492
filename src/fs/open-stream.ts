import { constants, createWriteStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { fileError, guardFile } from './file-error.ts';
import { ignoreErrors } from './files.ts';
import { descriptorAt, type Target } from './output-target.ts';

/** A device, a pipe or an inherited descriptor that data goes to in place of stdout. */
export interface OpenedStream {
  readonly stream: NodeJS.WritableStream;
  readonly isPipe: boolean;
  /** What to throw for an error of the stream. */
  failureOf(error: Error): unknown;
}

/** Milliseconds between two attempts to open a FIFO that has no reader yet. */
const fifoPollMs = 50;

/**
 * Opens a target that is a stream. An inherited descriptor is used as it is, so that `>> log` appends and a redirected
 * file is written from its current position. A FIFO without a reader is waited for until `stop` is aborted, whose
 * reason is then thrown.
 */
export async function openStream({ path, real }: Target, stop?: AbortSignal): Promise<OpenedStream> {
  const fd = descriptorAt(real) ?? (await openWhenRead(path, real, stop));
  const stats = fstatSync(fd);
  const isPipe = stats.isFIFO() || stats.isSocket();
  return { stream: wrap(fd, isPipe), isPipe, failureOf: (error) => fileError(error, path, 'write') };
}

/** Opens without blocking: no signal could interrupt a blocked call, and it would keep the process from ending. */
async function openWhenRead(path: string, real: string, stop: AbortSignal | undefined): Promise<number> {
  const { O_WRONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
  for (;;) {
    const open = (): number => openSync(real, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    const fd = guardFile(path, 'open', () => ignoreErrors(['ENXIO'], open));
    if (fd !== undefined) return fd;
    stop?.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, fifoPollMs));
  }
}

function wrap(fd: number, isPipe: boolean): NodeJS.WritableStream {
  if (fd === 1) return process.stdout;
  if (fd === 2) return process.stderr;
  if (isPipe) return new Socket({ fd, readable: false, writable: true });
  return createWriteStream('', { fd, autoClose: false });
}
