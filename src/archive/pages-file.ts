import { fdatasyncSync, fstatSync, ftruncateSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { usage } from '../errors.ts';
import { pagesName } from '../fs/archive-names.ts';
import { closeQuietly, withFileErrors } from '../fs/files.ts';
import { chunksOf, linesOf } from '../fs/line-chunks.ts';
import { type PrivateFolder, temporaryName } from '../fs/private-folder.ts';
import { assertWritten, foreignFailure, isSameFile } from '../fs/written-file.ts';
import { JsonText } from '../json/json-text.ts';
import { type Position, startPosition, videoIdOf } from '../service/page.ts';
import {
  type Commit,
  commentLine,
  discardCommand,
  headerOf,
  isComment,
  isCommit,
  isEnd,
  type PagesEnd,
  type PagesHeader,
  pagesVersion,
  readComment,
  type StoredPage,
  type UpdateRequest,
} from './pages-format.ts';

/**
 * The pages of an export or update: `.chanlist/FILE.run`, a file that is only appended to.
 *
 *     #{"version":2,"request":…} 5d41402a       the header
 *     {"videoId":"b",…}                         the entries of a page,
 *     #{"next":{"token":"…"},…} 0a1b2c3d        and its commit: where the list continues
 *
 * Each `#` line ends with the checksum of all bytes before it. Bytes after the last valid `#` line are ignored. The file has
 * a temporary name until its first page is added.
 */
export class PagesFile {
  /** The first line of the file; `setAside` replaces its `update`. */
  header: PagesHeader;
  /** Where the list continues after the last page. */
  position: Position = startPosition;
  info: string | null = null;
  isTokenRefused = false;
  /** In an update, whether a page so far, or the page that is added next, has an entry that FILE has. */
  meetsFile = false;
  /** The end line; null if the run has not written its new FILE. */
  end: PagesEnd | null = null;
  /** Length of the valid part, in bytes. */
  size = 0;
  /** The checksum of the valid part. */
  #checksum = 0;
  /** Update to write with the next page; set by `setAside`. */
  #pendingUpdate: UpdateRequest | null = null;
  #pages: StoredPage[] = [];
  #aside: StoredPage[] = [];
  readonly #folder: PrivateFolder;
  readonly #file: string;
  /** A temporary name until the first page is added. */
  #name: string;
  #fd: number;

  private constructor(folder: PrivateFolder, file: string, name: string, fd: number, header: PagesHeader) {
    this.#folder = folder;
    this.#file = file;
    this.#name = name;
    this.#fd = fd;
    this.header = header;
  }

  static create(folder: PrivateFolder, file: string, header: Omit<PagesHeader, 'version'>): PagesFile {
    const name = temporaryName(pagesName(file));
    const full: PagesHeader = { version: pagesVersion, ...header };
    const pages = new PagesFile(folder, file, name, folder.createEmpty(name), full);
    pages.#append(full);
    return pages;
  }

  /**
   * Opens the pages of an interrupted run for reading. Returns null if there are none. Throws a usage error if another
   * version of chanlist has written them.
   */
  static async open(folder: PrivateFolder, file: string, stop: AbortSignal): Promise<PagesFile | null> {
    const name = pagesName(file);
    const fd = folder.openRead(name);
    if (fd === null) return null;
    let pages: PagesFile | null = null;
    try {
      const header = headerOf(fd);
      if (header === null) return null;
      const other = `${folder.at(name)} has pages of an interrupted run of another version`;
      if (header === 'of another version') throw usage(other, discardCommand(folder, file));
      const opened = new PagesFile(folder, file, name, fd, header);
      await opened.#readPages(stop);
      if (opened.position.pages > 0) pages = opened;
      return pages;
    } finally {
      if (pages === null) closeQuietly(fd);
    }
  }

  /**
   * Opens the pages of an interrupted run for writing, and truncates the file after its last valid line. Throws `failed` if
   * the file cannot be written, and what `assertOwn` throws.
   */
  openToAppend(): void {
    const read = fstatSync(this.#fd);
    const fd = this.#folder.openAppend(this.#name, { create: false });
    closeQuietly(this.#fd);
    this.#fd = fd;
    if (!isSameFile(read, fstatSync(fd))) throw foreignFailure(this.#path);
    withFileErrors(this.#path, 'failure', () => ftruncateSync(fd, this.size));
  }

  /** Appends a page: its entries as lines, then the position after it. Both are durable when this returns. */
  addPage(
    rows: string | Buffer,
    position: Position,
    { info = null, isTokenRefused = false }: Partial<Pick<Commit, 'info' | 'isTokenRefused'>> = {},
  ): void {
    const commit: Commit = {
      ...position,
      asideFor: this.#pendingUpdate,
      info: this.info === null ? info : null,
      isTokenRefused,
      meetsFile: this.meetsFile,
    };
    const entries = typeof rows === 'string' ? Buffer.from(rows) : rows;
    const page = this.#pageUpTo(this.size + entries.length, crc32(entries, this.#checksum));
    this.#append(commit, entries, page.checksumAfter);
    this.#applyCommit(commit, page);
    this.#pendingUpdate = null;
    if (this.#isNamed) return;
    this.#folder.rename(this.#name, pagesName(this.#file));
    this.#name = pagesName(this.#file);
  }

  /** Records durably that the service does not accept the token of the next page. */
  markTokenRefused(): void {
    if (!this.isTokenRefused) this.addPage('', this.position, { isTokenRefused: true });
  }

  /**
   * Sets the pages so far aside, and continues the list at `next` with the update `asideFor`. `addAside` later adds those of
   * their entries that are still missing. The file changes only with the next page: a run that buys no page changes nothing.
   */
  setAside(asideFor: UpdateRequest, next: 'start' | 'end'): void {
    this.#putAside(asideFor);
    this.position = { ...this.position, next, entries: 0 };
    this.#pendingUpdate = asideFor;
  }

  /**
   * Adds the entries of set-aside pages whose ID is neither in `known` nor in `ids`, and adds their IDs to `ids`. Entries
   * without an ID could be duplicates: they are added only if `keepWithoutId` is true.
   */
  async addAside(
    known: ReadonlySet<string>,
    ids: Set<string>,
    keepWithoutId: boolean,
    stop: AbortSignal,
  ): Promise<void> {
    const rows: Buffer[] = [];
    for await (const [id, line] of this.#entries(stop, this.#aside)) {
      const isDuplicate = id === null ? !keepWithoutId : known.has(id) || ids.has(id);
      if (isDuplicate) continue;
      if (id !== null) ids.add(id);
      rows.push(Buffer.concat([line, Buffer.from('\n')]));
    }
    const { position } = this;
    if (rows.length > 0)
      this.addPage(Buffer.concat(rows), { ...position, entries: position.entries + rows.length });
  }

  /** Records durably that the new FILE is complete, before it is renamed over FILE. */
  addEnd(end: PagesEnd): void {
    this.#append(end);
    this.end = end;
  }

  /** Yields the lines of all entries in chunks, each valid until the next one. Throws `failed` if a checksum is wrong. */
  async *rows(stop: AbortSignal, pages: readonly StoredPage[] = this.#pages): AsyncGenerator<Buffer, void> {
    for (const page of pages) {
      let checksum = page.checksumBefore;
      for await (const chunk of chunksOf(this.#fd, this.#path, stop, page)) {
        checksum = crc32(chunk, checksum);
        yield chunk;
      }
      if (checksum !== page.checksumAfter) throw foreignFailure(this.#path);
    }
  }

  /** Reads the IDs of all entries of the pages, and whether an entry has no ID. */
  async readIds(stop: AbortSignal): Promise<{ ids: Set<string>; hasEntriesWithoutId: boolean }> {
    const ids = new Set<string>();
    let hasEntriesWithoutId = false;
    for await (const [id] of this.#entries(stop, this.#pages))
      if (id === null) hasEntriesWithoutId = true;
      else ids.add(id);
    return { ids, hasEntriesWithoutId };
  }

  /**
   * Throws `failed` with scope `reference` if somebody else has removed or written this file: pages would be lost. Throws a
   * usage error if its folder is no longer a real folder of this user.
   */
  assertOwn(): void {
    this.#folder.assertTrusted();
    assertWritten(this.#path, fstatSync(this.#fd), this.size);
  }

  remove(): void {
    this.assertOwn();
    this.#folder.remove(this.#name);
  }

  /** Deletes the file if no page was added. */
  [Symbol.dispose](): void {
    try {
      if (!this.#isNamed) this.remove();
    } catch {
      // An error here must not hide the one being handled.
    }
    closeQuietly(this.#fd);
  }

  /** Yields the ID and the line of each entry. A line is valid until the next batch is read. */
  async *#entries(
    stop: AbortSignal,
    pages: readonly StoredPage[],
  ): AsyncGenerator<readonly [id: string | null, line: Buffer]> {
    for await (const lines of linesOf(this.rows(stop, pages)))
      for (const line of lines) {
        const entry = line && JsonText.parse(line);
        if (entry && line) yield [videoIdOf(entry), line];
      }
  }

  /** Finds the pages up to the last valid line. */
  async #readPages(stop: AbortSignal): Promise<void> {
    let [offset, checksum] = [0, 0];
    for await (const lines of linesOf(chunksOf(this.#fd, this.#path, stop), { withEnds: true }))
      for (const line of lines) {
        if (line === null) return;
        const [lineStart, checksumBefore] = [offset, checksum];
        offset += line.length;
        checksum = crc32(line, checksum);
        if (!isComment(line)) continue;
        const value = readComment(line, checksumBefore);
        const isHeader = lineStart === 0;
        if (isCommit(value)) this.#applyCommit(value, this.#pageUpTo(lineStart, checksumBefore));
        else if (isEnd(value)) this.end = value;
        else if (value === null || !isHeader) return;
        this.size = offset;
        this.#checksum = checksum;
      }
  }

  /** Returns the page that begins after the valid part and ends at `end`. */
  #pageUpTo(end: number, checksumAfter: number): StoredPage {
    return { start: this.size, end, checksumBefore: this.#checksum, checksumAfter };
  }

  /** Updates the fields of this object for a page, and its commit, that the file already has. */
  #applyCommit({ info, asideFor, isTokenRefused, meetsFile, ...position }: Commit, page: StoredPage): void {
    if (asideFor !== null) this.#putAside(asideFor);
    this.#pages.push(page);
    this.position = position;
    this.info ??= info;
    this.isTokenRefused = isTokenRefused;
    this.meetsFile = meetsFile;
  }

  #putAside(update: UpdateRequest): void {
    this.#aside.push(...this.#pages);
    this.#pages = [];
    this.meetsFile = false;
    this.header = { ...this.header, update };
  }

  /** Appends entries and a `#` line durably. `checksum`: the checksum of all bytes before the `#` line. */
  #append(
    value: Commit | PagesEnd | PagesHeader,
    entries: Buffer = Buffer.alloc(0),
    checksum = this.#checksum,
  ): void {
    this.assertOwn();
    const line = commentLine(value, checksum);
    withFileErrors(this.#path, 'failure', () => {
      writeFileSync(this.#fd, Buffer.concat([entries, line]));
      fdatasyncSync(this.#fd);
    });
    this.#checksum = crc32(line, checksum);
    this.size += entries.length + line.length;
  }

  get #isNamed(): boolean {
    return this.#name === pagesName(this.#file);
  }

  get #path(): string {
    return this.#folder.at(this.#name);
  }
}
