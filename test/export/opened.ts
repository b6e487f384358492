import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Contents, type ReadOptions, readArchive } from '../../src/export/inspect/read-archive.ts';
import { temporaryFolder } from '../support/program.ts';
import { stop } from './files.ts';

export type Reader = (content: string | Buffer, options?: Partial<ReadOptions>) => Promise<Contents>;

/** A function that reads an ndjson file of this content. */
export async function reader(t: TestContext): Promise<Reader> {
  const path = join(await temporaryFolder(t), 'file');
  return async (content, options = {}) => {
    writeFileSync(path, content);
    const fd = openSync(path, 'r');
    try {
      return await readArchive(fd, { stop, ...options });
    } finally {
      closeSync(fd);
    }
  };
}
