import { basename, dirname, join } from 'node:path';
import type { Credits } from '../api/credits.ts';
import { Failure, systemCode } from '../errors.ts';
import { guarded } from '../fs/file-errors.ts';
import { type FileOps, nodeFileOps } from '../fs/file-ops.ts';
import { effectiveUser, inTheWay } from '../fs/owned.ts';

/** Name of the folder that holds the memories; it is in the folder of the exports. */
export const memoryFolder = '.chanlist';

/** A video ID that the feed had and bought pages did not. */
export interface Sought {
  /** Looks so far. */
  readonly looks: number;
  /** The last look (ISO 8601). */
  readonly last: string;
}

/** The memory of one export: the content of `.chanlist/FILE.json`. */
export interface Memory {
  readonly version: 1;
  /** Name of FILE, without its folder. */
  readonly file: string;
  readonly command: string;
  /** Address and namespace of the service. */
  readonly service: string;
  readonly id: string;
  /** The references with this ID, as sent, and when each was last resolved (ISO 8601; null: it is the ID). */
  readonly references: Readonly<Record<string, string | null>>;
  readonly format: string;
  /** `--fields`, comma separated; null: the format's default. */
  readonly fields: string | null;
  /** Last successful look, and last change of FILE (ISO 8601). */
  readonly checked: string | null;
  readonly changed: string | null;
  readonly entries: number;
  /** Of all runs together. */
  readonly credits: Readonly<Credits>;
  /** The finished file; null until there is one. If `mtime` (ms) and `inode` match, its digest is not computed. */
  readonly finished: {
    readonly size: number;
    readonly digest: string;
    readonly mtime: number;
    readonly inode: number;
  } | null;
  /** Consecutive failed runs. */
  readonly failures: number;
  /** When the service first answered 404 for the channel (ISO 8601); null: it did not at the last look. */
  readonly vanished: string | null;
  /** The last run ended before this export was complete. */
  readonly interrupted: boolean;
  /** The last run was limited (`--limit`), or its last page was cut. */
  readonly limited: boolean;
  /** IDs looked for in vain. */
  readonly sought: Readonly<Record<string, Sought>>;
  /** The feed, if it was missing at the last look: since when, pages bought instead, and when the last one was. */
  readonly feed: { readonly since: string; readonly looks: number; readonly last: string } | null;
  /** IDs of the last feed that FILE holds. */
  readonly seen: readonly string[];
  /** Lasting conditions that have been reported, so that they are not reported every night. */
  readonly reported: readonly string[];
  /** numVideos less entries, and entries less numVideos, at the last page; null: no page was fetched. */
  readonly missing: number | null;
  readonly disappeared: number | null;
}

/** The fields of a memory, for `chanlist help formats`. */
export const memoryFields: Readonly<Record<keyof Memory, string>> = {
  version: 'version of this layout',
  file: 'name of the export',
  command: 'uploads or playlist',
  service: 'address and namespace',
  id: 'channel or playlist ID',
  references: 'references with this ID, and when each was last resolved',
  format: 'format of the export',
  fields: '--fields of the export; null: all',
  checked: 'last successful look',
  changed: 'last change of the export',
  entries: 'number of entries in the export',
  credits: 'credits spent on it, in all runs',
  finished: 'size, digest, mtime and inode of the finished file',
  failures: 'consecutive failed runs',
  vanished: 'when the service first answered 404; null: it did not at the last look',
  interrupted: 'whether the last run ended before the export was complete',
  limited: 'whether --limit cut the export',
  sought: 'IDs of the feed that bought pages did not hold: number of looks, and time of the last one',
  feed: 'for a missing feed: since when, how many pages were bought instead, and when the last one was',
  seen: 'IDs of the last feed that the export holds',
  reported: 'lasting conditions that have been reported',
  missing: 'numVideos less entries, at the last page',
  disappeared: 'entries less numVideos, at the last page',
};

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
    credits: { confirmed: 0, possibly_charged: 0 },
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
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnusableMemory(`${path} is damaged`, false);
  }
  if (!isObject(value)) throw new UnusableMemory(`${path} is damaged`, false);
  if (typeof value.version === 'number' && value.version > 1)
    throw new UnusableMemory(`${path} was written by a newer version of chanlist`, true);
  if (!isMemory(value)) throw new UnusableMemory(`${path} is damaged`, false);
  return value;
}

/** The failure of one export (2) whose memory was written by a newer version of chanlist. */
export function newerMemory({ message }: UnusableMemory): Failure {
  return new Failure('usage', message, {
    hint: 'it is left as it is, and nothing was bought; update chanlist',
    scope: 'reference',
  });
}

type Members = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isDate = (value: unknown): boolean => isText(value) && !Number.isNaN(Date.parse(value));
const isDateOrNull = (value: unknown): boolean => value === null || isDate(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isCountOrNull = (value: unknown): boolean => value === null || isCount(value);

function isMemory(value: Members): value is Members & Memory {
  const { finished, feed, credits, references, sought } = value;
  return (
    value.version === 1 &&
    [value.file, value.command, value.service, value.id, value.format].every(isText) &&
    (value.fields === null || isText(value.fields)) &&
    isObject(references) &&
    Object.values(references).every(isDateOrNull) &&
    [value.checked, value.changed, value.vanished].every(isDateOrNull) &&
    [value.entries, value.failures].every(isCount) &&
    isObject(credits) &&
    [credits.confirmed, credits.possibly_charged].every(isCount) &&
    (finished === null ||
      (isObject(finished) &&
        isText(finished.digest) &&
        [finished.size, finished.mtime, finished.inode].every((number) => typeof number === 'number'))) &&
    [value.interrupted, value.limited].every((flag) => typeof flag === 'boolean') &&
    isObject(sought) &&
    Object.values(sought).every((one) => isObject(one) && isCount(one.looks) && isDate(one.last)) &&
    (feed === null || (isObject(feed) && isCount(feed.looks) && isDate(feed.since) && isDate(feed.last))) &&
    [value.seen, value.reported].every((list) => Array.isArray(list) && list.every(isText)) &&
    [value.missing, value.disappeared].every(isCountOrNull)
  );
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
  const temporary = `${path}.tmp`;
  await guarded(path, 'writing', async () => {
    await ownFolder(dirname(path), true, ops);
    // Throws if something is in the way: it is not replaced.
    await ops.lstatOwned(path);
    const handle = await ops.open(temporary, 'replace');
    try {
      await handle.write(Buffer.from(`${JSON.stringify(memory)}\n`), 0);
      if (durable) await handle.sync();
    } finally {
      await handle.close();
    }
    await ops.rename(temporary, path);
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

/** The memories of a folder. */
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
