import { type StatsFs, statfsSync } from 'node:fs';
import { Failure } from '../errors.ts';

/** Bytes that must be free before each paid response that is written to a file. */
export const minFreeSpace = 4 * 1024 * 1024;

/** Throws `failed` (1), which ends the run, if this user may write less than `bytes` to a file system. */
export function assertFreeSpace(folder: string, bytes: number): void {
  let stats: StatsFs;
  try {
    stats = statfsSync(folder);
  } catch {
    return;
  }
  const { blocks, bavail, bfree, bsize } = stats;
  // Only root may use reserved blocks.
  const free = (process.geteuid?.() === 0 ? bfree : bavail) * bsize;
  // Virtual file systems may report 0 blocks.
  if (blocks === 0 || free >= bytes) return;
  const amounts = `${mebibytes(free)} free, ${mebibytes(bytes)} required`;
  throw new Failure('failed', `not enough disk space in ${folder}: ${amounts}`, { hint: 'free some space' });
}

const mebibytes = (bytes: number): string => `${(Math.floor(bytes / 1024 / 102.4) / 10).toFixed(1)} MiB`;
