import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { constants } from 'node:os';
import { resolve } from 'node:path';

/** Operations that change files or make a change durable. */
const changing = [
  ...['openSync', 'writeSync', 'writeFileSync', 'appendFileSync', 'ftruncateSync', 'fchmodSync', 'chmodSync'],
  ...[
    'fsyncSync',
    'fdatasyncSync',
    'renameSync',
    'unlinkSync',
    'mkdirSync',
    'rmdirSync',
    'rmSync',
    'linkSync',
  ],
] as const;
const others = [
  ...['readSync', 'readFileSync', 'readdirSync', 'readlinkSync', 'closeSync', 'accessSync'],
  ...['statSync', 'lstatSync', 'fstatSync', 'statfsSync'],
] as const;

/**
 * What happens at the nth file operation of a run: an error in its place, the death of the process before it, or a change
 * of files by somebody else.
 */
export interface Fault {
  readonly n: number;
  readonly operation: string;
  readonly kind: 'EIO' | 'ENOSPC' | 'EINTR' | 'kill' | ((operation: string) => void);
}

export const kinds = ['EIO', 'ENOSPC', 'EINTR'] as const;
export const canKill = (operation: string): boolean => changing.some((name) => name === operation);

/**
 * Does something in this process and lets an operation on a file below a folder fail. The disk is full in the middle of a
 * write. After a kill, no operation does anything. Returns the operations, also those after a fault.
 */
export async function withFault<T>(
  root: string,
  fault: Fault | null,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly operations: readonly string[] }> {
  const operations: string[] = [];
  const opened = new Set<unknown>();
  const originals = new Map<string, unknown>();
  let isDead = false;
  let isInside = false;
  const isOurs = (given: unknown): boolean => {
    if (typeof given === 'number') return opened.has(given);
    const path = resolve(String(given));
    return path.startsWith('/proc/self/fd/') || path.startsWith(root);
  };
  for (const name of [...changing, ...others]) {
    const original = fs[name] as (...args: unknown[]) => unknown;
    originals.set(name, original);
    const faulty = (...args: unknown[]): unknown => {
      if (isInside || !isOurs(args[0])) return original(...args);
      operations.push(name);
      if (name === 'closeSync') opened.delete(args[0]);
      const kind = operations.length === fault?.n ? fault.kind : null;
      const isHit = typeof kind === 'string';
      isDead ||= kind === 'kill';
      isInside = true;
      try {
        // The end of the process closes its locks, too.
        if (isDead && (name === 'closeSync' || /\.lock\b/.test(String(args[0])))) return original(...args);
        if (isDead) throw systemError('EIO', name);
        if (typeof kind === 'function') kind(name);
        if (isHit && name === 'closeSync') original(...args);
        if (kind === 'ENOSPC' && name === 'writeSync' && typeof args[3] === 'number')
          original(...args.with(3, Math.floor(args[3] / 2)));
        if (isHit) throw systemError(kind, name);
        const result = original(...args);
        if (name === 'openSync') opened.add(result);
        return result;
      } finally {
        isInside = false;
      }
    };
    Object.assign(fs, { [name]: Object.assign(faulty, original) });
  }
  syncBuiltinESMExports();
  try {
    return { result: await work(), operations };
  } finally {
    Object.assign(fs, Object.fromEntries(originals));
    syncBuiltinESMExports();
    // The end of the process closes its files.
    for (const fd of opened) fs.closeSync(Number(fd));
  }
}

function systemError(code: string, syscall: string): Error {
  const errno = -(Object.entries(constants.errno).find(([name]) => name === code)?.[1] ?? 5);
  return Object.assign(new Error(`${code}: a fault, ${syscall}`), { code, errno, syscall });
}
