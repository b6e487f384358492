/** A row of CSV (RFC 4180), with LF: a single empty cell is quoted, so that the row is not an empty line. */
export function csvLine(cells: readonly string[]): string {
  const row = cells.map(quote).join(',');
  return row === '' ? '""\n' : `${row}\n`;
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
