import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonText } from '../../src/json/json-text.ts';
import { indexJson } from '../../src/json/scanner.ts';
import { checkText, texts } from './random-texts.ts';

/** JSON in several spellings. */
const spelt = fc
  .tuple(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom('', ' ', '\t', '\n', ' \r\n'))
  .map(([value, space]) => JSON.stringify(value, null, space));
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

test('a parsed value says the same as the value of its text without white space', () => {
  const keys = fc.constantFrom('a', 'b', 'é', '\u202e', '"', '\\', '0', 'results');
  const member = fc.tuple(keys, fc.jsonValue({ noUnicodeString: false, maxDepth: 2 }));
  const objects = fc
    .array(member, { maxLength: 5 })
    .map(
      (all) => `{${all.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`,
    );
  /** Pages: lists of entries, at both depths at which the members of entries are indexed. */
  const lists = fc
    .tuple(fc.array(objects, { maxLength: 3 }), fc.boolean())
    .map(([all, isBody]) => (isBody ? `{"a":[${all.join(',')}],"b":[[{"a":[0]}]]}` : `[${all.join(',')}]`));
  const space = fc.constantFrom('', ' ', '\n  ');
  fc.assert(
    fc.property(fc.oneof(objects, lists, spelt), space, fc.boolean(), (text, padding, escaped) => {
      const wellFormed = text.toWellFormed();
      const source = escaped ? wellFormed.replaceAll('é', '\\u00e9').replaceAll('/', '\\/') : wellFormed;
      const index = indexJson(Buffer.from(source));
      assert.ok(typeof index === 'object');
      const compact = JsonText.of(index.bytes.toString('utf8'));
      for (const withMembers of [false, true]) {
        const parsed = JsonText.parse(Buffer.from(padding + source + padding), withMembers);
        assert.ok(parsed !== null);
        assert.deepEqual(shown(parsed, 3), shown(compact, 3));
        assert.equal(parsed.toString(), JsonText.of(source).toString());
      }
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
