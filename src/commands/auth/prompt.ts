import type { Context, InputStream } from '../../context.ts';
import { type Failure, interrupted, usage } from '../../errors.ts';

/** Asks for one line; `echo`: whether what is typed is shown. Throws where the input ends, and for Ctrl-C. */
export type Ask = (question: string, options: { echo: boolean }) => Promise<string>;

type Terminal = InputStream & { setRawMode?: (raw: boolean) => unknown };

/** Whether a person can be asked: the answer is typed at a terminal, and the question is seen on one. */
export function canAsk(context: Context): boolean {
  return context.stdin.isTTY === true && context.stderr.isTTY === true;
}

/**
 * Lets `work` ask on stderr and read from the terminal, key by key: what is typed ahead or pasted is shown only
 * where it answers a question that is echoed. The terminal is put back as it was, however `work` ends.
 */
export async function withPrompt<T>(context: Context, work: (ask: Ask) => Promise<T>): Promise<T> {
  const stdin: Terminal = context.stdin;
  const typed = new Typed(stdin, context.stop);
  stdin.setRawMode?.(true);
  try {
    return await work((question, { echo }) => readLine(typed, context, question, echo));
  } finally {
    stdin.setRawMode?.(false);
    typed.close();
  }
}

async function readLine(typed: Typed, context: Context, question: string, echo: boolean): Promise<string> {
  const show = (text: string): void => {
    context.stderr.write(text);
  };
  const line: string[] = [];
  const erase = (count: number): void => {
    for (const _ of line.splice(line.length - count, count)) if (echo) show('\b \b');
  };
  let escaped: 'none' | 'begun' | 'sequence' = 'none';
  show(question);
  try {
    for (;;) {
      const char = await typed.next();
      if (char === null) throw noAnswer();
      if (escaped !== 'none') {
        // Arrow keys and the marks around pasted text: ESC [ ... letter, or ESC and one character.
        if (escaped === 'begun' && (char === '[' || char === 'O')) escaped = 'sequence';
        else if (escaped === 'begun' || /[@-~]/.test(char)) escaped = 'none';
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
          escaped = 'begun';
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

/** The characters typed at a terminal, in order. */
class Typed {
  readonly #stdin: InputStream;
  readonly #stop: AbortSignal;
  readonly #decoder = new TextDecoder();
  #waiting: string[] = [];
  #ended = false;
  #wake: () => void = () => {};

  constructor(stdin: InputStream, stop: AbortSignal) {
    this.#stdin = stdin;
    this.#stop = stop;
    stdin.on('data', this.#onData);
    for (const event of ['end', 'close', 'error']) stdin.on(event, this.#onEnd);
    stop.addEventListener('abort', this.#onStop);
  }

  /** The next character; null at the end of the input. Rejects with the reason to stop. */
  async next(): Promise<string | null> {
    for (;;) {
      this.#stop.throwIfAborted();
      const char = this.#waiting.shift();
      if (char !== undefined) return char;
      if (this.#ended) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#stdin.removeListener('data', this.#onData);
    for (const event of ['end', 'close', 'error']) this.#stdin.removeListener(event, this.#onEnd);
    this.#stop.removeEventListener('abort', this.#onStop);
    this.#stdin.pause();
  }

  readonly #onData = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true });
    // "\r\n" is one line end: a pasted one must not answer the next question.
    this.#waiting.push(...text.replaceAll('\r\n', '\n'));
    this.#wake();
  };

  readonly #onEnd = (): void => {
    this.#ended = true;
    this.#wake();
  };

  readonly #onStop = (): void => this.#wake();
}
