import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { sandbox } from '../sandbox/client.ts';
import { serviceEnvironment, temporaryFolder, testKey } from '../support/program.ts';
import { missing } from '../support/shell.ts';
import { chanlist, open, type ScreenOptions } from './tmux.ts';

/** A terminal of 24 lines with a service, and the requests that have reached it. */
async function atTerminal(t: TestContext, args: string, options: ScreenOptions = {}) {
  const { baseUrl } = await sandbox(t, { key: testKey });
  const { PAGER: _, ...more } = options.env ?? {};
  const pager = options.env?.PAGER ?? 'less -FRX';
  const env = { ...serviceEnvironment(baseUrl), PAGER: pager, ...more };
  // The shell stays: with the exit code it says whether the terminal shows what is typed.
  const line = `trap : INT; ${chanlist} ${args}; echo "exit $?, $(stty -a | grep -o ' echo ')"`;
  return await open(t, line, { rows: 24, ...options, env });
}

suite('the pager at a real terminal', { skip: missing('tmux', 'less'), concurrency: 2 }, () => {
  test('a table longer than the screen waits at its first rows, and stderr until the pager exits', async (t) => {
    for (const leave of ['q', 'C-c']) {
      const screen = await atTerminal(t, 'uploads @demo -v');
      const first = await screen.until(/^:$/m);
      assert.match(first, /^videoId .*\n─+\ndemo0001234 /);
      assert.doesNotMatch(first, /chanlist: /);
      if (leave === 'C-c') {
        // The work is done: these are for the pager.
        await screen.press('C-c');
        await new Promise((resolve) => setTimeout(resolve, 1100));
        await screen.press('C-c');
      }
      await screen.press('q');
      const { text } = await screen.ended();
      assert.match(
        text,
        /\nchanlist: 100 of 1,234 entries; .*\nchanlist: 100 entries, 1 page, 1 credit\nexit 0, +echo$/,
      );
    }
  });

  test('left before the end, it is said that there are more entries of what was printed', async (t) => {
    const screen = await atTerminal(t, 'uploads @demo @size-20000 @size-20000/videos @empty', {
      env: { PAGER: 'head -n 5' },
    });
    const { text } = await screen.ended();
    // Whether its page was written whole before the reader left depends on the pipe.
    assert.match(text, /\nchanlist: @demo: (?:100 of 1,234|there are more) entries; --all lists them all/);
  });

  test('Ctrl-C before the end: the run stops, and says how to resume when the pager exits', async (t) => {
    const summary = join(await temporaryFolder(t), 's.json');
    const screen = await atTerminal(t, `uploads @size-20000 --all --summary ${summary}`, { columns: 300 });
    await screen.until(/^:$/m);
    // Meanwhile the pipe fills: a page waits within its lines.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await screen.press('C-c');
    await new Promise((resolve) => setTimeout(resolve, 1800));
    assert.equal(JSON.parse(readFileSync(summary, 'utf8')).exit, 130);
    await screen.press('q');
    const { text } = await screen.ended();
    assert.match(
      text,
      /\nchanlist: error: stopped by SIGINT; .*\nchanlist: resume with: chanlist .*\nexit 130, +echo$/,
    );
  });

  test('$PAGER is a shell line; no pager for other formats, and without entries', async (t) => {
    for (const [args, PAGER, shown] of [
      [
        'uploads @size-300 --all',
        'head -n 3 | tail -n 1',
        /^008C0000300 .*\nchanlist: (?:[123]00 entries, )?[123] pages?, .*\n[\s\S]*exit 0/,
      ],
      // A reader that does not scroll: what the pipe takes meanwhile is bought.
      [
        'uploads @size-3000 --all',
        'sleep 1; head -n 1',
        /^videoId .*\nchanlist: [1-6]00 entries, .*\nexit 0/,
      ],
      ['uploads @size-3', '', /^videoId[\s\S]*chanlist: 3 entries/],
      ['uploads @size-3 -f id', 'nosuchpager', /^0003\d+\n[\s\S]*chanlist: 3 entries/],
      ['uploads @empty', 'nosuchpager', /^chanlist: 0 entries, 1 page, 1 credit\nexit 0/],
    ] as const) {
      const screen = await atTerminal(t, args, { env: { PAGER }, cwd: await temporaryFolder(t) });
      assert.match((await screen.ended()).text, shown, `${args} with ${PAGER}`);
    }
  });

  test('a pager that fails is reported beside another failure of the run, each once', async (t) => {
    const cwd = await temporaryFolder(t);
    writeFileSync(join(cwd, 'bad.ndjson'), '{"videoId":"a","title":"A"}\nno json\n');
    const screen = await atTerminal(t, 'show bad.ndjson', {
      env: { PAGER: 'cat; exit 3' },
      cwd,
      columns: 120,
    });
    const { text } = await screen.ended();
    assert.equal(text.match(/\nchanlist: error: bad\.ndjson:2: not a record/g)?.length, 1, text);
    assert.equal(text.match(/\nchanlist: error: the pager failed with exit code 3/g)?.length, 1, text);
    assert.match(text, /\nexit 1, /);
  });

  test('a pager that fails is an error, and what was bought is printed without it', async (t) => {
    for (const [args, PAGER, code] of [
      ['uploads @size-100', 'nosuchpager', 127],
      ['uploads @size-100', 'false', 1],
      ['uploads @size-100', 'cat > /dev/null; exit 3', 3],
      ['uploads @size-3000 --all', 'head -n 1 > /dev/null; exit 4', 4],
      // It fails after the first page, while the second is requested.
      ['uploads @size-3000 --all', 'head -n 102 > /dev/null; exit 5', 5],
    ] as const) {
      const path = join(await temporaryFolder(t), 's.json');
      const screen = await atTerminal(t, `${args} --summary ${path}`, { env: { PAGER }, columns: 120 });
      const { text } = await screen.ended();
      assert.ok(text.includes(`\nchanlist: error: the pager failed with exit code ${code}: ${PAGER}`), text);
      assert.match(text, /\nchanlist: choose another one with PAGER, or set PAGER to an empty value/);
      assert.match(text, /\nexit 1, /);
      const { exit, credits, references } = JSON.parse(readFileSync(path, 'utf8'));
      assert.deepEqual([exit, references[0].entries], [1, 100 * credits.confirmed]);
      assert.equal(text.match(/^ *\d+ {2}[\w-]{11} /gm)?.length, 100 * credits.confirmed, PAGER);
    }
  });
});
