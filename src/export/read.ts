import { constants } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
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
  /** The first line that is no record: `line 12 is not a record`; null if all are. */
  readonly damage: string | null;
}

export interface ReadOptions {
  readonly format: FileFormat;
  /** `--fields` of the file: id files have one value per field; null: one. */
  readonly fields: string | null;
  /** Parse every line. Otherwise only the ID is read from a line that begins with it. */
  readonly parse: boolean;
  /** Bytes that count, from the start; by default all. */
  readonly bytes?: number;
  /** Is given each line that is a record, with its line end, and the header of csv; valid until it returns. */
  onRecord?(line: Buffer): void;
}

const chunkBytes = 1024 * 1024;
/** A longer line is damage. */
const maxLineBytes = 64 * 1024 * 1024;
/** Chunks that are read before signals are handled. */
const chunksAtOnce = 4;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;

/** Reads an open export, line by line; memory is that of its IDs (json: of the whole file). Throws system errors. */
export async function readContents(fd: number, options: ReadOptions): Promise<Contents> {
  const size = options.bytes ?? fstatSync(fd).size;
  return options.format === 'json' ? readJson(fd, size) : await readRecords(fd, size, options);
}

/** Reads the export at a path. */
export async function readFileContents(path: string, options: ReadOptions): Promise<Contents> {
  const fd = openSync(path, 'r');
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
      found.columns = cellsOf(text.toString());
      read = csvReader(found.columns ?? []);
      if (found.columns !== null) options.onRecord?.(bytes);
      else found.damage ??= 'line 1 is not a csv header';
      return;
    }
    const entry = read(text);
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
  for (let at = 0, chunks = 1; at < size; chunks++) {
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
    if (chunks % chunksAtOnce === 0) await setImmediate();
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

function lineReader({ format, fields, parse }: ReadOptions): LineReader {
  if (format === 'id') return idReader(Math.max(0, (fields ?? 'videoId').split(',').indexOf('videoId')));
  return (line) => {
    if (!parse) {
      const id = leadingId(line);
      if (id !== null) return { id };
    }
    return parsedEntry(line);
  };
}

const idStart = Buffer.from('{"videoId":"');

/** The ID at the start of a line of ndjson; null if it does not begin with one. */
function leadingId(line: Buffer): string | null {
  if (!line.subarray(0, idStart.length).equals(idStart)) return null;
  const end = line.indexOf(QUOTE, idStart.length);
  const id = end === -1 ? '' : line.toString('latin1', idStart.length, end);
  return /^[\x20-\x5b\x5d-\x7e]+$/.test(id) && line.at(-1) === 0x7d ? id : null;
}

function parsedEntry(line: Buffer): Entry | null {
  try {
    const value: unknown = JSON.parse(line.toString());
    return entryOf(value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {});
  } catch {
    return null;
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const entryOf = (members: Readonly<Record<string, unknown>>): Entry => ({
  id: text(members.videoId),
  channel: text(members.channelId),
  published: text(members['@published']),
});

function csvReader(columns: readonly string[]): LineReader {
  return (line) => {
    const cells = cellsOf(line.toString());
    if (cells?.length !== columns.length) return null;
    return entryOf(Object.fromEntries(columns.map((column, at) => [column, cells[at]])));
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
function readJson(fd: number, size: number): Contents {
  const found = new Collector();
  if (size > constants.MAX_STRING_LENGTH) {
    found.damage = 'it is too large to be read: more than 512 MiB of JSON';
    return found;
  }
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; ) {
    const length = readSync(fd, bytes, at, size - at, at);
    if (length === 0) break;
    at += length;
  }
  const list = JsonText.parse(bytes)?.get('results');
  if (list?.kind !== 'array') found.damage = 'it is not a JSON document with results';
  for (const entry of list?.elements() ?? []) {
    const member = (name: string): string | null => entry.get(name)?.string() ?? null;
    found.add({ id: member('videoId'), channel: member('channelId'), published: member('@published') });
  }
  return found;
}
