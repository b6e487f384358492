import type { Context } from '../context.ts';
import { prepareWhole, writeWhole } from '../fs/write-whole.ts';
import type { Text } from '../output/format.ts';
import type { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';

/** Where whole answers go: stdout as they come, or a file that is replaced when all is there. */
export interface AnswerSink {
  write(text: Text): Promise<void>;
  /** Everything has been written: a file now takes its place. */
  keep(): Promise<void>;
}

export interface Destination {
  open(context: Context, stderr: Stderr): AnswerSink;
}

/** Checks where `-o` points to, before anything is sent; null is stdout. */
export async function openDestination(output: string | null): Promise<Destination> {
  if (output === null) {
    return {
      open: (context, stderr) => {
        const stdout = new Stdout(context, stderr);
        return { write: (text) => stdout.write(text), keep: async () => {} };
      },
    };
  }
  await prepareWhole(output);
  return {
    open: () => {
      const texts: string[] = [];
      return {
        write: async (text) => {
          texts.push(text.toString());
        },
        keep: async () => {
          await writeWhole(output, texts.join(''));
        },
      };
    },
  };
}
