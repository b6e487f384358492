import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CommandOptions } from '../support/command.ts';
import { temporaryFolder } from '../support/program.ts';
import { page, scriptedService } from '../support/service.ts';

test('a table of a listing at a terminal stops after the first page of each reference, and says what --all costs', async (t) => {
  const service = await scriptedService(t, ({ query }) => {
    if (query.get('channel') === '@short') return { body: page(0, 3, null) };
    return { body: query.has('continuation') ? page(3, 6, null, 7) : page(0, 3, 'next', 7) };
  });
  const summary = join(await temporaryFolder(t), 'summary.json');
  const list = async (args: readonly string[], options: CommandOptions) => {
    service.seen.length = 0;
    const result = await service.command(['uploads', '@a', ...args], options);
    return { ...result, requests: service.seen.length };
  };
  const terminal = { columns: 100 };

  const first = await list(['@short', '--summary', summary], terminal);
  assert.deepEqual([first.exit, first.requests], [0, 2]);
  assert.match(first.stderr, /^chanlist: @a: 3 of 7 entries; --all lists them all for about 3 credits$/m);
  assert.doesNotMatch(first.stderr, /@short: /);
  const { references, counts } = JSON.parse(await readFile(summary, 'utf8'));
  assert.deepEqual(
    references.map(({ status, entries }: Record<string, unknown>) => [status, entries]),
    [
      ['limited', 3],
      ['complete', 3],
    ],
  );
  assert.deepEqual([counts.limited, counts.complete], [1, 1]);

  // Also where only stdout is the terminal.
  assert.match((await list([], { ...terminal, isStderrFile: true })).stderr, /--all lists them all/);
  const limited = await list(['-n', '3'], terminal);
  assert.doesNotMatch(limited.stderr, /more|--all/);

  // Only these flags lift that, no variable.
  for (const args of [['--all'], ['-n', '6'], ['--max-credits', '5']])
    assert.equal((await list(args, terminal)).requests, 2, args.join(' '));
  assert.equal((await list([], { ...terminal, env: { CHANLIST_MAX_CREDITS: '5' } })).requests, 1);
  // Other formats, pipes and files are complete, always.
  assert.equal((await list(['--ndjson'], terminal)).requests, 2);
  assert.equal((await list(['-f', 'table'], {})).requests, 2);
});

test('a numVideos below the entries of the first page is not shown, nor a cost computed from it', async (t) => {
  const service = await scriptedService(t, () => ({ body: page(0, 3, 'next', 2) }));
  const { exit, stderr } = await service.command('uploads @a', { columns: 100 });
  assert.equal(exit, 0);
  assert.match(stderr, /^chanlist: there are more entries; --all lists them all for 1 credit per page$/m);
});

test('an invalid page is not the first of many: 8, at a terminal too', async (t) => {
  for (const body of [{ status: 'error' }, { results: [{ videoId: 'a' }] }]) {
    const service = await scriptedService(t, () => ({ body }));
    const { exit, stderr } = await service.command(['uploads', '@a'], { columns: 80 });
    assert.equal(exit, 8);
    assert.doesNotMatch(stderr, /more entries/);
  }
});
