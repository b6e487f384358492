import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Env } from '../context.ts';

/** A running pager: what is written to `input` is shown to the user. */
export interface Pager {
  readonly input: Writable;
  /** Resolves once the user has left it. */
  readonly ended: Promise<void>;
}

/** The shell command of the pager: `$PAGER`, else `less -FRX` if there is one; null: none is wanted. */
export function pagerCommand({ PAGER, PATH = '', TERM }: Env): string | null {
  if (TERM === 'dumb' || process.platform === 'win32') return null;
  if (PAGER !== undefined) return ['', 'cat'].includes(PAGER.trim()) ? null : PAGER;
  return PATH.split(delimiter).some((folder) => existsSync(join(folder, 'less'))) ? 'less -FRX' : null;
}

/** What was bought is printed also if the shell cannot run the pager. */
const fallback = 'case $? in 126|127) cat ;; esac';
/** As in git: `PAGER=less` shows colours, and ends by itself if all fits on the screen. */
const defaults = { LESS: 'FRX', LESSCHARSET: 'utf-8' };

/** Runs a pager on the terminal of this process. An `input` that its user has left is destroyed. */
export function openPager(command: string, env: Env): Pager {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn('sh', ['-c', `${command}\n${fallback}`], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...defaults, ...env },
  });
  const input = child.stdin;
  const ended = new Promise<void>((resolve) => {
    child.on('error', (error) => resolve(void input.destroy(error)));
    child.on('exit', () => resolve(void input.destroy()));
  });
  return { input, ended };
}

/** Waits until the user leaves a pager that has all its input. Ctrl-C at the terminal is for the pager then. */
export async function closePager({ input, ended }: Pager): Promise<void> {
  process.removeAllListeners('SIGINT').on('SIGINT', () => {});
  input.end();
  await ended;
}
