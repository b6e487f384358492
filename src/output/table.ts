import CliTable from 'cli-table3';
import { isPlain, sanitize } from '../text/sanitize.ts';
import { type Column, chooseColumns } from './columns.ts';
import type { FormatOptions, Writer } from './format.ts';
import { cut, textWidth } from './width.ts';

const gap = 2;
/** Cells of this width are never cut if they are numbers, or of a column that is not cut. */
const maxWhole = 40;
/** Texts and reserved widths, and titles, are not made narrower than this while another column can be dropped. */
const minText = 14;
const minTitle = 20;

/** Also `1,234 (+1)`: credits, and those possibly charged. */
const number = /^[-+]?\d[\d.,:]{0,30}(?:e[-+]?\d{1,5})?[KMB]?(?: \(\+[\d,]{1,30}\))?$/i;
/** Whether a cell is a number; most are none by their first character. */
const isNumber = (cell: string): boolean => cell.charCodeAt(0) <= 0x39 && number.test(cell);

interface Shown extends Column {
  readonly width: number;
  /** Width of its cells that are not cut. */
  readonly minWidth: number;
}

/** Rows of one CliTable, at most, about a page: it takes quadratic time. */
const maxRows = 100;
/** Stands for a column of a text that is not plain: CliTable measures and cuts each UTF-16 unit of a text. */
const placeholder = '\ue000';

/** A table whose columns are chosen and sized by the first entries; later pages widen one only for a number. */
export async function tableFormat(options: FormatOptions): Promise<Writer> {
  const { terminal } = options;
  const style = terminal?.color ? new (await import('chalk')).Chalk({ level: 1 }) : null;
  const total = terminal?.columns ?? Number.POSITIVE_INFINITY;
  let shown: readonly Shown[] = [];
  let indexDigits = 0;

  const lines = (rows: readonly (readonly string[])[]): string[] => {
    const colWidths = shown.map(({ width }) => width);
    const colAligns = shown.map(({ isRight }) => (isRight ? 'right' : 'left'));
    const table = new CliTable({ chars, style: plain, colWidths, colAligns, truncate: '…' });
    const texts: string[] = [];
    const drawable = (cell: string, width: number): string => {
      if (isPlain(cell)) return cell;
      const text = terminal === null ? cell : cut(cell, width);
      if (textWidth(text) > 0) texts.push(text);
      return placeholder.repeat(textWidth(text));
    };
    for (const row of rows) table.push(row.map((cell, at) => drawable(cell, colWidths[at] ?? 0)));
    let next = 0;
    const drawn = table.toString().split('\n');
    return drawn.map((line) => line.trimEnd().replace(/\ue000+/g, () => texts[next++] ?? ''));
  };
  const header = (): string[] => {
    const [names = ''] = lines([shown.map((column) => sanitize(column.header))]);
    const rule = '─'.repeat(totalWidth(shown.map(({ width }) => width)));
    return [style?.bold(names) ?? names, style?.dim(rule) ?? rule];
  };

  return {
    open: (_item, info) => {
      const count = info?.get('numVideos')?.plain().replaceAll(',', '') ?? '';
      if (/^\d{1,9}$/.test(count)) indexDigits = Math.max(indexDigits, count.length);
      return '';
    },
    rows: (item, entries) => {
      if (entries.length === 0) return '';
      const textsOf = ({ cell }: Column): string[] => entries.map((entry) => sanitize(cell(entry, item)));
      const isFirst = shown.length === 0;
      if (isFirst) {
        const all = chooseColumns(options, entries, indexDigits);
        const wanted = all.map((column) => measured(column, textsOf(column)));
        shown = dropped(wanted, total);
      }
      const texts = shown.map(textsOf);
      const wanted = shown.map((column, at) => widened(column, texts[at] ?? [], terminal === null));
      shown = fit(wanted, total);
      const rows = entries.map((_, at) => texts.map((column) => column[at] ?? ''));
      const out = isFirst ? header() : [];
      for (let i = 0; i < rows.length; i += maxRows) out.push(...lines(rows.slice(i, i + maxRows)));
      return `${out.join('\n')}\n`;
    },
  };
}

const totalWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, widths.length - 1);

/** A column as wide as its header and these texts. One of numbers is aligned right. */
function measured(column: Column, texts: readonly string[]): Shown {
  const own = texts.filter((text) => text !== '' && text !== '-');
  const isRight = column.isRight ?? (own.length > 0 && own.every(isNumber));
  const header = textWidth(sanitize(column.header));
  const width = Math.max(column.reserved ?? 1, header);
  const minWidth = column.isWhole ? Math.min(header, maxWhole) : 1;
  return widened({ ...column, width, minWidth, isRight }, texts, true);
}

/** A column wide enough for all texts (`isFree`), or for those that are not cut. */
function widened(column: Shown, texts: readonly string[], isFree: boolean): Shown {
  let { width, minWidth } = column;
  for (const text of texts) {
    const own = textWidth(text);
    if (isFree) width = Math.max(width, own);
    if (column.isWhole || isNumber(text)) minWidth = Math.max(minWidth, Math.min(own, maxWhole));
  }
  return { ...column, width: Math.max(width, minWidth), minWidth };
}

/** The widths of columns of which none is wider than `limit`, except for cells that are not cut. */
const within = (columns: readonly Shown[], limit: number, titleLimit = limit): number[] =>
  columns.map(({ width, minWidth, isTitle }) =>
    Math.max(minWidth, Math.min(width, isTitle ? titleLimit : limit)),
  );

/** The columns without the least important ones of those that do not fit. */
function dropped(columns: readonly Shown[], total: number): readonly Shown[] {
  let shown = columns;
  while (shown.length > 1 && totalWidth(within(shown, minText, minTitle)) > total) {
    const drop = Math.max(...shown.map((column) => column.drop ?? 0));
    const last = shown.findLastIndex((column) => (column.drop ?? 0) === drop);
    shown = shown.toSpliced(last, 1);
  }
  return shown;
}

/** The columns with widths that fit: the widest become narrower, the title takes the rest. */
function fit(columns: readonly Shown[], total: number): readonly Shown[] {
  if (total === Number.POSITIVE_INFINITY) return columns;
  let limit = total;
  while (limit > 1 && totalWidth(within(columns, limit)) > total) limit--;
  const widths = within(columns, limit);
  const rest = Math.max(0, total - totalWidth(widths));
  return columns.map((column, i) => ({ ...column, width: (widths[i] ?? 1) + (column.isTitle ? rest : 0) }));
}

const plain = { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true };
/** No borders; a gap between columns. */
const chars = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
  ].map((name) => [name, name === 'middle' ? ' '.repeat(gap) : '']),
);
