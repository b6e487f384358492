import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from '../../src/json/byte-writer.ts';

/** Bytes before the buffer of a new writer grows. */
const capacity = 64 * 1024;

test('texts, bytes and copies are whole around the size of the buffer, whatever the width of a character', () => {
  for (const text of ['a', 'é', '東', '🎉'].map((character) => character.repeat(100)))
    for (let before = capacity - 410; before <= capacity + 1; before++) {
      const out = new ByteWriter();
      out.copy(Buffer.alloc(before));
      if (before % 2 === 0) out.byte(0x2c);
      out.text(text);
      out.copy(Buffer.from(text));
      const expected = before % 2 === 0 ? `,${text}${text}` : `${text}${text}`;
      assert.equal(out.length, before + Buffer.byteLength(expected));
      assert.equal(out.take().toString('utf8', before), expected);
      assert.equal(out.length, 0);
    }
});
