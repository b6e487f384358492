import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { cleanEnvironment, launcher, temporaryFolder } from '../support/program.ts';

const execute = promisify(execFile);

/** The program as words of a shell line. */
export const chanlist = `'${process.execPath}' '${launcher}'`;

export interface ScreenOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Milliseconds that anything may take before a test fails. */
const patience = 20_000;

/** Runs a shell line in a terminal of its own, by default without a pager. It is taken down with the test. */
export async function open(t: TestContext, line: string, options: ScreenOptions = {}) {
  const { columns = 80, rows = 50, env = {}, cwd } = options;
  let close = async (): Promise<void> => {};
  // Runs before the folder of its socket is removed: hooks run in the order of their registration.
  t.after(() => close());
  const folder = cwd ?? (await temporaryFolder(t));
  const socket = join(await temporaryFolder(t), 'tmux');
  const tmux = async (...args: string[]): Promise<string> => {
    const client = { env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', TERM: 'xterm-256color' } };
    return (await execute('tmux', ['-S', socket, '-f', '/dev/null', ...args], client)).stdout;
  };
  close = async () => {
    await tmux('kill-server').catch(() => {});
  };
  const variables = Object.entries(
    cleanEnvironment({ TERM: 'screen-256color', LANG: 'C.UTF-8', PAGER: '', ...env }),
  );
  const set = (name: string, value: string): string[] => ['set-option', '-g', name, value, ';'];
  // The exit code arrives after all output, as the terminal's title: then everything has been drawn. tmux does
  // not always draw or learn what comes with the end of a program, so the shell stays.
  const shell = `trap : INT HUP TERM; ( ${line}\n); printf '\\033]2;ended %s\\007' $?; while read -r _; do :; done`;
  const command = ['env', '-i', ...variables.map(([name, value]) => `${name}=${value}`), 'sh', '-c', shell];
  await tmux(
    ...['start-server', ';'],
    ...set('history-limit', '20000'),
    ...['new-session', '-d', '-s', 'it', '-x', String(columns), '-y', String(rows), '-c', folder, ...command],
  );

  const text = async (): Promise<string> =>
    (await tmux('capture-pane', '-p', '-S', '-', '-t', 'it')).trimEnd();
  const ask = async (format: string): Promise<string> =>
    (await tmux('display-message', '-p', '-t', 'it', format)).trimEnd();
  const poll = async <T>(look: () => Promise<T | null>, wanted: string): Promise<T> => {
    for (const end = Date.now() + patience; ; ) {
      const seen = await look();
      if (seen !== null) return seen;
      if (Date.now() > end)
        throw new Error(`this never came: ${wanted}; the terminal shows:\n${(await text()).slice(-2000)}`);
    }
  };
  return {
    /** Polls until the text matches; returns it, with all that has scrolled away. */
    until: (pattern: RegExp): Promise<string> =>
      poll(async () => {
        const seen = await text();
        return pattern.test(seen) ? seen : null;
      }, String(pattern)),
    press: async (key: string): Promise<void> => {
      await tmux('send-keys', '-t', 'it', key);
    },
    /** Waits for the program to end; returns its exit code and what is on the screen then. */
    ended: async (): Promise<{ exit: number; text: string }> => {
      const exit = await poll(async () => {
        const [, code] = /^ended (\d+)$/.exec(await ask('#{pane_title}')) ?? [];
        return code === undefined ? null : Number(code);
      }, 'the end of the program');
      return { exit, text: await text() };
    },
  };
}
