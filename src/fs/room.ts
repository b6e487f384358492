import { Failure } from '../errors.ts';
import { type FileOps, nodeFileOps } from './file-ops.ts';

/** Bytes that must be free before each paid page or answer that is written to a file. */
export const minRoom = 4 * 1024 * 1024;

/**
 * Throws `failed` (1), which ends the call, if the file system of a folder has less than `bytes` left for this
 * user. A file system that does not report its free space passes.
 */
export async function checkRoom(folder: string, bytes: number, ops: FileOps = nodeFileOps): Promise<void> {
  const available = await ops.availableBytes(folder);
  if (available === null || available >= bytes) return;
  throw new Failure(
    'failed',
    `no room: ${folder} has ${mebibytes(available)} left, and ${mebibytes(bytes)} are needed before the next request`,
    { hint: 'make room', remedy: 'same-command' },
  );
}

const mebibytes = (bytes: number): string =>
  `${(Math.floor((bytes / 1024 / 1024) * 10) / 10).toFixed(1)} MiB`;
