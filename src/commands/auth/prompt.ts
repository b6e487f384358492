import { on } from 'node:events';
import { constants } from 'node:os';
import type { Context, InputStream } from '../../context.ts';
import { type Failure, interrupted, usage } from '../../errors.ts';

/** Asks for one line; `echo`: whether the answer is shown. Throws at Ctrl-C, Ctrl-D and the end of the terminal. */
export type Ask = (question: string, options: { echo: boolean }) => Promise<string>;

type Terminal = InputStream & { setRawMode?: (raw: boolean) => unknown };

/** Whether the user can be asked: stdin and stderr are a terminal. */
export function canAsk(context: Context): boolean {
  return context.stdin.isTTY === true && context.stderr.isTTY === true;
}

/**
 * Calls `work` with a function that asks on stderr and reads from the terminal in raw mode: text that is typed ahead
 * or pasted is shown only if it answers a question with echo. The modes of the terminal are always restored.
 */
export async function withPrompt<T>(context: Context, work: (ask: Ask) => Promise<T>): Promise<T> {
  const stdin: Terminal = context.stdin;
  const typed = typedCharacters(context);
  // A terminal that is closed reports errors at any time, also after the last question.
  stdin.on('error', () => {});
  const setRawMode = (raw: boolean): void => void stdin.setRawMode?.(raw);
  const removeHandlers = restoreOnSignals(setRawMode);
  setRawMode(true);
  try {
    return await work((question, { echo }) => readLine(typed, context, question, echo));
  } finally {
    setRawMode(false);
    removeHandlers();
    await typed.return();
    stdin.pause();
  }
}

/** Signals that end a process and that the program does not handle otherwise. */
const fatalSignals = (
  [
    ...['SIGQUIT', 'SIGABRT', 'SIGALRM', 'SIGUSR1', 'SIGUSR2', 'SIGVTALRM', 'SIGPROF', 'SIGXCPU', 'SIGXFSZ'],
    ...['SIGIO', 'SIGPWR', 'SIGSTKFLT', 'SIGSYS', 'SIGTRAP', 'SIGBREAK'],
  ] as NodeJS.Signals[]
).filter((signal) => constants.signals[signal] !== undefined);

/**
 * Leaves raw mode before a signal ends or stops (SIGTSTP) the process, which would otherwise leave the terminal
 * without echo. Returns a function that removes the handlers.
 */
function restoreOnSignals(setRawMode: (raw: boolean) => void): () => void {
  const onFatal = (signal: NodeJS.Signals): void => {
    setRawMode(false);
    // Not by the signal itself: a core file would hold the key.
    process.exit(128 + constants.signals[signal]);
  };
  const onStop = (): void => {
    setRawMode(false);
    process.kill(process.pid, 'SIGSTOP');
    setRawMode(true);
  };
  for (const signal of fatalSignals) process.on(signal, onFatal);
  process.on('SIGTSTP', onStop);
  return () => {
    for (const signal of fatalSignals) process.removeListener(signal, onFatal);
    process.removeListener('SIGTSTP', onStop);
  };
}

async function readLine(
  typed: AsyncGenerator<string, void>,
  context: Context,
  question: string,
  echo: boolean,
): Promise<string> {
  const show = (text: string): void => {
    context.stderr.write(text);
  };
  const line: string[] = [];
  const erase = (count: number): void => {
    for (const _ of line.splice(line.length - count, count)) if (echo) show('\b \b');
  };
  let escaped: 'no' | 'started' | 'sequence' = 'no';
  show(question);
  try {
    for (;;) {
      const { value: char, done } = await typed.next();
      // Ctrl-D is a character in raw mode: only a closed terminal ends the input.
      if (done) throw interrupted('SIGHUP');
      if (escaped !== 'no') {
        // Arrow keys and the marks around pasted text: ESC [ ... letter, or ESC and one character.
        if (escaped === 'started' && (char === '[' || char === 'O')) escaped = 'sequence';
        else if (escaped === 'started' || /[@-~]/.test(char)) escaped = 'no';
        continue;
      }
      switch (char) {
        case '\r':
        case '\n':
          return line.join('');
        case '\u0003':
          throw interrupted('SIGINT');
        case '\u0004':
          if (line.length === 0) throw noAnswer();
          break;
        case '\b':
        case '\u007f':
          erase(Math.min(1, line.length));
          break;
        case '\u0015':
          erase(line.length);
          break;
        case '\u001b':
          escaped = 'started';
          break;
        default:
          if (/[\p{Cc}\p{Cf}]/u.test(char) && char !== '\t') break;
          line.push(char);
          if (echo) show(char === '\t' ? ' ' : char);
      }
    }
  } finally {
    show('\n');
  }
}

function noAnswer(): Failure {
  return usage('auth login: the input ended before an answer; nothing is stored');
}

/** The characters typed at a terminal, until it is closed. Throws the reason of `stop` once that is aborted. */
async function* typedCharacters({ stdin, stop }: Context): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  try {
    for await (const [chunk] of on(stdin, 'data', { signal: stop, close: ['end', 'close'] })) {
      const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
      // "\r\n" is one line end: a pasted one must not answer the next question.
      for (const char of text.replaceAll('\r\n', '\n')) {
        stop.throwIfAborted();
        yield char;
      }
    }
  } catch {
    // A terminal that is closed may report an error first.
    stop.throwIfAborted();
  }
}
