/** The cells of a CSV text (RFC 4180, LF line ends): rows of texts. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let at = 0;
  while (at < text.length) {
    const row: string[] = [];
    for (;;) {
      let cell = '';
      if (text[at] === '"') {
        at++;
        for (;;) {
          const quote = text.indexOf('"', at);
          if (quote === -1) throw new Error('a quoted cell without an end');
          cell += text.slice(at, quote);
          at = quote + 1;
          if (text[at] !== '"') break;
          cell += '"';
          at++;
        }
      } else {
        const end = /[,\n]/.exec(text.slice(at))?.index ?? text.length - at;
        cell = text.slice(at, at + end);
        if (/["\r]/.test(cell)) throw new Error(`${JSON.stringify(cell)} is not quoted`);
        at += end;
      }
      row.push(cell);
      const next = text[at++];
      if (next === '\n') break;
      if (next !== ',') throw new Error(`${JSON.stringify(next)} behind a cell`);
    }
    rows.push(row);
  }
  return rows;
}
