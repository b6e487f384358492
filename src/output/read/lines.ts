import { countLines } from '../../text/count.ts';
import { damagedAt, readTexts } from './text.ts';

/** A line, or a CSV record, without its line end. */
export interface Line {
  readonly text: string;
  /** Its first line in the file, from 1. */
  readonly number: number;
  /** False for a last line without a line end. */
  readonly ended: boolean;
}

/** The lines of a file, in batches, without empty ones. `encoding`: see `readTexts`. */
export async function* readLines(
  path: string,
  encoding: 'utf8' | 'latin1' = 'utf8',
): AsyncGenerator<Line[], void> {
  let number = 1;
  let held: string[] = [];
  for await (const text of readTexts(path, encoding)) {
    const lines: Line[] = [];
    let at = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
      const line = held.length === 0 ? text.slice(at, end) : held.join('') + text.slice(at, end);
      held = [];
      if (line !== '' && line !== '\r') lines.push({ text: withoutReturn(line), number, ended: true });
      number++;
      at = end + 1;
    }
    if (at < text.length) held.push(text.slice(at));
    if (lines.length > 0) yield lines;
  }
  const last = held.join('');
  if (last !== '') yield [{ text: last, number, ended: false }];
}

/**
 * The records of a CSV file (RFC 4180), in batches: a line end inside quotes belongs to the record. Throws
 * `damaged` if quotes stay open.
 */
export async function* readCsvRecords(path: string): AsyncGenerator<Line[], void> {
  let number = 1;
  let held: string[] = [];
  let quoted = false;
  for await (const text of readTexts(path)) {
    const records: Line[] = [];
    let at = 0;
    let searched = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', searched)) {
      if (oddQuotes(text, searched, end)) quoted = !quoted;
      searched = end + 1;
      if (quoted) continue;
      const record = held.length === 0 ? text.slice(at, end) : held.join('') + text.slice(at, end);
      held = [];
      if (record !== '' && record !== '\r')
        records.push({ text: withoutReturn(record), number, ended: true });
      number += countLines(record) + 1;
      at = searched;
    }
    if (oddQuotes(text, searched, text.length)) quoted = !quoted;
    if (at < text.length) held.push(text.slice(at));
    if (records.length > 0) yield records;
  }
  const last = held.join('');
  if (quoted) throw damagedAt(path, number, 'cut short inside quotes');
  if (last !== '') yield [{ text: last, number, ended: false }];
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function oddQuotes(text: string, from: number, to: number): boolean {
  let odd = false;
  for (let at = text.indexOf('"', from); at !== -1 && at < to; at = text.indexOf('"', at + 1)) odd = !odd;
  return odd;
}
