import { closeSync, existsSync, fdatasyncSync, fstatSync, ftruncateSync, writeFileSync } from 'node:fs';
import { Failure, usage } from '../errors.ts';
import { guardFile } from '../fs/files.ts';
import { chunksOf, linesOf } from '../fs/line-chunks.ts';
import { type PrivateFolder, temporaryName } from '../fs/private-folder.ts';
import { JsonText } from '../json/json-text.ts';
import {
  isCount,
  isFlag,
  isNumber,
  isText,
  listOf,
  orNull,
  type Passing,
  parseObject,
  shape,
} from '../json/shape.ts';
import { type Position, startPosition, videoIdOf } from '../run/list-pages.ts';
import { isRecord } from './record.ts';
import { discardPages, headerOf, type RunHeader, runName } from './run-header.ts';

/** The line behind the entries of a page: where the next page begins. */
const isCommit = shape({
  token: orNull(isText),
  hasMore: isFlag,
  entries: isCount,
  pages: isCount,
  total: orNull(isCount),
  /** IDs on the page that stood on the page before, and are left out. */
  repeated: listOf(isText),
  /** json: playlist_info of the list, as JSON text. */
  info: orNull(isText),
});
type Commit = Passing<typeof isCommit>;

/** The last line, once the new FILE is written: the run has ended if FILE is this one. */
const isEnd = shape({ size: isCount, mtime: isNumber, record: orNull(isRecord) });
export type RunEnd = Passing<typeof isEnd>;

/** Where the entries of a page are. */
interface StoredPage {
  readonly start: number;
  readonly end: number;
  readonly repeated: readonly string[];
}

const hash = '#'.charCodeAt(0);

/**
 * An interrupted run: `.chanlist/FILE.run`, a file that is only appended to. Its lines are a header, then for each page its
 * entries and a commit; lines that begin with `#` are not entries. What stands behind the last of those is a page that
 * was cut off. The file has its name once it holds a page; until then a temporary one.
 */
export class RunFile {
  readonly header: RunHeader;
  /** After the last page. */
  position: Position = startPosition;
  info: string | null = null;
  /** How it has ended; null: it has not. */
  end: RunEnd | null = null;
  /** Bytes up to the last line that counts. */
  size = 0;
  readonly #pages: StoredPage[] = [];
  readonly #folder: PrivateFolder;
  readonly #name: string;
  #fd: number;
  /** It is open for reading; to append, it is opened again. */
  #isReadOnly: boolean;
  /** It holds a page, and has its name. */
  #isNamed: boolean;

  private constructor(folder: PrivateFolder, name: string, fd: number, header: RunHeader, isNamed: boolean) {
    this.#folder = folder;
    this.#name = name;
    this.#fd = fd;
    this.header = header;
    this.#isReadOnly = isNamed;
    this.#isNamed = isNamed;
  }

  /** Begins the run of a FILE. */
  static create(folder: PrivateFolder, file: string, header: Omit<RunHeader, 'version'>): RunFile {
    const name = runName(file);
    const full: RunHeader = { version: 1, ...header };
    const run = new RunFile(folder, name, folder.create(temporaryName(name)), full, false);
    run.#append(commentLine(full));
    return run;
  }

  /**
   * Opens the interrupted run of a FILE; null if there is none, or it holds no page. Throws a usage error for one of another
   * version, and the reason of `stop`.
   */
  static async open(folder: PrivateFolder, file: string, stop: AbortSignal): Promise<RunFile | null> {
    const name = runName(file);
    const fd = folder.openRead(name);
    if (fd === null) return null;
    let run: RunFile | null = null;
    try {
      const header = headerOf(fd);
      if (header === null)
        throw usage(
          `${folder.at(name)} has pages of an interrupted run of another version`,
          discardPages(folder, file),
        );
      const opened = new RunFile(folder, name, fd, header, true);
      await opened.#readPages(stop);
      if (opened.position.pages > 0) run = opened;
      return run;
    } finally {
      if (run === null) closeSync(fd);
    }
  }

  /** Appends a page: its entries as lines, and where the next one begins. On return they are durable. */
  addPage(rows: string | Buffer, position: Position, repeated: readonly string[], info: string | null): void {
    this.info ??= info;
    const commit: Commit = { ...position, repeated, info: this.info };
    const start = this.size;
    const entries = typeof rows === 'string' ? Buffer.from(rows) : rows;
    this.#append(Buffer.concat([entries, commentLine(commit)]));
    this.#pages.push({ start, end: start + entries.length, repeated });
    this.position = position;
    if (this.#isNamed) return;
    this.#folder.rename(temporaryName(this.#name), this.#name);
    this.#isNamed = true;
  }

  /** Notes, durably, that the new FILE is written and takes its place next. */
  addEnd(end: RunEnd): void {
    this.#append(commentLine(end));
    this.end = end;
  }

  /** All entries as lines, in chunks, each valid until the next one. */
  async *rows(stop: AbortSignal, pages: readonly StoredPage[] = this.#pages): AsyncGenerator<Buffer, void> {
    for (const page of pages) {
      let length = page.start - page.end;
      for await (const chunk of chunksOf(this.#fd, this.#path, stop, page)) {
        length += chunk.length;
        yield chunk;
      }
      if (length !== 0) throw new Failure('failed', `${this.#path} was changed during this run`);
    }
  }

  /** The IDs of all entries. */
  async ids(stop: AbortSignal, pages: readonly StoredPage[] = this.#pages): Promise<Set<string>> {
    const ids = new Set<string>();
    for await (const lines of linesOf(this.rows(stop, pages)))
      for (const line of lines) {
        const entry = line && JsonText.parse(line);
        const id = entry && videoIdOf(entry);
        if (id) ids.add(id);
      }
    return ids;
  }

  /** The IDs on the last page that had entries. */
  async lastPageIds(stop: AbortSignal): Promise<Set<string>> {
    const page = this.#pages.findLast(({ start, end, repeated }) => end > start || repeated.length > 0);
    if (page === undefined) return new Set();
    return new Set([...(await this.ids(stop, [page])), ...page.repeated]);
  }

  /** Throws `failed` if it has been removed: what is bought from now on would be lost. */
  assertInPlace(): void {
    if (this.#isNamed && !existsSync(this.#path))
      throw new Failure('failed', `${this.#path} has been removed`);
  }

  remove(): void {
    this.#folder.remove(this.#isNamed ? this.#name : temporaryName(this.#name));
  }

  /** A run that has bought no page leaves nothing. */
  [Symbol.dispose](): void {
    closeSync(this.#fd);
    if (!this.#isNamed) this.remove();
  }

  /** Finds the pages. */
  async #readPages(stop: AbortSignal): Promise<void> {
    const { size: length } = fstatSync(this.#fd);
    let at = 0;
    let entries = 0;
    for await (const lines of linesOf(chunksOf(this.#fd, this.#path, stop))) {
      for (const line of lines) {
        const start = at;
        at += (line?.length ?? 0) + 1;
        // The last line may lack its end.
        if (line === null || line[0] !== hash || at > length) {
          entries++;
          continue;
        }
        const value = parseObject(line.toString('utf8', 1));
        if (isCommit(value)) {
          // A power cut may leave it without some of the entries before it.
          if (value.entries !== entries) return;
          const { repeated, info, ...position } = value;
          this.#pages.push({ start: this.size, end: start, repeated });
          this.position = position;
          this.info = info;
        } else if (isEnd(value)) this.end = value;
        this.size = at;
      }
    }
  }

  /** Appends lines, durably. */
  #append(bytes: Buffer): void {
    guardFile(this.#path, 'write', () => {
      if (this.#isReadOnly) this.#openToAppend();
      writeFileSync(this.#fd, bytes);
      fdatasyncSync(this.#fd);
    });
    this.size += bytes.length;
  }

  /** Opens it for writing, and cuts away what stands behind its last page. */
  #openToAppend(): void {
    const fd = this.#folder.openAppend(this.#name);
    closeSync(this.#fd);
    this.#fd = fd;
    this.#isReadOnly = false;
    ftruncateSync(fd, this.size);
  }

  get #path(): string {
    return this.#folder.at(this.#name);
  }
}

const commentLine = (value: Commit | RunEnd | RunHeader): Buffer =>
  Buffer.from(`#${JSON.stringify(value)}\n`);
