import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../support/program.ts';
import { scriptedService } from '../../support/service.ts';
import { inBatches } from './fault.ts';
import { assertHarmless, hostile } from './harmless.ts';

/** An entry of which every part is hostile: all values, one of them nested, and the name of a member. */
const entry = {
  videoId: `id${hostile}`,
  title: `title${hostile}`,
  channelId: `UC${hostile}`,
  channelTitle: hostile,
  channelHandle: `@${hostile}`,
  lengthText: `1:02${hostile}`,
  viewCountText: hostile,
  thumbnails: [{ [hostile]: hostile }],
  index: `0${hostile}`,
  [`k${hostile}`]: hostile,
  published: `2026-01-01T${hostile}`,
};
const envelope = {
  results: [entry, entry, hostile, [hostile], null, 7],
  playlist_info: { title: hostile, numVideos: hostile, ownerName: hostile, description: hostile },
  continuation_token: hostile,
  has_more: false,
  [hostile]: hostile,
};
const unknownShape = { [hostile]: { [hostile]: hostile }, [`a${hostile}`]: hostile };
const resolved = { channel_id: 'UCx', resolved_from: hostile };

const commands: readonly (readonly [args: readonly string[], body: unknown])[] = [
  [['uploads', '@a'], envelope],
  [['uploads', '@a', '@b'], envelope],
  [['playlist', 'PLx'], envelope],
  [['latest', '@a'], { results: [entry] }],
  [['latest', '@a', '@b'], unknownShape],
  [
    ['search', '@a', 'x'],
    [entry, unknownShape],
  ],
  [['resolve', '@a'], resolved],
];

// An argument cannot contain NUL.
const argument = hostile.replaceAll('\u0000', '');

test('no response, argument, file name or setting brings a control character to stderr or into messages', async (t) => {
  const folder = await temporaryFolder(t);
  const service = await scriptedService(t, () => ({ status: 404, body: { detail: hostile } }));
  // A name of at most 255 bytes, without a slash.
  const name = '\u001b[2J\u009b1A\u202e\n\r\u0007 x';
  const listFile = join(folder, `${name}.txt`);
  await writeFile(listFile, `@a\n${argument.replaceAll('\n', '')}\n`);
  const cases: readonly (readonly [exit: number, ...args: string[]])[] = [
    [5, 'uploads', '@a', '-vv'],
    [2, 'uploads', argument],
    [2, 'uploads', '--from', listFile],
    [2, 'uploads', '@a', '-o', join(folder, name, 'missing', name)],
    [1, 'uploads', '@a', '--summary', join(folder, name, name)],
    [2, 'uploads', '@a', '--profile', argument],
    [2, 'uploads', '@a', `--${argument}`],
    [8, 'uploads', '--continuation', argument],
    [2, argument],
    [2, 'help', argument],
    [1, 'serve', '--host', argument],
    [0, 'search', '@a', 'a\u202eb\u009b', '--dry-run'],
  ];
  await inBatches(cases, async ([exit, ...args]) => {
    const result = await service.run(args, { env: { CHANLIST_DEBUG: '1' } });
    const shown = JSON.stringify(args.map((arg) => arg.slice(0, 20)));
    assert.equal(result.exit, exit, `${shown}: ${result.stderr}`);
    assertHarmless(result.stderr, shown);
    assertHarmless(result.stdout, shown);
  });
  const { exit, stderr } = await service.run('uploads @a', { env: { CHANLIST_MAX_CREDITS: argument } });
  assert.equal(exit, 2);
  assertHarmless(stderr, 'a variable');
});

test('at a terminal no format prints control characters', async (t) => {
  const cases = commands.flatMap(([args, body]) =>
    ['table', 'json', 'ndjson', 'csv', 'id'].map((format) => ({ args: [...args, '-f', format], body })),
  );
  await inBatches(cases, async ({ args, body }) => {
    const service = await scriptedService(t, () => ({ body }));
    const { exit, stdout, stderr } = await service.command(args, { columns: 80 });
    const name = args.join(' ');
    assert.equal(exit, 0, `${name}: ${stderr}`);
    assert.notEqual(`${stdout}${stderr}`, '', name);
    // JSON may contain the separators: they control nothing.
    assertHarmless(name.includes('json') ? stdout.replace(/[\u2028\u2029]/g, '') : stdout, name);
    assertHarmless(stderr, name);
  });
});
