import type CliTable from 'cli-table3';
import type { Terminal } from './format.ts';
import { gap, totalWidth } from './layout.ts';
import { cut, displayWidth, hasAgreedWidth, isRightToLeft } from './width.ts';

/** A drawn column. */
export interface GridColumn {
  readonly header: string;
  readonly width: number;
  readonly right: boolean;
}

/** Draws rows of a table whose columns are fixed. Cells hold no control characters. */
export interface Grid {
  /** The header and the rule below it. */
  header(): string;
  rows(cells: readonly (readonly string[])[]): string;
}

/** Text that cli-table3 measures correctly. */
const ascii = /^[\u0020-\u007e]*$/;
const leftToRightMark = '\u200e';
/** Rows per block: cli-table3 takes quadratic time, because it examines all rows above each cell. */
const blockSize = 50;

/**
 * Loads cli-table3 (columns and alignment) and chalk (only with colour), and returns a function that makes a grid.
 * cli-table3 mismeasures many scripts and emoji and cuts within graphemes, so each cell that is not ASCII is drawn as a
 * placeholder of the right width, a run of one private character, which is replaced afterwards.
 */
export async function loadGrid(terminal: Terminal | null): Promise<(columns: readonly GridColumn[]) => Grid> {
  const { default: Table } = await import('cli-table3');
  const style = await styles(terminal?.color === true);
  return (columns) => createGrid(columns, terminal, Table, style);
}

function createGrid(
  columns: readonly GridColumn[],
  terminal: Terminal | null,
  Table: typeof CliTable,
  style: Styles,
): Grid {
  const colWidths = columns.map((column) => column.width);
  const colAligns = columns.map((column) => (column.right ? 'right' : 'left'));
  const last = columns.length - 1;
  /** For each column, the terminal column (from 1) after its last. */
  const ends = colWidths.map((_, i) => totalWidth(colWidths.slice(0, i + 1)) + 1);

  const draw = (rows: readonly (readonly string[])[]): string => {
    const placeholders: string[] = [];
    const table = new Table({
      chars: { ...noBorders, middle: ' '.repeat(gap) },
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
      colWidths: [...colWidths],
      colAligns: [...colAligns],
    });
    for (const row of rows) {
      table.push(
        colWidths.map((width, i) => {
          const cell = row[i] ?? '';
          const text = terminal === null ? cell : cut(cell, width);
          const taken = Math.min(displayWidth(text), width);
          if (taken === 0) return '';
          if (ascii.test(text) && text.length <= width) return text;
          const end = (ends[i] ?? 1) - (columns[i]?.right ? 0 : width - taken);
          placeholders.push(i === last ? text : pinCursor(text, end, terminal));
          return '\ue000'.repeat(taken);
        }),
      );
    }
    let next = 0;
    const drawn = table
      .toString()
      .replace(/ +$/gm, '')
      .replace(/\ue000+/g, () => placeholders[next++] ?? '');
    return `${drawn}\n`;
  };

  return {
    header: () => {
      const names = draw([columns.map((column) => column.header)]).trimEnd();
      return `${style.header(names)}\n${style.rule('─'.repeat(totalWidth(colWidths)))}\n`;
    },
    rows: (cells) => {
      let out = '';
      for (let i = 0; i < cells.length; i += blockSize) out += draw(cells.slice(i, i + blockSize));
      return out;
    },
  };
}

/**
 * A cell that keeps the next ones aligned even if the terminal measures its text differently (the cursor is moved to
 * the cell's `end`) or draws right-to-left letters in their direction (a mark ends their run).
 */
function pinCursor(text: string, end: number, terminal: Terminal | null): string {
  if (terminal?.cursor !== true || hasAgreedWidth(text)) return text;
  return `${text}${isRightToLeft(text) ? leftToRightMark : ''}\u001b[${end}G`;
}

interface Styles {
  header(text: string): string;
  rule(text: string): string;
}

async function styles(color: boolean): Promise<Styles> {
  if (!color) return { header: (text) => text, rule: (text) => text };
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return { header: chalk.bold, rule: chalk.dim };
}

const noBorders = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
  ].map((name) => [name, '']),
);
