import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** The files that may contain a key: the store, and what a test itself gives as a key file. */
const keyFile = /^(?:config\.json|key(?:-\d+)?\.txt)$/;

/** Fails the test that runs when a process shows the key: on stdout, on stderr or in the process list. */
export function watchForKey(child: ChildProcess, key: string): void {
  if (process.platform === 'linux' && child.pid !== undefined) {
    assert.ok(!commandLineOf(child.pid).includes(key), 'the key is in the process list');
  }
  watchOutput(child, key);
}

/** The same for a shell, of which the line that it was given is the test's own. */
export function watchOutput(child: Pick<ChildProcess, 'stdout' | 'stderr'>, key: string): void {
  for (const stream of [child.stdout, child.stderr]) {
    let end = '';
    stream?.on('data', (chunk: Buffer | string) => {
      const text = end + (typeof chunk === 'string' ? chunk : chunk.toString('latin1'));
      assert.ok(!text.includes(key), 'the key was shown');
      end = text.slice(-key.length);
    });
  }
}

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** Throws if a file below the folder, or its name, contains the key: exports, records, summaries, leftovers. */
export async function refuseKeyInFiles(folder: string, key: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    assert.ok(!entry.name.includes(key), `the key is the name of a file: ${entry.name}`);
    if (!entry.isFile() || keyFile.test(basename(entry.name))) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path, 'latin1').catch(() => '');
    assert.ok(!text.includes(key), `the key is in ${path}`);
  }
}
