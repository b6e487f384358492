import { fstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { systemCode, usage } from '../errors.ts';

const byName: Readonly<Record<string, number | undefined>> = {
  '/dev/stdin': 0,
  '/dev/stdout': 1,
  '/dev/stderr': 2,
};

/** The number of the inherited descriptor that a path (without links before its last name) means; null for none. */
export function descriptorAt(path: string): number | null {
  const named = byName[path];
  if (named !== undefined) return named;
  const [, folder, number] = /^(.*)\/fd\/(\d{1,6})$/.exec(path) ?? [];
  if (folder === undefined) return null;
  const own = folder === '/dev' || folder === '/proc/self' || folder === `/proc/${self()}`;
  return own ? Number(number) : null;
}

/** This process's number as /proc shows it, which differs in some containers. */
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
  if (descriptor > 2 && isNodes(descriptor)) throw notOpen(path, descriptor);
  if (accessMode(descriptor) === 0) throw usage(`${path}: descriptor ${descriptor} can only be read`);
}

const notOpen = (path: string, descriptor: number): Error =>
  usage(`${path}: descriptor ${descriptor} is not open`, `redirect it, such as ${descriptor}>FILE`);

/** Node opens descriptors for itself: event queues, and pipes with both ends in this process. */
function isNodes(descriptor: number): boolean {
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

/** 0: read, 1: write, 2: both; null if the system does not say. */
function accessMode(descriptor: number): number | null {
  try {
    const [, flags] =
      /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return flags === undefined ? null : Number.parseInt(flags, 8) & 3;
  } catch {
    return null;
  }
}
