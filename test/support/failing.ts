import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';

type Function = 'accessSync' | 'chmodSync' | 'closeSync' | 'fchmodSync' | 'fsyncSync' | 'renameSync';

/** Does something while a function of node:fs fails with this code. */
export function whileFailing(t: TestContext, name: Function, code: string, work: () => void): void {
  const { mock } = t.mock.method(fs, name, () => {
    throw Object.assign(new Error(), { code });
  });
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    mock.restore();
    syncBuiltinESMExports();
  }
}

/** Records, until the test ends, in which order files and folders are synced and files renamed. */
export function recordSyncs(t: TestContext): string[] {
  const calls: string[] = [];
  const { fsyncSync, renameSync } = fs;
  replaceFs(t, {
    fsyncSync: (fd) => {
      calls.push(fs.fstatSync(fd).isFile() ? 'sync file' : 'sync folder');
      fsyncSync(fd);
    },
    renameSync: (...paths) => {
      calls.push('rename');
      renameSync(...paths);
    },
  });
  return calls;
}

/** Until the test ends, functions of node:fs are these. */
export function replaceFs(t: TestContext, functions: Partial<typeof fs>): void {
  for (const [name, replacement] of Object.entries(functions))
    t.mock.method(fs, name as Function, replacement as () => never);
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
}
