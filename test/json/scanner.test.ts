import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonText } from '../../src/json/json-text.ts';
import { indexJson } from '../../src/json/scanner.ts';
import { any, checkText, style, texts, written } from './random-texts.ts';

test('texts, damaged or not: accepts exactly what JSON.parse accepts, with the same value', () => {
  fc.assert(fc.property(texts, checkText), { numRuns: 5000 });
});

test('accepts and refuses, by hand', () => {
  const good = '0|-0|1e5|1E-5|0.10|""|null| [ ] |{}|[[[]]]|{"a":{"b":[1,{}]}}';
  const bad = '| |{|[|"|[1,]|{"a":1,}|{"a"}|{1:2}|[1 2]|1 2|[1}|{]|,|:';
  const numbers = '01|-|+1|1.|.5|1e|1e+|0x1|NaN|Infinity|1_0';
  const texts = `"\n"|"\\"|"\\x"|"\\u12G4"|"\\u123"|'a'|tru|nulll|True|[true false]`;
  for (const text of good.split('|')) assert.equal(typeof indexJson(Buffer.from(text)), 'object', text);
  for (const text of [bad, numbers, texts].join('|').split('|'))
    assert.equal(indexJson(Buffer.from(text)), 'not JSON', text);
});

/** All that can be asked of a value, two levels deep. */
function shown(value: JsonText, levels = 2): unknown {
  const inside = (inner: JsonText): unknown => (levels === 0 ? String(inner) : shown(inner, levels - 1));
  return {
    kind: value.kind,
    text: value.toString(),
    utf8: value.utf8.toString('utf8'),
    plain: value.plain(),
    string: value.string(),
    boolean: value.boolean(),
    elements: [...value.elements()].map(inside),
    members: [...value.members()].map(([key, inner]) => [key, inside(inner)]),
    first: String(value.get('0')),
    same: String(value.at(['a', '0'])),
  };
}

test('a parsed value says the same as the value of its text without white space, whatever is indexed', () => {
  const entries = fc.array(any, { maxLength: 3 });
  const bodies = fc.oneof(any, entries, fc.record({ a: entries, results: fc.constant([[{ a: [0] }]]) }));
  fc.assert(
    fc.property(bodies, style, fc.boolean(), (body, look, withEntries) => {
      const source = written(body, look);
      const index = indexJson(Buffer.from(source));
      const parsed = JsonText.parse(Buffer.from(` ${source}\n`), withEntries);
      assert.ok(typeof index === 'object' && parsed !== null);
      assert.deepEqual(shown(parsed, 3), shown(JsonText.of(index.bytes.toString()), 3));
    }),
    { numRuns: 1000 },
  );
});

test('a text of more than a million values is refused, whatever its shape', () => {
  const limit = 1_000_000;
  const zeros = (count: number): string => `[${'0,'.repeat(count - 1)}0]`;
  assert.equal(typeof indexJson(Buffer.from(zeros(limit - 1))), 'object');
  for (const text of [
    zeros(limit),
    `[${'[],'.repeat(limit)}0]`,
    `${'['.repeat(limit + 1)}${']'.repeat(limit + 1)}`,
    `{${Array.from({ length: limit }, (_, i): string => `"${i}":""`).join(',')}}`,
  ])
    assert.equal(indexJson(Buffer.from(text)), 'too many values');
  assert.equal(JsonText.parse(Buffer.from(zeros(limit))), null);
});
