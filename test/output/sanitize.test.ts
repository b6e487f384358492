import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sanitize } from '../../src/text/sanitize.ts';

const unsafe = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0x2028, 0x2029],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
  [0xd800, 0xdfff],
] as const;
const isUnsafe = (code: number): boolean => unsafe.some(([first, last]) => code >= first && code <= last);

test('every control, separator and bidirectional formatting character is replaced', () => {
  for (const [first, last] of unsafe) {
    for (let code = first; code <= last; code++) {
      const out = sanitize(`a${String.fromCharCode(code)}b`);
      assert.equal(out, code >= 0xd800 ? 'a\ufffdb' : 'a b', code.toString(16));
    }
  }
});

test('a text without unsafe characters is unchanged', () => {
  const unit = fc.integer({ min: 0x20, max: 0x10ffff }).filter((code) => !isUnsafe(code));
  fc.assert(
    fc.property(fc.array(unit), (codes) => {
      const text = String.fromCodePoint(...codes);
      assert.equal(sanitize(text), text);
    }),
  );
  assert.equal(sanitize('👨‍👩‍👧‍👦 e\u0301 שלום \u200e\u00a0'), '👨‍👩‍👧‍👦 e\u0301 שלום \u200e\u00a0');
});

test('a run of unsafe characters becomes one space', () => {
  assert.equal(sanitize('a\r\n\t\u202eb'), 'a b');
});
