import { Failure } from '../errors.ts';
import { type FileOps, nodeFileOps } from './file-ops.ts';

/**
 * Throws `failed` (1), which ends the call, if the file system of a folder has less than `bytes` left for this
 * user. A file system that does not say is taken at its word when it is written.
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
