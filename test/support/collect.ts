import type { ChildProcess } from 'node:child_process';

export interface Collected {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Collects what a process prints until it ends. Rejects if it cannot be started. */
export function collect(child: ChildProcess): Promise<Collected> {
  return new Promise((resolve, reject) => {
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text) => {
        texts[name] += text;
      });
    }
    child.on('error', reject);
    child.on('close', (exit, signal) => resolve({ exit, signal, ...texts }));
  });
}
