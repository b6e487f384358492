import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import { type FileFormat, formats } from '../output/formats.ts';
import { Stdout } from '../output/stdout.ts';
import type { Session } from '../run/session.ts';
import type { ExportRun } from './job.ts';

/**
 * Prints new rows to stdout, one reference after another. A CSV header is printed once, and again before rows of a FILE
 * with other columns.
 */
export function newRowPrinter(session: Session, format: FileFormat): ExportRun['printNew'] {
  const stdout = new Stdout(session.context, session.stderr);
  let last: Promise<void> = Promise.resolve();
  let header: Buffer | null = null;
  const print = async (rows: AsyncIterable<Buffer>): Promise<void> => {
    let first = true;
    try {
      for await (const bytes of rows) {
        let skipped = 0;
        if (first && formats[format].header !== null) {
          const own = Buffer.from(bytes.subarray(0, headerLength(bytes)));
          if (header?.equals(own)) skipped = own.length;
          header = own;
        }
        first = false;
        await stdout.write(bytes.subarray(skipped));
      }
    } catch (error) {
      const failure =
        error instanceof ClosedPipe ? new Failure('failed', 'stdout was closed') : toFailure(error);
      throw failure.with({
        message: `${failure.message} before the new entries were printed; the file is as it was`,
        hint: 'printing them costs nothing more',
        remedy: 'same-command',
        scope: 'run',
      });
    }
  };
  return (rows) => {
    const next = last.then(() => print(rows));
    last = next.catch(() => {});
    return next;
  };
}

/** Length of the first CSV record (bytes). */
function headerLength(bytes: Buffer): number {
  let isQuoted = false;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === 0x22) isQuoted = !isQuoted;
    else if (bytes[at] === 0x0a && !isQuoted) return at + 1;
  }
  return bytes.length;
}
