import { constants, isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, readFileSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { openUnchanged, type Target } from '../fs/output-target.ts';
import { JsonText } from '../json/json-text.ts';
import type { FileFormat } from '../output/formats.ts';

/** What an export contains. */
export interface Contents {
  readonly entries: number;
  /** The video IDs, in order of first appearance. */
  readonly ids: ReadonlySet<string>;
  /** The first ID that occurs twice; null if none does. */
  readonly duplicate: string | null;
  /** The channel IDs of the entries; empty if they have none. */
  readonly channels: ReadonlySet<string>;
  /** `@published` by video ID. */
  readonly published: ReadonlyMap<string, string>;
  /** csv: its columns; null for other formats, and for an empty file. */
  readonly columns: readonly string[] | null;
  /** csv: bytes of the header; 0 without one. */
  readonly header: number;
  /** The first line that is no record: `line 12 is not a record`; null if all are. */
  readonly damage: string | null;
}

export interface ReadOptions {
  readonly format: FileFormat;
  /** `--fields` of the file: id files have one value per field; null: one. */
  readonly fields: string | null;
  /** Its reason is thrown once it is aborted. */
  readonly stop: AbortSignal;
  /** Bytes that count, from the start; by default all. */
  readonly bytes?: number;
  /** Is given each line that is a record, with its line end; valid until it returns. */
  onRecord?(line: Buffer): void;
}

const chunkBytes = 1024 * 1024;
/** A longer line is damage. */
const maxLineBytes = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;

/** Lets signals be handled. Throws the reason of `stop`. */
export async function pause(stop: AbortSignal): Promise<void> {
  await setImmediate();
  stop.throwIfAborted();
}

/** An open file from a position on, in chunks: each is valid until the next one, and may be changed. */
export async function* chunksOf(
  fd: number,
  stop: AbortSignal,
  { from = 0, to = Number.POSITIVE_INFINITY }: { readonly from?: number; readonly to?: number } = {},
): AsyncGenerator<Buffer, void> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (let at = from; at < to; await pause(stop)) {
    const length = readSync(fd, chunk, 0, Math.min(chunkBytes, to - at), at);
    if (length === 0) return;
    at += length;
    yield chunk.subarray(0, length);
  }
}

/** Reads an open export, line by line; memory is that of its IDs (json: of the whole file). Throws system errors. */
export async function readContents(fd: number, options: ReadOptions): Promise<Contents> {
  const size = options.bytes ?? fstatSync(fd).size;
  return options.format === 'json'
    ? await readJson(fd, size, options.stop)
    : await readRecords(fd, size, options);
}

/** Reads an export. Throws as `openUnchanged`. */
export async function readFileContents(target: Target, options: ReadOptions): Promise<Contents> {
  const fd = openUnchanged(target);
  try {
    return await readContents(fd, options);
  } finally {
    closeSync(fd);
  }
}

class Collector implements Contents {
  entries = 0;
  readonly ids = new Set<string>();
  duplicate: string | null = null;
  readonly channels = new Set<string>();
  readonly published = new Map<string, string>();
  columns: readonly string[] | null = null;
  header = 0;
  damage: string | null = null;

  add({ id, channel, published }: Entry): void {
    this.entries++;
    if (channel) this.channels.add(channel);
    if (!id) return;
    if (this.ids.has(id)) this.duplicate ??= id;
    this.ids.add(id);
    if (published) this.published.set(id, published);
  }
}

interface Entry {
  readonly id: string | null;
  readonly channel?: string | null;
  readonly published?: string | null;
}

/** Reads one line without its end; null if it is no record. */
type LineReader = (line: Buffer) => Entry | null;

async function readRecords(fd: number, size: number, options: ReadOptions): Promise<Contents> {
  const found = new Collector();
  const isCsv = options.format === 'csv';
  let read: LineReader = lineReader(options);
  let line = 0;
  const take = (bytes: Buffer, isEnded: boolean): void => {
    line++;
    const text = withoutEnd(bytes);
    if (text.length === 0 && !isCsv) return;
    if (isCsv && found.columns === null) {
      // A byte order mark, which some programs add.
      found.columns = cellsOf(text.toString().replace(/^\ufeff/, ''));
      read = csvReader(found.columns ?? []);
      if (found.columns === null) found.damage ??= 'line 1 is not a csv header';
      else found.header = bytes.length;
      return;
    }
    const entry = isUtf8(text) ? read(text) : null;
    if (entry === null) {
      found.damage ??= `line ${line} is not a record`;
      return;
    }
    found.add(entry);
    options.onRecord?.(isEnded ? bytes : Buffer.concat([bytes, Buffer.of(LINE_FEED)]));
  };
  // One buffer for all chunks: garbage of buffers is collected late. The start of a line that continues is moved to its front.
  let buffer = Buffer.allocUnsafe(chunkBytes);
  let rest = buffer.subarray(0, 0);
  for (let at = 0; at < size; await pause(options.stop)) {
    // The end of a long line is searched again in twice as many bytes.
    if (rest.length > buffer.length / 2) buffer = Buffer.allocUnsafe(2 * buffer.length);
    rest.copy(buffer);
    const length = readSync(fd, buffer, rest.length, Math.min(buffer.length - rest.length, size - at), at);
    if (length === 0) break;
    at += length;
    const bytes = buffer.subarray(0, rest.length + length);
    let from = 0;
    for (let end = endOfLine(bytes, from, isCsv); end !== -1; end = endOfLine(bytes, from, isCsv)) {
      take(bytes.subarray(from, end + 1), true);
      from = end + 1;
    }
    rest = bytes.subarray(from);
    if (rest.length > maxLineBytes) {
      found.damage ??= `line ${line + 1} is longer than 64 MiB`;
      return found;
    }
  }
  if (rest.length > 0) take(rest, false);
  return found;
}

/** A line without its end (LF, or CRLF in a file that others have converted). */
function withoutEnd(line: Buffer): Buffer {
  const end = line.at(-1) === LINE_FEED ? line.length - 1 : line.length;
  return line.subarray(0, line[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
}

/** Position of the line feed that ends the record at `from`; -1 if it is not there. csv: one outside quotes. */
export function endOfLine(bytes: Buffer, from: number, isCsv: boolean): number {
  if (!isCsv) return bytes.indexOf(LINE_FEED, from);
  let isQuoted = false;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) isQuoted = !isQuoted;
    else if (byte === LINE_FEED && !isQuoted) return at;
  }
  return -1;
}

function lineReader({ format, fields }: ReadOptions): LineReader {
  if (format !== 'id') return ndjsonReader;
  return idReader(Math.max(0, (fields ?? 'videoId').split(',').indexOf('videoId')));
}

/** The scanner takes less memory than `JSON.parse`, whatever a line contains. */
function ndjsonReader(line: Buffer): Entry | null {
  const value = JsonText.parse(line);
  return value && entryOf((name) => value.get(name)?.string());
}

const entryOf = (member: (name: string) => string | undefined): Entry => ({
  id: member('videoId') || null,
  channel: member('channelId') || null,
  published: member('@published') || null,
});

function csvReader(columns: readonly string[]): LineReader {
  return (line) => {
    const cells = cellsOf(line.toString());
    return cells?.length === columns.length ? entryOf((name) => cells[columns.indexOf(name)]) : null;
  };
}

function idReader(position: number): LineReader {
  return (line) => {
    const value = line.toString();
    // A file system that lost data usually leaves zeros.
    if (value.includes('\0')) return null;
    return { id: value.split('\t')[position] || null };
  };
}

/**
 * The cells of a row of csv (RFC 4180) without its line end; null if it is not one. Zeros outside quotes are damage: the
 * writer quotes them.
 */
export function cellsOf(row: string): string[] | null {
  const cells: string[] = [];
  for (let at = 0; ; at++) {
    if (row[at] === '"') {
      let end = row.indexOf('"', at + 1);
      while (end !== -1 && row[end + 1] === '"') end = row.indexOf('"', end + 2);
      if (end === -1) return null;
      cells.push(row.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 1;
    } else {
      const comma = row.indexOf(',', at);
      const cell = row.slice(at, comma === -1 ? row.length : comma);
      if (/["\0]/.test(cell)) return null;
      cells.push(cell);
      at += cell.length;
    }
    if (at === row.length) return cells;
    if (row[at] !== ',') return null;
  }
}

/** A json export is parsed whole. */
async function readJson(fd: number, size: number, stop: AbortSignal): Promise<Contents> {
  const found = new Collector();
  if (size > constants.MAX_STRING_LENGTH) {
    found.damage = 'it is too large to be read: more than 512 MiB of JSON';
    return found;
  }
  const list = JsonText.parse(readFileSync(fd))?.get('results');
  if (list?.kind !== 'array') found.damage = 'it is not a JSON document with results';
  for (const entry of list?.elements() ?? []) {
    found.add(entryOf((name) => entry.get(name)?.string()));
    if (found.entries % entriesAtOnce === 0) await pause(stop);
  }
  return found;
}

/** Entries of json that are read before signals are handled. */
const entriesAtOnce = 1000;
