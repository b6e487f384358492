import type { OutputStream } from '../context.ts';
import type { Terminal } from './format.ts';

const defaultColumns = 80;

/**
 * What the terminal behind a stream can do; null where there is none. Decided once for each stream. Colour:
 * `--no-color` (`noColor`) comes before NO_COLOR, FORCE_COLOR and TERM=dumb, in that order.
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
