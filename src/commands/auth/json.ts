import { Failure } from '../../errors.ts';
import type { FormatName } from '../../output/format.ts';
import type { Stdout } from '../../output/stdout.ts';

/** Characters that JSON allows and a terminal should not see. */
const unsafe = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** A value as JSON, free of control and bidirectional formatting characters, with a line end. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value);
  return `${text.replace(unsafe, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

/**
 * What `read` gives. Where it fails, and the output is to be JSON, that still gets a document, `{"error": ...}`;
 * after a usage error there is none.
 */
export async function orErrorDocument<T>(
  stdout: Stdout,
  format: FormatName | null,
  read: () => T | Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (format === 'json' && error instanceof Failure && error.code !== 'usage')
      await stdout.write(jsonLine({ error }));
    throw error;
  }
}
