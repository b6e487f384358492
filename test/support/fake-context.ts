import { PassThrough, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { Context } from '../../src/context.ts';

export type FakeContext = ReturnType<typeof fakeContext>;

/**
 * A context without a process: an empty environment, captured output, a clock on which no time passes. `stdin`: its content.
 * `terminal`: stdin and stderr are one.
 */
export function fakeContext(
  options: {
    env?: Record<string, string>;
    stdin?: string;
    terminal?: boolean;
    stdoutTerminal?: boolean;
  } = {},
) {
  const out = capture(options.stdoutTerminal ? 80 : undefined);
  const err = capture(options.terminal ? 80 : undefined);
  const rawModes: boolean[] = [];
  const keyboard = new PassThrough();
  const stdin = options.terminal
    ? Object.assign(keyboard, { isTTY: true, setRawMode: (raw: boolean) => rawModes.push(raw) })
    : Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]);
  const controller = new AbortController();
  const context: Context = {
    stdin,
    stdout: out.stream,
    stderr: err.stream,
    env: options.env ?? {},
    clock: { now: () => 0, elapsed: () => 0, random: () => 0, sleep: () => turn() },
    stop: controller.signal,
  };
  return {
    context,
    stdout: out.text,
    stderr: err.text,
    type: (text: string) => void keyboard.write(text),
    /** Resolves once stderr contains the text. */
    asked: (text: string) => err.holds(text),
    rawModes,
    controller,
  };
}

/** A stream whose text is kept; a terminal if it has columns. */
export function capture(columns: number | undefined) {
  let all = '';
  const stream = Object.assign(new PassThrough(), columns === undefined ? {} : { isTTY: true, columns });
  stream.setEncoding('utf8').on('data', (text: string) => {
    all += text;
  });
  const holds = async (text: string): Promise<void> => {
    while (!all.includes(text)) await new Promise((resolve) => stream.once('data', resolve));
  };
  return { stream, text: () => all, holds };
}
