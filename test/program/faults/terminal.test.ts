import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHere as run } from '../../support/command.ts';
import { serviceEnvironment, temporaryFolder } from '../../support/program.ts';
import { type Reply, scriptedService } from '../../support/service.ts';
import { missing } from '../../support/shell.ts';
import { errorsWith, inBatches } from './fault.ts';
import { assertHarmless, assertHarmlessScreen, hostile } from './harmless.ts';
import { onTerminal } from './pty.ts';

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

/** Bytes in place of a response. */
const bytes =
  (text: string): Reply =>
  (_, socket) =>
    void socket.end(Buffer.from(text));

/** Responses that end in a message, with hostile text wherever it may come from. */
const refusals: readonly (readonly [name: string, reply: Reply, exit: number])[] = [
  ...errorsWith(hostile),
  ['detail with a message', { status: 422, body: { detail: { message: hostile } } }, 8],
  ['a list of details', { status: 422, body: { detail: [{ loc: [hostile, hostile], msg: hostile }] } }, 8],
  ['an error', { status: 500, body: { error: hostile } }, 7],
  [
    'headers of raw bytes',
    bytes(
      'HTTP/1.1 302 \u001b[2J\r\nLocation: http://x/\u009b2J\u202e\u0085\tx\r\nRetry-After: \u009b\r\nContent-Length: 0\r\n\r\n',
    ),
    8,
  ],
  ['a reason phrase', bytes('HTTP/1.1 500 \u001b]0;x\u0007\u009b\r\nContent-Length: 0\r\n\r\n'), 7],
  ['another protocol', bytes(hostile), 8],
];

test('no error body, header or protocol brings a control character to stderr', async (t) => {
  await inBatches(refusals, async ([name, reply, exit]) => {
    const service = await scriptedService(t, () => reply);
    const line = 'uploads @a -vv --retries 1 --max-wait 1 -f json';
    const result = await service.run(line, { env: { CHANLIST_DEBUG: '1' } });
    assert.equal(result.exit, exit, `${name}: ${result.stderr}`);
    assertHarmless(result.stderr, name);
    assertHarmless(result.stdout, name);
    JSON.parse(result.stdout);
  });
});

// An argument cannot contain NUL.
const argument = hostile.replaceAll('\u0000', '');

test('no argument, file name or setting brings a control character to stderr', async (t) => {
  const folder = await temporaryFolder(t);
  const service = await scriptedService(t, () => ({ status: 404, body: {} }));
  const env = serviceEnvironment(service.url);
  // A name of at most 255 bytes, without a slash.
  const name = '\u001b[2J\u009b1A\u202e\n\r\u0007 x';
  const listFile = join(folder, `${name}.txt`);
  await writeFile(listFile, `@a\n${argument.replaceAll('\n', '')}\n`);
  const cases: readonly (readonly string[])[] = [
    ['uploads', argument],
    ['playlist', `PL${argument}`],
    ['resolve', `https://x/${argument}`],
    ['search', '@a', argument.repeat(5)],
    ['uploads', '--from', listFile],
    ['uploads', '@a', '-o', join(folder, name, 'missing', name)],
    ['uploads', '@a', '-o', join(folder, `${name}.out`)],
    ['uploads', '@a', '--summary', join(folder, name, name)],
    ['uploads', '@a', '--key-file', join(folder, name)],
    ...['--base-url', '--namespace', '--profile', '--fields', '--format', '--timeout', '-n'].map((flag) => [
      'uploads',
      '@a',
      flag,
      argument,
    ]),
    ['uploads', '@a', `--${argument}`],
    ['uploads', '--continuation', argument],
    [argument],
    ['help', argument],
    ['auth', argument],
    ['serve', '--fail', argument],
    ['serve', '--host', argument],
  ];
  await inBatches(cases, async (args) => {
    const result = await run([...args], { env: { ...env, CHANLIST_DEBUG: '1' } });
    const shown = JSON.stringify(args.map((arg) => arg.slice(0, 20)));
    // Other failures: a summary that cannot be created, and a 404 of the service.
    const exit = { '--summary': 1, '--fields': 5, '--continuation': 8, '--host': 1 }[args.at(-2) ?? ''] ?? 2;
    assert.equal(result.exit, exit, `${shown}: ${result.stderr}`);
    assert.match(result.stderr, /^chanlist: /, shown);
    assertHarmless(result.stderr, shown);
    assertHarmless(result.stdout, shown);
  });
  for (const variable of ['PROFILE', 'BASE_URL', 'NAMESPACE', 'API_KEY', 'API_KEY_FILE', 'MAX_CREDITS']) {
    const result = await run('uploads @a', { env: { ...env, [`CHANLIST_${variable}`]: argument } });
    // CHANLIST_API_KEY takes precedence over the file.
    assert.equal(result.exit, variable === 'API_KEY_FILE' ? 5 : 2, `${variable}: ${result.stderr}`);
    assertHarmless(result.stderr, variable);
  }
  const dry = await run(['search', '@a', 'a\u202eb\u009b', '--dry-run'], { env });
  assert.equal(dry.exit, 0);
  assertHarmless(dry.stdout, '--dry-run');
});

test('at a terminal no format prints control characters', {
  skip: missing('script'),
}, async (t) => {
  const cases = commands.flatMap(([args, body]) =>
    ['table', 'json', 'ndjson', 'csv', 'id'].map((format) => ({ args: [...args, '-f', format], body })),
  );
  await inBatches(cases, async ({ args, body }) => {
    const service = await scriptedService(t, () => ({ body }));
    const { exit, screen } = await onTerminal(args, serviceEnvironment(service.url));
    const name = args.join(' ');
    assert.equal(exit, 0, `${name}: ${screen}`);
    assert.notEqual(screen, '', name);
    // JSON may contain the separators: they control nothing.
    const shown = name.includes('json') ? screen.replace(/[\u2028\u2029]/g, '') : screen;
    assertHarmlessScreen(shown, name);
  });
});
