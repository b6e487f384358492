import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from '../../src/json/byte-writer.ts';
import { JsonText } from '../../src/json/json-text.ts';
import { indexJson } from '../../src/json/scanner.ts';
import { checkText, texts } from '../fuzz/texts.ts';

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
  const inside = (inner: JsonText): unknown => (levels === 0 ? inner.raw : shown(inner, levels - 1));
  return {
    kind: value.kind,
    text: value.toString(),
    raw: value.raw,
    utf8: value.utf8.toString('utf8'),
    plain: value.plain(),
    string: value.string(),
    boolean: value.boolean(),
    elements: [...value.elements()].map(inside),
    members: [...value.members()].map(([key, inner]) => [key, inside(inner)]),
    first: value.get('0')?.raw,
    same: value.at(['a', '0'])?.raw,
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

const entry = (n: number): string => `{"videoId":"v${n}","title":"Ünïcödé 日本 \u{1f600} ${n}","n":${n}.50}`;
const list = Array.from({ length: 5 }, (_, n) => entry(n));
const elementsOf = (text: string, withMembers = false): JsonText[] => [
  ...(JsonText.parse(Buffer.from(text), withMembers)?.elements() ?? []),
];
const entriesOf = (body: string): JsonText[] => [
  ...(JsonText.parse(Buffer.from(body))?.get('results')?.elements() ?? []),
];

test('entries are written in their canonical form, whatever form they have', () => {
  const out = new ByteWriter();
  const written = (entries: readonly JsonText[]): string => {
    for (const each of entries) each.writeTo(out);
    return out.take().toString();
  };
  const entries = entriesOf(`{"é":"日本","results":[${list.join(', ')}],"has_more":false}`);
  assert.equal(written(entries), list.join(''));
  assert.equal(written(entries.slice(1, 3)), `${list[1]}${list[2]}`);
  assert.equal(
    written(entriesOf('{"results":["\\u00e9","\\/","\u202e\u007f", 1.0]}')),
    '"é""/""\\u202e\\u007f"1.0',
  );
  const long = `"${'é'.repeat(200_000)}"`;
  assert.equal(written([JsonText.of(long), JsonText.of('[]')]), `${long}[]`);
});

test('the plain text of a value is written if nothing in it is special', () => {
  const out = new ByteWriter();
  const special = new Uint8Array(256);
  special[0x2c] = 1;
  const written = (text: string): string | null =>
    JsonText.of(text).writePlain(out, special) ? out.take().toString() : null;
  for (const [text, plain] of [
    ['"é日"', 'é日'],
    ['""', ''],
    ['null', ''],
    ['"null"', 'null'],
    ['1.50', '1.50'],
    ['true', 'true'],
    ['[1]', '[1]'],
    ['[1,2]', null],
    ['"a,b"', null],
    ['"\\u00e9"', null],
  ] as const)
    assert.equal(written(text), plain, text);
});

test('objects with the same keys in the same order are told from others', () => {
  const [first, ...others] = elementsOf(
    '[{"a":1,"é":2},{"a":[],"é":null},{"é":2,"a":1},{"a":1},{"a":1,"é":2,"b":3},[1,2],{"a":1,"e":2}]',
  );
  assert.ok(first);
  for (const withMembers of [false, true]) {
    const all = elementsOf(String(JsonText.of(`[${others.join(',')}]`)), withMembers);
    assert.deepEqual(
      all.map((each): boolean => each.hasKeysOf(first)),
      [true, false, false, false, false, false],
    );
  }
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
