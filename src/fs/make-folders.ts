import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../errors.ts';

/**
 * Creates a folder and the missing ones above it; returns the first that it created, null if the folder is there.
 * Throws system errors. Node's own `recursive` never returns where nothing can be created in a folder that is there
 * (ENOENT: /proc, an automount without its disk).
 */
export function makeFolders(path: string, mode?: number): string | null {
  try {
    return makeFolder(path, mode);
  } catch (error) {
    const above = dirname(path);
    if (systemCode(error) !== 'ENOENT' || above === path) throw error;
    const first = makeFolders(above, mode);
    const made = makeFolder(path, mode);
    return first ?? made;
  }
}

/** Creates one folder; returns null if it is there. */
function makeFolder(path: string, mode?: number): string | null {
  try {
    mkdirSync(path, mode);
    return path;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && isFolder(path)) return null;
    throw error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
