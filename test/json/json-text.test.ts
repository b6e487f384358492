import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonText, quoteJson } from '../../src/json/json-text.ts';
import { any, style, written } from './random-texts.ts';

/** As JSON.stringify, with DEL, C1 and bidirectional formatting escaped. */
const canonical = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

test('canonical text: is the same for every white space and every escape', () => {
  fc.assert(
    fc.property(any, style, (value, look) => {
      assert.equal(JsonText.of(written(value, look)).toString(), canonical(value));
    }),
    { numRuns: 1000 },
  );
});

test('canonical text: digits, order and keys given twice as sent; only unnecessary escapes are removed', () => {
  const digits = '[0,-0,1.0,1e5,1E+5,-0.10,9007199254740993,123456789012345678901234567890,1e400]';
  for (const [sent, text] of [
    [digits.replaceAll(',', ' ,\n'), digits],
    [String.raw`["a\/b"]`, '["a/b"]'],
    ['{"b" : 1, "a": 2, "b":3, "1":4, "__proto__":[]}', '{"b":1,"a":2,"b":3,"1":4,"__proto__":[]}'],
    [
      String.raw`["\u00e9\u4e2d\/", "\ud83d\ude00", "\ud83d", "\u0022\u005c\u000A\u001B"]`,
      String.raw`["é中/","😀","\ud83d","\"\\\n\u001b"]`,
    ],
    [`"${String.raw`\u65e5`.repeat(999)}${String.raw`\ud83d\ude00`}"`, `"${'日'.repeat(999)}😀"`],
  ] as const)
    assert.equal(JsonText.of(sent).toString(), text);
});

test('quoteJson: escapes DEL, C1 and bidirectional formatting', () => {
  assert.equal(quoteJson('a\u007f\u009b\u202e\u2066z'), String.raw`"a\u007f\u009b\u202e\u2066z"`);
});

const body = JsonText.of(
  '{"a":{"b":[10, "x\\n", {"c":null}], "":0}, "twice":1, "twice":2, "ab":0, "\\u0061b":"key", "n":1.50}',
);

test('at follows keys and indices; of a key given twice the last one counts, an escaped key is the same key', () => {
  for (const [path, text] of [
    ['a.b.0', '10'],
    ['a.b.1', '"x\\n"'],
    ['a.b.2.c', 'null'],
    ['a.', '0'],
    ['twice', '2'],
    ['ab', '"key"'],
    ...['x', 'a.b.3', 'a.b.-1', 'a.b.01', 'a.b.length', 'n.x', '__proto__', 'constructor'].map(
      (absent) => [absent, undefined] as const,
    ),
  ] as const)
    assert.equal(body.at(path.split('.'))?.toString(), text, path);
  assert.equal(body.at([])?.toString(), body.toString());
});

test('plain is a string without quotes, nothing for null, JSON for the rest', () => {
  const cases = {
    '"a\\"b"': 'a"b',
    null: '',
    ' 1.0 ': '1.0',
    true: 'true',
    '[ 1, {"a" : 2} ]': '[1,{"a":2}]',
  };
  for (const [sent, text] of Object.entries(cases)) assert.equal(JsonText.of(sent).plain(), text);
});

test('100,000 levels of nesting do not overflow the stack', () => {
  const levels = 100_000;
  const sent = `${'[ '.repeat(levels)}{"a":"\\u0041"}${' ]'.repeat(levels)}`;
  const value = JsonText.of(sent);
  assert.equal(value.toString(), `${'['.repeat(levels)}{"a":"A"}${']'.repeat(levels)}`);
  assert.equal([...value.elements()].length, 1);
  assert.equal(value.at(['0', '0', '0'])?.kind, 'array');
});
