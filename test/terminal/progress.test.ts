import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { startSandbox } from '../../src/sandbox/server.ts';
import { serviceEnvironment, temporaryFolder, testKey } from '../support/program.ts';
import { missing } from '../support/shell.ts';
import { chanlist, open } from './tmux.ts';

const skip = missing('tmux');

/** Any remains of a progress line: its glyph, or its words. */
const progressLine = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|credits?, [\d.]+\/s|\bof \d+ (?:entries|credits)/;

/** A service that takes its time for every page, in another process's eyes. */
async function slowService(t: TestContext, latency = 150): Promise<Record<string, string>> {
  const sandbox = await startSandbox({ key: testKey, latency });
  t.after(() => sandbox.close());
  return serviceEnvironment(sandbox.baseUrl);
}

suite('progress in a real terminal', { skip, concurrency: 3 }, () => {
  test('table: the progress line is below the rows, removed at the end, never among them', async (t) => {
    const env = await slowService(t);
    const screen = await open(t, `exec ${chanlist} uploads @size-950 --all`, { columns: 110, env });
    await screen.until(/^\S {2}@size-950: page \d, \d00\/950 entries, \d\/10 credits, \d+\/s, \d+ s left$/m);
    const { exit, text } = await screen.ended();
    assert.equal(exit, 0);
    assert.doesNotMatch(text, progressLine);
    const lines = text.split('\n');
    assert.equal(lines.length, 2 + 950 + 1);
    assert.match(lines.at(-1) ?? '', /^chanlist: 950 entries, 10 pages, 10 credits$/);
    for (const [i, line] of lines.slice(2, -1).entries())
      assert.match(line, new RegExp(`^ *${i} {2}[\\w-]{11} {2}`));
  });
});

suite('Ctrl-C in a real terminal', { skip, concurrency: 2 }, () => {
  for (const [name, flags] of [
    ['table', '--all'],
    ['json', '--json'],
    ['a file', '-o out.ndjson'],
  ] as const) {
    test(`${name}: exit 130, how to resume, and nothing is left of the progress line`, async (t) => {
      const env = await slowService(t, 250);
      const cwd = await temporaryFolder(t);
      const screen = await open(t, `exec ${chanlist} uploads @demo ${flags}`, { columns: 400, env, cwd });
      // JSON ends within a line: there the progress line waits.
      await screen.until(name === 'json' ? /"index": "150"/ : /page [2-9], \d+\/1,234 entries/);
      await screen.press('C-c');
      const { exit, text } = await screen.ended();
      assert.equal(exit, 130);
      assert.doesNotMatch(text, progressLine);
      const message = flags.startsWith('-o')
        ? /^chanlist: error: (?:@demo: )?stopped by SIGINT; .*\d credits.*; run the same command/
        : /^chanlist: error: (?:@demo: )?stopped by SIGINT; .*\d credits.*; resume with: chanlist uploads .*--continuation\S+/;
      assert.match(text.split('\n').at(-1) ?? '', message);
      if (name === 'json') assert.match(text, /"has_more": true,\n +"error": \{/);
      if (name === 'table')
        for (const line of text.split('\n').slice(2, -1)) assert.match(line, /^ *\d+ {2}[\w-]{11} {2}/);
    });
  }
});
