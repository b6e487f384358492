import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { JsonText } from '../../src/json/json-text.ts';
import { any, damages, style, written } from './cases.ts';

/** A text that is JSON, or was before it was damaged. */
export const texts = fc
  .tuple(any, style, fc.array(damages, { maxLength: 2 }))
  .map(([value, look, harm]) =>
    harm.reduce<Buffer>((bytes, damage) => damage(bytes), Buffer.from(written(value, look))),
  );

/** Throws if our reader of JSON and `JSON.parse` differ: on whether a text is valid, or on its value. */
export function checkText(bytes: Buffer): void {
  if (!isUtf8(bytes)) return;
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    assert.equal(JsonText.parse(bytes), null, 'taken, and is no JSON');
    return;
  }
  const json = JsonText.parse(bytes);
  assert.ok(json !== null, 'refused, and is JSON');
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
