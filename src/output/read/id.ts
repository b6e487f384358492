import { Damage } from '../../json/list-scanner.ts';
import type { FileRecord, ReaderOptions } from '../format.ts';
import { readBatches, splitLines } from './batches.ts';
import { CellsRecord, cellPositions } from './records.ts';

const TAB = 9;

/** Reads an id file; see `Reader`. It does not name its columns. */
export async function* readIds(
  path: string,
  { fields, check }: ReaderOptions,
): AsyncGenerator<FileRecord[], void> {
  const columns = fields?.map((field) => field.name) ?? ['videoId'];
  const positions = cellPositions(columns);
  const isOpen = fields === undefined || columns.includes('*');
  const split = splitLines((bytes, { from, to, isEnded }) => {
    if (!isEnded) throw new Damage('cut short: the last line has no end', from);
    const utf8 = bytes.subarray(from, to);
    const cells = columns.length > 1 || isOpen ? cellsOf(utf8) : [0, utf8.length];
    const record = new CellsRecord(utf8, cells, positions);
    if (check && !isOpen && record.cellCount !== columns.length)
      throw new Damage(`${record.cellCount} fields instead of ${columns.length}`, from);
    return record;
  });
  yield* readBatches(path, split);
}

/** Start and end of each cell of a line with tabs between them. */
function cellsOf(utf8: Buffer): number[] {
  const cells: number[] = [];
  for (let from = 0; ; ) {
    const tab = utf8.indexOf(TAB, from);
    cells.push(from, tab === -1 ? utf8.length : tab);
    if (tab === -1) return cells;
    from = tab + 1;
  }
}
