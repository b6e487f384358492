import CliTable from 'cli-table3';
import type { JsonText } from '../json/json-text.ts';
import { longestLength } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { colors } from './colors.ts';
import { type Column, chooseColumns } from './columns.ts';
import type { EntrySource, FormatOptions, Writer } from './format.ts';
import { maxTextWidth, textWidth, truncateToWidth, widest } from './width.ts';

const gap = 2;
/** Longer cells are truncated, even numbers and IDs. */
const maxUncut = 40;
/** Minimum widths of columns of text: in reports of this machine, in lists (then columns are dropped), and with `--fields`. */
const minTextWidths = { report: 20, list: 14, fields: 8 };
/** A grid without borders, with a gap between columns. */
const grid = {
  chars: Object.fromEntries(Object.keys(new CliTable().options.chars).map((name) => [name, ''])),
  style: { 'padding-left': 0, 'padding-right': gap, head: [], border: [], compact: true },
};

/** Matches numbers, and also credits: `1,234 (+1)`. */
const numericCell = /^[-+]?\d[\d.,:]{0,30}(?:e[-+]?\d{1,5})?[KMB]?(?: \(\+[\d,]{1,30}\))?$/i;
/** Whether a cell is a number; the first character rules out most other cells. */
const looksNumeric = (cell: string): boolean =>
  cell.charCodeAt(0) <= 0x39 && cell.length <= maxUncut && numericCell.test(cell);

interface Sized extends Column {
  readonly width: number;
  readonly min: number;
}

/** Creates a table: the first entries decide its columns and their widths. */
export function tableFormat(options: FormatOptions): Writer {
  const { terminal, fields, shape, sample = [], isReport = false } = options;
  const style = terminal?.color ? colors() : null;
  const terminalWidth = terminal?.columns ?? Number.POSITIVE_INFINITY;
  const least = minTextWidths[isReport ? 'report' : fields === null ? 'list' : 'fields'];
  const table = new CliTable(grid);
  let columns: readonly Sized[] = [];
  let widths: readonly number[] = [];

  const cellsOf = (selected: readonly Column[], entry: JsonText, source: EntrySource): string[] =>
    selected.map(({ cell }) => sanitize(cell(entry, source)));

  /** Returns the column widths of a row. A number wider than its column gets what it needs, from the title if there is one. */
  const widthsOf = (row: readonly string[]): readonly number[] => {
    const mayGrow = (cell: string, i: number): boolean =>
      terminal === null || (looksNumeric(cell) && columns[i]?.kind !== 'title');
    const isWider = (cell: string, i: number): boolean =>
      mayGrow(cell, i) && textWidth(cell) > (widths[i] ?? 0);
    if (!row.some(isWider)) return widths;
    const wider = row.map((cell, i) => (isWider(cell, i) ? textWidth(cell) : (widths[i] ?? 0)));
    const excess = Math.max(0, totalWidth(wider) - terminalWidth);
    return wider.map((width, i) => (columns[i]?.kind === 'title' ? Math.max(1, width - excess) : width));
  };
  /** Draws one row, because CliTable takes quadratic time for a table. It measures UTF-16 units, so cells are padded here. */
  const draw = (row: readonly string[], rowWidths: readonly number[]): string => {
    table.options.colWidths = [];
    table[0] = row.map((cell, i) => {
      const width = rowWidths[i] ?? 0;
      const isRight = columns[i]?.kind === 'number';
      // The start of `214 waiting` would look like another number.
      const isMisleading = isRight && /^\d/.test(cell) && textWidth(cell) > width;
      const text = terminal === null ? cell : isMisleading ? '…' : truncateToWidth(cell, width);
      const space = ' '.repeat(Math.max(0, width - textWidth(text)));
      return isRight ? space + text : text + space;
    });
    return table.toString().trimEnd();
  };

  return {
    rows: (source, entries, mayFollow = true) => {
      if (entries.length === 0) return '';
      const out: string[] = [];
      if (columns.length === 0) {
        const first = sample.length > 0 ? sample : entries;
        const all = chooseColumns(options, first, mayFollow);
        const rows = first.map((entry) => cellsOf(all, entry, source));
        const cells = (i: number): string[] => rows.map((row) => row[i] ?? '');
        const sized = all.map((column, i) => sizeColumn(column, cells(i), terminalWidth, least));
        if (isReport && (shape.body === 'object' || totalMinWidth(sized) > terminalWidth))
          return rows.map((row) => fieldLines(all, row)).join('\n');
        columns = dropColumns(sized, terminalWidth);
        widths = fitWidths(columns, terminalWidth, mayFollow);
        const words = columns.map(({ header }) => sanitize(header));
        const names = draw(words, widths);
        const rule = '─'.repeat(totalWidth(widths));
        out.push(style?.bold(names) ?? names, style?.dim(rule) ?? rule);
      }
      for (const entry of entries) {
        const row = cellsOf(columns, entry, source);
        out.push(draw(row, widthsOf(row)));
      }
      return `${out.join('\n')}\n`;
    },
  };
}

/** Writes a line for each field of a row. Values are never cut, so that they can be copied. */
function fieldLines(columns: readonly Column[], row: readonly string[]): string {
  const width = longestLength(columns.map(({ header }) => header)) + gap;
  return columns.map(({ header }, i) => `${header.padEnd(width)}${row[i] || '-'}\n`).join('');
}

const totalWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, widths.length - 1);

const totalMinWidth = (columns: readonly Sized[]): number => totalWidth(columns.map(({ min }) => min));

/** Whether a cell must not be truncated. */
const mustNotTruncate = (cell: string, kind: Column['kind']): boolean =>
  kind === 'number' || kind === 'uncut' ? cell.length <= maxUncut : kind !== 'title' && looksNumeric(cell);

/** Makes a column as wide as its header and these cells, and aligns it right if they are numbers. */
function sizeColumn(
  column: Column,
  cells: readonly string[],
  terminalWidth: number,
  minTextWidth: number,
): Sized {
  const own = cells.filter((cell) => cell !== '' && cell !== '-');
  const kind = column.kind ?? (own.length > 0 && own.every(looksNumeric) ? 'number' : 'text');
  const width = Math.max(column.width ?? 0, widest([sanitize(column.header), ...cells], maxTextWidth));
  const kept = widest(cells.filter((cell) => mustNotTruncate(cell, kind)));
  const least = column.min ?? Math.min(width, minTextWidth);
  return { ...column, kind, width, min: Math.min(terminalWidth, Math.max(kept, least)) };
}

/** Drops columns, the least important first, until the rest fits. */
function dropColumns(columns: readonly Sized[], terminalWidth: number): readonly Sized[] {
  const highest = Math.max(...columns.map(({ dropOrder }) => dropOrder ?? 0));
  if (highest === 0 || columns.length === 1 || totalMinWidth(columns) <= terminalWidth) return columns;
  const last = columns.findLastIndex(({ dropOrder }) => dropOrder === highest);
  return dropColumns(columns.toSpliced(last, 1), terminalWidth);
}

/**
 * Narrows the widest columns until all fit, if possible. The title gets the remaining width; if it is not the last column, only
 * if longer titles may follow.
 */
function fitWidths(columns: readonly Sized[], terminalWidth: number, mayFollow: boolean): readonly number[] {
  if (terminalWidth === Number.POSITIVE_INFINITY) return columns.map(({ width }) => width);
  const within = (limit: number): number[] =>
    columns.map(({ width, min }) => Math.max(min, Math.min(width, limit)));
  let limit = terminalWidth;
  while (limit > 1 && totalWidth(within(limit)) > terminalWidth) limit--;
  const widths = within(limit);
  const rest = Math.max(0, terminalWidth - totalWidth(widths));
  const grows = (column: Sized | undefined): boolean =>
    column?.kind === 'title' && (mayFollow || column === columns.at(-1));
  return widths.map((width, i) => width + (grows(columns[i]) ? rest : 0));
}
