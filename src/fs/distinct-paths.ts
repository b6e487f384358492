import { type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Failure, usage } from '../errors.ts';
import { followLinks, type Target } from './output-target.ts';

/** A file or folder that a run names. */
export interface NamedFile {
  /** The flag or argument that names it: for messages. */
  readonly flag: string;
  /** As given; `-` as an input is stdin. */
  readonly path: string;
  readonly isOutput: boolean;
  /** Of outputs, if it is resolved already. */
  readonly target?: Target;
}

/**
 * Throws a usage error that names both if an output is another output or an input, also through symbolic and hard links,
 * and for a path in a folder of the program's own. Devices and pipes pass: they are not replaced.
 */
export function assertDistinctPaths(files: readonly NamedFile[]): void {
  const seen = new Map<string, NamedFile>();
  // Inputs last: two of them may be the same.
  for (const file of [...files].sort((a, b) => Number(b.isOutput) - Number(a.isOutput))) {
    const { real, stats } = file.target ?? find(file.path, file.isOutput);
    if (/(?:^|[\\/])\.chanlist(?:-\d+)?(?:[\\/]|$)/.test(real))
      throw usage(`${file.flag} ${file.path} is in chanlist's own folder`, 'name another place');
    if (stats !== null && !stats.isFile() && !stats.isDirectory()) continue;
    for (const key of [real, stats === null ? real : `${stats.dev}:${stats.ino}`]) {
      const other = seen.get(key);
      if (other !== undefined && other !== file) throw same(file, other);
      if (file.isOutput) seen.set(key, file);
    }
  }
}

/** An unreadable input is reported when it is read. */
function find(path: string, isOutput: boolean): { readonly real: string; readonly stats: Stats | null } {
  try {
    const { real } = followLinks(path === '-' && !isOutput ? '/dev/stdin' : path);
    return { real, stats: statSync(real, { throwIfNoEntry: false }) ?? null };
  } catch {
    return { real: resolve(path), stats: null };
  }
}

const same = (one: NamedFile, other: NamedFile): Failure =>
  usage(`${one.flag} ${one.path} and ${other.flag} ${other.path} are the same file`, 'name another file');
