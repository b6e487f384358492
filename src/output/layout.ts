/** Width of the gap between two columns. */
export const gap = 2;

/** How wide a column of a table may be. */
export interface ColumnConstraint {
  /** Widest cell of the first page, or more if later pages are known to be wider. */
  readonly contentWidth: number;
  /** Not made narrower than this while other columns can shrink. */
  readonly minWidth: number;
  /** Drop this column if it would leave the flexible one narrower than this; never dropped if missing. */
  readonly dropIfTitleBelow?: number | undefined;
  /** Takes the remaining width; at most one column does. */
  readonly flexible?: boolean | undefined;
}

/**
 * Column widths that fit into `total` columns, gaps included; 0 for a dropped column. First columns are dropped, then
 * the widest ones shrink to their minimum, and finally to 1.
 */
export function layout(columns: readonly ColumnConstraint[], total: number): number[] {
  const widths = columns.map(({ contentWidth }) => Math.max(1, Math.min(contentWidth, total)));
  dropColumns(columns, widths, total);
  shrink(widths, total, (i) => Math.max(1, Math.min(columns[i]?.minWidth ?? 1, total)));
  shrink(widths, total, () => 1);
  for (let last = widths.length - 1; last > 0 && totalWidth(widths) > total; last--) widths[last] = 0;
  const flexible = columns.findIndex((column) => column.flexible);
  const width = widths[flexible] ?? 0;
  if (width > 0) widths[flexible] = Math.max(width, total - totalWidth(widths) + width);
  return widths;
}

/** Width of a table: its columns and the gaps between those that are shown. */
export function totalWidth(widths: readonly number[]): number {
  const shown = widths.filter((width) => width > 0);
  return shown.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, shown.length - 1);
}

function dropColumns(columns: readonly ColumnConstraint[], widths: number[], total: number): void {
  const flexible = columns.findIndex((column) => column.flexible);
  const flexibleWidth = widths[flexible] ?? 0;
  const order = columns
    .flatMap(({ dropIfTitleBelow: limit }, i) => (limit === undefined ? [] : [{ limit, i }]))
    .sort((a, b) => b.limit - a.limit || b.i - a.i);
  for (const { limit, i } of order) {
    if (i === flexible) continue;
    const left = total - totalWidth(widths) + flexibleWidth;
    if (left >= Math.min(limit, flexible < 0 ? 0 : flexibleWidth)) continue;
    // A table without a flexible column shrinks its columns before it drops one.
    if (flexible < 0 && minTotalWidth(columns, widths) <= total) break;
    widths[i] = 0;
  }
}

const minTotalWidth = (columns: readonly ColumnConstraint[], widths: readonly number[]): number =>
  totalWidth(widths.map((width, i) => Math.min(width, columns[i]?.minWidth ?? width)));

/** Takes from the widest until the columns fit or all are at their minimum. */
function shrink(widths: number[], total: number, minWidth: (i: number) => number): void {
  for (let excess = totalWidth(widths) - total; excess > 0; excess--) {
    let widest = -1;
    widths.forEach((width, i) => {
      if (width > minWidth(i) && width > (widths[widest] ?? 0)) widest = i;
    });
    if (widest < 0) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}
