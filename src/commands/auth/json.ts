import { Failure } from '../../errors.ts';
import type { FormatName } from '../../output/format.ts';
import type { Stdout } from '../../output/stdout.ts';
import { escapeUnsafe } from '../../text/unsafe.ts';

/** A value as JSON, free of control and bidirectional formatting characters, with a line end. */
export function jsonLine(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value))}\n`;
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
