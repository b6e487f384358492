import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Contents, type ReadOptions, readContents } from '../../src/export/read.ts';
import { temporaryFolder } from '../support/temp.ts';
import { stop } from './files.ts';

export type Reader = (content: string | Buffer, options?: Partial<ReadOptions>) => Promise<Contents>;

/** A function that reads an export of this content: ndjson, unless options are given. */
export async function reader(t: TestContext): Promise<Reader> {
  const path = join(await temporaryFolder(t), 'file');
  return async (content, options = {}) => {
    writeFileSync(path, content);
    const fd = openSync(path, 'r');
    try {
      return await readContents(fd, { format: 'ndjson', fields: null, stop, ...options });
    } finally {
      closeSync(fd);
    }
  };
}
