import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Context, Env } from '../context.ts';
import { Failure } from '../errors.ts';
import type { Chunk } from './format.ts';

/** Returns the shell command of the pager: `$PAGER`, else `less -FRX` if it is installed (not on Windows); null for none. */
export function pagerCommand({ PAGER, PATH = '', TERM }: Env, platform = process.platform): string | null {
  if (TERM === 'dumb') return null;
  if (PAGER !== undefined) return ['', 'cat'].includes(PAGER.trim()) ? null : PAGER;
  if (platform === 'win32') return null;
  return PATH.split(delimiter).some((folder) => existsSync(join(folder, 'less'))) ? 'less -FRX' : null;
}

/** Defaults like those of git: `PAGER=less` shows colours, and exits by itself if all fits on the screen. */
const defaults = { LESS: 'FRX', LESSCHARSET: 'utf-8' };

/** A pager process that writes to the terminal of this process. */
export class Pager {
  /** Destroyed when the pager exits. */
  readonly input: Writable;
  /** Resolves once the pager has exited, to its failure or null. After a failure, all text it was given is on stdout. */
  readonly ended: Promise<Failure | null>;
  #failure: Failure | null = null;
  readonly #given: Chunk[] = [];

  constructor(command: string, { env, stdout, stop }: Context) {
    const { spawn } = process.getBuiltinModule('node:child_process');
    const child = spawn(command, {
      shell: true,
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { ...defaults, ...env },
    });
    this.input = child.stdin;
    const exited = new Promise<number | null>((resolve) => {
      child.on('error', () => resolve(1));
      child.on('exit', resolve);
    });
    this.ended = exited.then((code) => {
      this.input.destroy();
      // The pager succeeded or was ended by a signal, or this program is being stopped.
      if (!code || stop.aborted) return null;
      for (const text of this.#given) stdout.write(text);
      const message = `the pager failed with exit code ${code}: ${command}`;
      const step = 'choose another one with PAGER, or set PAGER to an empty value';
      this.#failure = new Failure('failed', message, { step });
      return this.#failure;
    });
  }

  get failure(): Failure | null {
    return this.#failure;
  }

  /** Splits text into lines: a pipe buffers 200 KB but only about 250 writes, so pages that nobody scrolls to are not bought. */
  partsOf(text: Chunk): readonly string[] {
    this.#given.push(text);
    return text.toString().split(/(?<=\n)/);
  }

  /** Closes the input of the pager and waits until it exits; returns its failure, or null. */
  async close(): Promise<Failure | null> {
    // Ctrl-C at the terminal is for the pager now.
    process.removeAllListeners('SIGINT').on('SIGINT', () => {});
    this.input.end();
    return await this.ended;
  }
}
