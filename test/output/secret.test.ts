import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withoutSecret } from '../../src/text/secret.ts';

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Ways in which a service may quote a key back. */
const ways: readonly ((key: string) => string)[] = [
  (key) => key,
  encodeURIComponent,
  (key) => encodeURIComponent(key).replace(/%../g, (hidden) => hidden.toLowerCase()),
  (key) => encodeURI(key),
  (key) => [...key].map((character) => `%${hex(character)}`).join(''),
  (key) => JSON.stringify(key).slice(1, -1),
  (key) => JSON.stringify(JSON.stringify(key)).slice(3, -3),
  (key) => key.replaceAll('/', '\\/'),
  (key) => [...key].map((character) => `\\u00${hex(character)}`).join(''),
  (key) => key.replace(/[&<>"]/g, (character) => entities[character] ?? ''),
  (key) => [...key].map((character) => `&#${character.charCodeAt(0)};`).join(''),
];

test('property: a key is hidden in whatever form it is quoted', () => {
  const key = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 8,
    maxLength: 60,
  });
  fc.assert(
    fc.property(key, fc.constantFrom(...ways), (key, way) => {
      assert.equal(withoutSecret(`before ${way(key)} behind`, key), 'before [key] behind');
    }),
    { numRuns: 2000 },
  );
});

test('text without the key stays as it is', () => {
  const text = 'no credits (402: buy some), \\\\\\ %41 &amp; &#65;';
  assert.equal(withoutSecret(text, 'sk_0123456789'), text);
});
