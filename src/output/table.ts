import type { JsonText } from '../json/json-text.ts';
import { sanitize } from '../text/sanitize.ts';
import { entryColumns } from './columns.ts';
import type { EntryColumn, FormatOptions, Item, Terminal, Writer } from './format.ts';
import { type Grid, type GridColumn, loadGrid } from './grid.ts';
import { layout } from './layout.ts';
import { bodyRecords } from './records.ts';
import { displayWidth, maxWidth } from './width.ts';

/**
 * A table for people: columns that fit the terminal, sized by the first page; one header, with which later pages are
 * aligned. Without a terminal nothing is cut.
 */
export async function tableFormat(options: FormatOptions): Promise<Writer> {
  const { terminal } = options;
  const createGrid = await loadGrid(terminal);
  let drawing: { grid: Grid; columns: readonly EntryColumn[] } | null = null;
  /** A list was printed; an empty one is a header without rows. */
  let listed = false;
  /** Digits of the largest expected `index`, from numVideos. */
  let indexDigits = 0;

  const cellsOf = (columns: readonly EntryColumn[], item: Item, entries: readonly JsonText[]): string[][] =>
    entries.map((entry) => columns.map((column) => sanitize(column.text(entry, item))));

  const rows = (item: Item, entries: readonly JsonText[]): string => {
    if (entries.length === 0) return '';
    if (drawing !== null) return drawing.grid.rows(cellsOf(drawing.columns, item, entries));
    const columns = entryColumns(options, entries);
    const cells = cellsOf(columns, item, entries);
    const { shown, grid } = fit(columns, cells, terminal, indexDigits);
    drawing = {
      grid: createGrid(grid),
      columns: shown.map((i) => columns[i]).filter((c) => c !== undefined),
    };
    return drawing.grid.header() + drawing.grid.rows(cells.map((row) => shown.map((i) => row[i] ?? '')));
  };

  return {
    open: (_item, info) => {
      const total = info?.get('numVideos')?.plain().replaceAll(',', '') ?? '';
      if (/^\d{1,9}$/.test(total)) indexDigits = Math.max(indexDigits, total.length);
      return '';
    },
    rows,
    close: (_item, end) => {
      listed ||= end.failure === null;
      return '';
    },
    body: (item, body) => {
      listed = true;
      return rows(item, bodyRecords(options.operation, body).records);
    },
    tail: () => (drawing === null && listed ? emptyTable() : ''),
  };

  function emptyTable(): string {
    const columns = entryColumns(options, []);
    return createGrid(fit(columns, [], terminal, 0).grid).header();
  }
}

/** A table of plain cells, all at once: a header and rows, fitted to the terminal (null: nothing is cut). */
export async function drawTable(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Terminal | null,
): Promise<string> {
  const createGrid = await loadGrid(terminal);
  const cells = rows.map((row) => row.map(sanitize));
  const columns = headers.map(
    (header): EntryColumn => ({ header, align: 'left', minWidth: 8, text: String }),
  );
  const { shown, grid } = fit(columns, cells, terminal, 0);
  const drawn = createGrid(grid);
  return drawn.header() + drawn.rows(cells.map((row) => shown.map((i) => row[i] ?? '')));
}

interface TableLayout {
  /** Indices of the columns that are shown. */
  readonly shown: readonly number[];
  readonly grid: readonly GridColumn[];
}

/** Maximum column width if nothing is cut: a wider cell shifts the rest of its row. */
const maxColumnWidth = 1000;

/** Widths and alignment of the columns, from the cells of the first page; `digits`: of the greatest index. */
function fit(
  columns: readonly EntryColumn[],
  cells: readonly (readonly string[])[],
  terminal: Terminal | null,
  digits: number,
): TableLayout {
  const headers = columns.map((column) => sanitize(column.header));
  const measure = (text: string): number =>
    terminal === null ? displayWidth(text) : maxWidth(text, terminal.columns);
  const constraints = columns.map((column, i) => {
    const { dropIfTitleBelow, flexible, minWidth, reservedWidth = 0 } = column;
    let content = Math.max(reservedWidth, column.header === '#' ? digits : 0);
    for (const row of cells) content = Math.max(content, measure(row[i] ?? ''));
    if (terminal !== null) content = Math.min(content, column.maxWidth ?? content);
    return {
      contentWidth: Math.max(1, content, measure(headers[i] ?? '')),
      minWidth: Math.min(content, minWidth ?? content),
      dropIfTitleBelow,
      flexible,
    };
  });
  const widths =
    terminal === null
      ? constraints.map(({ contentWidth }) => Math.min(contentWidth, maxColumnWidth))
      : layout(constraints, Math.max(1, terminal.columns));
  const shown = widths.flatMap((width, i) => (width > 0 ? [i] : []));
  const grid = shown.map((i) => ({
    header: headers[i] ?? '',
    width: widths[i] ?? 1,
    right: isRight(columns[i]?.align, cells, i),
  }));
  return { shown, grid };
}

const number = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function isRight(
  align: EntryColumn['align'] | undefined,
  cells: readonly (readonly string[])[],
  i: number,
): boolean {
  if (align !== 'number') return align === 'right';
  const filled = cells.map((row) => row[i] ?? '').filter((cell) => cell !== '');
  return filled.length > 0 && filled.every((cell) => number.test(cell));
}
