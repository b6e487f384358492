import { dirname } from 'node:path';
import { type FileOps, type FileStat, newFileMode, type OpenFile, removeIfThere } from '../fs/file-ops.ts';
import type { Target } from '../fs/target.ts';
import { damaged, type FileMark, type State } from './state.ts';
import type { StateFile } from './state-file.ts';

/** Where the files of an export are. */
export interface Paths {
  readonly target: Target;
  readonly part: string;
  readonly state: string;
  readonly folder: string;
  /** Permission bits of the finished FILE. */
  readonly mode: number;
}

/** What works on them. */
export interface Known {
  readonly ops: FileOps;
  readonly paths: Paths;
  readonly journal: StateFile;
}

/** An open part file, and its number: by it the name is known to mean this file still. */
export interface OpenPart {
  readonly part: OpenFile;
  readonly inode: number;
}

export function pathsOf(target: Target): Paths {
  const { real } = target;
  return {
    target,
    part: `${real}.part`,
    state: `${real}.part.json`,
    folder: dirname(real),
    mode: target.mode ?? newFileMode(),
  };
}

/** What tells whether FILE is still the same; null where there is none. */
export function markOf(stat: FileStat | null): FileMark | null {
  return stat?.kind === 'file' ? { size: stat.size, mtimeMs: stat.mtimeMs, ino: stat.ino } : null;
}

export function sameMark(a: FileMark | null, b: FileMark | null): boolean {
  if (a === null || b === null) return a === b;
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino;
}

/**
 * Begins an export. The state comes first: from then on whatever the part file holds does not count, so that a
 * run that dies here has only begun.
 */
export async function begin({ ops, paths, journal }: Known, state: State): Promise<OpenPart> {
  await journal.write(state);
  await removeIfThere(paths.part, ops, paths.mode);
  return await createPart(ops, paths);
}

/** The part file of an interrupted export, cut to what counts. Throws `failed` where that is not all there. */
export async function openPart(
  { ops, paths }: Known,
  state: State,
  found: FileStat | null,
): Promise<OpenPart> {
  if (found === null) {
    if (state.bytes > 0) throw damaged(`${paths.part} is missing`);
    return await createPart(ops, paths);
  }
  const part = await ops.open(paths.part, 'write');
  try {
    const { size, ino } = await part.stat();
    if (size < state.bytes) throw damaged(`${paths.part} is shorter than ${paths.state} says`);
    if (size > state.bytes) await part.truncate(state.bytes);
    return { part, inode: ino };
  } catch (error) {
    await part.close();
    throw error;
  }
}

/** The name is durable before any row is: a state must never speak of a file that a power cut takes away. */
async function createPart(ops: FileOps, paths: Paths): Promise<OpenPart> {
  const part = await ops.open(paths.part, 'create');
  try {
    await ops.syncFolder(paths.folder);
    return { part, inode: (await part.stat()).ino };
  } catch (error) {
    await part.close();
    throw error;
  }
}

/** Puts a whole part file in FILE's place, and removes the state only when that is durable. */
export async function complete({ ops, paths, journal }: Known, rename: boolean): Promise<void> {
  if (rename) await ops.rename(paths.part, paths.target.real);
  await ops.syncFolder(paths.folder);
  await journal.remove();
}
