import { type StatsFs, statfsSync } from 'node:fs';
import { Failure } from '../errors.ts';

/** Bytes that must be free before each paid response that is written to a file. */
export const minFreeSpace = 4 * 1024 * 1024;
/** Inodes that must be free, too: rows, records and temporary files of several exports at a time. */
const minFreeInodes = 8;

/** Throws `failed` (1), which ends the run, if this user may write less than `bytes`, or few files, to a file system. */
export function assertFreeSpace(folder: string, bytes: number): void {
  let stats: StatsFs;
  try {
    stats = statfsSync(folder);
  } catch {
    return;
  }
  const { blocks, bavail, bfree, bsize, files, ffree } = stats;
  // Only root may use reserved blocks.
  const free = (process.geteuid?.() === 0 ? bfree : bavail) * bsize;
  // Virtual file systems may report 0 blocks; btrfs reports 0 inodes.
  if (blocks > 0 && free < bytes)
    throw tooFull(folder, `${mebibytes(free)} free, ${mebibytes(bytes)} required`, 'free some space');
  if (files > 0 && ffree < minFreeInodes)
    throw tooFull(folder, `${ffree} inodes free, ${minFreeInodes} required`, 'remove some files');
}

const tooFull = (folder: string, amounts: string, hint: string): Failure =>
  new Failure('failed', `not enough disk space in ${folder}: ${amounts}`, { hint });

const mebibytes = (bytes: number): string => `${(Math.floor(bytes / 1024 / 102.4) / 10).toFixed(1)} MiB`;
