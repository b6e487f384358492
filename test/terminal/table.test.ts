import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { page, scriptedService } from '../support/service.ts';
import { missing } from '../support/shell.ts';
import { chanlist, open } from './tmux.ts';

const skip = missing('tmux');

/** Titles whose width all terminals agree on: no joined emoji, flags, keycaps, Thai and Hindi. */
const titles = [
  'plain',
  '日本語のタイトル、全角。',
  '한국어 제목과 中文标题',
  'ﾊﾝｶｸ and Ａｌｌ　ｗｉｄｅ',
  'Cafe\u0301 cre\u0300me e\u0301te\u0301',
  'Z\u0351\u036f\u0314a\u0329\u0347l\u034e\u0320g\u0353\u033co\u0348',
  'كيف تصنع الخبز في المنزل | الحلقة 7',
  'איך לאפות לחם בבית, פרק 3',
  '\u202eoverride\u2066 isolate\u2069 \u001b[31mred\u0007 \u009b5A\tup\nline',
  '½ ± § “quotes” – — … • ★★★☆☆ Ω ≈ №',
  '𝓕𝓪𝓷𝓬𝔂 𠜎𠜱𠝹',
  '',
  'x'.repeat(300),
  '宽'.repeat(150),
];

/** A service with a list of these titles on each of two pages. */
async function wildService(t: TestContext): Promise<Record<string, string>> {
  const service = await scriptedService(t, ({ query }) => {
    const second = query.has('continuation');
    const results = titles.map((title, i) => ({
      videoId: `${second ? 'B' : 'A'}_${String(i).padStart(2, '0')}_endmark`,
      title,
      lengthText: '1:02:33',
      viewCountText: '3.2M views',
      index: String(i + (second ? titles.length : 0)),
    }));
    return { body: { ...page(0, 0, second ? null : 'next', titles.length * 2), results } };
  });
  return service.env;
}

suite('tables in a real terminal', { skip, concurrency: 2 }, () => {
  for (const columns of [40, 120]) {
    test(`${columns} columns: everything after a title is aligned`, async (t) => {
      const env = await wildService(t);
      const line = `exec ${chanlist} uploads @a --all --fields title,videoId,lengthText --quiet`;
      const screen = await open(t, line, { columns, rows: 60, env });
      const { exit, text } = await screen.ended();
      assert.equal(exit, 0, text);
      assert.equal(text.split('\n').length, 2 + 2 * titles.length, 'a line for each entry: nothing wraps');
      const ids = ['A', 'B'].flatMap((page) =>
        titles.map((_, i) => `${page}_${String(i).padStart(2, '0')}_endmark`),
      );
      const [first = 0, ...others] = new Set(await screen.columnsOf(ids));
      assert.deepEqual(others, []);
      assert.equal(first, text.split('\n')[2]?.indexOf('A_00'), 'where the plain row has it');
    });
  }
});
