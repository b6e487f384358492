/**
 * The table of docs/updates.md, cell by cell, through the program against a service that counts its own credits: what is
 * there, and what a run with each flag does to FILE. Every command that a refusal prints is run. Flags that exclude each
 * other are in options.test.ts.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { channelId, type SimulatedChannel, videos } from '../support/simulated-service.ts';
import { idsInText, restoreSnapshot, takeSnapshot, World } from '../support/world.ts';

/** Videos of FILE, newest first: from the nth oldest (from 0) to the mth (exclusive). */
type Range = readonly [from: number, to: number];

/** Brings a world into a state, by runs of the program: 12 uploads, 5 a page. */
type Make = (world: World, channel: SimulatedChannel) => unknown;

const columns = ['no flag', '--update', '--update --all', '--restart'] as const;

interface Row {
  readonly state: string;
  readonly make: Make;
  /**
   * One a column: the credits of a run that is done, by the service's account, `=` if FILE keeps its bytes; or `!`, the exit
   * code of one that is not, and its credits if any. Then the name of what it says (`says`). `-`: not tried.
   */
  readonly cells: string;
  /** The command, without the flag of a column. */
  readonly args: string;
  readonly name: string;
  /** FILE after a run that is done. */
  readonly file: Range;
  /** The exit code of the same run after a command that it printed. */
  readonly again: number;
}

const uploads = { args: 'uploads @a -o a.ndjson', name: 'a.ndjson' };
const playlist = { args: 'playlist PLx -o p.ndjson', name: 'p.ndjson' };
const folder = { args: 'uploads @a --output-dir . --concurrency 2', name: `${channelId('a')}.ndjson` };
const csv = { args: 'uploads @a -o a.csv', name: 'a.csv' };
const limited = { args: 'uploads @a -o a.json --limit 7', name: 'a.json' };
const whole: Range = [0, 12];

const restart = String.raw`: chanlist .* -o \S+.* --restart$`;
const all = /; restore it, or add what is missing: chanlist (?:uploads|playlist) .* --update --all$/;
/** The only line on stderr of a cell. */
const says: Readonly<Record<string, RegExp>> = {
  add: /kept: already exported; --update adds what is new$/,
  gone: /a\.ndjson was gone: its whole list was exported again$/,
  emptied: /a\.ndjson was empty: its whole list was exported again$/,
  adopted: /had no record.* may be incomplete: --update --all buys every page$/,
  left: /left out 1 line; the first: line 1 is an entry of UCx; the original was saved as \S+\.damaged$/,
  appeared: /a\.ndjson appeared .*not replaced; move it away, then run the same command again/,
  lost: new RegExp(`has 10 entries, but it had 12${all.source}`),
  damaged: new RegExp(`is damaged: line 1 is an entry of UCx${all.source}`),
  stranger:
    /is not an archive of this channel: line (?:1 is not JSON|2 has no videoId); choose another file name$/,
  token: new RegExp(`does not accept the continuation token.*${restart}`),
  loop: new RegExp(`(?:the same page twice|repeats itself).*${restart}`),
  dropped: /the same page twice.*run the same command again: it starts over$/,
  another:
    /has pages of an interrupted (?:export of .*(?:csv|title|limit 9|UCb|PLx|localhost)|run of another version).*: rm \S+\.run$/,
  ours: /has pages of an interrupted export of UCa\S+, as ndjson(?:, with(?:out)? --\w+(?: \S+)?)*, at .*; to discard them: rm \S+\.run$/,
  mounted: /no archive at .*, and no \.chanlist beside it; is the disk mounted\? .*omit --update$/,
  unknown: new RegExp(
    `already exists, with no record that it is an archive; choose another file name, or replace it${restart}`,
  ),
  adoptable: new RegExp(
    `already exists, with no record that it is an archive; choose another file name, or replace it${restart}`,
  ),
  other: new RegExp(
    `is an archive of (?:PLx|UC[ab]-+), not of (?:PLx|UCa-+); choose another file name, or replace it${restart}`,
  ),
  view: new RegExp(`is an archive; choose another file name, or replace it${restart}`),
  record: /the record \S+a\.ndjson\.json (?:is of version 1, not 4|cannot be read); delete it/,
  empty: /the list is empty, but \S+ is not: it was not replaced/,
};

const steps =
  (...all: readonly Make[]): Make =>
  async (world, channel) => {
    for (const step of all) await step(world, channel);
  };
const exporting =
  (args = uploads.args): Make =>
  async (world) => {
    const { exit, stderr } = await world.run(args);
    assert.equal(exit, 0, stderr);
  };
/** No credits when the second page is requested. */
const interrupting =
  (args = uploads.args): Make =>
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
  (text: string, name = uploads.name): Make =>
  (world) =>
    world.write(name, text);
const removing =
  (name: string): Make =>
  (world) =>
    world.remove(name);
const editing =
  (change: (lines: string[]) => readonly string[]): Make =>
  (world) =>
    world.write(uploads.name, change(world.read(uploads.name).split('\n')).join('\n'));
const refusingTokens: Make = (world) => world.service.expireTokens();
/** Its second page is its first. */
const looping: Make = (_, channel) => {
  const page = videos(23, 28, { index: '0' });
  channel.list = [...page, ...page, ...videos(0, 12)];
};
/** Something has the name of a file below `.chanlist`, from the nth paid page on: the run fails at its end. */
const failing =
  (args: string, inTheWay: string, page = 3): Make =>
  async (world) => {
    const path = join(world.folder, '.chanlist', inTheWay);
    let left = page;
    const unhook = world.service.on(({ operation }) => {
      if (operation !== 'latest' && operation !== 'resolve' && --left === 0) mkdirSync(path);
    });
    const { exit, stderr } = await world.run(args);
    assert.equal(exit, 1, stderr);
    unhook();
    rmdirSync(path);
  };
const restartInterrupted = steps(exporting(), uploading(15), interrupting(`${uploads.args} --restart`));
const updateInterrupted = steps(exporting(), uploading(23), interrupting(`${uploads.args} --update`));
const allInterrupted = steps(exporting(), uploading(23), interrupting(`${uploads.args} --update --all`));

const rows: Row[] = [];
const row = (state: string, make: Make, cells: string, more: Partial<Row> = {}): unknown =>
  rows.push({ state, make, cells, ...uploads, file: whole, again: 0, ...more });
const [to14, to15, to23] = [14, 15, 23].map((to) => ({ file: [0, to] as const }));

// Pages of an interrupted run with the same ID, format, fields, limit and address.
row('a first export', interrupting(), '2 | 2 | 2 | 3');
row('a first export into a folder', interrupting(folder.args), '2 | 2 | 2 | -', folder);
row('a first export of a playlist', interrupting(playlist.args), '2 | 2 | 2 | 3', playlist);
row('a view', interrupting(csv.args), '2 | - | - | 3', csv);
row('a view with a limit', interrupting(limited.args), '1 | - | - | 2', { ...limited, file: [5, 12] });
row('a first export that was killed', (world) => world.spawn(uploads.args, 2), '2 | 2 | 2 | 3');
row('a first export, and an empty FILE since', steps(interrupting(), writing('')), '2 | 2 | 2 | 3');
const appeared = steps(interrupting(), writing('mine\n'));
row('a first export, and a FILE since', appeared, '!1 appeared | !1 appeared | !1 appeared | 3');
const notes = steps(writing('mine\n'), interrupting(`${uploads.args} --restart`));
row('a --restart of notes', notes, '2 | 2 | 2 | 3');
row('a --restart of an archive', restartInterrupted, '2 | 2 | 2 | 3', to15);
// --all buys every page, from the first one on.
row('an update', updateInterrupted, '2 | 2 | 5 | 5', to23);
row('an update of every page', allInterrupted, '4 | 4 | 4 | 5', to23);
const losing: Make = editing((lines) => lines.slice(2));
row(
  'an update, and a FILE that lost entries',
  steps(updateInterrupted, losing),
  '!1 lost | !1 lost | 5 | 5',
  to23,
);
const allLosing = steps(allInterrupted, losing);
row('an update of every page, and a FILE that lost entries', allLosing, '!1 lost | !1 lost | 5 | 5', to23);
const unrecorded = steps(updateInterrupted, removing('.chanlist/a.ndjson.json'));
row('an update without a record', unrecorded, '2 adopted | 2 adopted | 5 | 5', to23);
const ending = failing(uploads.args, 'a.ndjson.json.tmp');
row('a first export that has ended, not recorded', ending, '0 | 0 | 0 | 3');
row('one, and FILE gone since', steps(ending, removing(uploads.name)), '0 | 0 | 0 | 3');
const endingView = failing(limited.args, 'a.json.json', 2);
row('a view that has ended, not recorded', endingView, '0 | - | - | 2', { ...limited, file: [5, 12] });
const endingUpdate = steps(
  exporting(),
  uploading(23),
  failing(`${uploads.args} --update`, 'a.ndjson.json.tmp'),
);
row('an update that has ended, not recorded', endingUpdate, '0 | 0 | 5 | 5', to23);
const short = { ...limited, args: limited.args.replace('7', '3'), file: [9, 12] as const };
row(
  'a view of a part of a page, not written',
  failing(short.args, 'a.json.new.tmp', 1),
  '0 | - | - | 1',
  short,
);

const refusing = (args = uploads.args): Make => steps(interrupting(args), refusingTokens);
row('a first export, its token refused', refusing(), '!8 token | !8 token | !8 token | 3');
row('a first export into a folder, its token refused', refusing(folder.args), '!8 token | - | - | -', folder);
row('a view, its token refused', refusing(csv.args), '!8 token | - | - | 3', csv);
const restartRefused = steps(restartInterrupted, refusingTokens);
row('a --restart, its token refused', restartRefused, '!8 token | !8 token | !8 token | 3', to15);
row('an update, its token refused', steps(updateInterrupted, refusingTokens), '3 | 3 | 5 | 5', to23);
row(
  'an update of every page, its token refused',
  steps(allInterrupted, refusingTokens),
  '5 | 5 | 5 | 5',
  to23,
);
row('nothing, and a list that loops', looping, '!8/2 loop | - | - | !8/2 loop', { again: 8 });
const looped: Make = async (world, channel) => {
  await looping(world, channel);
  assert.equal((await world.run(uploads.args)).exit, 8);
  channel.list = videos(0, 12);
};
row('a first export of a list that looped', looped, '!8 loop | !8 loop | !8 loop | 3');
// It starts over once, then discards its pages.
const archiveOfLoop = steps(exporting(), looping);
row('an archive of a list that loops now', archiveOfLoop, '0= add | !8/4 dropped | !8/4 dropped | -');

// Pages of any other interrupted run of FILE.
for (const [what, other] of [
  ['of other fields', `${uploads.args} --fields videoId,title`],
  ['of another limit', `${uploads.args} -n 9`],
  ['of another ID', 'uploads @b -o a.ndjson'],
  ['of a playlist', 'playlist PLx -o a.ndjson'],
] as const)
  row(`a run ${what}`, interrupting(other), '!2 another | !2 another | !2 another | 3');
const format = { args: 'uploads @a -o a', name: 'a' };
const other = { ...format, args: `${format.args} -f csv` };
row('a run of another format', interrupting(other.args), '!2 another | !2 another | - | 3', format);
const newer: Make = (world) => {
  const path = '.chanlist/a.ndjson.run';
  world.write(path, world.read(path).replace(/^.*$/m, '#{"version":1}'));
};
row('a run of another version', steps(interrupting(), newer), '!2 another | !2 another | - | 3');
const asView = { args: `${uploads.args} --fields videoId`, again: 2, ...to15 };
row('a --restart of an archive, now a view', restartInterrupted, '!2 ours | - | - | 3', asView);

// No FILE (or an empty one).
row('nothing', () => {}, '3 | !2 mounted | !2 mounted | 3');
row('nothing in a folder', () => {}, '3 | !2 mounted | !2 mounted | -', folder);
row('nothing of a playlist', () => {}, '3 | !2 mounted | !2 mounted | 3', playlist);
row('no view', () => {}, '3 | - | - | 3', csv);
row('nothing, beside another archive', exporting('uploads @b -o b.ndjson'), '3 | 3 | 3 | 3');
const beside = writing('{"videoId":"x"}\n', `${channelId('b')}.ndjson`);
row('nothing, beside an archive without .chanlist', beside, '3 | !2 mounted | - | -', folder);
row('an empty FILE', writing(''), '3 | !2 mounted | - | 3');
row('a FILE of a byte order mark', writing('\ufeff'), '3 | !2 mounted | - | 3');
row('an archive, emptied', steps(exporting(), writing('\ufeff')), '3 emptied | 3 emptied | 3 emptied | 3');
row(
  'an archive whose FILE is gone',
  steps(exporting(), removing(uploads.name)),
  '3 gone | 3 gone | 3 gone | 3',
);
const updateOfNone = steps(updateInterrupted, removing(uploads.name));
row('an interrupted update whose FILE is gone', updateOfNone, '5 gone | 5 gone | 5 gone | 5', to23);

// An archive of this ID, asked for as one.
row('an archive', exporting(), '0= add | 0= | 3= | 3');
const growing = (args = uploads.args): Make => steps(exporting(args), uploading(14));
row('an archive, and two new uploads', growing(), '0= add | 1 | 3 | 3', to14);
row('an archive in a folder', growing(folder.args), '0= add | 1 | 3 | -', { ...folder, ...to14 });
row('an archive of a playlist', exporting(playlist.args), '0= add | 3= | 3= | 3', playlist);
// What the playlist has lost is kept, what it has got anywhere is added.
const changing: Make = (world) => {
  const list = world.service.lists.get('PLx');
  list?.list.splice(3, 2, ...videos(12, 14));
};
const changed = steps(exporting(playlist.args), changing);
row('one that has changed', changed, '0= add | 3 | 3 | -', { ...playlist, ...to14 });
const changedInterrupted = steps(changed, interrupting(`${playlist.args} --update`));
row('an update of it', changedInterrupted, '2 | 2 | 2 | -', { ...playlist, ...to14 });
const losingVideos: Make = (world) =>
  world.write(playlist.name, world.read(playlist.name).split('\n').slice(2).join('\n'));
const shorter = steps(exporting(playlist.args), losingVideos);
row('one with fewer', shorter, '0= add | !1 lost | 3 | 3', playlist);
row('an archive without entries', steps(uploading(0), exporting()), '0= add | 0= | 1= | -');
const one: Make = editing(([first = '', ...lines]) => [first.replace('11', '12'), first, ...lines]);
row('an archive with more entries than recorded', steps(growing(), one), '0= add | 1 | 3 | 3', to14);
row('an archive with fewer', steps(exporting(), losing), '0= add | !1 lost | 3 | 3');
const damaging: Make = editing((lines) => ['{"videoId":"x","channelId":"UCx"}', ...lines]);
row('one with a line of another', steps(exporting(), damaging), '0= add | !1 damaged | 3 left | 3');

// Any other FILE.
const forgetting = (args = uploads.args): Make => steps(growing(args), removing('.chanlist'));
row('an archive without a record', forgetting(), '!2 adoptable | 1 adopted | 3 | 3', to14);
row('one in a folder', forgetting(folder.args), '!2 adoptable | 1 adopted | 3 | -', { ...folder, ...to14 });
row('a playlist without a record', forgetting(playlist.args), '!2 adoptable | 3= | 3= | 3', playlist);
row('an archive of a playlist', exporting('playlist PLx -o a.ndjson'), '!2 other | !2 other | !2 other | 3');
row('an archive of another ID', exporting('uploads @b -o a.ndjson'), '!2 other | !2 other | !2 other | 3');
row('an archive of a channel', exporting(), '!2 other | !2 other | !2 other | 3', {
  args: 'playlist PLx -o a.ndjson',
});
const fields = { args: `${uploads.args} --fields videoId,title` };
row('an archive, asked for with fields', exporting(), '!2 view | - | - | 3', fields);
const limit = { args: `${uploads.args} -n 5`, file: [7, 12] as const };
row('an archive, asked for with a limit', exporting(), '!2 view | - | - | 1', limit);
row('an archive, asked for in another format', exporting(format.args), '!2 view | - | - | 3', other);
row('the same view', exporting(csv.args), '!2 unknown | - | - | 3', csv);
for (const text of ['one\ntwo\n', '{"videoId":"x"}\n{"name":"x"}\n'])
  row(`a FILE that is ${text}`, writing(text), '!2 adoptable | !1 stranger | !1 stranger | 3');
for (const text of ['{', '{"version":1}']) {
  const recording = writing(text, '.chanlist/a.ndjson.json');
  row(`a record that is ${text}`, steps(exporting(), recording), '!1 record | !1 record | - | !1 record');
  row(`one, and pages`, steps(updateInterrupted, recording), '!1 record | !1 record | - | !1 record');
}

// A listing without entries never replaces a FILE that is not empty.
row('an empty list, and an archive', steps(exporting(), uploading(0)), '- | - | - | !8/1 empty');
row('an empty list, and notes', steps(writing('mine\n'), uploading(0)), '- | - | - | !8/1 empty');
row('an empty list, and a view', steps(exporting(csv.args), uploading(0)), '- | - | - | !8/1 empty', csv);

/** The commands that a line says to run to get what was asked for. */
const commandsIn = (line: string): string[] =>
  [...line.matchAll(/(?<=: )(?<!(?:its file stays|discard them): )(?:chanlist|rm) [^;(]*?(?= \(|;|$)/g)].map(
    ([command]) => command,
  );

/** What a cell says: `3`, `0= add`, `!8/2 loop`. */
function parse(cell: string) {
  const [, credits, same, exit, paid, name] = /^(?:(\d+)(=?)|!(\d)(?:\/(\d+))?)(?: (\w+))?$/.exec(cell) ?? [];
  const pattern = name === undefined ? /^$/ : says[name];
  assert.ok(pattern !== undefined, cell);
  const keeps = exit !== undefined || same === '=';
  return { exit: Number(exit ?? 0), credits: Number(credits ?? paid ?? 0), keeps, pattern };
}

for (const { state, make, cells, args, name, file, again } of rows) {
  const ids = videos(...file).map(({ videoId }) => videoId);
  for (const [at, cell] of cells.split(' | ').entries()) {
    if (cell === '-') continue;
    const line = at === 0 ? args : `${args} ${columns[at]}`;
    test(`${JSON.stringify(state)} | ${columns[at]}: ${cell}`, async (t) => {
      const { exit, credits, keeps, pattern } = parse(cell);
      const world = await World.open(t, { pageSize: 5 });
      const channel = world.service.addChannel('a', { list: videos(0, 12) });
      world.service.addChannel('b', { list: videos(0, 12, {}, 'b_') });
      world.service.addPlaylist('PLx', videos(0, 12));
      const read = (): string | null => (world.has(name) ? world.read(name) : null);
      const idsNow = (): unknown => {
        const text = read() ?? '';
        return idsInText(
          text,
          text.startsWith('videoId') ? 'csv' : text.startsWith('{"p') ? 'json' : 'ndjson',
        );
      };
      await make(world, channel);
      const [before, names] = [read(), readdirSync(world.folder)];
      world.now += 60_000;
      const run = await world.run(line);
      assert.deepEqual([run.exit, run.credits, run.stdout], [exit, credits, ''], run.stderr);
      if (keeps) assert.equal(read(), before);
      else assert.deepEqual(idsNow(), ids, run.stderr);
      assert.equal(run.errors.length, exit === 0 ? 0 : 1, run.stderr);
      assert.match([...run.errors, ...run.warnings].join('\n'), pattern);
      // A list that is complete leaves no pages, a usage error nothing at all.
      if (exit === 0 && credits > 0)
        assert.doesNotMatch(readdirSync(world.folder, { recursive: true }).join(' '), /\.(?:run|tmp|lock)\b/);
      if (exit === 2) assert.deepEqual(readdirSync(world.folder), names);
      const after = takeSnapshot(world.folder);
      for (const command of commandsIn(run.errors[0] ?? '')) {
        // One with the flag of a column does what that cell says.
        const expected = command.endsWith(' --update') ? parse(cells.split(' | ')[1] ?? '').exit : again;
        const pasted = await world.paste(command, expected);
        if (pasted === null) assert.equal((await world.run(line)).exit, again, command);
        else if (expected === 0) assert.deepEqual(idsNow(), ids, command);
        restoreSnapshot(world.folder, after);
      }
    });
  }
}
