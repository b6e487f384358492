import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { PrivateFolder } from '../../src/fs/private-folder.ts';
import { temporaryFolder } from './program.ts';

export const privateFolder = async (t: TestContext): Promise<PrivateFolder> =>
  PrivateFolder.open(join(await temporaryFolder(t), '.chanlist')).ensure();
