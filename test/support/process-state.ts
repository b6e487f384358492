import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';

/** Why a test that asks the kernel about a process cannot run; false where it can. */
export const noProc = existsSync('/proc/self/status') ? false : 'needs /proc';

/** Whether a signal is in a set of signals that the kernel shows for a process. */
async function holds(
  { pid }: ChildProcess,
  set: 'SigCgt' | 'ShdPnd',
  signal: NodeJS.Signals,
): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => `${set}:\t0\n`);
  const [, signals] = new RegExp(`^${set}:\t([0-9a-f]+)$`, 'm').exec(status) ?? [];
  if (signals === undefined) throw new Error(`the kernel shows no ${set}`);
  return ((BigInt(`0x${signals}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
}

/** Resolves once the program would take a signal itself. */
export async function takesSignals(child: ChildProcess): Promise<void> {
  // Node itself catches some, but not this one; and the program takes it last.
  while (!(await holds(child, 'SigCgt', 'SIGHUP'))) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Sends a signal; resolves once the kernel has delivered it, so that it cannot merge with another one. */
export async function deliver(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  while (await holds(child, 'ShdPnd', signal)) await turn();
}

/** Resolves once the program has nothing to do but to wait: the kernel shows its main thread asleep, three times. */
export async function waits({ pid }: ChildProcess): Promise<void> {
  for (let asleep = 0; asleep < 3; ) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    asleep = /\) S /.test(stat) ? asleep + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
