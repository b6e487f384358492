import { constants, createWriteStream, fstatSync, openSync } from 'node:fs';
import { ClosedPipe, systemCode, usage } from '../errors.ts';
import { fileFailure, guarded } from './file-errors.ts';
import { resolveTarget, type Target } from './target.ts';

/** A device, a pipe or an inherited descriptor that is written to. */
export interface OutputStream {
  /** The stream itself, for `Stdout`. */
  readonly stream: NodeJS.WritableStream;
  readonly isPipe: boolean;
  /** What to throw for an error of the stream. */
  failureOf(error: Error): unknown;
  /** Resolves once the system has taken the text. Throws `ClosedPipe` if the reader has gone, else a failure. */
  write(text: string | Uint8Array): Promise<void>;
  /** Closes what `openStream` opened; an inherited descriptor stays open. */
  close(): Promise<void>;
}

/** Milliseconds between two attempts to open a FIFO that has no reader yet. */
const fifoPollMs = 50;

/** Streams of inherited descriptors: a second one for the same descriptor would compete with the first. */
const inherited = new Map<number, NodeJS.WritableStream>();

/**
 * Opens a stream (see `Target.kind`). An inherited descriptor is used as it is, so that `>> log` appends and a
 * redirected file is written from its current position. A FIFO without a reader is waited for until `stop` is
 * aborted, whose reason is then thrown. Throws usage errors as `resolveTarget`.
 */
export async function openStream(path: string, stop?: AbortSignal): Promise<OutputStream> {
  const target = await resolveTarget(path);
  if (target.kind !== 'stream') throw usage(`${path} is a file, not a stream`);
  if (target.descriptor !== undefined) {
    const stream = inherited.get(target.descriptor) ?? (await wrap(target.descriptor, true));
    inherited.set(target.descriptor, stream);
    return output(stream, path, target.descriptor, async () => {});
  }
  const descriptor = await guarded(path, 'opening', () => openWhenRead(target, stop));
  const stream = await wrap(descriptor, false);
  return output(stream, path, descriptor, () => new Promise((resolve) => stream.end(() => resolve())));
}

/** Opens without blocking: no signal could interrupt a blocked call, and it would keep the process from ending. */
async function openWhenRead({ real }: Target, stop: AbortSignal | undefined): Promise<number> {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  for (;;) {
    stop?.throwIfAborted();
    try {
      return openSync(real, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    } catch (error) {
      if (systemCode(error) !== 'ENXIO') throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, fifoPollMs));
  }
}

async function wrap(descriptor: number, isInherited: boolean): Promise<NodeJS.WritableStream> {
  if (descriptor === 1) return process.stdout;
  if (descriptor === 2) return process.stderr;
  if (isPipe(descriptor)) {
    const { Socket } = await import('node:net');
    return new Socket({ fd: descriptor, readable: false, writable: true });
  }
  if (fstatSync(descriptor).isCharacterDevice()) {
    const { isatty, WriteStream } = await import('node:tty');
    if (isatty(descriptor)) return new WriteStream(descriptor);
  }
  return createWriteStream('', { fd: descriptor, autoClose: !isInherited });
}

function isPipe(descriptor: number): boolean {
  const stats = fstatSync(descriptor);
  return stats.isFIFO() || stats.isSocket();
}

function output(
  stream: NodeJS.WritableStream,
  path: string,
  descriptor: number,
  close: () => Promise<void>,
): OutputStream {
  // Each write reports its own error.
  stream.on('error', () => {});
  /** Of the first write that failed. A later one would have another error, or no end if the stream stays open. */
  let failure: unknown = null;
  const write = (text: string | Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      if (failure !== null) return reject(failure);
      stream.write(text, (error) => {
        if (!error) return resolve();
        failure ??= thrownFor(error, path);
        reject(failure);
      });
    });
  const failureOf = (error: Error): unknown => fileFailure(error, path, 'writing');
  return { stream, isPipe: isPipe(descriptor), failureOf, write, close };
}

function thrownFor(error: Error, path: string): unknown {
  const closed = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'].includes(systemCode(error) ?? '');
  return closed ? new ClosedPipe() : fileFailure(error, path, 'writing');
}
