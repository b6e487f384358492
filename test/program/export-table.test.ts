/** The table "What a run does with one export" of docs/updates.md, a row and a column at a time. */
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
  readonly next?: { readonly credits: number; readonly file: Range; readonly args?: string };
}

/** Brings a world into a state, by runs of the program: 12 uploads, 5 a page. */
type Make = (world: World, channel: SimulatedChannel) => unknown;

interface Row {
  readonly state: string;
  readonly make: Make;
  /** The command, without the flag of a column. */
  readonly args?: string;
  readonly name?: string;
  readonly cells: Partial<Readonly<Record<Column, Cell>>>;
}

const file = 'a.ndjson';
const uploads = 'uploads @a -o a.ndjson';
const json = { args: 'uploads @a -o a.json', name: 'a.json' };
const playlist = { args: 'playlist PLx -o p.ndjson', name: 'p.ndjson' };
const folder = { args: 'uploads @a --output-dir .', name: `${channelId('a')}.ndjson` };

/** Steps, one after another. */
const steps =
  (...all: readonly Make[]): Make =>
  async (world, channel) => {
    for (const step of all) await step(world, channel);
  };
const exporting =
  (args = uploads): Make =>
  async (world) => {
    const { exit, stderr } = await world.run(args);
    assert.equal(exit, 0, stderr);
  };
/** No credits when the second page is requested. */
const interrupting =
  (args = uploads): Make =>
  async (world) => {
    const { exit, stderr } = await world.run(args, { at: 2, by: 402 });
    assert.equal(exit, 4, stderr);
  };
const uploading =
  (to: number): Make =>
  (_, channel) => {
    channel.list = videos(0, to);
  };
const removing =
  (name: string): Make =>
  (world) =>
    world.remove(name);
const refusingTokens: Make = (world) => world.service.expireTokens();
const restartInterrupted = steps(exporting(), uploading(15), interrupting(`${uploads} --restart`));
const updateInterrupted = steps(exporting(), uploading(23), interrupting(`${uploads} --update`));

/** A folder has the name of FILE when it is to be replaced. */
const notInPlace: Make = async (world) => {
  const inTheWay = join(world.folder, file);
  const unhook = world.service.on(({ operation }) => {
    if (operation !== 'uploads') return;
    mkdirSync(inTheWay);
    unhook();
  });
  assert.equal((await world.run(uploads)).exit, 1);
  rmdirSync(inTheWay);
};
/** FILE is there, and its record does not know. */
const inPlace: Make = (world) => {
  const own = join(world.folder, '.chanlist');
  const rows = readdirSync(own).find((name) => name.endsWith('.part')) ?? '';
  renameSync(join(own, rows), join(world.folder, file));
};
/** A --restart cannot write its record. */
const restartFailing: Make = async (world) => {
  const inTheWay = join(world.folder, '.chanlist', `.${shortName('a.ndjson.json')}.tmp`);
  mkdirSync(inTheWay);
  assert.equal((await world.run(`${uploads} --restart`)).exit, 1);
  rmdirSync(inTheWay);
};
/** Takes the first two entries from FILE. */
const losing =
  (name: string): Make =>
  (world) => {
    if (!name.endsWith('json') || name.endsWith('ndjson'))
      return world.write(name, world.read(name).split('\n').slice(2).join('\n'));
    const document = JSON.parse(world.read(name)) as { results: unknown[] };
    world.write(name, JSON.stringify({ ...document, results: document.results.slice(2) }));
  };
/** A line of FILE is damaged; its size stays. */
const damaging: Make = (world) => {
  world.write('b', world.read(file).replace(/^.{9}/, 'x'.repeat(9)));
  renameSync(join(world.folder, 'b'), join(world.folder, file));
};
const addingDamage: Make = (world) => world.write(file, `{"videoId":"a_0\n${world.read(file)}`);
const addingRow: Make = (world) => {
  const row = world.read(file).split('\n')[0]?.replace('000000011', '000000012');
  world.write(file, `${row}\n${world.read(file)}`);
};

const whole: Range = [0, 12];
type Names = readonly (string | RegExp)[];
const exports = (credits: number, file: Range = whole): Cell => ({ exit: 0, credits, file });
/** FILE is skipped, free, with a warning; the command that it names costs this, and FILE then has these videos. */
const kept = (names: Names, credits: number, file: Range): Cell => ({
  ...{ ...exports(0), names },
  next: { credits, file },
});
const refused = (file: Range | null, ...names: Names): Cell => ({ exit: 2, credits: 0, file, names });
const failed = (exit: 1 | 8, file: Range | null, flag: string, next?: Cell['next']): Cell => ({
  ...{ exit, credits: 0, file, names: [flag, 'credit'] },
  ...(next && { next }),
});
const cost = /3 credits|1 credit per/;

const rows: readonly Row[] = [
  {
    state: 'nothing',
    make: () => {},
    cells: { 'no flag': exports(3), '--update': refused(null), '--restart': exports(3) },
  },
  {
    state: 'nothing, in a folder with another export',
    make: exporting('uploads @b -o b.ndjson'),
    cells: { 'no flag': exports(3), '--update': exports(3), '--restart': exports(3) },
  },
  {
    state: 'an empty FILE without a record',
    make: (world) => world.write(file, ''),
    cells: { 'no flag': exports(3), '--restart': exports(3) },
  },
  {
    state: 'an interrupted export of this request',
    make: interrupting(),
    cells: { 'no flag': exports(2), '--update': exports(2), '--restart': exports(3) },
  },
  {
    state: 'an export of this request, interrupted by a kill',
    make: (world) => world.spawn(uploads, 2),
    cells: { 'no flag': exports(2), '--update': exports(2), '--restart': exports(3) },
  },
  {
    state: 'an interrupted export, of which a --restart could not write its record',
    make: steps(interrupting(), restartFailing),
    cells: { 'no flag': exports(2) },
  },
  {
    state: 'a complete export that is not yet in place',
    make: notInPlace,
    cells: { 'no flag': exports(0), '--update': exports(0) },
  },
  {
    state: 'a complete export that is in place, of which the record does not know',
    make: steps(notInPlace, inPlace),
    cells: { 'no flag': exports(0), '--update': exports(0) },
  },
  {
    state: 'an interrupted --restart of a complete FILE',
    make: restartInterrupted,
    cells: {
      'no flag': kept(['--restart'], 2, [0, 15]),
      '--update': exports(2, [0, 15]),
      '--restart': exports(2, [0, 15]),
    },
  },
  {
    state: 'an interrupted --restart, of which the token is refused',
    make: steps(restartInterrupted, refusingTokens),
    cells: {
      'no flag': kept(['--restart'], 3, [0, 15]),
      '--update': failed(8, whole, '--restart', { credits: 3, file: [0, 15] }),
      '--restart': exports(3, [0, 15]),
    },
  },
  {
    state: 'an interrupted update of FILE',
    make: updateInterrupted,
    cells: {
      'no flag': kept(['--update'], 2, [0, 23]),
      '--update': exports(2, [0, 23]),
      '--restart': exports(5, [0, 23]),
    },
  },
  {
    state: 'an interrupted update of every page',
    make: steps(exporting(), uploading(23), interrupting(`${uploads} --update --all`)),
    cells: { '--update': exports(4, [0, 23]), '--update --all': exports(4, [0, 23]) },
  },
  {
    state: 'an interrupted update, of which the token is refused',
    make: steps(updateInterrupted, refusingTokens),
    cells: {
      'no flag': kept(['--update'], 3, [0, 23]),
      '--update': exports(3, [0, 23]),
      '--restart': exports(5, [0, 23]),
    },
  },
  {
    state: 'an interrupted export, of which the token is refused',
    make: steps(interrupting(), refusingTokens),
    cells: {
      'no flag': failed(8, null, '--restart', { credits: 3, file: whole }),
      '--update': failed(8, null, '--restart'),
      '--restart': exports(3),
    },
  },
  ...(
    [
      ['format', '-f csv', 'csv'],
      ['fields', '--fields videoId,title', 'videoId,title'],
      ['limit', '-n 7', /limit 7|-n 7/],
    ] as const
  ).map(([what, words, shown]) => ({
    state: `an interrupted export with another ${what}`,
    make: interrupting(`${uploads} ${words}`),
    cells: {
      'no flag': refused(null, shown, '--restart'),
      '--update': refused(null, shown),
      '--restart': exports(3),
    },
  })),
  {
    state: 'an interrupted export from another service',
    make: (world, channel) => {
      const url = world.service.url.replace('127.0.0.1', 'localhost');
      return interrupting(`${uploads} --base-url ${url}`)(world, channel);
    },
    cells: {
      'no flag': refused(null, 'localhost'),
      '--update': refused(null, 'localhost'),
      '--restart': exports(3),
    },
  },
  {
    state: 'a complete FILE of this request',
    make: exporting(),
    cells: { 'no flag': kept(['--update'], 0, whole), '--update': exports(0), '--restart': exports(3) },
  },
  {
    state: 'a complete FILE of this request, and two new uploads',
    make: steps(exporting(), uploading(14)),
    cells: {
      'no flag': kept(['--update'], 1, [0, 14]),
      '--update': exports(1, [0, 14]),
      '--restart': exports(3, [0, 14]),
    },
  },
  ...(
    [
      ['json file', json],
      ['playlist', playlist],
    ] as const
  ).flatMap(([what, { args, name }]): Row[] => [
    {
      ...{ state: `a complete ${what}`, args, name },
      make: exporting(args),
      cells: {
        'no flag': kept(['--restart', cost], 3, whole),
        '--update': refused(whole),
        '--restart': exports(3),
      },
    },
    {
      ...{ state: `a ${what} with fewer entries than recorded`, args, name },
      make: steps(exporting(args), losing(name)),
      cells: {
        'no flag': failed(1, [0, 10], '--restart', { credits: 3, file: whole }),
        '--update': refused([0, 10]),
        '--restart': exports(3),
      },
    },
  ]),
  ...(
    [
      ['a complete FILE of another format', '-f csv', exports(3)],
      ['a complete FILE of other fields', '--fields videoId,title', exports(3)],
      ['a complete FILE, now with a --limit below its entries', '-n 5', exports(1, [7, 12])],
    ] as const
  ).map(([state, words, restarted]) => ({
    state,
    args: `${uploads} ${words}`,
    make: exporting(),
    cells: {
      'no flag': {
        ...refused(whole, 'show'),
        next: { credits: 0, file: whole, args: `show a.ndjson ${words}` },
      },
      '--update': refused(whole),
      '--restart': restarted,
    },
  })),
  {
    state: 'a complete FILE, now with a --limit above its entries',
    args: `${uploads} -n 50`,
    make: exporting(),
    cells: { 'no flag': exports(0) },
  },
  {
    state: 'a FILE that --limit cut, now another one',
    args: `${uploads} -n 7`,
    make: exporting(`${uploads} -n 5`),
    cells: { 'no flag': exports(2, [5, 12]), '--update': refused([7, 12]), '--restart': exports(2, [5, 12]) },
  },
  {
    state: 'a FILE of which --limit cut the last page, now none',
    make: exporting(`${uploads} -n 11`),
    cells: { 'no flag': exports(3), '--update': exports(3), '--restart': exports(3) },
  },
  {
    state: 'a FILE that the same --limit cut',
    args: `${uploads} -n 5`,
    make: exporting(`${uploads} -n 5`),
    cells: { 'no flag': exports(0, [7, 12]), '--restart': exports(1, [7, 12]) },
  },
  {
    state: 'FILE gone, the record is there',
    make: steps(exporting(), removing(file)),
    cells: {
      'no flag': exports(3),
      '--update': failed(1, null, `chanlist uploads @a --output `, { credits: 3, file: whole }),
      '--restart': exports(3),
    },
  },
  {
    state: 'FILE gone, the record of an interrupted update is there',
    make: steps(updateInterrupted, removing(file)),
    cells: {
      'no flag': exports(5, [0, 23]),
      '--update': failed(1, null, `chanlist uploads @a --output `),
      '--restart': exports(5, [0, 23]),
    },
  },
  ...(
    [
      ['with fewer entries than recorded', losing(file), [0, 10]],
      ['of the same size, with a damaged line', damaging, null],
      ['with a damaged line more', addingDamage, null],
    ] as const
  ).map(([what, damage, left]) => {
    const lost = failed(1, left, '--update --all', { credits: 3, file: whole });
    return {
      state: `a FILE ${what}`,
      make: steps(exporting(), damage),
      cells: { 'no flag': lost, '--update': lost, '--update --all': exports(3), '--restart': exports(3) },
    };
  }),
  {
    state: 'a FILE that has more entries than recorded',
    make: steps(exporting(), uploading(14), addingRow),
    cells: { 'no flag': exports(0, [0, 13]) },
  },
  {
    state: 'a FILE without a record',
    make: steps(exporting(), removing('.chanlist')),
    cells: {
      'no flag': { ...refused(whole, '--update', '--restart'), next: { credits: 0, file: whole } },
      '--update': exports(0),
      '--restart': exports(3),
    },
  },
  {
    state: 'a json file without a record',
    ...json,
    make: steps(exporting(json.args), removing('.chanlist')),
    cells: {
      'no flag': { ...refused(whole, '--restart'), next: { credits: 3, file: whole } },
      '--update': refused(whole),
      '--restart': exports(3),
    },
  },
  {
    state: 'a FILE without a record, in a folder run',
    ...folder,
    make: steps(exporting(folder.args), removing('.chanlist'), uploading(14)),
    cells: {
      'no flag': kept([''], 1, [0, 14]),
      '--update': exports(1, [0, 14]),
      '--restart': exports(3, [0, 14]),
    },
  },
  {
    state: 'a FILE of another channel',
    args: 'uploads @b -o a.ndjson',
    make: exporting(),
    cells: { 'no flag': refused(whole), '--update': refused(whole), '--restart': refused(whole) },
  },
  {
    state: 'a FILE of a channel, now a playlist',
    args: 'playlist PLx -o a.ndjson',
    make: exporting(),
    cells: { 'no flag': refused(whole), '--restart': refused(whole) },
  },
  {
    state: 'an interrupted export of another channel',
    args: 'uploads @b -o a.ndjson',
    make: interrupting(),
    cells: { 'no flag': refused(null), '--update': refused(null), '--restart': refused(null) },
  },
];

/** The IDs of FILE in any format; null without a FILE. */
function idsOf(world: World, name: string): string[] | null {
  if (!world.has(name)) return null;
  const text = world.read(name);
  return idsInText(text, text.startsWith('videoId') ? 'csv' : name.endsWith('.json') ? 'json' : 'ndjson');
}

const idsIn = ([from, to]: Range): unknown[] => videos(from, to).map(({ videoId }) => videoId);

for (const { state, make, args = uploads, name = file, cells } of rows) {
  for (const [column, cell] of Object.entries(cells)) {
    test(`${state} | ${column}: ${cell.exit}, ${cell.credits} credits`, async (t) => {
      const world = await World.open(t, { pageSize });
      const channel = world.service.addChannel('a', { list: videos(0, 12) });
      world.service.addChannel('b', { list: videos(0, 12, {}, 'b_') });
      world.service.addPlaylist('PLx', videos(0, 12));
      await make(world, channel);
      const before = world.has(name) ? world.read(name) : null;
      world.now += 60_000;
      const line = column === 'no flag' ? args : `${args} ${column}`;
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
      const words = next.args ?? printedCommand(message) ?? `${args} ${flag}`;
      const after = await world.run(words);
      assert.deepEqual([after.exit, after.credits], [0, next.credits], `${words}: ${after.stderr}`);
      assert.deepEqual(idsOf(world, name), idsIn(next.file));
    });
  }
}
