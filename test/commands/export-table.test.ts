/**
 * The table "What a run does with one export" of docs/updates.md: what a cell does to files and credits. Left out are
 * cells that refuse as the one before them does (test/export/next-step.test.ts has every cell), and flags that exclude
 * each other (options.test.ts).
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { shortName } from '../../src/fs/files.ts';
import { channelId, type SimulatedChannel, videos } from '../support/simulated-service.ts';
import { idsInText, World } from '../support/world.ts';

const pageSize = 5;

/** Videos of FILE, newest first: from the nth oldest (from 0) to the mth (exclusive). */
type Range = readonly [from: number, to: number];
type Column = 'no flag' | '--update' | '--update --all' | '--restart';

/** A printed command that is pasted (`mv` and `rm`: then the same run again), what that costs, and FILE afterwards. */
type Remedy = readonly [command: RegExp, credits: number, file: Range];

interface Cell {
  readonly exit: number;
  /** By the service's account. */
  readonly credits: number;
  /** FILE afterwards; null: there is none; `same`: the same bytes. */
  readonly file: Range | null | 'same';
  /** Its only line on stderr; null: there is none. */
  readonly says: RegExp | null;
  readonly remedies: readonly Remedy[];
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
const whole: Range = [0, 12];
const view = { args: 'uploads @a -o a.csv', name: 'a.csv' };
const playlist = { args: 'playlist PLx -o p.ndjson', name: 'p.ndjson' };
const folder = { args: 'uploads @a --output-dir .', name: `${channelId('a')}.ndjson` };

/** Done, with one warning or none. */
const done = (
  credits: number,
  to: Range | null | 'same' = whole,
  says: RegExp | null = null,
  ...remedies: Remedy[]
): Cell => ({ exit: 0, credits, file: to, says, remedies });
/** Refused for free: FILE keeps its bytes. */
const refused = (exit: 1 | 2 | 8, says: RegExp, ...remedies: Remedy[]): Cell => ({
  ...{ exit, credits: 0, file: 'same', says, remedies },
});

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
const writing =
  (text: string, name = file): Make =>
  (world) =>
    world.write(name, text);
const removing =
  (name: string): Make =>
  (world) =>
    world.remove(name);
const refusingTokens: Make = (world) => world.service.expireTokens();
const rowsOf = (world: World): string => {
  const own = join(world.folder, '.chanlist');
  return join(own, readdirSync(own).find((name) => name.endsWith('.part')) ?? 'none');
};
const damagingRows: Make = (world) =>
  world.write(rowsOf(world).slice(world.folder.length + 1), 'no rows at all\n');
const otherService =
  (args: string): Make =>
  (world, channel) =>
    interrupting(`${args} --base-url ${world.service.url.replace('127.0.0.1', 'localhost')}`)(world, channel);
const restartInterrupted = steps(exporting(), uploading(15), interrupting(`${uploads} --restart`));
const updateInterrupted = steps(exporting(), uploading(23), interrupting(`${uploads} --update`));
const allInterrupted = steps(exporting(), uploading(23), interrupting(`${uploads} --update --all`));

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
const inPlace: Make = (world) => renameSync(rowsOf(world), join(world.folder, file));
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
  (world) =>
    world.write(name, world.read(name).split('\n').slice(2).join('\n'));
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
const cost = String.raw`\(1 credit per 100 entries\)`;
const restart: RegExp = /^chanlist \S+ \S+ --output.* --restart/;
/** Refused; the printed `--restart` exports it again, which is what that column says. */
const restartable = (exit: 1 | 2, says: string): Cell => refused(exit, new RegExp(says), [restart, 3, whole]);
const repaired = /left out 1 line; the first: line 1 is not a JSON record/;
const unaccepted = (from: RegExp, to: Range = whole): Cell =>
  refused(8, from, [restart, (to[1] + 3) / 5, to]);

const rows: readonly Row[] = [
  ...(
    [
      ['a FILE recorded for another channel', 'uploads @b -o a.ndjson', exporting()],
      ['a FILE of a channel, now a playlist', 'playlist PLx -o a.ndjson', exporting()],
      [
        'a FILE without a record whose entries are all of another channel',
        'uploads @b -o a.ndjson',
        steps(exporting(), removing('.chanlist')),
      ],
      ['an interrupted run of another channel', 'uploads @b -o a.ndjson', interrupting()],
    ] as const
  ).map(([state, args, make]) => ({
    ...{ state, args, make },
    cells: { 'no flag': refused(2, /name another file/), '--restart': refused(2, /name another file/) },
  })),
  {
    state: 'nothing',
    make: () => {},
    cells: {
      'no flag': done(3),
      '--update': refused(2, /no exports .* mounted\?.*omit --update/),
      '--update --all': refused(2, /no exports/),
      '--restart': done(3),
    },
  },
  ...(
    [
      ['in a folder with another export', uploads, exporting('uploads @b -o b.ndjson')],
      [
        'in a folder with an ID.ndjson and without .chanlist',
        folder.args,
        writing('{"videoId":"x"}\n', `${channelId('b')}.ndjson`),
      ],
    ] as const
  ).map(([where, args, make]) => ({
    ...{ state: `nothing, ${where}`, args, make },
    name: args === uploads ? file : folder.name,
    cells: { 'no flag': done(3), '--update': done(3), '--update --all': done(3), '--restart': done(3) },
  })),
  {
    state: 'an empty FILE without a record',
    make: writing(''),
    cells: { 'no flag': done(3), '--update': done(3), '--restart': done(3) },
  },
  {
    state: 'an interrupted export, and an empty FILE that was not there when it began',
    make: steps(interrupting(), writing('')),
    cells: { 'no flag': done(2), '--update': done(2) },
  },
  {
    state: 'an interrupted export, and a FILE that was not there when it began',
    make: steps(interrupting(), writing('mine\n')),
    cells: {
      'no flag': refused(2, /was not there when its export began.* are kept/, [/^mv /, 2, whole]),
      '--update': refused(2, /the pages fetched so far are kept/, [/^mv /, 2, whole], [restart, 3, whole]),
    },
  },
  ...(
    [
      ['', interrupting()],
      [' by a kill', (world: World) => world.spawn(uploads, 2)],
    ] as const
  ).map(([how, make]) => ({
    ...{ state: `an export of this request, interrupted${how}`, make },
    cells: { 'no flag': done(2), '--update': done(2), '--update --all': done(2), '--restart': done(3) },
  })),
  {
    state: 'an interrupted export, of which a --restart could not write its record',
    make: steps(interrupting(), restartFailing),
    cells: { 'no flag': done(2) },
  },
  {
    state: 'an interrupted --restart without a FILE',
    make: interrupting(`${uploads} --restart`),
    cells: { 'no flag': done(2), '--update': done(2), '--restart': done(2) },
  },
  {
    state: 'a complete export that is not yet in place',
    make: notInPlace,
    cells: { 'no flag': done(0), '--update': done(0), '--restart': done(0) },
  },
  {
    state: 'a complete export that is not yet in place, now with other fields',
    args: `${uploads} --fields title`,
    make: notInPlace,
    cells: { 'no flag': { ...refused(2, /all fields/), file: whole } },
  },
  {
    state: 'a complete export that is in place, of which the record does not know',
    make: steps(notInPlace, inPlace),
    cells: { 'no flag': done(0), '--update': done(0), '--restart': done(0) },
  },
  {
    state: 'an interrupted --restart of a complete FILE',
    make: restartInterrupted,
    cells: {
      'no flag': done(2, [0, 15], /the rest costs about 2 credits; .*rm /),
      '--update': done(2, [0, 15], /the rest costs about 2 credits; .*rm /),
      '--restart': done(2, [0, 15]),
    },
  },
  {
    state: 'an interrupted --restart, of which the token is refused',
    make: steps(restartInterrupted, refusingTokens),
    cells: {
      'no flag': { ...unaccepted(/./, [0, 15]), remedies: [[/^rm /, 0, whole]] },
      '--update': { ...unaccepted(/./, [0, 15]), remedies: [[restart, 3, [0, 15]]] },
      '--restart': done(3, [0, 15]),
    },
  },
  {
    state: 'an interrupted update of FILE',
    make: updateInterrupted,
    cells: {
      'no flag': done(2, [0, 23]),
      '--update': done(2, [0, 23]),
      '--update --all': done(7, [0, 23]),
      '--restart': done(5, [0, 23]),
    },
  },
  {
    state: 'an interrupted update of every page',
    make: allInterrupted,
    cells: {
      'no flag': done(4, [0, 23], /the rest costs about 4 credits; .*rm /),
      '--update': done(4, [0, 23], /the rest costs about 4 credits; .*rm /),
      '--update --all': done(4, [0, 23]),
      '--restart': done(5, [0, 23]),
    },
  },
  ...(['the token is refused', 'the rows are damaged', 'the service is another one'] as const).map(
    (what) => ({
      state: `an interrupted update, of which ${what}`,
      make: what.startsWith('the service')
        ? steps(exporting(), uploading(23), otherService(`${uploads} --update`))
        : steps(updateInterrupted, what.startsWith('the token') ? refusingTokens : damagingRows),
      cells: {
        'no flag': done(3, [0, 23] as const),
        '--update': done(3, [0, 23] as const),
        '--update --all': done(5, [0, 23] as const),
        '--restart': done(5, [0, 23] as const),
      },
    }),
  ),
  {
    state: 'an interrupted update, of which the rows were removed',
    make: steps(updateInterrupted, (world) => world.remove(rowsOf(world).slice(world.folder.length + 1))),
    cells: { '--update': done(3, [0, 23], /rows .* were removed/) },
  },
  {
    state: 'an interrupted export, of which the token is refused',
    make: steps(interrupting(), refusingTokens),
    cells: {
      'no flag': unaccepted(new RegExp(`--restart .*${cost}`)),
      '--restart': done(3),
    },
  },
  ...(['damaged', 'missing'] as const).map((what) => ({
    state: `an interrupted export, of which the rows are ${what}`,
    make: steps(interrupting(), (world, channel) =>
      what === 'damaged'
        ? damagingRows(world, channel)
        : world.remove(rowsOf(world).slice(world.folder.length + 1)),
    ),
    cells: { 'no flag': restartable(1, `the rows of its interrupted run are .*--restart.*${cost}`) },
  })),
  ...(
    [
      ['fields', '--fields videoId,title', 'videoId,title'],
      ['limit', '-n 7', '--limit 7'],
    ] as const
  ).map(([what, words, shown]) => ({
    state: `an interrupted export with another ${what}`,
    make: interrupting(`${uploads} ${words}`),
    cells: { 'no flag': restartable(2, `${shown}.*--restart .*${cost}`) },
  })),
  {
    ...{ state: 'an interrupted export of another format', args: 'uploads @a -o a', name: 'a' },
    make: interrupting('uploads @a -o a -f csv'),
    cells: { 'no flag': restartable(2, `in csv format.*--restart .*${cost}`) },
  },
  {
    ...{ state: 'a complete FILE of another format', args: 'uploads @a -o a -f csv', name: 'a' },
    make: exporting('uploads @a -o a'),
    cells: {
      'no flag': refused(2, new RegExp(`in ndjson format.*--restart .*${cost}`), [
        /^chanlist show a /,
        0,
        whole,
      ]),
      '--restart': done(3),
    },
  },
  {
    state: 'an interrupted export from another service',
    make: otherService(uploads),
    cells: { 'no flag': refused(2, /localhost/), '--restart': done(3) },
  },
  {
    state: 'an interrupted --restart of a complete FILE, now of other fields',
    args: `${uploads} --fields videoId`,
    make: restartInterrupted,
    cells: {
      'no flag': refused(2, /all fields.*rm .*--restart/, [/^chanlist show /, 0, whole]),
      '--restart': done(3, [0, 15]),
    },
  },
  {
    state: 'a complete FILE of this request',
    make: exporting(),
    cells: { '--update': done(0, 'same'), '--update --all': done(3, 'same') },
  },
  {
    state: 'a complete FILE of this request, and two new uploads',
    make: steps(exporting(), uploading(14)),
    cells: {
      'no flag': done(0, 'same', /--update/),
      '--update': done(1, [0, 14]),
      '--update --all': done(3, [0, 14]),
      '--restart': done(3, [0, 14]),
    },
  },
  ...(
    [
      ['view', view],
      ['playlist', playlist],
    ] as const
  ).map(([what, { args, name }]) => ({
    ...{ state: `a complete ${what}`, args, name },
    make: exporting(args),
    cells: {
      'no flag': done(0, 'same', new RegExp(`--restart .*${cost}`)),
      '--restart': done(3),
    },
  })),
  {
    state: 'a complete FILE of fields without videoId',
    args: `${uploads} --fields title`,
    make: exporting(`${uploads} --fields title`),
    cells: { 'no flag': done(0, 'same', /--restart/) },
  },
  {
    ...{ state: 'a view that others have changed', ...view },
    make: steps(exporting(view.args), losing(view.name)),
    cells: {
      'no flag': done(0, 'same', /others have changed it/),
      '--restart': done(3),
    },
  },
  ...(
    [
      ['a complete FILE of other fields', '--fields videoId,title', done(3)],
      ['a complete FILE, now with a limit below its entries', '-n 5', done(1, [7, 12])],
      ['a complete FILE, now with a limit above its entries', '-n 50', done(3)],
    ] as const
  ).map(([state, words, restarted]) => ({
    state,
    args: `${uploads} ${words}`,
    make: exporting(),
    cells: {
      'no flag': refused(2, new RegExp(`all fields and no --limit.*--restart .*${cost}`), [
        /^chanlist show a.ndjson /,
        0,
        whole,
      ]),
      '--restart': restarted,
    },
  })),
  {
    state: 'a FILE with a limit, now none',
    make: exporting(`${uploads} -n 11`),
    cells: { 'no flag': restartable(2, '--limit 11.*--restart') },
  },
  {
    state: 'a FILE with the same limit',
    args: `${uploads} -n 5`,
    make: exporting(`${uploads} -n 5`),
    cells: { 'no flag': done(0, 'same', /--restart/), '--restart': done(1, [7, 12]) },
  },
  {
    state: 'FILE gone, the record is there',
    make: steps(exporting(), removing(file)),
    cells: {
      'no flag': done(3),
      '--update': refused(1, new RegExp(`is missing.*restore it.*${cost}`), [
        /^chanlist uploads @a --output a.ndjson --retries 0$/,
        3,
        whole,
      ]),
      '--update --all': refused(1, /is missing/),
      '--restart': done(3),
    },
  },
  ...(
    [
      ['with fewer entries than recorded', losing(file), null],
      ['of the same size, with a damaged line', damaging, repaired],
      ['with a damaged line more', addingDamage, repaired],
    ] as const
  ).map(([what, damage, warning]) => {
    const lost = refused(1, new RegExp(`restore it.*--update --all .*${cost}`), [/--update --all/, 3, whole]);
    return {
      state: `a FILE ${what}`,
      make: steps(exporting(), damage),
      cells: {
        'no flag': lost,
        '--update --all': done(3, whole, warning),
        '--restart': done(3),
      },
    };
  }),
  {
    state: 'a FILE that has more entries than recorded',
    make: steps(exporting(), uploading(14), addingRow),
    cells: { 'no flag': done(0, 'same', /--update/), '--update': done(1, [0, 14]) },
  },
  {
    state: 'a FILE without a record',
    make: steps(exporting(), removing('.chanlist')),
    cells: {
      'no flag': refused(
        2,
        new RegExp(`no record.*--restart .*${cost}`),
        [/--update/, 0, whole],
        [restart, 3, whole],
      ),
      '--update': done(0, 'same', /adopted/),
      '--update --all': done(3, 'same'),
    },
  },
  {
    ...{ state: 'a playlist without a record', ...playlist },
    make: steps(exporting(playlist.args), removing('.chanlist')),
    cells: { 'no flag': restartable(2, 'no record.*--restart') },
  },
  {
    ...{ state: 'a FILE without a record, in a folder run', ...folder },
    make: steps(exporting(folder.args), removing('.chanlist'), uploading(14)),
    cells: {
      'no flag': done(0, 'same', /adopted/),
      '--update': done(1, [0, 14], /adopted/),
      '--restart': done(3, [0, 14]),
    },
  },
  {
    ...{ state: 'a playlist without a record, of any channels, in a folder run', name: 'PLx.ndjson' },
    args: 'playlist PLx --output-dir .',
    make: writing('{"videoId":"x","channelId":"UCx"}\n{"videoId":"y","channelId":"UCy"}\n', 'PLx.ndjson'),
    cells: { 'no flag': done(0, 'same', /adopted .*--restart/) },
  },
  ...(
    [
      ['a text', 'one\ntwo\n', /line 1 is not a JSON record/],
      ['a csv with another header', 'name,age\nx,1\n', /line 1 /],
      ['objects without videoId', '{"name":"x"}\n', /line 1 is not an entry/],
      ['an entry, and a broken line', '{"videoId":"x"}\n{', /line 2 is not a JSON record/],
      ['no entry with an ID', '{"videoId":null}\n', /no entry with a videoId/],
      ['an entry of another channel below', `{"videoId":"x"}\n{"videoId":"y","channelId":"UCx"}\n`, /UCx/],
    ] as const
  ).map(([state, text, says]) => ({
    state: `a FILE without a record: ${state}`,
    make: writing(text),
    cells: { 'no flag': restartable(2, `${says.source}.*another file.*--restart .*${cost}`) },
  })),
  {
    ...{ state: 'a view without a record', ...view },
    make: steps(exporting(view.args), removing('.chanlist')),
    cells: { 'no flag': restartable(2, 'no record.*--restart') },
  },
  ...(['damaged', 'of an older version'] as const).map((what) => ({
    state: `a FILE and a record that is ${what}, and rows in progress`,
    make: steps(
      updateInterrupted,
      writing(what === 'damaged' ? '{' : '{"version":1}', '.chanlist/a.ndjson.json'),
    ),
    cells: { 'no flag': refused(1, new RegExp(`record is ${what}.*--restart`)) },
  })),
];

/** The IDs of FILE in any format; null without a FILE. */
function idsOf(world: World, name: string): string[] | null {
  if (!world.has(name)) return null;
  const text = world.read(name);
  return idsInText(text, text.startsWith('videoId') ? 'csv' : 'ndjson');
}

const idsIn = ([from, to]: Range): unknown[] => videos(from, to).map(({ videoId }) => videoId);

/** The commands that a line says to run. */
const commandsIn = (line: string): string[] =>
  [...line.matchAll(/(?<=: )(?:chanlist|mv|rm) [^;(]*?(?= \(|;|$)/g)].map(([command]) => command);

for (const { state, make, args = uploads, name = file, cells } of rows) {
  for (const [column, cell] of Object.entries(cells)) {
    const line = column === 'no flag' ? args : `${args} ${column}`;
    for (const remedy of [null, ...cell.remedies])
      test(`${state} | ${column}: ${cell.exit}, ${cell.credits} credits${remedy ? `; ${remedy[0]}` : ''}`, async (t) => {
        const world = await World.open(t, { pageSize });
        const channel = world.service.addChannel('a', { list: videos(0, 12) });
        world.service.addChannel('b', { list: videos(0, 12, {}, 'b_') });
        world.service.addPlaylist('PLx', videos(0, 12));
        await make(world, channel);
        const before = world.has(name) ? world.read(name) : null;
        world.now += 60_000;
        const run = await world.run(line);
        const { exit, credits, stderr, stdout } = run;
        assert.deepEqual([exit, credits, stdout], [cell.exit, cell.credits, ''], stderr);
        if (cell.file === 'same') assert.equal(world.has(name) ? world.read(name) : null, before);
        else assert.deepEqual(idsOf(world, name), cell.file === null ? null : idsIn(cell.file), stderr);
        // A list that is complete leaves no rows.
        if (exit === 0 && credits > 0)
          assert.doesNotMatch(readdirSync(join(world.folder, '.chanlist')).join('\n'), /\.part$/m);
        const said = [...run.errors, ...run.warnings];
        assert.equal(run.errors.length, exit === 0 ? 0 : 1, stderr);
        assert.match(said.join('\n'), cell.says ?? /^$/);
        if (remedy === null) return;
        const [pattern, price, left] = remedy;
        const command = commandsIn(run.errors[0] ?? '').find((each) => pattern.test(each));
        assert.ok(command !== undefined, `no ${pattern} in: ${stderr}`);
        const isShell = !command.startsWith('chanlist ');
        if (isShell) execFileSync('sh', ['-c', command], { cwd: world.folder });
        const after = await world.run(isShell ? line : command.slice('chanlist '.length));
        assert.deepEqual([after.exit, after.credits], [0, price], `${command}: ${after.stderr}`);
        assert.deepEqual(idsOf(world, name), idsIn(left));
      });
  }
}
