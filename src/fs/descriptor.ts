import { fstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { systemCode, usage } from '../errors.ts';

const byName: Readonly<Record<string, number | undefined>> = {
  '/dev/stdin': 0,
  '/dev/stdout': 1,
  '/dev/stderr': 2,
};

/** The inherited descriptor that a path (without links before its last name) refers to; null if it refers to none. */
export function descriptorAt(path: string): number | null {
  const named = byName[path];
  if (named !== undefined) return named;
  const [, folder, number] = /^(.*)\/fd\/(\d{1,6})$/.exec(path) ?? [];
  if (folder === undefined) return null;
  const own = folder === '/dev' || folder === '/proc/self' || folder === `/proc/${self()}`;
  return own ? Number(number) : null;
}

/** The ID of this process in /proc, which differs from `process.pid` in some containers. */
function self(): string {
  try {
    return readlinkSync('/proc/self');
  } catch {
    return String(process.pid);
  }
}

/** Throws a usage error unless the descriptor was inherited and can be written. */
export function checkDescriptor(path: string, descriptor: number): void {
  try {
    fstatSync(descriptor);
  } catch (error) {
    if (systemCode(error) === 'EBADF') throw notOpen(path, descriptor);
    throw error;
  }
  if (descriptor > 2 && isNodeInternal(descriptor)) throw notOpen(path, descriptor);
  if (accessMode(descriptor) === 0) throw usage(`${path}: descriptor ${descriptor} can only be read`);
}

const notOpen = (path: string, descriptor: number): Error =>
  usage(`${path}: descriptor ${descriptor} is not open`, `redirect it, such as ${descriptor}>FILE`);

/** Whether Node opened a descriptor for itself: an event queue, or a pipe with both ends in this process. */
function isNodeInternal(descriptor: number): boolean {
  try {
    const what = readlinkSync(`/proc/self/fd/${descriptor}`);
    if (what.startsWith('anon_inode:')) return true;
    if (!what.startsWith('pipe:')) return false;
    const ends = readdirSync('/proc/self/fd')
      .filter((each) => linkOf(each) === what)
      .map(Number);
    return ends.some((each) => accessMode(each) === 0) && ends.some((each) => accessMode(each) === 1);
  } catch {
    return false;
  }
}

function linkOf(descriptor: string): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return null;
  }
}

/** 0: read, 1: write, 2: both; null if unknown. */
function accessMode(descriptor: number): number | null {
  try {
    const [, flags] =
      /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return flags === undefined ? null : Number.parseInt(flags, 8) & 3;
  } catch {
    return null;
  }
}
