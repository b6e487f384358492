import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { JsonText } from '../../src/json/json-text.ts';

/** Characters that something in the program treats differently. */
const odd = [
  ...'\u0000\u0007\b\t\n\r\u001f "\'\\/,;%@{}[]:\u007f\u0085\u009b\u009f\u00a0\u00ad\u200b\u200d',
  ...'\u2028\u2029\u202a\u202e\u2066\u2069\ufeff\ufffd\uffff𝒳\u{10ffff}\ue000',
  ...['\ud800', '\udfff', '\u001b[31m', 'e\u0301', '日本', '👩‍👩‍👧', '🇩🇪', 'مرحبا'],
];
const text = fc.string({
  unit: fc.oneof(fc.constantFrom(...odd), fc.string({ minLength: 1, maxLength: 3 })),
  maxLength: 6,
});
const numbers = [fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })];
const scalars = [text, ...numbers, fc.constantFrom(0, -0, 1e21, 1e-7), fc.boolean(), fc.constant(null)];
const names = ['videoId', 'title', '__proto__', 'constructor', 'toString', '', '0', '10', 'a'];
const key = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: text });
export const any = fc.anything({ key, values: scalars, maxDepth: 4, maxKeys: 4 });

interface Style {
  readonly space: string;
  readonly escaped: boolean;
}
export const style: fc.Arbitrary<Style> = fc.record({
  space: fc.constantFrom('', '', ' ', '\n', '\t\r\n  '),
  escaped: fc.boolean(),
});

/** A JSON text of a value: with white space between all tokens, and all of its letters escaped. */
export function written(value: unknown, { space, escaped }: Style): string {
  const text = JSON.stringify(value, null, space === '' ? undefined : 1) ?? 'null';
  const spaced = space === '' ? text : text.replace(/\n */g, space);
  return escaped ? spaced.replace(/"(?:[^"\\]|\\.)*"/g, escapeLetters) : spaced;
}

const escapeLetters = (literal: string): string =>
  literal.replace(/\\u....|\\.|[a-zA-Z\u0080-\uffff]/g, (c) =>
    c.length > 1 ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Replaces some bytes, or all that follow, by others. */
const damage = fc.record({
  at: fc.nat(),
  count: fc.oneof(fc.constantFrom(0, 1, 1e9), fc.nat({ max: 300 })),
  insert: fc.oneof(
    fc.constantFrom('', ...',:{}[]"\\01-+.eEn tu\u0001\ufeff').map((inserted) => Buffer.from(inserted)),
    fc.uint8Array({ minLength: 1, maxLength: 12 }),
  ),
});

/** A text that is JSON, or was before it was damaged. */
export const texts = fc.tuple(any, style, fc.array(damage, { maxLength: 2 })).map(([value, look, damages]) =>
  damages.reduce<Buffer>(
    (bytes, { at, count, insert }) => {
      const place = at % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, place), insert, bytes.subarray(place + count)]);
    },
    Buffer.from(written(value, look)),
  ),
);

/** Throws if our reader of JSON and `JSON.parse` differ: on whether a text is valid, or on its value. */
export function checkText(bytes: Buffer): void {
  if (!isUtf8(bytes)) return;
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    assert.equal(JsonText.parse(bytes), null, 'accepted, but is not JSON');
    return;
  }
  const json = JsonText.parse(bytes);
  assert.ok(json !== null, 'refused, but is JSON');
  const canonical = json.toString();
  assert.doesNotMatch(canonical, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  assert.deepEqual(JSON.parse(canonical), value);
  assert.equal(canonical, JsonText.of(text).toString());
  if (Array.isArray(value)) {
    const elements = [...json.elements()].map((each) => JSON.parse(each.toString()));
    assert.deepEqual(elements, value);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      assert.deepEqual(JSON.parse(String(json.get(key))), member);
    }
  }
}
