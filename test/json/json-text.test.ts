import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonText, quoteJson } from '../../src/json/json-text.ts';

/** A JSON value that keeps its number forms, the order of its members and keys given twice. */
type Tree =
  | { readonly literal: string }
  | { readonly string: string }
  | { readonly array: readonly Tree[] }
  | { readonly object: readonly (readonly [string, Tree])[] };

const specials = ['\u0000', '\u001b', '\u007f', '\u0085', '\u009f', '\u202a', '\u202e', '\u2066', '\u2069'];
const text = fc.string({
  unit: fc.oneof(
    { weight: 6, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('"', '\\', '/', '\n', '\t', '\b', '{', '}', '[', ']', ',', ':', ' '),
    },
    { weight: 2, arbitrary: fc.constantFrom(...specials) },
  ),
  maxLength: 12,
});
const literals =
  'true false null 0 -0 1.0 1e5 1E+5 -0.10 9007199254740993 123456789012345678901234567890 1e400'.split(' ');
const trees = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'json' },
    fc.constantFrom(...literals).map((literal) => ({ literal })),
    text.map((string) => ({ string })),
    fc.array(tie('tree'), { maxLength: 4, depthIdentifier: 'json' }).map((array) => ({ array })),
    fc
      .array(fc.tuple(fc.oneof(text, fc.constantFrom('a', 'b', '__proto__', '1')), tie('tree')), {
        maxLength: 4,
        depthIdentifier: 'json',
      })
      .map((object) => ({ object })),
  ),
})).tree;

/** Seeded choices, so that a failing case can be run again. */
function chooser(seed: number): (count: number) => number {
  let state = seed | 1;
  return (count) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >>> 8) % count;
  };
}

const hex = (unit: number, upper: boolean): string => {
  const digits = unit.toString(16).padStart(4, '0');
  return `\\u${upper ? digits.toUpperCase() : digits}`;
};

/** One of the many texts of a tree: white space and escapes as `choose` has them. */
function noisy(tree: Tree, choose: (count: number) => number): string {
  const space = (): string => ['', '', ' ', '\n\t', '\r\n  '][choose(5)] ?? '';
  const string = (value: string): string => {
    let out = '';
    for (const character of value) {
      if (choose(4) === 0) {
        const upper = choose(2) === 0;
        for (let i = 0; i < character.length; i++) out += hex(character.charCodeAt(i), upper);
      } else if (character === '/' && choose(2) === 0) out += '\\/';
      else out += JSON.stringify(character).slice(1, -1);
    }
    return `"${out}"`;
  };
  const write = (node: Tree): string => {
    if ('literal' in node) return node.literal;
    if ('string' in node) return string(node.string);
    if ('array' in node) {
      return `[${space()}${node.array.map((each) => `${write(each)}${space()}`).join(`,${space()}`)}]`;
    }
    const members = node.object.map(
      ([key, value]) => `${string(key)}${space()}:${space()}${write(value)}${space()}`,
    );
    return `{${space()}${members.join(`,${space()}`)}}`;
  };
  return `${space()}${write(tree)}${space()}`;
}

/** Canonical string: as JSON.stringify, with DEL, C1 and bidirectional formatting escaped. */
const quoted = (value: string): string =>
  [...JSON.stringify(value)]
    .map((c) => {
      const code = c.codePointAt(0) ?? 0;
      const escaped =
        (code >= 0x7f && code <= 0x9f) ||
        (code >= 0x202a && code <= 0x202e) ||
        (code >= 0x2066 && code <= 0x2069);
      return escaped ? hex(code, false) : c;
    })
    .join('');

function canonical(tree: Tree): string {
  if ('literal' in tree) return tree.literal;
  if ('string' in tree) return quoted(tree.string);
  if ('array' in tree) return `[${tree.array.map(canonical).join(',')}]`;
  return `{${tree.object.map(([key, value]) => `${quoted(key)}:${canonical(value)}`).join(',')}}`;
}

test('canonical text: is the same for every white space and every escape, with digits, order and doubles as sent', () => {
  fc.assert(
    fc.property(trees, fc.nat(), (tree, seed) => {
      const sent = noisy(tree, chooser(seed));
      JSON.parse(sent);
      assert.equal(JsonText.of(sent).toString(), canonical(tree));
    }),
    { numRuns: 300 },
  );
});

test('canonical text: removes only unnecessary escapes', () => {
  assert.equal(
    JsonText.of(
      String.raw`["\u00e9\u4e2d\/", "\ud83d\ude00", "\ud83d", "\u0022\u005c\u000A\u001B"]`,
    ).toString(),
    String.raw`["é中/","😀","\ud83d","\"\\\n\u001b"]`,
  );
});

test('quoteJson: escapes DEL, C1 and bidirectional formatting', () => {
  assert.equal(quoteJson('a\u007f\u009b\u202e\u2066z'), String.raw`"a\u007f\u009b\u202e\u2066z"`);
});

const body = JsonText.of(
  '{"a":{"b":[10, "x\\n", {"c":null}], "":0}, "twice":1, "twice":2, "ab":0, "\\u0061b":"key", "n":1.50}',
);

test('at follows keys and indices', () => {
  assert.equal(body.at(['a', 'b', '0'])?.toString(), '10');
  assert.equal(body.at(['a', 'b', '1'])?.string(), 'x\n');
  assert.equal(body.at(['a', 'b', '2', 'c'])?.kind, 'null');
  assert.equal(body.at([])?.toString(), body.toString());
  assert.equal(body.at(['a', ''])?.toString(), '0');
});

test('a missing member is undefined', () => {
  for (const path of ['x', 'a.b.3', 'a.b.-1', 'a.b.01', 'a.b.length', 'n.x'])
    assert.equal(body.at(path.split('.')), undefined, path);
  assert.equal(body.get('__proto__'), undefined);
  assert.equal(body.get('constructor'), undefined);
});

test('of a key given twice the last one counts, and an escaped key is the same key', () => {
  assert.equal(body.get('twice')?.toString(), '2');
  assert.equal(body.get('ab')?.string(), 'key');
});

test('plain is a string without quotes, nothing for null, JSON for the rest', () => {
  const plain = (sent: string): string => JsonText.of(sent).plain();
  assert.equal(plain('"a\\"b"'), 'a"b');
  assert.equal(plain('null'), '');
  assert.equal(plain(' 1.0 '), '1.0');
  assert.equal(plain('true'), 'true');
  assert.equal(plain('[ 1, {"a" : 2} ]'), '[1,{"a":2}]');
});

test('100,000 levels of nesting do not overflow the stack', () => {
  const levels = 100_000;
  const sent = `${'[ '.repeat(levels)}{"a":"\\u0041"}${' ]'.repeat(levels)}`;
  const value = JsonText.of(sent);
  assert.equal(value.toString(), `${'['.repeat(levels)}{"a":"A"}${']'.repeat(levels)}`);
  assert.equal([...value.elements()].length, 1);
  assert.equal(value.at(['0', '0', '0'])?.kind, 'array');
});
