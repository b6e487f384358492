import { isUtf8 } from 'node:buffer';
import { promises as fs } from 'node:fs';
import { type Failure, usage } from '../../errors.ts';
import { guarded } from '../../fs/file-errors.ts';
import { countLines } from '../../text/count.ts';

/** Bytes that are read at once. */
const chunk = 256 * 1024;

/** A FILE that is not what an export has written: a usage error (2) that names the line, from 1. */
export function notWhole(path: string, line: number, what: string): Failure {
  return usage(`${path}:${line}: ${what}`, 'fix the file, or export it anew with --restart');
}

/**
 * The text of a file in pieces that end anywhere between two characters. Throws a usage error where it is no
 * UTF-8. `latin1`: each byte as a character, unchecked; several times as fast.
 */
export async function* readTexts(
  path: string,
  encoding: 'utf8' | 'latin1' = 'utf8',
): AsyncGenerator<string, void> {
  const handle = await guarded(path, 'opening', () => fs.open(path, 'r'));
  try {
    const buffer = Buffer.allocUnsafe(chunk);
    let held = 0;
    let line = 1;
    for (let first = true; ; first = false) {
      const { bytesRead } = await guarded(path, 'opening', () =>
        handle.read(buffer, held, chunk - held, null),
      );
      const filled = held + bytesRead;
      const end = bytesRead === 0 ? filled : wholeCharacters(buffer, filled);
      const bytes = buffer.subarray(0, end);
      if (encoding === 'utf8' && !isUtf8(bytes)) {
        throw notWhole(path, line + brokenLine(bytes), 'not UTF-8');
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

/** Where the last character that is not whole begins, or the end: at most 3 bytes before it. */
function wholeCharacters(buffer: Buffer, end: number): number {
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

/** Lines before the first one that is no UTF-8. */
function brokenLine(bytes: Buffer): number {
  let lines = 0;
  for (let at = 0; ; lines++) {
    const end = bytes.indexOf(10, at);
    if (end === -1 || !isUtf8(bytes.subarray(at, end))) return lines;
    at = end + 1;
  }
}
