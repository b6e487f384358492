import { isUtf8 } from 'node:buffer';
import { promises as fs } from 'node:fs';
import { Failure } from '../../errors.ts';
import { guarded } from '../../fs/file-errors.ts';
import { countLines } from '../../text/count.ts';

/** Bytes per read. */
const chunkSize = 256 * 1024;

/** A file that is not what an export has written: a `damaged` failure that names the line, from 1. */
export function damagedAt(path: string, line: number, what: string): Failure {
  return new Failure('damaged', `${path}:${line}: ${what}`, {
    hint: 'fix the file, or export it again with --restart',
    remedy: 'restart',
  });
}

/**
 * The text of a file in pieces that end anywhere between two characters, without a byte order mark. Throws
 * `damaged` if it is not UTF-8. `latin1`: each byte as a character, unchecked; several times as fast.
 */
export async function* readTexts(
  path: string,
  encoding: 'utf8' | 'latin1' = 'utf8',
): AsyncGenerator<string, void> {
  const handle = await guarded(path, 'opening', () => fs.open(path, 'r'));
  try {
    const buffer = Buffer.allocUnsafe(chunkSize);
    let held = 0;
    let line = 1;
    for (let first = true; ; first = false) {
      const { bytesRead } = await guarded(path, 'opening', () =>
        handle.read(buffer, held, chunkSize - held, null),
      );
      const filled = held + bytesRead;
      const end = bytesRead === 0 ? filled : completeEnd(buffer, filled);
      const bytes = buffer.subarray(0, end);
      if (encoding === 'utf8' && !isUtf8(bytes)) {
        throw damagedAt(path, line + linesBeforeInvalid(bytes), 'not UTF-8');
      }
      const text = bytes.toString(encoding);
      if (text !== '') yield first ? text.replace(/^(\ufeff|\u00ef\u00bb\u00bf)/, '') : text;
      if (bytesRead === 0) return;
      line += countLines(text);
      buffer.copy(buffer, 0, end, filled);
      held = filled - end;
    }
  } finally {
    await handle.close();
  }
}

/** Where an incomplete last character begins (at most 3 bytes before the end), or the end. */
function completeEnd(buffer: Buffer, end: number): number {
  for (let back = 1; back <= Math.min(3, end); back++) {
    const byte = buffer[end - back] ?? 0;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? end - back : end;
    }
  }
  return end;
}

function linesBeforeInvalid(bytes: Buffer): number {
  let lines = 0;
  for (let at = 0; ; lines++) {
    const end = bytes.indexOf(10, at);
    if (end === -1 || !isUtf8(bytes.subarray(at, end))) return lines;
    at = end + 1;
  }
}
