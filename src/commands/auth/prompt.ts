import { on } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Context } from '../../context.ts';
import { type Failure, stoppedBy, toFailure, usage } from '../../errors.ts';

/** Asks until `parse` takes the answer, at most three times. */
type Ask = <T>(question: string, echo: boolean, parse: (answer: string) => T) => Promise<T>;

/**
 * Calls `work` with a function that asks on stderr and reads lines from the terminal; it throws at Ctrl-C, Ctrl-D and
 * the end of the terminal. Text that is typed ahead or pasted is shown only if it answers a question with `echo`. The
 * modes of the terminal are always restored.
 */
export async function withPrompt<T>(
  { stdin, stderr, stop }: Context,
  onTypingError: (error: Failure) => void,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  let isMuted = true;
  let question = '';
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
  /** Shows the question, and what was typed so far if it may be seen. */
  const show = (): void => {
    if (isMuted) stderr.write(question);
    terminal.setPrompt(question);
    // It also resumes stdin, which readline pauses after Ctrl-Z.
    terminal.prompt(true);
  };
  /** After Ctrl-Z, or another stop, and `fg`: the shell may have turned the echo on. */
  const onContinued = (): void => {
    stdin.setRawMode?.(false);
    stdin.setRawMode?.(true);
    // Once readline's own listener has run.
    setImmediate(show);
  };
  process.on('SIGCONT', onContinued);
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
  const ask: Ask = async (text, echo, parse) => {
    question = text;
    for (let attempt = 1; ; attempt++) {
      isMuted = !echo;
      show();
      const answer = await readLine().finally(() => {
        if (!echo || isInterrupted) stderr.write('\n');
      });
      try {
        return parse(answer);
      } catch (error) {
        if (attempt === 3) throw error;
        onTypingError(toFailure(error));
      }
    }
  };
  try {
    return await work(ask);
  } finally {
    process.removeListener('SIGCONT', onContinued);
    terminal.close();
  }
}
