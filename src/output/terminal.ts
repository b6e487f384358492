import { fstatSync } from 'node:fs';
import type { Context, Env } from '../context.ts';
import type { FormatOptions } from './format.ts';

/** The width and colour of a stream's terminal; null if it is none. An unknown width counts as 80. */
export function decideTerminal(
  { isTTY, columns }: Context['stdout'],
  { NO_COLOR = '', TERM }: Env,
  color: boolean,
): FormatOptions['terminal'] {
  if (isTTY !== true) return null;
  return { columns: columns || 80, color: color && NO_COLOR === '' && TERM !== 'dumb' };
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
