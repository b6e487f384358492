import type { FileRecord, ReaderOptions } from '../format.ts';
import { checkCells, checkEnd } from './csv.ts';
import { readLines } from './lines.ts';
import { CellsRecord, cellPositions } from './records.ts';

/** Reads an id file; see `Reader`. Nothing in it says what its columns are. */
export async function* readIds(
  path: string,
  { fields, check }: ReaderOptions,
): AsyncGenerator<FileRecord[], void> {
  const columns = fields?.map((field) => field.name) ?? ['videoId'];
  const positions = cellPositions(columns);
  const isOpen = fields === undefined || columns.includes('*');
  const split = (text: string): string[] => (columns.length > 1 || isOpen ? text.split('\t') : [text]);
  for await (const lines of readLines(path)) {
    yield lines.map((line) => {
      const record = new CellsRecord(line.text, positions, split);
      checkEnd(path, line);
      if (check && !isOpen) checkCells(path, line, record, columns);
      return record;
    });
  }
}
