import { Chalk } from 'chalk';
import type { JsonText } from '../json/json-text.ts';
import { sanitize } from '../text/sanitize.ts';
import { type Column, type Columns, chooseColumns } from './columns.ts';
import type { FormatOptions, Item, Terminal, Writer } from './format.ts';
import { bodyRecords } from './records.ts';
import { cut, textWidth } from './width.ts';

/** Width of the gap between two columns. */
const gap = 2;
/** Cells of this width are never cut if they are numbers, or of a column that is not cut. */
const maxWhole = 40;
/** Texts are not made narrower than this while another column can be dropped. */
const minText = 12;

const number = /^[-+]?\d[\d.,:]{0,30}(?:e[-+]?\d{1,5})?[KMB]?$/i;

/**
 * A table for people: columns that fit the terminal, sized by the first page; one header, with which later pages are
 * aligned. Without a terminal nothing is cut.
 */
export async function tableFormat(options: FormatOptions): Promise<Writer> {
  const { terminal, operation } = options;
  const newTable = await loadTable(terminal);
  let open: { chosen: Columns; table: Table } | null = null;
  /** A list was printed; an empty one is a header without rows. */
  let isListed = false;
  /** Digits of the largest expected `index`, from numVideos. */
  let indexDigits = 0;

  const start = (entries: readonly JsonText[], item: Item): { chosen: Columns; table: Table } => {
    const chosen = chooseColumns(options, entries);
    const columns = chosen.columns.map((column) =>
      column.header === '#' ? { ...column, reserved: Math.max(column.reserved ?? 0, indexDigits) } : column,
    );
    return { chosen, table: newTable(columns, cellsOf(chosen, item, entries)) };
  };
  const rows = (item: Item, entries: readonly JsonText[]): string => {
    if (entries.length === 0) return '';
    const isFirst = open === null;
    open ??= start(entries, item);
    const { chosen, table } = open;
    return (isFirst ? table.header() : '') + table.rows(cellsOf(chosen, item, entries));
  };

  return {
    open: (_item, info) => {
      const total = info?.get('numVideos')?.plain().replaceAll(',', '') ?? '';
      if (/^\d{1,9}$/.test(total)) indexDigits = Math.max(indexDigits, total.length);
      return '';
    },
    rows,
    close: (_item, end) => {
      isListed ||= end.failure === null;
      return '';
    },
    body: (item, body) => {
      isListed = true;
      return rows(item, bodyRecords(operation, body).records);
    },
    tail: () => (open === null && isListed ? start([], { reference: null }).table.header() : ''),
  };
}

const cellsOf = ({ cells }: Columns, item: Item, entries: readonly JsonText[]): string[][] =>
  entries.map((entry) => cells(entry, item).map(sanitize));

/** A table of plain cells, all at once: a header and rows, fitted to the terminal (null: nothing is cut). */
export async function drawTable(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Terminal | null,
): Promise<string> {
  const cells = rows.map((row) => row.map(sanitize));
  const table = (await loadTable(terminal))(
    headers.map((header) => ({ header })),
    cells,
  );
  return table.header() + table.rows(cells);
}

/** A table whose columns are fixed. Cells hold no control characters. */
interface Table {
  /** The header and the rule below it. */
  header(): string;
  rows(cells: readonly (readonly string[])[]): string;
}

/** A column that is shown. */
interface Shown extends Column {
  /** Its index among the cells of a row. */
  readonly at: number;
  readonly width: number;
  readonly minWidth: number;
}

/** Loads cli-table3. Returns a function that makes a table from the cells of its first page. */
async function loadTable(
  terminal: Terminal | null,
): Promise<(columns: readonly Column[], first: readonly (readonly string[])[]) => Table> {
  const { default: CliTable } = await import('cli-table3');
  const style = new Chalk({ level: terminal?.color ? 1 : 0 });
  return (all, first) => {
    const columns = fit(all, first, terminal?.columns ?? null);
    const colAligns = columns.map(({ isRight }) => (isRight ? 'right' : 'left'));
    const line = (row: readonly string[]): string => {
      const cells = columns.map(({ at }) => row[at] ?? '');
      const colWidths = widthsOf(columns, cells, terminal !== null);
      const table = new CliTable({ chars, style: plain, colWidths, colAligns: [...colAligns] });
      table.push(terminal === null ? cells : cells.map((cell, i) => cut(cell, colWidths[i] ?? 1)));
      return table.toString().trimEnd();
    };
    return {
      header: () => {
        const names = line(all.map(({ header }) => sanitize(header)));
        const rule = '─'.repeat(totalWidth(columns.map(({ width }) => width)));
        return `${style.bold(names)}\n${style.dim(rule)}\n`;
      },
      rows: (cells) => cells.map((row) => `${line(row)}\n`).join(''),
    };
  };
}

const totalWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, widths.length - 1);

/** The columns that are shown, with their widths, from the cells of the first page. `total`: of the terminal. */
function fit(
  columns: readonly Column[],
  cells: readonly (readonly string[])[],
  total: number | null,
): readonly Shown[] {
  let shown = columns.map((column, at) => {
    const own = cells.map((row) => row[at] ?? '').filter((cell) => cell !== '');
    const isNumber = own.length > 0 && own.every((cell) => number.test(cell));
    const least = Math.max(1, column.reserved ?? 0, textWidth(sanitize(column.header)));
    const width = own.reduce((widest, cell) => Math.max(widest, textWidth(cell)), least);
    const minWidth = Math.min(width, column.isWhole || isNumber ? maxWhole : minText);
    return { ...column, at, width, minWidth, isRight: column.isRight || isNumber };
  });
  if (total === null) return shown;
  while (shown.length > 1 && totalWidth(shown.map(({ minWidth }) => minWidth)) > total) {
    const drop = Math.max(...shown.map((column) => column.drop ?? 0));
    const last = shown.findLastIndex((column) => (column.drop ?? 0) === drop);
    shown = shown.toSpliced(last, 1);
  }
  // The widest column becomes narrower first.
  const least = shown.map(({ minWidth }) => Math.min(minWidth, total));
  const widths = shown.map(({ width }) => Math.min(width, total));
  for (let excess = totalWidth(widths) - total; excess > 0; excess--) {
    const spare = widths.map((width, i) => (width > (least[i] ?? 0) ? width : 0));
    const widest = spare.indexOf(Math.max(...spare));
    widths[widest] = Math.max(least[widest] ?? 1, (widths[widest] ?? 1) - 1);
  }
  const rest = Math.max(0, total - totalWidth(widths));
  return shown.map((column, i) => ({ ...column, width: (widths[i] ?? 1) + (column.isTitle ? rest : 0) }));
}

/** The widths of a row: a number that is wider than its column widens it, at a terminal at the title's expense. */
function widthsOf(columns: readonly Shown[], cells: readonly string[], isTerminal: boolean): number[] {
  let excess = 0;
  const widths = columns.map(({ width, isWhole }, i) => {
    const text = cells[i] ?? '';
    const isKept = !isTerminal || isWhole || number.test(text);
    const wanted = isKept
      ? Math.min(textWidth(text), isTerminal ? maxWhole : Number.POSITIVE_INFINITY)
      : width;
    excess += Math.max(0, wanted - width);
    return Math.max(width, wanted);
  });
  const title = isTerminal ? columns.findIndex(({ isTitle }) => isTitle) : -1;
  if (title !== -1) widths[title] = Math.max(1, (widths[title] ?? 1) - excess);
  return widths;
}

const plain = { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true };
/** No borders; a gap between columns. */
const chars = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
  ].map((name) => [name, name === 'middle' ? ' '.repeat(gap) : '']),
);
