import { type FileOps, nodeFileOps } from './file-ops.ts';

/**
 * Replaces a file of the program's own atomically, with mode 0600; `durable`: its content survives a power cut. The
 * caller holds a lock of the file, which also guards its temporary name: a killed run may have left something there.
 */
export async function replaceOwned(
  path: string,
  text: string,
  durable: boolean,
  ops: FileOps = nodeFileOps,
): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await ops.open(temporary, 'replace');
  try {
    try {
      await file.write(Buffer.from(text), 0);
      if (durable) await file.sync();
    } finally {
      await file.close();
    }
    await ops.rename(temporary, path);
  } catch (error) {
    await ops.unlink(temporary).catch(() => {});
    throw error;
  }
}
