import { fstatSync, readFileSync } from 'node:fs';
import type { OutputStream } from '../context.ts';
import type { Terminal } from './format.ts';

const defaultColumns = 80;

/**
 * The capabilities of a stream's terminal; null if it is no terminal. Colour: `--no-color` (`noColor`) precedes
 * NO_COLOR, FORCE_COLOR and TERM=dumb, in that order.
 */
export function decideTerminal(
  stream: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
  noColor: boolean,
): Terminal | null {
  if (stream.isTTY !== true) return null;
  const dumb = env.TERM === 'dumb';
  return {
    columns: streamColumns(stream, env.COLUMNS),
    color: hasColor(env, noColor, dumb),
    cursor: !dumb,
  };
}

/** The stream's width; a width of 0 or unknown counts as COLUMNS, else 80. */
export function streamColumns(stream: OutputStream, variable: string | undefined): number {
  if (stream.columns !== undefined && stream.columns > 0) return stream.columns;
  return variable !== undefined && /^[1-9]\d{0,5}$/.test(variable) ? Number(variable) : defaultColumns;
}

function hasColor(
  env: Readonly<Record<string, string | undefined>>,
  noColor: boolean,
  dumb: boolean,
): boolean {
  if (noColor || (env.NO_COLOR ?? '') !== '') return false;
  const forced = env.FORCE_COLOR ?? '';
  return forced === '' ? !dumb : forced !== '0' && forced !== 'false';
}

/** Whether a stream leads to another program. */
export function isPipe(stream: OutputStream & { readonly fd?: unknown }): boolean {
  if (stream.isTTY === true || typeof stream.fd !== 'number') return false;
  try {
    const stats = fstatSync(stream.fd);
    return stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}

/**
 * False while this process is in the background of its terminal. True if that is unknown: outside Linux, without a
 * controlling terminal, or if that belongs to another process namespace.
 */
export function isForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    // After the name of the program, which may hold anything: state, parent, group, session, terminal, its group.
    const [, , group, , , terminalGroup = '-1'] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(terminalGroup) <= 0 || group === terminalGroup;
  } catch {
    return true;
  }
}
