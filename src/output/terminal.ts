import { fstatSync } from 'node:fs';
import type { Context, Env } from '../context.ts';
import type { Terminal } from './format.ts';
import type { FormatName } from './formats.ts';

/** Determines width and colour of a stream's terminal; null if the stream is not one. An unknown width counts as 80. */
export function terminalOf(
  { isTTY, columns }: Context['stdout'],
  { NO_COLOR = '', TERM }: Env,
  color: boolean,
): Terminal {
  if (isTTY !== true) return null;
  return { columns: columns || 80, color: color && NO_COLOR === '' && TERM !== 'dumb' };
}

/** The format without `--format`: a table at a terminal, else ndjson. */
export const defaultFormat = (terminal: Terminal): FormatName => (terminal === null ? 'ndjson' : 'table');

/** Determines what the descriptor of a stream refers to; null if the stream is a terminal, or if that is unknown. */
export function descriptorOf({ isTTY, fd }: Context['stdout'] & { readonly fd?: unknown }) {
  if (isTTY === true || typeof fd !== 'number') return null;
  try {
    const stats = fstatSync(fd);
    return { fd, isPipe: stats.isFIFO() || stats.isSocket(), isFile: stats.isFile() };
  } catch {
    return null;
  }
}
