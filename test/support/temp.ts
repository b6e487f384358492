import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A folder of this test's own; it is removed afterwards. */
export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chanlist-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
