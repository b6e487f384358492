/** The table "What a run does with one export" of product.md, a row and a column at a time. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { shortName } from '../../src/fs/files.ts';
import { channelId, type SimulatedChannel, videos } from '../support/simulated-service.ts';
import { idsInText, printedCommand, World } from '../support/world.ts';

/** In processes of their own: ten times as long. */
const isLong = process.env.CHANLIST_LONG === '1';
const pageSize = 5;

/** Videos of FILE, newest first: from the nth oldest (from 0) to the mth (exclusive). */
type Range = readonly [from: number, to: number];
type Column = 'no flag' | '--update' | '--update --all' | '--restart';

interface Cell {
  readonly exit: number;
  /** By the service's account. */
  readonly credits: number;
  /** FILE afterwards; null: there is none. */
  readonly file: Range | null;
  /** What its only error, or warning, names. */
  readonly names?: readonly (string | RegExp)[];
  /** What follows when the command or the flag that it names is run: exit 0, these credits, this FILE. */
  readonly next?: { readonly credits: number; readonly file: Range; readonly args?: readonly string[] };
}

interface Row {
  readonly state: string;
  /** Makes it, by runs of the program: 12 uploads, 5 a page. */
  readonly make: (given: World, channel: SimulatedChannel) => Promise<unknown>;
  /** The command, without the flag of a column. */
  readonly args?: readonly string[];
  readonly name?: string;
  readonly cells: Partial<Readonly<Record<Column, Cell>>>;
}

const uploads = (...more: string[]): string[] => ['uploads', '@a', '-o', 'a.ndjson', ...more];
const toJson = ['uploads', '@a', '-o', 'a.json'];
const playlist = ['playlist', 'PLx', '-o', 'p.ndjson'];
const folder = ['uploads', '@a', '--output-dir', '.'];
const inFolder = `${channelId('a')}.ndjson`;

/** Twelve uploads, complete. */
const exported = async (world: World, args: readonly string[] = uploads()): Promise<void> => {
  const { exit, stderr } = await world.run(args);
  assert.equal(exit, 0, stderr);
};
/** No credits when the second page is asked for. */
const interrupted = async (world: World, args: readonly string[] = uploads()): Promise<void> => {
  const { exit, stderr } = await world.run(args, { at: 2, by: 402 });
  assert.equal(exit, 4, stderr);
};
const upload = (channel: SimulatedChannel, to: number): void => {
  channel.list = videos(0, to);
};
const restartInterrupted = async (world: World, channel: SimulatedChannel): Promise<void> => {
  await exported(world);
  upload(channel, 15);
  await interrupted(world, uploads('--restart'));
};
const updateInterrupted = async (world: World, channel: SimulatedChannel): Promise<void> => {
  await exported(world);
  upload(channel, 23);
  await interrupted(world, uploads('--update'));
};
/** A folder has the name of FILE when it is to be replaced. */
const notInPlace = async (world: World): Promise<void> => {
  const inTheWay = join(world.folder, 'a.ndjson');
  const unhook = world.service.on(({ operation }) => {
    if (operation !== 'uploads') return;
    mkdirSync(inTheWay);
    unhook();
  });
  assert.equal((await world.run(uploads())).exit, 1);
  rmdirSync(inTheWay);
};
/** Takes the first so many rows from FILE. */
const loseRows = (world: World, count: number, name = 'a.ndjson'): void =>
  world.write(name, world.read(name).split('\n').slice(count).join('\n'));
const loseRowsOfJson = (world: World): void => {
  const document = JSON.parse(world.read('a.json')) as { results: unknown[] };
  world.write('a.json', JSON.stringify({ ...document, results: document.results.slice(2) }));
};

const whole: Range = [0, 12];
const exports = (credits: number, file: Range = whole): Cell => ({ exit: 0, credits, file });
const refused = (file: Range | null, ...names: (string | RegExp)[]): Cell => ({
  exit: 2,
  credits: 0,
  file,
  names,
});

const rows: readonly Row[] = [
  {
    state: 'nothing',
    make: async () => {},
    cells: { 'no flag': exports(3), '--update': refused(null), '--restart': exports(3) },
  },
  {
    state: 'nothing, in a folder with another export',
    make: (world) => exported(world, ['uploads', '@b', '-o', 'b.ndjson']),
    cells: { 'no flag': exports(3), '--update': exports(3), '--restart': exports(3) },
  },
  {
    state: 'an empty FILE without a record',
    make: async (world) => world.write('a.ndjson', ''),
    cells: { 'no flag': exports(3), '--restart': exports(3) },
  },
  {
    state: 'an interrupted export of this request',
    make: (world) => interrupted(world),
    cells: { 'no flag': exports(2), '--update': exports(2), '--restart': exports(3) },
  },
  {
    state: 'an export of this request, interrupted by 500',
    make: (world) => world.run(uploads(), { at: 3, by: 500 }),
    cells: { 'no flag': exports(1), '--update': exports(1), '--restart': exports(3) },
  },
  {
    state: 'an export of this request, interrupted by a kill',
    make: (world) => world.spawn(uploads(), 2),
    cells: { 'no flag': exports(2), '--update': exports(2), '--restart': exports(3) },
  },
  {
    state: 'an interrupted export, of which a --restart could not write its record',
    make: async (world) => {
      await interrupted(world);
      const inTheWay = join(world.folder, '.chanlist', `.${shortName('a.ndjson.json')}.tmp`);
      mkdirSync(inTheWay);
      assert.equal((await world.run(uploads('--restart'))).exit, 1);
      rmdirSync(inTheWay);
    },
    cells: { 'no flag': exports(2) },
  },
  {
    state: 'a complete export that is not yet in place',
    make: notInPlace,
    cells: { 'no flag': exports(0), '--update': exports(0) },
  },
  {
    state: 'a complete export that is in place, of which the record does not know',
    make: async (world) => {
      await notInPlace(world);
      const own = join(world.folder, '.chanlist');
      const rows = readdirSync(own).find((name) => name.endsWith('.part')) ?? '';
      renameSync(join(own, rows), join(world.folder, 'a.ndjson'));
    },
    cells: { 'no flag': exports(0), '--update': exports(0) },
  },
  {
    state: 'an interrupted --restart of a complete FILE',
    make: restartInterrupted,
    cells: {
      'no flag': { ...exports(0), names: ['--restart'], next: { credits: 2, file: [0, 15] } },
      '--update': exports(2, [0, 15]),
      '--restart': exports(2, [0, 15]),
    },
  },
  {
    state: 'an interrupted --restart, of which the token is refused',
    make: async (world, channel) => {
      await restartInterrupted(world, channel);
      world.service.expireTokens();
    },
    cells: {
      'no flag': { ...exports(0), names: ['--restart'], next: { credits: 3, file: [0, 15] } },
      '--update': {
        ...{ exit: 8, credits: 0, file: whole, names: ['--restart', 'credit'] },
        next: { credits: 3, file: [0, 15] },
      },
      '--restart': exports(3, [0, 15]),
    },
  },
  {
    state: 'an interrupted update of FILE',
    make: updateInterrupted,
    cells: {
      'no flag': { ...exports(0), names: ['--update'], next: { credits: 2, file: [0, 23] } },
      '--update': exports(2, [0, 23]),
      '--restart': exports(5, [0, 23]),
    },
  },
  {
    state: 'an interrupted update of every page',
    make: async (world, channel) => {
      await exported(world);
      upload(channel, 23);
      await interrupted(world, uploads('--update', '--all'));
    },
    cells: { '--update': exports(4, [0, 23]), '--update --all': exports(4, [0, 23]) },
  },
  {
    state: 'an interrupted update, of which the token is refused',
    make: async (world, channel) => {
      await updateInterrupted(world, channel);
      world.service.expireTokens();
    },
    cells: {
      'no flag': { ...exports(0), names: ['--update'] },
      '--update': exports(3, [0, 23]),
      '--restart': exports(5, [0, 23]),
    },
  },
  {
    state: 'an interrupted export, of which the token is refused',
    make: async (world) => {
      await interrupted(world);
      world.service.expireTokens();
    },
    cells: {
      'no flag': {
        ...{ exit: 8, credits: 0, file: null, names: ['--restart', 'credit'] },
        next: { credits: 3, file: whole },
      },
      '--update': { exit: 8, credits: 0, file: null, names: ['--restart', 'credit'] },
      '--restart': exports(3),
    },
  },
  ...(
    [
      ['format', ['-f', 'csv'], 'csv'],
      ['fields', ['--fields', 'videoId,title'], 'videoId,title'],
      ['limit', ['-n', '7'], /limit 7|-n 7/],
    ] as const
  ).map(([what, words, shown]) => ({
    state: `an interrupted export with another ${what}`,
    make: (world: World) => interrupted(world, uploads(...words)),
    cells: {
      'no flag': refused(null, shown, '--restart'),
      '--update': refused(null, shown),
      '--restart': exports(3),
    },
  })),
  {
    state: 'an interrupted export from another service',
    make: (world) =>
      interrupted(world, uploads('--base-url', world.service.url.replace('127.0.0.1', 'localhost'))),
    cells: {
      'no flag': refused(null, 'localhost'),
      '--update': refused(null, 'localhost'),
      '--restart': exports(3),
    },
  },
  {
    state: 'a complete FILE of this request',
    make: (world) => exported(world),
    cells: {
      'no flag': { ...exports(0), names: ['--update'], next: { credits: 0, file: whole } },
      '--update': exports(0),
      '--restart': exports(3),
    },
  },
  {
    state: 'a complete FILE of this request, and two new uploads',
    make: async (world, channel) => {
      await exported(world);
      upload(channel, 14);
    },
    cells: {
      'no flag': { ...exports(0), names: ['--update'], next: { credits: 1, file: [0, 14] } },
      '--update': exports(1, [0, 14]),
      '--restart': exports(3, [0, 14]),
    },
  },
  {
    state: 'a complete json file',
    args: toJson,
    name: 'a.json',
    make: (world) => exported(world, toJson),
    cells: {
      'no flag': {
        ...exports(0),
        names: ['--restart', /3 credits|1 credit per/],
        next: { credits: 3, file: whole },
      },
      '--update': refused(whole),
      '--restart': exports(3),
    },
  },
  {
    state: 'a complete playlist',
    args: playlist,
    name: 'p.ndjson',
    make: (world) => exported(world, playlist),
    cells: {
      'no flag': {
        ...exports(0),
        names: ['--restart', /3 credits|1 credit per/],
        next: { credits: 3, file: whole },
      },
      '--update': refused(whole),
      '--restart': exports(3),
    },
  },
  {
    state: 'a complete FILE of another format',
    args: uploads('-f', 'csv'),
    make: (world) => exported(world),
    cells: {
      'no flag': {
        ...refused(whole, 'show'),
        next: { credits: 0, file: whole, args: ['show', 'a.ndjson', '-f', 'csv'] },
      },
      '--update': refused(whole),
      '--restart': exports(3),
    },
  },
  {
    state: 'a complete FILE of other fields',
    args: uploads('--fields', 'videoId,title'),
    make: (world) => exported(world),
    cells: {
      'no flag': {
        ...refused(whole, 'show'),
        next: { credits: 0, file: whole, args: ['show', 'a.ndjson', '--fields', 'videoId,title'] },
      },
      '--update': refused(whole),
      '--restart': exports(3),
    },
  },
  {
    state: 'a complete FILE, now with a --limit below its entries',
    args: uploads('-n', '5'),
    make: (world) => exported(world),
    cells: {
      'no flag': { ...refused(whole, 'show'), next: { credits: 0, file: whole } },
      '--update': refused(whole),
      '--restart': exports(1, [7, 12]),
    },
  },
  {
    state: 'a complete FILE, now with a --limit above its entries',
    args: uploads('-n', '50'),
    make: (world) => exported(world),
    cells: { 'no flag': exports(0) },
  },
  {
    state: 'a FILE that --limit cut, now another one',
    args: uploads('-n', '7'),
    make: (world) => exported(world, uploads('-n', '5')),
    cells: { 'no flag': exports(2, [5, 12]), '--update': refused([7, 12]), '--restart': exports(2, [5, 12]) },
  },
  {
    state: 'a FILE of which --limit cut the last page, now none',
    make: (world) => exported(world, uploads('-n', '11')),
    cells: { 'no flag': exports(3), '--update': exports(3), '--restart': exports(3) },
  },
  {
    state: 'a FILE that the same --limit cut',
    args: uploads('-n', '5'),
    make: (world) => exported(world, uploads('-n', '5')),
    cells: { 'no flag': exports(0, [7, 12]), '--restart': exports(1, [7, 12]) },
  },
  {
    state: 'FILE gone, the record is there',
    make: async (world) => {
      await exported(world);
      world.remove('a.ndjson');
    },
    cells: {
      'no flag': exports(3),
      '--update': {
        ...{ exit: 1, credits: 0, file: null, names: ['--update', 'credit'] },
        next: { credits: 3, file: whole, args: uploads() },
      },
      '--restart': exports(3),
    },
  },
  {
    state: 'FILE gone, the record of an interrupted update is there',
    make: async (world, channel) => {
      await updateInterrupted(world, channel);
      world.remove('a.ndjson');
    },
    cells: {
      'no flag': exports(5, [0, 23]),
      '--update': { exit: 1, credits: 0, file: null, names: ['--update', 'credit'] },
      '--restart': exports(5, [0, 23]),
    },
  },
  ...(
    [
      ['with fewer entries than recorded', (world: World) => loseRows(world, 2), [0, 10]],
      [
        'of the same size, with a damaged line',
        (world: World) => {
          world.write('b', world.read('a.ndjson').replace(/^.{9}/, 'x'.repeat(9)));
          renameSync(join(world.folder, 'b'), join(world.folder, 'a.ndjson'));
        },
        null,
      ],
      [
        'with a damaged line more',
        (world: World) => world.write('a.ndjson', `{"videoId":"a_0\n${world.read('a.ndjson')}`),
        null,
      ],
    ] as const
  ).map(([what, damage, left]) => {
    const lost: Cell = {
      ...{ exit: 1, credits: 0, file: left, names: ['--update --all', 'credit'] },
      next: { credits: 3, file: whole },
    };
    return {
      state: `a FILE ${what}`,
      make: async (world: World) => {
        await exported(world);
        damage(world);
      },
      cells: { 'no flag': lost, '--update': lost, '--update --all': exports(3), '--restart': exports(3) },
    };
  }),
  {
    state: 'a json file with fewer entries than recorded',
    args: toJson,
    name: 'a.json',
    make: async (world) => {
      await exported(world, toJson);
      loseRowsOfJson(world);
    },
    cells: {
      'no flag': {
        ...{ exit: 1, credits: 0, file: [0, 10], names: ['--restart', 'credit'] },
        next: { credits: 3, file: whole },
      },
      '--update': refused([0, 10]),
      '--restart': exports(3),
    },
  },
  {
    state: 'a playlist with fewer entries than recorded',
    args: playlist,
    name: 'p.ndjson',
    make: async (world) => {
      await exported(world, playlist);
      loseRows(world, 2, 'p.ndjson');
    },
    cells: {
      'no flag': {
        ...{ exit: 1, credits: 0, file: [0, 10], names: ['--restart', 'credit'] },
        next: { credits: 3, file: whole },
      },
      '--restart': exports(3),
    },
  },
  {
    state: 'a FILE that has more entries than recorded',
    make: async (world, channel) => {
      await exported(world);
      upload(channel, 14);
      const row = world.read('a.ndjson').split('\n')[0]?.replace('000000011', '000000012');
      world.write('a.ndjson', `${row}\n${world.read('a.ndjson')}`);
    },
    cells: { 'no flag': exports(0, [0, 13]) },
  },
  {
    state: 'a FILE without a record',
    make: async (world) => {
      await exported(world);
      world.remove('.chanlist');
    },
    cells: {
      'no flag': { ...refused(whole, '--update', '--restart'), next: { credits: 0, file: whole } },
      '--update': exports(0),
      '--restart': exports(3),
    },
  },
  {
    state: 'a json file without a record',
    args: toJson,
    name: 'a.json',
    make: async (world) => {
      await exported(world, toJson);
      world.remove('.chanlist');
    },
    cells: {
      'no flag': { ...refused(whole, '--restart'), next: { credits: 3, file: whole } },
      '--update': refused(whole),
      '--restart': exports(3),
    },
  },
  {
    state: 'a FILE without a record, in a folder run',
    args: folder,
    name: inFolder,
    make: async (world, channel) => {
      await exported(world, folder);
      world.remove('.chanlist');
      upload(channel, 14);
    },
    cells: {
      'no flag': { ...exports(0), names: [''], next: { credits: 1, file: [0, 14] } },
      '--update': exports(1, [0, 14]),
      '--restart': exports(3, [0, 14]),
    },
  },
  {
    state: 'a FILE of another channel',
    args: ['uploads', '@b', '-o', 'a.ndjson'],
    make: (world) => exported(world),
    cells: { 'no flag': refused(whole), '--update': refused(whole), '--restart': refused(whole) },
  },
  {
    state: 'a FILE of a channel, now a playlist',
    args: ['playlist', 'PLx', '-o', 'a.ndjson'],
    make: (world) => exported(world),
    cells: { 'no flag': refused(whole), '--restart': refused(whole) },
  },
  {
    state: 'an interrupted export of another channel',
    args: ['uploads', '@b', '-o', 'a.ndjson'],
    make: (world) => interrupted(world),
    cells: { 'no flag': refused(null), '--update': refused(null), '--restart': refused(null) },
  },
];

/** The IDs of FILE, whatever its format; null without one. */
function idsOf(world: World, name: string): string[] | null {
  if (!world.has(name)) return null;
  const text = world.read(name);
  return idsInText(text, text.startsWith('videoId') ? 'csv' : name.endsWith('.json') ? 'json' : 'ndjson');
}

const idsIn = ([from, to]: Range): unknown[] => videos(from, to).map(({ videoId }) => videoId);

for (const { state, make, args = uploads(), name = 'a.ndjson', cells } of rows) {
  for (const [column, cell] of Object.entries(cells)) {
    test(`${state} | ${column}: ${cell.exit}, ${cell.credits} credits`, async (t) => {
      const world = await World.open(t, { pageSize });
      const channel = world.service.addChannel('a', { list: videos(0, 12) });
      world.service.addChannel('b', { list: videos(0, 12, {}, 'b_') });
      world.service.addPlaylist('PLx', videos(0, 12));
      await make(world, channel);
      const before = world.has(name) ? world.read(name) : null;
      world.now += 60_000;
      const line = [...args, ...(column === 'no flag' ? [] : column.split(' '))];
      const { exit, credits, stderr, stdout, errors, warnings } = await (isLong
        ? world.spawn(line)
        : world.run(line));
      assert.deepEqual(
        { exit, credits, stdout },
        { exit: cell.exit, credits: cell.credits, stdout: '' },
        stderr,
      );
      if (cell.exit !== 0) assert.equal(world.has(name) ? world.read(name) : null, before);
      else assert.deepEqual(idsOf(world, name), cell.file === null ? null : idsIn(cell.file), stderr);
      // A list that is complete leaves no rows.
      if (cell.exit === 0 && cell.credits > 0)
        assert.doesNotMatch(readdirSync(join(world.folder, '.chanlist')).join('\n'), /\.part$/m);
      assert.equal(errors.length, exit === 0 ? 0 : 1, stderr);
      if (cell.names !== undefined && exit === 0) assert.equal(warnings.length, 1, stderr);
      const [message = ''] = exit === 0 ? warnings : errors;
      for (const named of cell.names ?? [])
        assert.ok(
          typeof named === 'string' ? message.includes(named) : named.test(message),
          `${named}: ${message}`,
        );
      const { next } = cell;
      if (next === undefined) return;
      const [flag = '--update'] = /--update --all|--update|--restart/.exec(message) ?? [];
      const words = next.args ?? printedCommand(message) ?? [...args, ...flag.split(' ')];
      const after = await world.run(words);
      assert.deepEqual([after.exit, after.credits], [0, next.credits], `${words.join(' ')}: ${after.stderr}`);
      assert.deepEqual(idsOf(world, name), idsIn(next.file));
    });
  }
}
