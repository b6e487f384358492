import { statfsSync } from 'node:fs';
import { Failure } from '../errors.ts';

/** Bytes that must be free before each paid response that is written to a file. */
export const minFreeSpace = 4 * 1024 * 1024;

/**
 * Throws `failed` (1), which ends the run, if this user may write less than `bytes` to the file system of a folder. One
 * that does not report its free space passes.
 */
export function checkFreeSpace(folder: string, bytes: number): void {
  let free: number;
  try {
    const { blocks, bavail, bfree, bsize } = statfsSync(folder);
    // Virtual file systems may report 0 blocks. Only root may use reserved blocks.
    free = blocks === 0 ? Infinity : (process.geteuid?.() === 0 ? bfree : bavail) * bsize;
  } catch {
    return;
  }
  if (free >= bytes) return;
  const message = `not enough disk space in ${folder}: ${mebibytes(free)} free, ${mebibytes(bytes)} required`;
  throw new Failure('failed', message, { hint: 'free some space' });
}

const mebibytes = (bytes: number): string => `${(Math.floor(bytes / 1024 / 102.4) / 10).toFixed(1)} MiB`;
