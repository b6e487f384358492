/** A cell of RFC 4180 with LF line ends, quoted or not, and what follows it. */
const cell = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))([,\n])/gy;

/** The cells of a CSV text: rows of texts. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let isNewRow = true;
  let length = 0;
  for (const [whole, quoted, plain = '', next] of text.matchAll(cell)) {
    if (isNewRow) rows.push([]);
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    isNewRow = next === '\n';
    length += whole.length;
  }
  if (length < text.length) throw new Error(`not CSV: ${text.slice(length, length + 80)}`);
  return rows;
}
