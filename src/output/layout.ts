/** Columns between two neighbours. */
export const gap = 2;

/** What a column wants of the width of a table. */
export interface Wish {
  /** Widest cell of the first page, or more where later pages are known to be wider. */
  readonly natural: number;
  /** Not made narrower than this while there is another way. */
  readonly least: number;
  /** Left out unless the flexible column keeps so much; never left out where this is missing. */
  readonly leaves?: number;
  /** Takes what the others leave. At most one does. */
  readonly flexible?: boolean;
}

/**
 * Column widths that fit together into `total` columns, the gaps between them included; 0 for a column that
 * is left out. Columns are left out, then the widest made narrower, down to their least and at last to 1.
 */
export function layout(wishes: readonly Wish[], total: number): number[] {
  const widths = wishes.map((wish) => Math.max(1, Math.min(wish.natural, total)));
  leaveOut(wishes, widths, total);
  shrink(widths, total, (i) => Math.max(1, Math.min(wishes[i]?.least ?? 1, total)));
  shrink(widths, total, () => 1);
  for (let last = widths.length - 1; last > 0 && used(widths) > total; last--) widths[last] = 0;
  const flexible = wishes.findIndex((wish) => wish.flexible);
  const width = widths[flexible] ?? 0;
  if (width > 0) widths[flexible] = Math.max(width, total - used(widths) + width);
  return widths;
}

/** Width of a table: its columns and the gaps between those that are there. */
export function used(widths: readonly number[]): number {
  const there = widths.filter((width) => width > 0);
  return there.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, there.length - 1);
}

function leaveOut(wishes: readonly Wish[], widths: number[], total: number): void {
  const flexible = wishes.findIndex((wish) => wish.flexible);
  const flexibleWidth = widths[flexible] ?? 0;
  const order = wishes
    .flatMap(({ leaves }, i) => (leaves === undefined ? [] : [{ leaves, i }]))
    .sort((a, b) => b.leaves - a.leaves || b.i - a.i);
  for (const { leaves, i } of order) {
    if (i === flexible) continue;
    const left = total - used(widths) + flexibleWidth;
    if (left >= Math.min(leaves, flexible < 0 ? 0 : flexibleWidth)) continue;
    // A column that is not flexible may be shrunk before it is left out.
    if (flexible < 0 && leastUsed(wishes, widths) <= total) break;
    widths[i] = 0;
  }
}

const leastUsed = (wishes: readonly Wish[], widths: readonly number[]): number =>
  used(widths.map((width, i) => Math.min(width, wishes[i]?.least ?? width)));

/** Takes from the widest until the columns fit or all are at their least. */
function shrink(widths: number[], total: number, least: (i: number) => number): void {
  for (let excess = used(widths) - total; excess > 0; excess--) {
    let widest = -1;
    widths.forEach((width, i) => {
      if (width > least(i) && width > (widths[widest] ?? 0)) widest = i;
    });
    if (widest < 0) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}
