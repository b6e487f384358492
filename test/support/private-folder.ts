import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { PrivateFolder } from '../../src/fs/private-folder.ts';
import { temporaryFolder } from './program.ts';

/** A private folder in a new folder, open until the test ends. */
export async function privateFolder(t: TestContext): Promise<PrivateFolder> {
  const folder = PrivateFolder.openOrCreate(join(await temporaryFolder(t), '.chanlist'));
  t.after(() => folder.close());
  return folder;
}
