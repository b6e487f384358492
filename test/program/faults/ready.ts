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

/** Resolves once the program has nothing to do but to wait: the kernel shows its main thread asleep, three times. */
export async function waits({ pid }: ChildProcess): Promise<void> {
  for (let asleep = 0; asleep < 3; ) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    asleep = /\) S /.test(stat) ? asleep + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
