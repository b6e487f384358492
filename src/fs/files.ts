import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode } from '../errors.ts';

/** Errors of what a file system, or a kind of file, cannot do. */
export const unsupported: readonly string[] = ['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM'];

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

/** Creates a file (0600) where there is nothing, not even a link, for reading and writing; returns its descriptor. */
export const createFile = (path: string): number => fs.openSync(path, 'wx+', 0o600);

/** Creates a file under a new name in a folder; returns its path, and its descriptor as `createFile`. */
export function createTemporary(folder: string): [path: string, fd: number] {
  // Short: a name that was derived from another one might be too long.
  const path = join(folder, `.chanlist-${randomHex()}.tmp`);
  return [path, createFile(path)];
}

/**
 * Creates a folder and the missing ones above it. Node's own `recursive` never returns where nothing can be created in
 * a folder that exists (ENOENT: /proc, an automount without its disk).
 */
export function makeFolders(path: string, mode?: number): void {
  const inside = `${path}/.`;
  if (ignoring(['ENOENT'], () => fs.accessSync(inside) ?? true)) return;
  makeFolders(dirname(path), mode);
  ignoring(['EEXIST'], () => fs.mkdirSync(path, mode));
  fs.accessSync(inside);
}

/** Makes the content, or the names, behind a descriptor durable on file systems that can do so. */
export function syncIfPossible(fd: number): void {
  ignoring([...unsupported, 'EISDIR', 'EACCES', 'EBADF'], () => fs.fsyncSync(fd));
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
