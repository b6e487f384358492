import assert from 'node:assert/strict';

/** C0, DEL, C1, the two separators of lines that JSON may contain, and bidirectional formatting. */
const unsafe = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/** Throws if text contains anything that moves a cursor or turns text around; line ends are the program's own. */
export function assertHarmless(text: string, name: string): void {
  for (const line of text.split('\n')) {
    const at = line.search(unsafe);
    if (at === -1) continue;
    const code = line.charCodeAt(at).toString(16).padStart(4, '0');
    assert.fail(`${name}: U+${code} in ${JSON.stringify(line.slice(Math.max(0, at - 30), at + 30))}`);
  }
}

/** Everything that a terminal acts upon, in one text; none of it is a sequence of the program's own. */
export const hostile = [
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)),
  ...Array.from({ length: 0x21 }, (_, code) => String.fromCharCode(0x7f + code)),
  ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'],
  '\u2028\u2029',
  '\u001b]0;title\u0007\u001b]8;;http://evil.example\u001b\\',
  '\u001b[2J\u001b[3J\u001b[H\u001bc\u001b[31;5m\u001b[?1049h\u001b[6n\u001bP+q\u001b\\',
  '\u009b2J\u009d0;x\u009c',
  '\r\u001b[5F over \b\b\b',
].join('x');
