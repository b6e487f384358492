import { Help } from 'commander';
import type { Context } from '../context.ts';

export type Rows = readonly (readonly [term: string, meaning: string])[];

/** The width of help texts on this stdout: that of the terminal, from 60 to 200 columns; 80 elsewhere. */
export function helpColumns({ stdout }: Pick<Context, 'stdout'>): number {
  const columns = stdout.isTTY === true ? stdout.columns : undefined;
  return columns ? Math.max(60, Math.min(200, columns)) : 80;
}

/** A paragraph in lines of at most `width` columns. */
export function wrap(text: string, width: number): string[] {
  return new Help().boxWrap(text, width).split('\n');
}

/** Terms and their meanings in two columns, under a heading. */
export function rowLines(heading: string, rows: Rows, width: number): string[] {
  const help = Object.assign(new Help(), { helpWidth: width, minWidthToWrap: 20 });
  const termWidth = Math.max(...rows.map(([term]) => term.length));
  const items = rows.flatMap(([term, meaning]) =>
    help.formatItem(term, termWidth, meaning, help).split('\n'),
  );
  return [...wrap(heading, width), ...items];
}

/** Examples under a heading. No line is broken, so that it can be copied. */
export function exampleLines(examples: readonly (readonly [what: string, line: string])[]): string[] {
  return ['Examples:', ...examples.flatMap(([what, line]) => [`  # ${what}`, `  ${line}`])];
}
