import { Failure } from '../../errors.ts';
import type { FormatName } from '../../output/formats.ts';
import type { Stdout } from '../../output/stdout.ts';
import { escapeUnsafe } from '../../text/unsafe.ts';

/** A value as a line of JSON, free of control and bidirectional formatting characters. */
export function jsonLine(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value))}\n`;
}

/** The result of `read`. If it fails and the format is JSON, prints `{"error": ...}`, except for a usage error. */
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
