import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sanitize, withoutSecret } from '../../src/text/sanitize.ts';

test('control, separator and bidirectional formatting characters become a space, half pairs U+FFFD; no other changes', () => {
  const spaces = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
  for (let code = 0; code <= 0xffff; code++) {
    const character = String.fromCharCode(code);
    const expected = code >= 0xd800 && code <= 0xdfff ? '\ufffd' : spaces.test(character) ? ' ' : character;
    assert.equal(sanitize(`a${character}b`), `a${expected}b`, code.toString(16));
  }
  assert.equal(sanitize('👨‍👩‍👧‍👦 e\u0301 שלום \u200e\u00a0'), '👨‍👩‍👧‍👦 e\u0301 שלום \u200e\u00a0');
  assert.equal(sanitize('a\r\n\t\u202eb'), 'a b');
});

const hex = (character: string): string => character.charCodeAt(0).toString(16);
const each = (key: string, form: (character: string) => string): string => [...key].map(form).join('');

/** Ways in which a service may quote a key back. */
const ways: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => key.toUpperCase(),
  encodeURIComponent,
  (key) => encodeURIComponent(key).replace(/%../g, (hidden) => hidden.toLowerCase()),
  (key) => each(key, (c) => `%${hex(c)}`),
  (key) => JSON.stringify(key).slice(1, -1),
  (key) => JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/'),
  (key) => each(key, (c) => `\\u00${hex(c)}`),
];

test('property: a key is hidden plain, percent-encoded and JSON-escaped', () => {
  const keys = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 8,
    maxLength: 60,
  });
  fc.assert(
    fc.property(keys, fc.constantFrom(...ways), (key, way) => {
      assert.equal(withoutSecret(`before ${way(key)} behind`, key), 'before [key] behind');
    }),
    { numRuns: 2000 },
  );
});

test('every occurrence of a key is hidden; text without it is unchanged', () => {
  const key = 'sk/1"2\\3%';
  const text = `(${key}${key}) sk%2F1%222%5C3%25, {"detail":"sk\\/1\\"2\\\\3%"} sk/1`;
  assert.equal(withoutSecret(text, key), '([key][key]) [key], {"detail":"[key]"} sk/1');
  assert.equal(
    withoutSecret('no credits (402), \\\\\\ %41', 'sk_0123456789'),
    'no credits (402), \\\\\\ %41',
  );
  assert.equal(withoutSecret('text', ''), 'text');
  // Decoded, it is another text.
  assert.equal(withoutSecret('a%62%41cdefgh', 'ab%41cdefgh'), 'a%62%41cdefgh');
});

test('a key of percent signs and backslashes is hidden in linear time', () => {
  assert.equal(withoutSecret('\\'.repeat(4000), `${'\\'.repeat(200)}x`), '\\'.repeat(4000));
  assert.equal(withoutSecret('%25'.repeat(2000), `${'%25'.repeat(100)}x`), '%25'.repeat(2000));
});
