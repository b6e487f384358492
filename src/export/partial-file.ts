import { dirname } from 'node:path';
import { Failure, systemCode, usage } from '../errors.ts';
import { fileFailure, guarded } from '../fs/file-errors.ts';
import {
  type FileOps,
  type FileStat,
  newFileMode,
  nodeFileOps,
  type OpenFile,
  removeIfThere,
} from '../fs/file-ops.ts';
import type { Target } from '../fs/target.ts';
import type { Text } from '../output/format.ts';
import type { Credits } from '../service/budget.ts';
import {
  checkIdentity,
  damaged,
  type ExportMode,
  type FileMark,
  type Identity,
  noProgress,
  type Progress,
  parseState,
  type State,
  type StateHeader,
} from './state.ts';

export interface OpenOptions {
  readonly mode: ExportMode;
  /** Start over: an interrupted export is discarded once the first new page is there. */
  readonly restart: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether to compute the digest of the finished file (SHA-256, for its memory). */
  readonly digest: boolean;
  /** Publication dates by video ID to keep in the state. */
  readonly published?: Readonly<Record<string, string>>;
  /** Credits of all runs before this export, to keep in the state. */
  readonly creditsBefore?: Readonly<Credits>;
  /** Bytes of progress after which the state log is rewritten. */
  readonly maxLogBytes?: number;
  readonly ops?: FileOps;
}

/** Maximum number of bytes read or written at once. */
const chunkSize = 256 * 1024;
/** A state log is rewritten when its lines of progress exceed this many bytes. */
const defaultMaxLogBytes = 2 * 1024 * 1024;

/** The files of an export, all in the folder of FILE. */
interface Paths {
  readonly part: string;
  readonly state: string;
  readonly stateTemporary: string;
  /** Rows before the first page is committed; later the finished file of an update. */
  readonly temporary: string;
  readonly folder: string;
  /** Permission bits of the finished file: those of FILE, else those of a new file. */
  readonly finishedMode: number;
}

const pathsOf = ({ real, mode }: Target): Paths => ({
  part: `${real}.part`,
  state: `${real}.part.json`,
  stateTemporary: `${real}.part.json.tmp`,
  temporary: `${real}.part.tmp`,
  folder: dirname(real),
  finishedMode: mode ?? newFileMode(),
});

/** The finished file of an export: bytes, and digest if one was wanted. */
export interface FinishedFile {
  readonly size: number;
  readonly digest: string | null;
}

/** A finished file that has replaced FILE. `problem`: what failed after that; null: nothing. */
export interface ReplacedFile extends FinishedFile {
  readonly problem: unknown;
}

/**
 * A file that is never half-written. Rows go to `FILE.part`, resume data to `FILE.part.json` (a log of JSON lines);
 * when complete, the rows replace FILE atomically. If the process dies at any time, the next `open` resumes after the
 * last page that `append` committed. An interrupted export is replaced once the first page of the new one is durable.
 * The caller holds the lock of FILE.
 */
export class PartialFile {
  readonly target: Target;
  /** Whether an interrupted export is resumed. */
  readonly resumed: boolean;
  /** Not null if `open` has replaced FILE: the interrupted run had all pages. Nothing more can be written. */
  readonly finished: ReplacedFile | null;
  readonly #ops: FileOps;
  readonly #paths: Paths;
  readonly #wantsDigest: boolean;
  #header: StateHeader;
  #progress: Progress;
  #marks: string;
  #rows: OpenFile | null;
  #log: OpenFile | null = null;
  #logInode = 0;
  #logLength = 0;
  #maxLogLength = 0;
  readonly #maxLogBytes: number;
  /** The rows are still in the temporary file, and an older partial file is untouched. */
  #isUncommitted: boolean;
  /** No state refers to the rows in the temporary file yet. */
  #isUnreferenced: boolean;
  /** Bytes written to the rows, committed or not. */
  #end: number;
  #hash: Hash | null = null;
  #isBroken = false;

  private constructor(
    target: Target,
    options: OpenOptions & { ops: FileOps },
    state: Omit<State, 'isVersion1'>,
    details: { rows: OpenFile | null; resumed: boolean; finished: ReplacedFile | null },
  ) {
    this.target = target;
    this.resumed = details.resumed;
    this.finished = details.finished;
    this.#ops = options.ops;
    this.#paths = pathsOf(target);
    this.#wantsDigest = options.digest;
    this.#header = state.header;
    this.#progress = state.progress;
    this.#marks = state.marks;
    this.#rows = details.rows;
    this.#maxLogBytes = options.maxLogBytes ?? defaultMaxLogBytes;
    this.#isUncommitted = !details.resumed;
    this.#isUnreferenced = !details.resumed;
    this.#end = state.progress.bytes;
    if (!details.resumed && options.digest) this.#hash = newHash();
  }

  /** The state of an interrupted export of this file; null if there is none. Changes nothing. */
  static async peek(target: Target, ops: FileOps = nodeFileOps): Promise<State | null> {
    const { state } = pathsOf(target);
    return await guarded(state, 'opening', () => readState(state, ops));
  }

  /** Throws `damaged` if rows that a state describes are missing: the export cannot be resumed. Changes nothing. */
  static async checkRows(target: Target, { header, progress }: State, ops = nodeFileOps): Promise<void> {
    if (progress.result !== null) return;
    const paths = pathsOf(target);
    const uncommitted = await ops.lstat(paths.temporary);
    if (uncommitted?.kind === 'file' && uncommitted.ino === header.inode) return;
    const rows = await ops.lstat(paths.part);
    if (rows === null) throw damaged(`${paths.part} is missing`);
    checkLength(rows, progress.bytes, paths);
  }

  /** Removes rows without a state, of a run that died before its first page was durable. */
  static async removeLeftover(target: Target, ops: FileOps = nodeFileOps): Promise<void> {
    const { temporary } = pathsOf(target);
    if ((await ops.lstat(temporary)) !== null)
      await guarded(temporary, 'opening', () => removeIfThere(temporary, ops));
  }

  /**
   * Resumes an interrupted export, or prepares a new one: creates the temporary file, so that an unwritable folder is
   * found before anything is paid. Throws usage errors for arguments that do not match the interrupted export and for
   * paths that cannot be written, `damaged` for an interrupted export that is incomplete.
   */
  static async open(target: Target, identity: Identity, given: OpenOptions): Promise<PartialFile> {
    const options = { ...given, ops: given.ops ?? nodeFileOps };
    const { ops } = options;
    const paths = pathsOf(target);
    return await guarded(paths.part, 'opening', async () => {
      // Names in the way are found before anything is paid, even if they are used only after the first page.
      await ops.lstatOwned(paths.state);
      await ops.lstatOwned(paths.stateTemporary);
      await ops.lstatOwned(paths.temporary, paths.finishedMode);
      if (options.restart) await checkReplaceable(paths, ops);
      const state = options.restart ? null : await readState(paths.state, ops);
      if (state === null) return await PartialFile.#create(target, identity, options, paths);
      checkIdentity(state, options.mode, identity, target.path);
      await adoptRows(state, paths, ops);
      if (state.progress.result !== null) {
        const finished = await finishInterrupted(target, state, paths, ops);
        if (finished !== null)
          return new PartialFile(target, options, state, { rows: null, resumed: true, finished });
      }
      const progress = { ...state.progress, result: null };
      const rows = await openRows(paths, progress.bytes, ops);
      return new PartialFile(
        target,
        options,
        { ...state, progress },
        { rows, resumed: true, finished: null },
      );
    });
  }

  static async #create(
    target: Target,
    identity: Identity,
    options: OpenOptions & { ops: FileOps },
    paths: Paths,
  ): Promise<PartialFile> {
    const { ops } = options;
    const part = await ops.lstatOwned(paths.part, paths.finishedMode);
    if (part !== null && part.size > 0 && !options.restart)
      throw usage(
        `${paths.part} is in the way: there is no ${paths.state} to say what it is`,
        'remove it, or start over with --restart',
      );
    const rows = await ops.open(paths.temporary, 'replace', paths.finishedMode);
    try {
      const { ino } = await rows.stat();
      const header: StateHeader = {
        version: 2,
        mode: options.mode,
        identity,
        started: new Date(options.now).toISOString(),
        base: markOf(await ops.lstat(target.real)),
        inode: ino,
        published: options.published ?? {},
        marks: '',
        ...(options.creditsBefore !== undefined && { creditsBefore: options.creditsBefore }),
      };
      const state = { header, progress: noProgress, marks: '' };
      return new PartialFile(target, options, state, { rows, resumed: false, finished: null });
    } catch (error) {
      await rows.close();
      throw error;
    }
  }

  get header(): StateHeader {
    return this.#header;
  }

  get progress(): Progress {
    return this.#progress;
  }

  /** Concatenated digests of the tokens used so far, in all runs. */
  get marks(): string {
    return this.#marks;
  }

  /** Whether FILE has changed since the export started. */
  async isBaseChanged(): Promise<boolean> {
    const { real } = this.target;
    const found = await guarded(real, 'exporting', () => this.#ops.lstat(real));
    return !sameMark(this.#header.base, markOf(found));
  }

  /**
   * Appends the text of a page and the progress after it. Both are durable when this resolves; if the process dies
   * before, neither counts.
   */
  async append(text: Text, next: Partial<Omit<Progress, 'bytes' | 'result'>>): Promise<void> {
    await this.#change(async (rows) => {
      const changed = text.length > 0;
      await this.#write(rows, text);
      await this.#commit(rows, { ...this.#progress, ...next, bytes: this.#end, result: null }, changed);
    });
  }

  /** Notes credits that were spent after the last page. */
  async noteCredits(credits: Readonly<Credits>): Promise<void> {
    await this.#change(() => this.#writeState({ ...this.#progress, credits, mark: null }));
  }

  /** Appends text after which the listing cannot be resumed: the next run drops it and fetches its page again. */
  async appendUncommitted(text: Text): Promise<void> {
    if (!this.#isUncommitted) await this.#change((rows) => this.#write(rows, text));
  }

  /**
   * Finishes a full export: appends the closing text and replaces FILE durably. What fails after the replacement is
   * returned, not thrown.
   */
  async finish(tail: string): Promise<ReplacedFile> {
    const result = await this.#change(async (rows): Promise<FinishedFile> => {
      await this.#write(rows, tail);
      if (this.#isUncommitted) await this.#commit(rows, this.#progress, true);
      else await this.#checkName();
      await rows.chmod(this.#paths.finishedMode);
      await rows.sync();
      const result = { size: this.#end, digest: this.#wantsDigest ? await this.#digestOfRows(rows) : null };
      await this.#writeState({ ...this.#progress, result });
      return result;
    });
    return { ...result, problem: await this.#replace(this.#paths.part) };
  }

  /**
   * Finishes an update: writes the new rows above (and below) the old ones into a new file, which replaces FILE. Old
   * rows come in batches, with the format's `separator` between them. Memory use is constant. If the process dies, the
   * next run repeats it.
   */
  async finishUpdate(
    old: { readonly entries: number; rows(): AsyncIterable<readonly Text[]> },
    separator: string,
    tail: string,
  ): Promise<ReplacedFile> {
    const result = await this.#change(async (rows): Promise<FinishedFile> => {
      await this.#checkName();
      const { top, bytes, entries } = this.#progress;
      const above = top ?? { bytes, entries };
      const { temporary, folder, finishedMode } = this.#paths;
      const file = await this.#ops.open(temporary, 'replace', finishedMode);
      let result: FinishedFile;
      try {
        const writer = new ChunkWriter(file, this.#wantsDigest ? newHash() : null);
        for await (const text of readRows(rows, 0, above.bytes)) await writer.write([text]);
        if (above.entries > 0 && old.entries > 0) await writer.write([separator]);
        for await (const texts of old.rows()) await writer.write(texts);
        if (entries > above.entries && above.entries + old.entries > 0) await writer.write([separator]);
        for await (const text of readRows(rows, above.bytes, bytes)) await writer.write([text]);
        await writer.write([tail]);
        result = await writer.end();
        await file.chmod(finishedMode);
        await file.sync();
      } catch (error) {
        // Do not let an unfinished copy of FILE fill the disk until the next run.
        await this.#ops.unlink(temporary, finishedMode).catch(() => {});
        throw error;
      } finally {
        await file.close();
      }
      await this.#ops.syncFolder(folder);
      await this.#writeState({ ...this.#progress, result });
      return result;
    });
    return { ...result, problem: await this.#replace(this.#paths.temporary) };
  }

  /** The new rows of an update as written: those above, then those below the old ones. */
  async *newRows(): AsyncGenerator<Buffer, void> {
    const rows = this.#rows;
    if (rows === null) return;
    try {
      yield* readRows(rows, 0, this.#progress.bytes);
    } catch (error) {
      throw fileFailure(error, this.#paths.part, 'exporting');
    }
  }

  /** Closes the files. The next run resumes an unfinished export. */
  async close(): Promise<void> {
    const hasRows = this.#rows !== null;
    await this.#closeFiles();
    if (hasRows && this.#isUnreferenced)
      await removeIfThere(this.#paths.temporary, this.#ops).catch(() => {});
  }

  async #closeFiles(): Promise<void> {
    const [rows, log] = [this.#rows, this.#log];
    this.#rows = null;
    this.#log = null;
    await rows?.close();
    await log?.close();
  }

  /** Removes all files of this export; FILE is unchanged. */
  async discard(): Promise<void> {
    const committed = !this.#isUncommitted;
    await this.close();
    if (!committed) return;
    const { part, temporary, state, folder } = this.#paths;
    await guarded(part, 'exporting', async () => {
      // Each name is durable before the next one changes: the next run finds the whole export, or no state.
      await this.#ops.rename(part, temporary);
      await this.#ops.syncFolder(folder);
      await this.#ops.unlink(state);
      await this.#ops.syncFolder(folder);
      await removeExport(this.#paths, this.#ops);
    });
  }

  async #change<T>(work: (rows: OpenFile) => Promise<T>): Promise<T> {
    const rows = this.#rows;
    if (rows === null || this.#isBroken) throw new Error('this export cannot be written any more');
    this.#isBroken = true;
    const result = await guarded(this.#paths.part, 'exporting', () => work(rows));
    this.#isBroken = false;
    return result;
  }

  async #write(rows: OpenFile, text: Text): Promise<void> {
    if (text.length === 0) return;
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    this.#hash?.update(bytes);
    await rows.write(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** Makes the rows durable, then the progress that refers to them. */
  async #commit(rows: OpenFile, progress: Progress, changed: boolean): Promise<void> {
    if (changed) await rows.datasync();
    if (!this.#isUncommitted) {
      await this.#checkName();
      await this.#writeState(progress);
      return;
    }
    // The new rows exist durably under the temporary name before the new state replaces an older one.
    await this.#ops.syncFolder(this.#paths.folder);
    await this.#writeState(progress);
    await this.#ops.rename(this.#paths.temporary, this.#paths.part);
    await this.#ops.syncFolder(this.#paths.folder);
    this.#isUncommitted = false;
  }

  /** Appends a line to the state log; starts a new log at the first page, and when the old one is long. */
  async #writeState(progress: Progress): Promise<void> {
    const mark = progress === this.#progress || progress.result !== null ? '' : (progress.mark ?? '');
    const line = Buffer.from(`${JSON.stringify(progress)}\n`);
    const fits = this.#logLength + line.length <= this.#maxLogLength;
    // Lines appended to a log that was removed or replaced would be lost.
    const found = this.#log !== null && fits ? await this.#ops.lstatOwned(this.#paths.state) : null;
    if (this.#log !== null && found?.ino === this.#logInode) {
      await this.#log.write(line, this.#logLength);
      await this.#log.datasync();
      this.#logLength += line.length;
    } else await this.#writeNewLog(progress);
    this.#marks += mark;
    this.#progress = progress;
  }

  async #writeNewLog(progress: Progress): Promise<void> {
    const { state, stateTemporary, folder } = this.#paths;
    await this.#log?.close();
    this.#log = null;
    this.#header = { ...this.#header, version: 2, marks: this.#marks };
    const log = await this.#ops.open(stateTemporary, 'replace');
    const text = Buffer.from(`${JSON.stringify(this.#header)}\n${JSON.stringify(progress)}\n`);
    try {
      await log.write(text, 0);
      await log.sync();
      this.#logInode = (await log.stat()).ino;
      this.#isUnreferenced = false;
      await this.#ops.rename(stateTemporary, state);
      await this.#ops.syncFolder(folder);
    } catch (error) {
      await log.close();
      throw error;
    }
    this.#log = log;
    this.#logLength = text.length;
    this.#maxLogLength = text.length + this.#maxLogBytes;
  }

  async #digestOfRows(rows: OpenFile): Promise<string> {
    return this.#hash === null ? await digestOfChunks(readRows(rows, 0, this.#end)) : digestText(this.#hash);
  }

  /** Renames the finished file to FILE. Throws what fails before that; returns what fails after it. */
  async #replace(from: string): Promise<unknown> {
    await this.#closeFiles();
    await guarded(this.target.path, 'exporting', () => this.#ops.rename(from, this.target.real));
    return await cleanUp(this.#paths, this.#ops);
  }

  /** Throws `damaged` if the partial file was removed or replaced. */
  async #checkName(): Promise<void> {
    const found = await this.#ops.lstat(this.#paths.part);
    const own = await this.#rows?.stat();
    if (found?.kind !== 'file' || found.ino !== own?.ino)
      throw damaged(`${this.#paths.part} has been removed or replaced`);
  }
}

/** Fingerprint of a file; null if there is none. */
function markOf(stat: FileStat | null): FileMark | null {
  return stat?.kind === 'file' ? { size: stat.size, mtimeMs: stat.mtimeMs, ino: stat.ino } : null;
}

/** Whether two fingerprints are equal; null equals null. */
function sameMark(a: FileMark | null, b: FileMark | null): boolean {
  if (a === null || b === null) return a === b;
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino;
}

type Hash = import('node:crypto').Hash;
const newHash = (): Hash => process.getBuiltinModule('node:crypto').createHash('sha256');
const digestText = (hash: Hash): string => `sha256:${hash.digest('hex')}`;

/** The digest of a whole file, as a memory keeps it. */
export async function digestOf(path: string, ops: FileOps = nodeFileOps): Promise<string> {
  return await digestOfChunks(ops.readFile(path));
}

async function digestOfChunks(chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = newHash();
  for await (const bytes of chunks) hash.update(bytes);
  return digestText(hash);
}

async function readState(path: string, ops: FileOps): Promise<State | null> {
  const stat = await ops.lstat(path);
  if (stat === null) return null;
  const file = await ops.open(path, 'read');
  try {
    return parseState(await file.text(), path);
  } finally {
    await file.close();
  }
}

/** Throws a usage error for a state of a newer version, which `--restart` does not replace. */
async function checkReplaceable(paths: Paths, ops: FileOps): Promise<void> {
  try {
    await readState(paths.state, ops);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'damaged') throw error;
  }
}

/** Renames the rows to FILE.part, if the process died after it committed their first page and before it did so. */
async function adoptRows({ header }: State, paths: Paths, ops: FileOps): Promise<void> {
  const temporary = await ops.lstat(paths.temporary);
  if (temporary?.kind !== 'file' || temporary.ino !== header.inode) return;
  await ops.rename(paths.temporary, paths.part);
  await ops.syncFolder(paths.folder);
}

function checkLength({ size }: { readonly size: number }, bytes: number, paths: Paths): void {
  if (size < bytes) throw damaged(`${paths.part} is shorter than ${paths.state} says`);
}

/** Opens the rows of an interrupted export, truncated to the committed bytes. */
async function openRows(paths: Paths, bytes: number, ops: FileOps): Promise<OpenFile> {
  let rows: OpenFile;
  try {
    rows = await ops.open(paths.part, 'write', paths.finishedMode);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw damaged(`${paths.part} is missing`);
    throw error;
  }
  try {
    const { size, mode } = await rows.stat();
    checkLength({ size }, bytes, paths);
    if (size > bytes) await rows.truncate(bytes);
    // A process that died while finishing has set FILE's mode, which may let others write.
    if (mode !== 0o600) await rows.chmod(0o600);
    return rows;
  } catch (error) {
    await rows.close();
    throw error;
  }
}

/**
 * Replaces FILE with the file that an interrupted run had finished; null if that must be assembled again. Throws
 * `damaged` if neither FILE nor its replacement is that file.
 */
async function finishInterrupted(
  target: Target,
  { header, progress, isVersion1 }: State,
  paths: Paths,
  ops: FileOps,
): Promise<ReplacedFile | null> {
  const { result } = progress;
  if (result === null) return null;
  const isResult = async (path: string): Promise<boolean> => {
    const stat =
      path === target.real ? await ops.lstat(path) : await ops.lstatOwned(path, paths.finishedMode);
    if (stat?.kind !== 'file' || stat.size !== result.size) return false;
    if (result.digest !== null) return (await digestOf(path, ops)) === result.digest;
    return path !== target.real || !sameMark(header.base, markOf(stat));
  };
  // Version 0.1.0 puts the finished file of an update into FILE.part.
  const isAssembled = header.mode === 'update' && !isVersion1;
  const from = isAssembled ? paths.temporary : paths.part;
  if (await isResult(from)) await ops.rename(from, target.real);
  else if (!(await isResult(target.real))) {
    if (isAssembled) return null;
    const part = await ops.lstat(paths.part);
    throw damaged(`${paths.part} is ${part === null ? 'missing' : 'incomplete'}`);
  }
  return { ...result, problem: await cleanUp(paths, ops) };
}

/** Removes the other files of an export once FILE is replaced. Returns what fails: it is no failure of the export. */
async function cleanUp(paths: Paths, ops: FileOps): Promise<unknown> {
  try {
    await ops.syncFolder(paths.folder);
    await removeExport(paths, ops);
    return null;
  } catch (error) {
    return error;
  }
}

async function removeExport(paths: Paths, ops: FileOps): Promise<void> {
  const { finishedMode } = paths;
  await removeIfThere(paths.temporary, ops, finishedMode);
  await removeIfThere(paths.stateTemporary, ops);
  if ((await ops.lstatOwned(paths.part, finishedMode)) !== null) {
    await ops.unlink(paths.part, finishedMode);
    // Without its state the partial file would be in the way of the next export.
    await ops.syncFolder(paths.folder);
  }
  await removeIfThere(paths.state, ops);
  await ops.syncFolder(paths.folder);
}

async function* readRows(file: OpenFile, from: number, to: number): AsyncGenerator<Buffer, void> {
  for (let at = from; at < to; ) {
    const bytes = await file.read(Math.min(chunkSize, to - at), at);
    if (bytes.length === 0) return;
    yield bytes;
    at += bytes.length;
  }
}

/** Collects texts into large writes, in memory that is used again. */
class ChunkWriter {
  readonly #file: OpenFile;
  readonly #hash: Hash | null;
  readonly #chunk = Buffer.allocUnsafeSlow(chunkSize);
  #filled = 0;
  #end = 0;

  constructor(file: OpenFile, hash: Hash | null) {
    this.#file = file;
    this.#hash = hash;
  }

  async write(texts: readonly Text[]): Promise<void> {
    for (const text of texts) {
      const bytes = typeof text === 'string' ? Buffer.from(text) : text;
      for (let copied = 0; copied < bytes.length; ) {
        const count = bytes.copy(this.#chunk, this.#filled, copied);
        copied += count;
        this.#filled += count;
        if (this.#filled === chunkSize) await this.#flush();
      }
    }
  }

  async end(): Promise<FinishedFile> {
    await this.#flush();
    return { size: this.#end, digest: this.#hash && digestText(this.#hash) };
  }

  async #flush(): Promise<void> {
    const bytes = this.#chunk.subarray(0, this.#filled);
    this.#hash?.update(bytes);
    await this.#file.write(bytes, this.#end);
    this.#end += bytes.length;
    this.#filled = 0;
  }
}
