import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonText } from '../../src/json/json-text.ts';
import { indexJson } from '../../src/json/scanner.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** JSON in several spellings, some of it spoilt by an edit. */
const spelt = fc
  .tuple(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom('', ' ', '\t', '\n', ' \r\n'))
  .map(([value, space]) => JSON.stringify(value, null, space));
const pieces = [
  ...'{}[],:"\\ntrufalse0123456789.eE+-/bx\u0000\u001f\u007f\u0080é\u2028\u202e\u{1f600} \t\n\r\v\u00a0\ufeff',
  ...['\\u00e9', '\\u12', '\\/', '\\x', 'true', 'nul', '-0', '01', '1.', '.5', '1e', '1e+5', '--1', '"a"'],
];
const edits = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.constantFrom('', ...pieces)), {
  maxLength: 3,
});
const spoilt = fc.tuple(spelt, edits).map(([text, all]) =>
  all.reduce((before, [at, drop, piece]) => {
    const start = at % (before.length + 1);
    return (before.slice(0, start) + piece + before.slice(start + drop)).toWellFormed();
  }, text),
);
const noise = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => all.join(''));

test('accepts what JSON.parse accepts, and nothing else', () => {
  fc.assert(
    fc.property(fc.oneof(spelt, spoilt, noise), (text) => {
      assert.equal(indexJson(Buffer.from(text)) !== null, isJson(text), JSON.stringify(text));
    }),
    { numRuns: 20_000 },
  );
});

test('accepts and refuses, by hand', () => {
  const good = '0|-0|1e5|1E-5|0.10|""|null| [ ] |{}|[[[]]]|{"a":{"b":[1,{}]}}';
  const bad = '| |{|[|"|[1,]|{"a":1,}|{"a"}|{1:2}|[1 2]|1 2|[1}|{]|,|:';
  const numbers = '01|-|+1|1.|.5|1e|1e+|0x1|NaN|Infinity|1_0';
  const texts = `"\n"|"\\"|"\\x"|"\\u12G4"|"\\u123"|'a'|tru|nulll|True|[true false]`;
  for (const text of good.split('|')) assert.notEqual(indexJson(Buffer.from(text)), null, text);
  for (const text of [bad, numbers, texts].join('|').split('|'))
    assert.equal(indexJson(Buffer.from(text)), null, text);
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
  const space = fc.constantFrom('', ' ', '\n  ');
  fc.assert(
    fc.property(fc.oneof(objects, spelt), space, fc.boolean(), (text, padding, escaped) => {
      const wellFormed = text.toWellFormed();
      const source = escaped ? wellFormed.replaceAll('é', '\\u00e9').replaceAll('/', '\\/') : wellFormed;
      const parsed = JsonText.parse(Buffer.from(padding + source + padding));
      assert.ok(parsed !== null);
      const compact = indexJson(Buffer.from(source))?.bytes.toString('utf8') ?? '';
      assert.deepEqual(shown(parsed), shown(JsonText.of(compact)));
      assert.equal(parsed.toString(), JsonText.of(source).toString());
    }),
    { numRuns: 3000 },
  );
});

const entry = (n: number): string => `{"videoId":"v${n}","title":"Ünïcödé 日本 \u{1f600} ${n}","n":${n}.50}`;
const list = Array.from({ length: 5 }, (_, n) => entry(n));
const entriesOf = (body: string): JsonText[] => [
  ...(JsonText.parse(Buffer.from(body))?.get('results')?.elements() ?? []),
];

test('lines copies the entries of a page, one per line', () => {
  const entries = entriesOf(`{"é":"日本","results":[${list.join(', ')}],"has_more":false}`);
  const room = Buffer.alloc(10);
  assert.equal(JsonText.lines(entries, room)?.toString('utf8'), list.map((line) => `${line}\n`).join(''));
  assert.equal(JsonText.lines(entries.slice(1, 3), room)?.toString('utf8'), `${list[1]}\n${list[2]}\n`);
  const large = Buffer.alloc(10_000);
  const used = JsonText.lines(entries.slice(4), large);
  assert.equal(used?.toString('utf8'), `${list[4]}\n`);
  assert.equal(used?.buffer, large.buffer);
});

test('lines returns null if entries need more than copying', () => {
  const room = Buffer.alloc(0);
  const entries = entriesOf(`{"results":[${list.join(',')}]}`);
  const [first, second, third] = entries;
  assert.ok(first && second && third);
  assert.equal(JsonText.lines([], room), null);
  assert.equal(JsonText.lines([first, third], room), null);
  assert.equal(JsonText.lines([second, first], room), null);
  assert.equal(JsonText.lines([first, ...entriesOf('{"results":[1,2]}').slice(1)], room), null);
  assert.equal(JsonText.lines(entriesOf('{"results":["\\u00e9"]}'), room), null);
  assert.equal(JsonText.lines(entriesOf('{"results":["\u202e"]}'), room), null);
  assert.equal(JsonText.lines(entriesOf('{"results":["\u007f"]}'), room), null);
  assert.equal(JsonText.lines(entriesOf('{"results":["\\/"]}'), room), null);
});
