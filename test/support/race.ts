import type { ChildProcess } from 'node:child_process';
import { readSync, writeSync } from 'node:fs';
import { type Collected, collect } from './collect.ts';

/** In a racing process: waits until all others wait, too. Uses stdin and stdout. */
export function meet(write = writeSync): void {
  write(1, '.');
  readSync(0, Buffer.alloc(1));
}

/**
 * Runs processes that wait for each other wherever they `meet`, until all have ended; `met` is called each time that all
 * that still run wait. Returns what each printed, without dots.
 */
export async function race(
  racers: readonly ChildProcess[],
  met: () => void = () => {},
): Promise<readonly Collected[]> {
  const waiting = new Set<ChildProcess>();
  let running = racers.length;
  const releaseAll = (): void => {
    if (waiting.size === 0 || waiting.size < running) return;
    met();
    for (const racer of waiting) racer.stdin?.write('.');
    waiting.clear();
  };
  return await Promise.all(
    racers.map(async (racer) => {
      racer.stdout?.on('data', (chunk: Buffer | string) => {
        if (!chunk.includes('.')) return;
        waiting.add(racer);
        releaseAll();
      });
      const result = await collect(racer);
      running--;
      releaseAll();
      return { ...result, stdout: result.stdout.replaceAll('.', '') };
    }),
  );
}
