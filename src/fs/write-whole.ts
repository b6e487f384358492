import { dirname } from 'node:path';
import { Failure } from '../errors.ts';
import { fileFailure, guarded } from './file-errors.ts';
import { type FileOps, newFileMode, nodeFileOps } from './file-ops.ts';
import { temporaryIn } from './owned.ts';
import { checkRoom } from './room.ts';
import { resolveTarget } from './target.ts';

export interface WholeOptions {
  /** Bytes that must be free: see `checkRoom`. */
  readonly room?: number;
  readonly ops?: FileOps;
}

/**
 * Checks, before anything is sent, that `writeWhole` can write this path. Throws a usage error for a folder that is
 * missing or cannot be written and for a path that can be neither replaced nor written to, `failed` for a disk
 * without room.
 */
export async function prepareWhole(path: string, options: WholeOptions = {}): Promise<void> {
  const { ops = nodeFileOps } = options;
  const target = await resolveTarget(path);
  if (target.kind === 'stream') return;
  const folder = dirname(target.real);
  const temporary = temporaryIn(folder);
  await guarded(path, 'opening', async () => {
    await (await ops.open(temporary, 'create')).close();
    await ops.unlink(temporary);
    if (options.room !== undefined) await checkRoom(folder, options.room, ops);
  });
}

/**
 * Writes a file whole and atomically: a reader sees the old content or the new, also after a power cut. A symbolic
 * link's target is replaced, the mode of an existing file is kept. Throws `failed` naming the
 * file, never a usage error: its content may have been paid for. Returns what failed after the file was replaced (its
 * folder could not be synced) for a warning, else null.
 */
export async function writeWhole(
  path: string,
  text: string | Uint8Array,
  options: WholeOptions = {},
): Promise<Failure | null> {
  const { ops = nodeFileOps } = options;
  const target = await resolveTarget(path).catch((error: unknown) => {
    throw asFailed(error);
  });
  if (target.kind === 'stream') throw new Failure('failed', `${path} is no longer a regular file`);
  const folder = dirname(target.real);
  const temporary = temporaryIn(folder);
  let created = false;
  try {
    const file = await ops.open(temporary, 'create');
    created = true;
    try {
      await file.write(Buffer.from(text), 0);
      await file.chmod(target.mode ?? newFileMode());
      await file.sync();
    } finally {
      await file.close();
    }
    await ops.rename(temporary, target.real);
  } catch (error) {
    if (created) await ops.unlink(temporary).catch(() => {});
    throw asFailed(fileFailure(error, path, 'writing'));
  }
  try {
    await ops.syncFolder(folder);
    return null;
  } catch (error) {
    const failure = fileFailure(error, path, 'writing');
    return failure instanceof Failure ? failure : new Failure('failed', String(error), { cause: error });
  }
}

function asFailed(error: unknown): unknown {
  if (!(error instanceof Failure) || error.code === 'failed') return error;
  return new Failure('failed', error.message, { cause: error, hint: error.hint });
}
