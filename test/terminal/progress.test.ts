import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { sandbox } from '../sandbox/client.ts';
import { serviceEnvironment, temporaryFolder, testKey } from '../support/program.ts';
import { missing } from '../support/shell.ts';
import { chanlist, open } from './tmux.ts';

const skip = missing('tmux');

/** Any remains of a progress line: its glyph, or its words. */
const progressLine = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|credits?, [\d.]+\/s|\bof \d+ (?:entries|credits)/;

/** A service that takes its time for every page, in another process's eyes. */
async function slowService(t: TestContext, latency = 150): Promise<Record<string, string>> {
  return serviceEnvironment((await sandbox(t, { key: testKey, latency })).baseUrl);
}

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
      const [tally = '', message = '', step = ''] = text.split('\n').slice(-3);
      assert.match(tally, /^chanlist: \d+ entries, \d pages, \d credits/);
      assert.match(message, /^chanlist: error: (?:@demo: )?stopped by SIGINT; .*\d credits/);
      const next =
        name === 'a file' ? 'run the same command' : 'resume with: chanlist uploads .*--continuation\\S+';
      assert.match(step, new RegExp(`^chanlist: ${next}`));
      if (name === 'json') assert.match(text, /"has_more": true,\n +"error": \{/);
      if (name === 'table')
        for (const line of text.split('\n').slice(2, -3)) assert.match(line, /^ *\d+ {2}[\w-]{11} {2}/);
    });
  }
});
