import { Damage } from '../../json/list-scanner.ts';
import type { FileRecord, ReaderOptions } from '../format.ts';
import { readBatches, type Split } from './batches.ts';
import { checkHeader } from './expected-fields.ts';
import { type CellPositions, CellsRecord, cellPositions } from './records.ts';

const QUOTE = 34;
const COMMA = 44;
const LINE_FEED = 10;
const RETURN = 13;

/** Reads a csv file; see `Reader`. The header names the columns. Every record is checked. */
export async function* readCsv(path: string, { fields }: ReaderOptions): AsyncGenerator<FileRecord[], void> {
  yield* readBatches(
    path,
    splitCsv((header) => checkHeader(path, header, fields)),
  );
}

/** The columns of a csv file; null if it is empty. Throws `damaged`. */
export async function readHeader(path: string): Promise<readonly string[] | null> {
  let columns: readonly string[] | null = null;
  const split = splitCsv((header) => {
    columns = header;
  });
  const first: Split<FileRecord> = (bytes, isEnd) => {
    // Ignore the rows after the header.
    const result = columns === null ? split(bytes, isEnd) : { items: [], end: bytes.length };
    return columns === null ? result : { items: result.items.slice(0, 1), end: result.end };
  };
  for await (const _ of readBatches(path, first)) if (columns !== null) break;
  return columns;
}

/** Splits into records (RFC 4180): a line end inside quotes belongs to the record. */
function splitCsv(onHeader: (header: readonly string[]) => void): Split<CellsRecord> {
  let columns: readonly string[] | null = null;
  let positions: CellPositions = cellPositions([]);
  return (bytes, isEnd) => {
    const items: CellsRecord[] = [];
    let at = 0;
    while (at < bytes.length) {
      const cells: number[] = [];
      const end = scanRecord(bytes, at, cells);
      if (end === null) {
        if (isEnd) throw new Damage('cut short: the last line has no end', at);
        break;
      }
      const start = at;
      at = end;
      // An empty line is not a record.
      if (cells.length === 2 && cells[0] === cells[1]) continue;
      const to = cells.at(-1) ?? 0;
      const record = new CellsRecord(bytes.subarray(start, start + to), cells, positions);
      if (columns === null) {
        columns = Array.from({ length: record.cellCount }, (_, i) => record.cell(i) ?? '');
        positions = cellPositions(columns);
        onHeader(columns);
      } else {
        if (record.cellCount !== columns.length)
          throw new Damage(`${record.cellCount} fields instead of ${columns.length}`, start);
        items.push(record);
      }
    }
    return { items, end: at };
  };
}

/**
 * Adds start and end of each cell of the record at `start`, relative to it, to `cells`. Returns the position after its
 * line end; null if more bytes are needed. Throws `Damage` for misplaced quotes.
 */
function scanRecord(bytes: Buffer, start: number, cells: number[]): number | null {
  const { length } = bytes;
  for (let at = start; ; at++) {
    const from = at;
    if (bytes[at] === QUOTE) {
      for (;;) {
        at = bytes.indexOf(QUOTE, at + 1);
        if (at === -1 || at + 1 === length) return null;
        if (bytes[at + 1] !== QUOTE) break;
        at++;
      }
      at++;
    } else {
      while (at < length && bytes[at] !== COMMA && bytes[at] !== LINE_FEED) {
        if (bytes[at] === QUOTE) throw new Damage('not valid CSV', start);
        at++;
      }
    }
    if (at >= length) return null;
    const byte = bytes[at];
    if (byte === COMMA) cells.push(from - start, at - start);
    else if (byte === LINE_FEED) {
      // A carriage return outside quotes is part of the line end.
      const isReturn = at > from && bytes[at - 1] === RETURN;
      cells.push(from - start, (isReturn ? at - 1 : at) - start);
      return at + 1;
    } else if (byte === RETURN && bytes[at + 1] === LINE_FEED) {
      cells.push(from - start, at - start);
      return at + 2;
    } else if (byte === RETURN && at + 1 === length) return null;
    else throw new Damage('not valid CSV', start);
  }
}
