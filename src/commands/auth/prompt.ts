import { on } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Context } from '../../context.ts';
import { stoppedBy, usage } from '../../errors.ts';

/**
 * Calls `work` with a function that asks on stderr and reads a line from the terminal; it throws at Ctrl-C, Ctrl-D and
 * the end of the terminal. Text that is typed ahead or pasted is shown only if it answers a question with `echo`. The
 * modes of the terminal are always restored.
 */
export async function withPrompt<T>(
  { stdin, stderr, stop }: Context,
  work: (ask: (question: string, options: { echo: boolean }) => Promise<string>) => Promise<T>,
): Promise<T> {
  let isMuted = true;
  const write = (chunk: unknown, _encoding: unknown, done: () => void): void => {
    if (!isMuted) stderr.write(String(chunk));
    done();
  };
  const output = Object.assign(new Writable({ write }), { columns: stderr.columns });
  const terminal = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  // Node reads a pasted text at once: what follows a line must not be shown before it is known what it answers.
  terminal.on('line', () => {
    isMuted = true;
  });
  let isInterrupted = false;
  terminal.on('SIGINT', () => {
    isInterrupted = true;
    terminal.close();
  });
  // A terminal that is closed reports errors at any time, also after the last question.
  stdin.on('error', () => {});
  terminal.on('error', () => {});
  const lines = on(terminal, 'line', { signal: stop, close: ['close'] });
  const readLine = async (): Promise<string> => {
    try {
      const { value, done } = await lines.next();
      if (!done) return String(value[0]);
    } catch {
      // Aborted, or the terminal reports an error.
    }
    stop.throwIfAborted();
    if (isInterrupted) throw stoppedBy('SIGINT');
    if (stdin.readableEnded || stdin.destroyed) throw stoppedBy('SIGHUP');
    throw usage('auth login: the input ended before an answer; nothing is stored');
  };
  try {
    return await work(async (question, { echo }) => {
      isMuted = !echo;
      terminal.setPrompt(question);
      if (echo) terminal.prompt(true);
      else stderr.write(question);
      try {
        return await readLine();
      } finally {
        if (!echo || isInterrupted) stderr.write('\n');
      }
    });
  } finally {
    terminal.close();
  }
}
