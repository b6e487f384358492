import { existsSync, fstatSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
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

/** The descriptor of a stream that is no terminal, and what it is; null where that cannot be found out. */
export function descriptorOf({ isTTY, fd }: Context['stdout'] & { readonly fd?: unknown }) {
  if (isTTY === true || typeof fd !== 'number') return null;
  try {
    const stats = fstatSync(fd);
    return { fd, isPipe: stats.isFIFO() || stats.isSocket(), isFile: stats.isFile() };
  } catch {
    return null;
  }
}

/** The shell command of the pager: `$PAGER`, else `less -FRX` if there is one (not on Windows); null: none is wanted. */
export function pagerCommand({ PAGER, PATH = '', TERM }: Env, platform = process.platform): string | null {
  if (TERM === 'dumb') return null;
  if (PAGER !== undefined) return ['', 'cat'].includes(PAGER.trim()) ? null : PAGER;
  if (platform === 'win32') return null;
  return PATH.split(delimiter).some((folder) => existsSync(join(folder, 'less'))) ? 'less -FRX' : null;
}

/** As in git: `PAGER=less` shows colours, and ends by itself if all fits on the screen. */
const defaults = { LESS: 'FRX', LESSCHARSET: 'utf-8' };

/**
 * Runs a pager on the terminal of this process. `input` is destroyed once its user has left it; then `ended` is its exit
 * code, null if a signal ended it.
 */
export function openPager(command: string, env: Env) {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(command, {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...defaults, ...env },
  });
  const input: Writable = child.stdin;
  const ended = new Promise<number | null>((resolve) => {
    const end = (code: number | null, error?: Error): void => {
      input.destroy(error);
      resolve(code);
    };
    child.on('error', (error) => end(1, error));
    child.on('exit', (code) => end(code));
  });
  return { input, ended };
}
