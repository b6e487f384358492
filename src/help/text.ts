import type { Context } from '../context.ts';

/** Maximum width of help texts, in columns. */
export const helpWidth = 80;

/** The width of a help text on this stdout: that of the terminal, between 40 and 80 columns. */
export function columnsFor({ stdout }: Pick<Context, 'stdout'>): number {
  const columns = stdout.isTTY === true ? (stdout.columns ?? helpWidth) : helpWidth;
  return columns > 0 ? Math.max(40, Math.min(helpWidth, columns)) : helpWidth;
}

/** Name of the file with the prerendered help of the program, a command (`uploads`, `auth login`) or a topic. */
export function prerenderedHelpFile(kind: 'program' | 'command' | 'topic', words: readonly string[]): string {
  return `${[kind, ...words].join('.')}.txt`;
}

/** Breaks a paragraph into lines of at most `width` columns (ASCII). */
export function wrap(text: string, width: number): string[] {
  return fill(text.split(/\s+/), width);
}

/** Breaks a command line before flags, `>` and `|` into lines of at most `width` columns that a shell reads as one. */
export function wrapCommand(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const lines = fill(line.split(/ (?=[->|])/), width - 4);
  return lines.map((part, i) => (i === 0 ? '' : '  ') + part + (i < lines.length - 1 ? ' \\' : ''));
}

function fill(parts: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of parts) {
    if (line !== '' && line.length + 1 + part.length > width) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? part : ` ${part}`;
  }
  return line === '' ? lines : [...lines, line];
}

/** Longer terms get a line of their own. */
const maxTermWidth = 26;

/** Formats terms and their meanings in two columns. */
export function twoColumns(
  rows: readonly (readonly [term: string, meaning: string])[],
  width: number,
): string[] {
  const terms = rows.map(([term]) => term.length).filter((length) => length <= maxTermWidth);
  const left = Math.max(0, ...terms) + 2;
  return rows.flatMap(([term, meaning]) => {
    const lines = wrap(meaning, width - 2 - left);
    const above = term.length > maxTermWidth;
    const rest = lines.map((line, index) => `  ${(index === 0 && !above ? term : '').padEnd(left)}${line}`);
    return above ? [`  ${term}`, ...rest] : rest;
  });
}
