import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { cut, displayWidth, hasAgreedWidth, isRightToLeft, maxWidth } from '../../src/output/width.ts';

const family = '👨‍👩‍👧‍👦';

suite('display width', () => {
  const cases: readonly (readonly [name: string, text: string, width: number])[] = [
    ['ASCII', 'abc def', 7],
    ['accented letters', 'Ünïcödé', 7],
    ['Cyrillic and Greek', 'Привет αβγ', 10],
    ['Chinese', '漢字', 4],
    ['Japanese', 'かなカナ', 8],
    ['half-width kana', 'ｶﾞ', 2],
    ['kana with a combining mark', 'か\u3099', 2],
    ['Korean', '한국', 4],
    ['Korean in parts', '\u1112\u1161\u11ab', 2],
    ['full-width letters', 'ＡＢ', 4],
    ['supplementary Chinese', '𠀋', 2],
    ['emoji', '😀', 2],
    ['emoji newer than most tables', '🫨', 2],
    ['a family', family, 2],
    ['a couple with a heart', '👩‍❤️‍👨', 2],
    ['skin tone', '👍🏽', 2],
    ['profession with skin tone', '👩🏽‍🚀', 2],
    ['a flag', '🇩🇪', 2],
    ['two flags', '🇩🇪🇫🇷', 4],
    ['half a flag', '🇩', 1],
    ['flag of tags', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', 2],
    ['rainbow flag', '🏳️‍🌈', 2],
    ['keycap', '1️⃣', 2],
    ['heart as text', '❤', 1],
    ['heart as a picture', '❤️', 2],
    ['combining acute', 'e\u0301', 1],
    ['many combining marks', 'Z\u0337\u0353\u0350a\u0309', 2],
    ['Hebrew points', 'שָׁ', 1],
    ['Arabic marks', 'مَ', 1],
    ['Thai', 'ก็', 1],
    ['Devanagari', 'कि', 2],
    ['zero width space and joiner', 'a\u200bb\u200dc\u2060d', 4],
    ['byte order mark', '\ufeffa', 1],
    ['directional marks', '\u200ea\u200f', 1],
    ['ellipsis and rule', '…─', 2],
    ['nothing', '', 0],
  ];
  for (const [name, text, width] of cases) {
    test(`${name}: ${width}`, () => assert.equal(displayWidth(text), width));
  }

  test('is the sum of its parts where clusters end', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...cases.map(([, text]) => text))), (texts) => {
        const widths = texts.map((text) => displayWidth(`${text} `));
        assert.equal(
          displayWidth(texts.map((text) => `${text} `).join('')),
          widths.reduce((a, b) => a + b, 0),
        );
      }),
    );
  });

  test('maxWidth is the width on terminals without support for clusters', () => {
    assert.equal(maxWidth(family, 99), 8);
    assert.equal(maxWidth('👍🏽', 99), 4);
    assert.equal(maxWidth('❤️', 99), 2);
    assert.equal(maxWidth('漢字', 99), 4);
  });
});

suite('cutting', () => {
  test('leaves a text that fits unchanged', () => {
    assert.equal(cut('abcde', 5), 'abcde');
    assert.equal(cut('漢字', 4), '漢字');
  });

  test('cuts with an ellipsis, at a grapheme', () => {
    assert.equal(cut('abcdef', 5), 'abcd…');
    assert.equal(cut('漢字漢字', 6), '漢字…');
    assert.equal(cut('漢字漢字', 5), '漢字…');
    assert.equal(cut('ab cd', 4), 'ab…');
    assert.equal(cut(`a${family}b`, 8), 'a…');
    assert.equal(cut('e\u0301e\u0301e\u0301', 2), 'e\u0301…');
    assert.equal(cut('a🇩🇪bcdefg', 4), 'a🇩🇪…');
    assert.equal(cut('abc', 1), '…');
    assert.equal(cut('abc', 0), '');
  });

  test('is never wider than the given width, and cuts no grapheme', () => {
    const unit = fc.oneof(
      fc.constantFrom(family, '🇩🇪', '1️⃣', 'e\u0301', '漢', 'ก็', '\u200d', '\u0301', ' ', 'a', 'ש'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    );
    const clusters = (text: string): string[] =>
      [...new Intl.Segmenter().segment(text)].map((each) => each.segment);
    fc.assert(
      fc.property(fc.string({ unit }), fc.nat(12), (text, columns) => {
        const out = cut(text, columns);
        assert.ok(maxWidth(out, 99) <= columns);
        assert.ok(displayWidth(out) <= maxWidth(out, 99));
        if (out === text) return;
        assert.ok(maxWidth(text, 99) > columns);
        const kept = clusters(out.replace(/…$/, ''));
        assert.deepEqual(clusters(text).slice(0, kept.length), kept);
      }),
    );
  });
});

test('hasAgreedWidth: text that all terminals measure the same', () => {
  for (const text of ['abc', 'Über Größe', 'Привет', '漢字かな한국', '…'])
    assert.ok(hasAgreedWidth(text), text);
  for (const text of [family, '❤️', '❤', 'e\u0301', 'ก็', 'שלום', '🇩🇪', '1️⃣', 'a\u200bb'])
    assert.ok(!hasAgreedWidth(text), text);
});

test('right to left: Hebrew, Arabic and their kin', () => {
  for (const text of ['שלום', 'مرحبا', 'a ש']) assert.ok(isRightToLeft(text), text);
  for (const text of ['abc', '漢字', '😀', 'ก็']) assert.ok(!isRightToLeft(text), text);
});

test('long runs of combining marks, joiners or flag letters are measured and cut quickly', {
  timeout: 20_000,
}, () => {
  for (const unit of ['\u200b', 'a\u0301', '\u{1f1e6}', '\u{1f469}\u200d']) {
    const text = unit.repeat(300_000);
    assert.ok(displayWidth(text) >= 0);
    assert.ok(displayWidth(cut(text, 80)) <= 80);
  }
});
