import { on } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { stoppedBy, toFailure, usage } from '../../errors.ts';
import type { Streams } from '../../output/stdout.ts';

/** Asks until `parse` accepts the answer, at most three times. */
type Ask = <T>(question: string, echo: boolean, parse: (answer: string) => T) => Promise<T>;

/**
 * Calls `work` with a function that asks on stderr and reads lines from the terminal. That function throws on Ctrl-C, on
 * Ctrl-D and when the terminal is closed. Text that is typed ahead or pasted is shown only if it answers a question with
 * `echo`. The modes of the terminal are always restored.
 */
export async function withPrompt<T>(
  { context, stderr: messages }: Streams,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  const { stdin, stderr, stop } = context;
  let isMuted = true;
  let question = '';
  const write = (chunk: unknown, _encoding: unknown, done: () => void): void => {
    if (!isMuted) stderr.write(String(chunk));
    done();
  };
  const output = Object.assign(new Writable({ write }), { columns: stderr.columns });
  const terminal = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  // Node reads pasted text at once: hide the text after a line until the question that it answers is known.
  terminal.on('line', () => {
    isMuted = true;
  });
  const interrupt = new AbortController();
  terminal.on('SIGINT', () => interrupt.abort(stoppedBy('SIGINT')));
  /** Shows the question and, if the answer may be seen, what was typed so far. */
  const show = (): void => {
    if (isMuted) stderr.write(question);
    terminal.setPrompt(question);
    // It also resumes stdin, which readline pauses after Ctrl-Z.
    terminal.prompt(true);
  };
  /** Runs after Ctrl-Z, or another stop, and `fg`: the shell may have turned the echo on. */
  const onContinued = (): void => {
    stdin.setRawMode?.(false);
    stdin.setRawMode?.(true);
    // Readline's own listener runs first. Hidden input from before the stop would precede the new answer.
    setImmediate(() => {
      if (isMuted) terminal.write(null, { ctrl: true, name: 'u' });
      show();
    });
  };
  process.on('SIGCONT', onContinued);
  // A terminal that is closed reports errors at any time, even after the last question.
  stdin.on('error', () => {});
  terminal.on('error', () => {});
  const signal = AbortSignal.any([stop, interrupt.signal]);
  const lines = on(terminal, 'line', { signal, close: ['close'] });
  const readLine = async (): Promise<string> => {
    // `next` rejects when the signal is aborted, and when the terminal reports an error.
    const { value, done } = await lines.next().catch(() => ({ value: [], done: true }));
    if (!done) return String(value[0]);
    signal.throwIfAborted();
    if (stdin.readableEnded || stdin.destroyed) throw stoppedBy('SIGHUP');
    throw usage('auth login: the input ended before an answer; nothing is stored');
  };
  const ask: Ask = async (text, echo, parse) => {
    question = text;
    for (let attempt = 1; ; attempt++) {
      isMuted = !echo;
      show();
      const answer = await readLine().catch((error) => {
        stderr.write('\n');
        throw error;
      });
      if (!echo) stderr.write('\n');
      try {
        return parse(answer);
      } catch (error) {
        if (attempt === 3) throw error;
        messages.printFailure(toFailure(error));
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
