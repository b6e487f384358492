import type { FileRecord, ReaderOptions } from '../format.ts';
import { checkHeader } from './expected-fields.ts';
import { type Line, readCsvRecords } from './lines.ts';
import { type CellPositions, CellsRecord, cellPositions, csvCells } from './records.ts';
import { damagedAt } from './text.ts';

/** Reads a csv file; see `Reader`. The header says what the columns are. */
export async function* readCsv(
  path: string,
  { fields, check }: ReaderOptions,
): AsyncGenerator<FileRecord[], void> {
  let header: readonly string[] | null = null;
  let positions: CellPositions | null = null;
  for await (const lines of readCsvRecords(path)) {
    const records: FileRecord[] = [];
    for (const line of lines) {
      checkEnd(path, line);
      if (header === null || positions === null) {
        header = headerOf(path, line);
        positions = cellPositions(header);
        checkHeader(path, header, fields);
        continue;
      }
      const record = new CellsRecord(line.text, positions);
      if (check) checkCells(path, line, record, header);
      records.push(record);
    }
    if (records.length > 0) yield records;
  }
}

/** The columns of a csv file; null if it is empty. Throws `damaged`. */
export async function readHeader(path: string): Promise<readonly string[] | null> {
  for await (const [line] of readCsvRecords(path)) {
    if (line !== undefined) return headerOf(path, line);
  }
  return null;
}

function headerOf(path: string, line: Line): readonly string[] {
  const header = csvCells(line.text);
  if (header === null) throw damagedAt(path, line.number, 'not valid CSV');
  return header;
}

/** Throws `damaged` if a line has no end. */
export function checkEnd(path: string, { number, ended }: Line): void {
  if (!ended) throw damagedAt(path, number, 'cut short: the last line has no end');
}

/** Throws `damaged` if a record does not have one cell per column. */
export function checkCells(
  path: string,
  { number }: Line,
  { cells }: CellsRecord,
  columns: readonly string[],
): void {
  if (cells === null) throw damagedAt(path, number, 'not valid CSV');
  if (cells.length !== columns.length) {
    throw damagedAt(path, number, `${cells.length} fields instead of ${columns.length}`);
  }
}
