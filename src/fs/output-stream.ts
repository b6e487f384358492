import { constants, createWriteStream, fstatSync, openSync } from 'node:fs';
import { systemCode, usage } from '../errors.ts';
import { fileFailure, guarded } from './file-errors.ts';
import { resolveTarget, type Target } from './target.ts';

/** A device, a pipe or an inherited descriptor that data goes to in place of stdout. */
export interface OutputStream {
  readonly stream: NodeJS.WritableStream;
  readonly isPipe: boolean;
  /** What to throw for an error of the stream. */
  failureOf(error: Error): unknown;
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
  const isInherited = target.descriptor !== undefined;
  const descriptor = target.descriptor ?? (await guarded(path, 'opening', () => openWhenRead(target, stop)));
  const stream = (isInherited && inherited.get(descriptor)) || (await wrap(descriptor, isInherited));
  if (isInherited) inherited.set(descriptor, stream);
  return { stream, isPipe: isPipe(descriptor), failureOf: (error) => fileFailure(error, path, 'writing') };
}

/** Opens without blocking: no signal could interrupt a blocked call, and it would keep the process from ending. */
async function openWhenRead({ real }: Target, stop: AbortSignal | undefined): Promise<number> {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  for (;;) {
    try {
      return openSync(real, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    } catch (error) {
      if (systemCode(error) !== 'ENXIO') throw error;
    }
    stop?.throwIfAborted();
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
