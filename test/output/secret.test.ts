import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withoutSecret } from '../../src/text/secret.ts';

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const each = (key: string, form: (character: string) => string, separator = ''): string =>
  [...key].map(form).join(separator);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Ways in which a service may quote a key back. */
const ways: readonly ((key: string) => string)[] = [
  (key) => key,
  encodeURIComponent,
  (key) => encodeURIComponent(key).replace(/%../g, (hidden) => hidden.toLowerCase()),
  (key) => encodeURI(key),
  (key) => each(key, (c) => `%${hex(c)}`),
  (key) => JSON.stringify(key).slice(1, -1),
  (key) => JSON.stringify(JSON.stringify(key)).slice(3, -3),
  (key) => key.replaceAll('/', '\\/'),
  (key) => each(key, (c) => `\\u00${hex(c)}`),
  (key) => key.replace(/[&<>"]/g, (character) => entities[character] ?? ''),
  (key) => each(key, (c) => `&#${c.charCodeAt(0)};`),
  (key) => each(key, (c) => `&#${String(c.charCodeAt(0)).padStart(7, '0')};`),
  (key) => each(key, (c) => `&#X000${hex(c).toUpperCase()};`),
  (key) => each(key, (c) => `&#x${hex(c)}`),
  (key) => each(key, hex),
  (key) => each(key, hex).toUpperCase(),
  (key) => each(key, hex, ':'),
  (key) => each(key, hex, ' '),
  (key) => each(key, (c) => `\\x${hex(c)}`),
  (key) => each(key, (c) => `0x${hex(c)}`, ', '),
  base64,
  (key) => Buffer.from(key).toString('base64url'),
  (key) => encodeURIComponent(base64(key)),
];

const keys = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 8,
  maxLength: 60,
});

test('property: a key is hidden in every quoted form', () => {
  fc.assert(
    fc.property(keys, fc.constantFrom(...ways), (key, way) => {
      assert.equal(withoutSecret(`before ${way(key)} behind`, key), 'before [key] behind');
    }),
    { numRuns: 4000 },
  );
});

test('property: a key inside a base64 text is hidden at every alignment', () => {
  fc.assert(
    fc.property(keys, fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (key, head, tail) => {
      const shown = withoutSecret(base64(`${head}${key}${tail}`), key);
      assert.match(shown, /\[key\]/);
      // What is left decodes to at most the neighbours.
      for (const part of shown.split('[key]')) {
        assert.ok(part.length <= Math.ceil(Math.max(head.length, tail.length) * 4) + 4, shown);
      }
    }),
    { numRuns: 2000 },
  );
});

test('literals: a key of exactly eight characters, padded entities, base64 at each alignment, hexadecimal', () => {
  const key = 'sk_12345';
  const quoted = [
    'sk_12345',
    '&#00115;&#00107;&#00095;&#00049;&#00050;&#00051;&#00052;&#00053;',
    '&#x0073;&#x006b;&#x005f;&#x0031;&#x0032;&#x0033;&#x0034;&#x0035;',
    'c2tfMTIzNDU=',
    '736b5f3132333435',
    '73:6B:5F:31:32:33:34:35',
  ];
  for (const text of quoted) assert.equal(withoutSecret(`(${text})`, key), '([key])', text);
  // Bearer sk_12345, x=sk_12345, user:sk_12345!
  assert.equal(withoutSecret('QmVhcmVyIHNrXzEyMzQ1', key), 'QmVhcmVyI[key]');
  assert.equal(withoutSecret('eD1za18xMjM0NQ==', key), 'eD[key]');
  assert.equal(withoutSecret('dXNlcjpza18xMjM0NSE=', key), 'dXNlcj[key]E=');
});

test('text without the key is unchanged', () => {
  const text = 'no credits (402: buy some), \\\\\\ %41 &amp; &#65; c2tf 736b5f';
  assert.equal(withoutSecret(text, 'sk_0123456789'), text);
  // An encoded form of a short key would match almost anything.
  assert.equal(withoutSecret('abcdef 6162', 'x'), 'abcdef 6162');
});
