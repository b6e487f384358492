/** The cells of a CSV record (RFC 4180); null for quotes where they may not stand. */
export function csvCells(record: string): string[] | null {
  if (!record.includes('"')) return record.split(',');
  const cells: string[] = [];
  for (let at = 0; ; at++) {
    if (record[at] === '"') {
      let end = record.indexOf('"', at + 1);
      while (end !== -1 && record[end + 1] === '"') end = record.indexOf('"', end + 2);
      if (end === -1) return null;
      cells.push(record.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 1;
    } else {
      const comma = record.indexOf(',', at);
      const end = comma === -1 ? record.length : comma;
      const cell = record.slice(at, end);
      if (cell.includes('"')) return null;
      cells.push(cell);
      at = end;
    }
    if (at === record.length) return cells;
    if (record[at] !== ',') return null;
  }
}
