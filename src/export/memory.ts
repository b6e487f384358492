import { basename, dirname, join } from 'node:path';
import { Failure, systemCode } from '../errors.ts';
import { guarded } from '../fs/file-errors.ts';
import { type FileOps, nodeFileOps } from '../fs/file-ops.ts';
import { memoryFolder } from '../fs/kept-names.ts';
import { effectiveUser, inTheWay } from '../fs/owned.ts';
import { replaceOwned } from '../fs/replace-owned.ts';
import {
  isCount,
  isDate,
  isFlag,
  isNumber,
  isOneOf,
  isText,
  listOf,
  type Members,
  mapOf,
  orNull,
  parseObject,
  shape,
} from '../json/shape.ts';
import { type Credits, noCredits } from '../service/budget.ts';
import { isCredits } from './state.ts';

/** A video ID that the feed had and bought pages did not. */
export interface Sought {
  /** Looks so far. */
  readonly looks: number;
  /** The last look (ISO 8601). */
  readonly last: string;
}

/** The memory of one export: the content of `.chanlist/FILE.json`. See `memoryFields`; times are ISO 8601. */
export interface Memory {
  readonly version: 1;
  readonly file: string;
  readonly command: string;
  readonly service: string;
  readonly id: string;
  /** A reference that is the ID itself has null. */
  readonly references: Readonly<Record<string, string | null>>;
  readonly format: string;
  readonly fields: string | null;
  readonly checked: string | null;
  readonly changed: string | null;
  readonly entries: number;
  readonly credits: Readonly<Credits>;
  /** Null until there is one. If `mtime` (ms) and `inode` match, its digest is not computed. */
  readonly finished: {
    readonly size: number;
    readonly digest: string;
    readonly mtime: number;
    readonly inode: number;
  } | null;
  readonly failures: number;
  readonly vanished: string | null;
  readonly interrupted: boolean;
  readonly limited: boolean;
  readonly sought: Readonly<Record<string, Sought>>;
  readonly feed: { readonly since: string; readonly looks: number; readonly last: string } | null;
  readonly seen: readonly string[];
  readonly reported: readonly string[];
  /** Null: no page was fetched. */
  readonly missing: number | null;
  readonly disappeared: number | null;
}

const isFinished = shape({ size: isNumber, digest: isText, mtime: isNumber, inode: isNumber });
const isSought = shape<Sought>({ looks: isCount, last: isDate });
const isFeed = shape({ since: isDate, looks: isCount, last: isDate });

/** The fields of a memory: the meaning of each (`chanlist help formats`), and a test of its value. */
export const memoryFields = {
  version: ['version of this layout', isOneOf(1)],
  file: ['name of the export', isText],
  command: ['uploads or playlist', isText],
  service: ['address and namespace', isText],
  id: ['channel or playlist ID', isText],
  references: ['references with this ID, and when each was last resolved', mapOf(orNull(isDate))],
  format: ['format of the export', isText],
  fields: ['--fields of the export; null: all', orNull(isText)],
  checked: ['last successful look', orNull(isDate)],
  changed: ['last change of the export', orNull(isDate)],
  entries: ['number of entries in the export', isCount],
  credits: ['credits spent on it, in all runs', isCredits],
  finished: ['size, digest, mtime and inode of the finished file', orNull(isFinished)],
  failures: ['consecutive failed runs', isCount],
  vanished: ['when the service first answered 404; null: it did not at the last look', orNull(isDate)],
  interrupted: ['whether the last run ended before the export was complete', isFlag],
  limited: ['whether --limit cut the export', isFlag],
  sought: [
    'IDs of the feed that bought pages did not hold: number of looks, and time of the last one',
    mapOf(isSought),
  ],
  feed: [
    'for a missing feed: since when, how many pages were bought instead, and when the last one was',
    orNull(isFeed),
  ],
  seen: ['IDs of the last feed that the export holds', listOf(isText)],
  reported: ['lasting conditions that have been reported', listOf(isText)],
  missing: ['numVideos less entries, at the last page', orNull(isCount)],
  disappeared: ['entries less numVideos, at the last page', orNull(isCount)],
} as const satisfies Record<keyof Memory, readonly [meaning: string, test: (value: unknown) => boolean]>;

const isMemory = (value: Members | null): value is Members & Memory =>
  Object.entries(memoryFields).every(([name, [, test]]) => test(value?.[name]));

/** A new memory of an export. */
export function newMemory(
  about: Pick<Memory, 'file' | 'command' | 'service' | 'id' | 'format' | 'fields'>,
): Memory {
  return {
    version: 1,
    ...about,
    references: {},
    checked: null,
    changed: null,
    entries: 0,
    credits: noCredits(),
    finished: null,
    failures: 0,
    vanished: null,
    interrupted: false,
    limited: false,
    sought: {},
    feed: null,
    seen: [],
    reported: [],
    missing: null,
    disappeared: null,
  };
}

/** Path of the memory of an export. */
export function memoryPath(file: string): string {
  return join(dirname(file), memoryFolder, `${basename(file)}.json`);
}

/** Maximum size of a memory (bytes). */
const maxBytes = 4 * 1024 * 1024;

/** Why a memory cannot be used: it is damaged, or another version wrote it. */
export class UnusableMemory extends Error {
  readonly newer: boolean;
  /** It belongs to another user, or is no regular file: it must not be replaced. */
  readonly inTheWay: boolean;

  constructor(message: string, newer: boolean, inTheWay = false) {
    super(message);
    this.newer = newer;
    this.inTheWay = inTheWay;
  }
}

/**
 * The memory of an export; null if there is none. Throws `UnusableMemory` for one that is damaged, in the way, or of
 * a newer version.
 */
export async function readMemory(file: string, ops: FileOps = nodeFileOps): Promise<Memory | null> {
  const path = memoryPath(file);
  let text: string;
  try {
    if (!(await ownFolder(dirname(path), false))) return null;
    const handle = await ops.open(path, 'read');
    try {
      const { size } = await handle.stat();
      if (size > maxBytes) throw new UnusableMemory(`${path} is too large`, false);
      text = await handle.text();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof UnusableMemory) throw error;
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return null;
    throw new UnusableMemory(error instanceof Error ? error.message : String(error), false, true);
  }
  return parseMemory(text, path);
}

/** Parses a memory; throws as `readMemory`. */
function parseMemory(text: string, path: string): Memory {
  const value = parseObject(text);
  if (isNumber(value?.version) && value.version > 1)
    throw new UnusableMemory(`${path} was written by a newer version of chanlist`, true);
  if (!isMemory(value)) throw new UnusableMemory(`${path} is damaged`, false);
  return value;
}

/** The failure of one export (2) whose memory was written by a newer version of chanlist: one text for all of a folder. */
export function newerMemory(): Failure {
  return new Failure('usage', `the memory in ${memoryFolder} was written by a newer version of chanlist`, {
    hint: 'it is left as it is, and nothing was bought; update chanlist',
    scope: 'reference',
  });
}

/**
 * Writes the memory of an export, replacing it atomically. The caller holds the lock of FILE. `durable`: it must
 * survive a power cut, because pages were paid for.
 */
export async function writeMemory(
  file: string,
  memory: Memory,
  durable: boolean,
  ops: FileOps = nodeFileOps,
): Promise<void> {
  const path = memoryPath(file);
  await guarded(path, 'writing', async () => {
    await ownFolder(dirname(path), true, ops);
    // Throws if something is in the way: it is not replaced.
    await ops.lstatOwned(path);
    await replaceOwned(path, `${JSON.stringify(memory)}\n`, durable, ops);
    if (durable) await ops.syncFolder(dirname(path));
  });
}

/** Memory folders that this process has checked. */
const ownFolders = new Set<string>();

/**
 * Checks that a memory folder belongs to this user and is no link. `create`: creates it if there is none. Throws a
 * usage error if something is in the way. Returns whether the folder exists.
 */
async function ownFolder(path: string, create: boolean, ops: FileOps = nodeFileOps): Promise<boolean> {
  if (ownFolders.has(path)) return true;
  const { lstat, mkdir } = await import('node:fs/promises');
  for (;;) {
    try {
      const stats = await lstat(path);
      const isOurs = stats.uid === effectiveUser(stats.uid) && (stats.mode & 0o022) === 0;
      if (!stats.isDirectory()) throw inTheWay(path, stats, 'is not a folder');
      if (!isOurs && !(await looksLikeNew(path, stats)))
        throw inTheWay(path, stats, 'can be written by other users');
      ownFolders.add(path);
      return true;
    } catch (error) {
      if (systemCode(error) === 'ENOTDIR' && !create) return false;
      if (systemCode(error) !== 'ENOENT') throw error;
    }
    if (!create) return false;
    try {
      await mkdir(path, { mode: 0o700 });
      await ops.syncFolder(dirname(path));
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** Whether a folder created here shows the same owner and mode (mounts that show every folder alike). */
async function looksLikeNew(path: string, { uid, mode }: { uid: number; mode: number }): Promise<boolean> {
  const { lstat, mkdtemp, rmdir } = await import('node:fs/promises');
  const probe = await mkdtemp(`${path}-`).catch(() => null);
  if (probe === null) return false;
  try {
    const stats = await lstat(probe);
    return stats.uid === uid && stats.mode === mode;
  } finally {
    await rmdir(probe);
  }
}

export interface FolderMemories {
  readonly memories: readonly Memory[];
  /** Why memories cannot be used, one message per file. */
  readonly problems: readonly string[];
  /** Names of exports with an interrupted run (`FILE.part.json`). */
  readonly interrupted: ReadonlySet<string>;
  /** Names of exports without a memory. */
  readonly unknown: readonly string[];
}

const exportName = /^(?:UC|PL|UU|LL|FL|OL)[A-Za-z0-9_-]*\.(?:ndjson|json|csv|id)$/;

/** Whether a file has the name of an export, or of a file that is kept beside one. */
export function isExportName(name: string): boolean {
  return exportName.test(name.replace(/\.(?:lock|part(?:\.json)?(?:\.tmp)?)$/, ''));
}

/** Reads all memories of a folder. Damaged ones are problems; those of a newer version are reported by their export. */
export async function readFolderMemories(folder: string): Promise<FolderMemories> {
  const { readdir } = await import('node:fs/promises');
  const list = async (path: string): Promise<string[]> => {
    try {
      const entries = await readdir(path, { withFileTypes: true });
      return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
  };
  const names = await list(folder).catch(() => []);
  const interrupted = new Set(
    names.filter((name) => name.endsWith('.part.json')).map((name) => name.slice(0, -'.part.json'.length)),
  );
  const memories: Memory[] = [];
  const problems: string[] = [];
  let remembered: string[] = [];
  try {
    if (await ownFolder(join(folder, memoryFolder), false))
      remembered = (await list(join(folder, memoryFolder))).filter((name) => name.endsWith('.json'));
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  const known = new Set<string>();
  for (const name of remembered) {
    const file = name.slice(0, -'.json'.length);
    known.add(file);
    try {
      const memory = await readMemory(join(folder, file));
      if (memory !== null) memories.push({ ...memory, file });
    } catch (error) {
      if (!(error instanceof UnusableMemory)) throw error;
      if (!error.newer) problems.push(error.message);
    }
  }
  const unknown = names.filter((name) => exportName.test(name) && !known.has(name));
  return { memories, problems, interrupted, unknown };
}
