import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../errors.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_RDWR } = fs.constants;

/** The result of a file operation; undefined if it fails with one of these system errors. */
export function ignoring<T>(codes: readonly string[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (codes.includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** Does something with a descriptor, then closes it. */
export function closing<T>(fd: number, work: (fd: number) => T): T {
  try {
    return work(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Creates a file (0600) that must not exist, for reading and writing; returns its descriptor. */
export function createFile(path: string): number {
  return fs.openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
}

/**
 * Creates a folder and the missing ones above it. Node's own `recursive` never returns where nothing can be created in
 * a folder that exists (ENOENT: /proc, an automount without its disk).
 */
export function makeFolders(path: string, mode?: number): void {
  const inside = `${path}/.`;
  const isThere = (): boolean => {
    fs.accessSync(inside);
    return true;
  };
  if (ignoring(['ENOENT'], isThere)) return;
  makeFolders(dirname(path), mode);
  ignoring(['EEXIST'], () => fs.mkdirSync(path, mode));
  fs.accessSync(inside);
}

/** Makes the content, or the names, behind a descriptor durable on file systems that can do so. */
export function syncIfPossible(fd: number): void {
  ignoring(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR', 'EACCES', 'EPERM', 'EBADF'], () => fs.fsyncSync(fd));
}

/** Makes the names in a folder durable, if that is possible: what was renamed has its new name in any case. */
export function syncFolder(path: string): void {
  try {
    closing(fs.openSync(path, 'r'), fs.fsyncSync);
  } catch {}
}

/** Loading this module takes 2.7 ms, and most runs need no such name. */
const crypto = () => process.getBuiltinModule('node:crypto');

/** A short name in place of one that may have the maximum length: 20 hexadecimal digits. */
export const shortName = (name: string): string =>
  crypto().createHash('sha256').update(name).digest('hex').slice(0, 20);

/** 20 random hexadecimal digits. */
export const randomHex = (): string => crypto().randomBytes(10).toString('hex');
