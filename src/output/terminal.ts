import { fstatSync } from 'node:fs';
import type { Context, Env } from '../context.ts';
import type { FormatOptions } from './format.ts';

const defaultColumns = 80;

/**
 * The capabilities of a stream's terminal; null if it is no terminal. A width of 0 or unknown counts as COLUMNS, else
 * 80. Colour: `--no-color` (`color` is false) precedes NO_COLOR, FORCE_COLOR and TERM=dumb, in that order.
 */
export function decideTerminal(
  stream: Context['stdout'],
  env: Env,
  color: boolean,
): FormatOptions['terminal'] {
  if (stream.isTTY !== true) return null;
  const { COLUMNS = '', NO_COLOR = '', FORCE_COLOR = '', TERM } = env;
  const fallback = /^[1-9]\d{0,5}$/.test(COLUMNS) ? Number(COLUMNS) : defaultColumns;
  const isForced = FORCE_COLOR === '' ? TERM !== 'dumb' : FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return { columns: stream.columns || fallback, color: color && NO_COLOR === '' && isForced };
}

export function isPipe(stream: Context['stdout'] & { readonly fd?: unknown }): boolean {
  if (stream.isTTY === true || typeof stream.fd !== 'number') return false;
  try {
    const stats = fstatSync(stream.fd);
    return stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}
