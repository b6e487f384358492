import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Resolves once the program would take a signal itself: Linux tells which ones a process catches. */
export async function takesSignals({ pid }: ChildProcess): Promise<void> {
  const hangUp = 1n;
  for (;;) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const [, caught = '0'] = /^SigCgt:\t([0-9a-f]+)$/m.exec(status) ?? [];
    // Node itself catches some, but not this one; and the program takes it last.
    if ((BigInt(`0x${caught}`) & hangUp) !== 0n) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
