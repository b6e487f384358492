/** `chanlist check`: offline, one record per archive, the most severe problem, a fix that works. */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdirSync, renameSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type CheckRow, checkArchive, findArchives, hasFirstExport } from '../../src/export/check-archive.ts';
import { PrivateFolder } from '../../src/fs/private-folder.ts';
import { SeenFile } from '../../src/run/seen.ts';
import { command } from '../support/command.ts';
import { fakeContext } from '../support/fake-context.ts';
import type { Line } from '../support/program.ts';
import { channelId, type SimulatedChannel, videos } from '../support/simulated-service.ts';
import { onlyError } from '../support/stderr.ts';
import { takeSnapshot, World } from '../support/world.ts';

const id = channelId('a');
const file = `lists/${id}.ndjson`;
const record = `lists/.chanlist/${id}.ndjson.json`;
const idsIn = (to: number): unknown[] => videos(0, to).map(({ videoId }) => videoId);

/** A world with the archive of a channel of 250 uploads. */
async function archived(t: TestContext): Promise<{ world: World; channel: SimulatedChannel }> {
  const world = await World.open(t);
  const channel = world.service.addChannel('a', { list: videos(0, 250) });
  world.service.addChannel('b', { list: videos(0, 150, {}, 'b_') });
  world.service.addPlaylist('PLx', videos(0, 120));
  assert.equal((await world.run('uploads @a --output-dir lists')).exit, 0);
  return { world, channel };
}

/** Fixes name no address: the tests read shorter. */
const noAddress = { CHANLIST_BASE_URL: '' };

/** Runs `check`, which sends nothing. */
async function check(world: World, line: Line) {
  const words = typeof line === 'string' ? line.split(' ') : line;
  const { exit, stderr, errors, warnings, lines, requests } = await world.run(['check', ...words], {
    env: noAddress,
  });
  assert.deepEqual(requests, []);
  const rows = lines.map((each) => JSON.parse(each) as CheckRow);
  return {
    exit,
    stderr,
    errors,
    warnings,
    lines,
    rows,
    codes: rows.map(({ problem }) => problem?.code ?? null),
  };
}

/** Changes the checks that a record knows of. */
function edit(world: World, change: object): void {
  const { checks, ...others } = JSON.parse(world.read(record)) as { checks: object };
  world.write(record, JSON.stringify({ ...others, checks: { ...checks, ...change } }));
}

test('one record per archive and interrupted run; nothing is created or changed', async (t) => {
  const { world } = await archived(t);
  assert.equal((await world.run('playlist PLx --output-dir lists')).exit, 0);
  assert.equal((await world.run('uploads @b --output-dir lists --max-credits 1')).exit, 9);
  // Neither views nor files without a record.
  await world.run('uploads @a -o lists/three.csv --limit 3');
  cpSync(join(world.folder, file), join(world.folder, 'lists/UCunknown.ndjson'));
  const state = () => [...takeSnapshot(world.folder)].map(([path]) => [path, statSync(path).mtimeMs]);
  const before = state();
  const all = await check(world, 'lists');
  const facts = all.rows.map(({ file, entries, problem }) => [file, entries, problem?.code]);
  assert.deepEqual(facts, [
    ['lists/PLx.ndjson', 120, undefined],
    [file, 250, undefined],
    [`lists/${channelId('b')}.ndjson`, null, 'interrupted'],
  ]);
  const whole = { file, reference: '@a', id, entries: 250, missing: 0, newest: 'a_000000249' };
  const time = '2026-03-01T03:00:00.000Z';
  assert.equal(all.lines[1], JSON.stringify({ ...whole, checked: time, whole: time, problem: null }));
  assert.equal(all.exit, 11);
  const csv = await world.run('check lists -f csv -q');
  assert.match(csv.lines[0] ?? '', /^file,.*,checked,whole,problem\.code,problem\.message,problem\.fix$/);
  // -q: only those with a problem; a path that is given twice is one archive.
  assert.deepEqual([csv.lines.length, (await check(world, `${file} lists -q`)).codes], [2, ['interrupted']]);
  const good = await check(world, `${file} -q`);
  assert.deepEqual([good.exit, good.rows, good.stderr], [0, [], '']);
  assert.deepEqual(state(), before);
});

const lost = (world: World): void => world.write(file, world.read(file).split('\n').slice(100).join('\n'));
const damaged = (world: World): void =>
  world.write(file, `{"videoId":"x","channelId":"UCx"}\n${world.read(file)}`);
const interrupted = async (world: World, flags: string): Promise<void> => {
  const run = await world.run(`uploads @a ${flags} --max-credits 1`);
  assert.equal(run.exit, 9, run.stderr);
};

const updating = async (world: World, channel: SimulatedChannel): Promise<void> => {
  channel.list = videos(0, 420);
  await interrupted(world, '--output-dir lists --update');
};

/** What makes a problem, what it is called, what its fix costs, and FILE afterwards. */
const problems: readonly (readonly [
  name: string,
  make: (world: World, channel: SimulatedChannel) => unknown,
  code: string,
  message: RegExp,
  credits: number,
  entries: number,
])[] = [
  ['a line of another', damaged, 'damaged', /^line 1 is an entry of UCx$/, 3, 250],
  ['lost entries', lost, 'lost', /^150 entries, but it had 250$/, 3, 250],
  ['FILE left out by a restore', (world) => world.remove(file), 'lost', /^the file is gone$/, 3, 250],
  // Every page is bought, from the first one on.
  [
    'an interrupted update, and lost entries',
    async (world, channel) => {
      await updating(world, channel);
      lost(world);
    },
    ...(['lost', /^150 entries/, 5, 420] as const),
  ],
  ['an interrupted update', updating, 'interrupted', /^its update was interrupted after 1 page$/, 1, 420],
  [
    'an interrupted --restart',
    (world) => interrupted(world, `-o ${file} --restart`),
    ...(['interrupted', /^its export was interrupted after 100 entries$/, 2, 250] as const),
  ],
  ['an old check', (world) => world.pass(3), 'stale', /^last successful check 2026-03-01T/, 0, 250],
];

for (const [name, make, code, message, credits, entries] of problems)
  test(`${name}: ${code}, 11; its fix costs ${credits} credits`, async (t) => {
    const { world, channel } = await archived(t);
    await make(world, channel);
    const bad = await check(world, 'lists --max-age 2d');
    assert.deepEqual([bad.exit, bad.codes], [11, [code]]);
    const { fix = null, message: says = '' } = bad.rows[0]?.problem ?? {};
    assert.match(says, message);
    assert.equal(bad.stderr, `chanlist: error: ${code}: ${file}: ${says}; fix: ${fix}\n`);
    const repair = await world.paste(fix ?? '');
    assert.equal(repair?.credits, credits);
    assert.deepEqual(new Set(world.ids(file)), new Set(idsIn(entries)));
    assert.deepEqual((await check(world, 'lists --max-age 2d')).codes, [null], fix ?? '');
  });

test('an interrupted update that is old, too, is interrupted: the most severe problem is named', async (t) => {
  const { world, channel } = await archived(t);
  await updating(world, channel);
  world.pass(9);
  assert.deepEqual((await check(world, 'lists --max-age 2d')).codes, ['interrupted']);
});

test('first exports: the fix has the request of each, whatever its name', async (t) => {
  const { world } = await archived(t);
  const runs = [
    ['playlist', 'PLx', '-f', 'csv', '--fields', 'videoId,title', '-o', 'my list'],
    ['uploads', '@a', '--limit', '150', '-o', 'b.json'],
    ['uploads', '@b', '-o', '-b.ndjson'],
  ];
  for (const words of runs) assert.equal((await world.run([...words, '--max-credits', '1'])).exit, 9);
  const { codes, rows } = await check(world, '.');
  assert.deepEqual(codes, Array(3).fill('interrupted'));
  for (const { problem } of rows) assert.equal((await world.paste(problem?.fix ?? ''))?.credits, 1);
  assert.deepEqual([(await check(world, '.')).codes, world.files().length], [[null], 4]);
});

test('exports whose tokens are refused do not end the run; their fixes start over', async (t) => {
  const { world } = await archived(t);
  const names = ['c', 'd', 'e', 'f', 'g', 'h'];
  for (const name of names) {
    world.service.addChannel(name, { list: videos(0, 150, {}, `${name}_`) });
    assert.equal((await world.run(`uploads @${name} --output-dir more --max-credits 1`)).exit, 9);
  }
  world.service.fault = ({ parameters }) => (parameters.continuation === undefined ? null : 410);
  world.service.addChannel('new', { list: videos(0, 5) });
  const references = [...names, 'new'].map((name) => `@${name}`);
  const run = await world.run(['uploads', ...references, '--output-dir', 'more', '--concurrency', '1']);
  assert.deepEqual([run.exit, run.credits], [8, 1]);
  onlyError(
    run,
    '6 references',
    `repair all: chanlist check more --base-url ${world.service.url} --json | jq`,
  );
  world.service.fault = () => null;
  const { rows } = await check(world, 'more -q');
  assert.equal(rows.length, 6);
  for (const { problem } of rows) assert.equal((await world.paste(problem?.fix ?? ''))?.credits, 2);
  assert.equal((await check(world, 'more')).exit, 0);
});

test('fixes name the account and the bounds of the environment, also where one line runs all of them', async (t) => {
  const { world, channel } = await archived(t);
  await world.run('uploads @b --output-dir lists');
  const env = { CHANLIST_PROFILE: 'nightly', CHANLIST_MAX_CREDITS: '30/month' };
  const account = `--profile nightly --base-url ${world.service.url} --max-credits 30/month`;
  const fixOf = (file: string): string => `chanlist uploads @${file} ${account}`;
  world.remove(`lists/${channel.id}.ndjson`);
  const { lines, stderr } = await world.run('check lists -f ndjson', { env });
  const { fix } = JSON.parse(lines[0] ?? '').problem;
  assert.equal(fix, fixOf(`a -o lists/${channel.id}.ndjson`));
  assert.ok(stderr.endsWith(`; fix: ${fix}\n`));
  world.remove(`lists/${world.service.handles.get('@b')}.ndjson`);
  const several = await world.run('check lists', { env });
  assert.ok(several.stderr.includes(`; fix: chanlist check lists ${account} --json | jq`));
  // Where it is pasted, no variable is set.
  const pasted = await world.run(`check lists ${account} -f ndjson`, { env: noAddress });
  assert.deepEqual(
    pasted.lines.map((line) => JSON.parse(line).problem.fix.endsWith(` ${account}`)),
    [true, true],
  );
});

test('a fix is on the line of the problem that it repairs', async (t) => {
  const { world, channel } = await archived(t);
  world.service.addChannel('gone', { list: videos(0, 5) });
  await world.run('uploads @gone --output-dir lists');
  world.service.fault = ({ list, parameters }) =>
    [list, parameters.channel].includes(channelId('gone')) ? 404 : null;
  assert.equal((await world.run('uploads @gone --output-dir lists --update --all')).exit, 5);
  world.remove(file);
  const { stderr, rows } = await check(world, 'lists');
  const fix = rows.find(({ id }) => id === channel.id)?.problem?.fix;
  const [lostLine, goneLine] = stderr.split('\n');
  assert.equal(lostLine, `chanlist: error: lost: ${file}: the file is gone; fix: ${fix}`);
  assert.match(goneLine ?? '', /^chanlist: error: gone: lists\/UC\S+: 404 since \S+$/);
});

test('playlists are repaired as channels are', async (t) => {
  const { world } = await archived(t);
  await world.run('playlist PLx -o p.ndjson');
  appendFileSync(join(world.folder, 'p.ndjson'), '{');
  const { fix } = (await check(world, 'p.ndjson')).rows[0]?.problem ?? {};
  assert.deepEqual(
    [fix, (await world.paste(fix ?? ''))?.credits],
    ['chanlist playlist PLx -o p.ndjson --update --all', 2],
  );
  world.pass(3);
  const stale = await check(world, 'p.ndjson --max-age 2d');
  assert.equal(stale.rows[0]?.problem?.fix, 'chanlist playlist PLx -o p.ndjson --update');
});

test('an archive of the sandbox is repaired there', async (t) => {
  const { world } = await archived(t);
  await world.run('uploads @size-5 --sandbox -o s.ndjson');
  appendFileSync(join(world.folder, 's.ndjson'), '{');
  const { fix } = (await check(world, 's.ndjson')).rows[0]?.problem ?? {};
  assert.equal(fix, 'chanlist uploads @size-5 -o s.ndjson --sandbox --update --all');
  assert.equal((await world.paste(fix))?.requests.length, 0);
});

test('an export of a list that repeats itself has no page to resume at', async (t) => {
  const { world, channel } = await archived(t);
  channel.list = [...videos(0, 100, { index: '0' }), ...videos(0, 100, { index: '0' }), ...videos(0, 9)];
  assert.equal((await world.run('uploads @a -o new.ndjson')).exit, 8);
  const { fix } = (await check(world, 'new.ndjson')).rows[0]?.problem ?? {};
  assert.equal(fix, 'chanlist uploads @a -o new.ndjson --restart');
});

test('an export whose file has appeared since: no command moves it away', async (t) => {
  const { world } = await archived(t);
  assert.equal((await world.run('uploads @a -o new.ndjson --max-credits 1')).exit, 9);
  world.write('new.ndjson', 'mine\n');
  const { problem } = (await check(world, 'new.ndjson')).rows[0] ?? {};
  const message =
    'its export was interrupted after 100 entries; the file appeared since: move it away, and export again';
  assert.deepEqual(problem, { code: 'interrupted', message, fix: null });
});

test('lost: also what an update has found below its new entries', async (t) => {
  const { world, channel } = await archived(t);
  channel.list = videos(0, 253);
  await world.run('uploads @a --output-dir lists --update');
  lost(world);
  assert.deepEqual((await check(world, 'lists')).codes, ['lost']);
});

test('content that differs from what was written is damage, though size and time are as recorded', async (t) => {
  const { world } = await archived(t);
  const changed = world.read(file).replace(/"title":"./, '"title":"X');
  world.write(file, changed);
  utimesSync(join(world.folder, file), 1000, 1000);
  world.write(record, world.read(record).replace(/"mtime":[\d.]+/, '"mtime":1000000'));
  const bad = await check(world, 'lists');
  assert.deepEqual([bad.exit, bad.codes], [11, ['damaged']]);
  onlyError(
    bad,
    `damaged: ${file}: its content differs from what was written; restore it, or accept it with --update --all`,
  );
  assert.equal(bad.rows[0]?.problem?.fix, null);
  await world.run('uploads @a --output-dir lists --update --all');
  assert.equal((await check(world, 'lists')).exit, 0);
  // An editor that keeps every entry damages nothing.
  world.write(file, `${changed}\n`);
  assert.equal((await check(world, 'lists')).exit, 0);
});

test('whole: when the list was last read whole; the tally names the oldest', async (t) => {
  const { world } = await archived(t);
  const tally = async (): Promise<string> => (await check(world, 'lists -v')).stderr;
  await world.run('uploads @b --output-dir lists');
  world.pass(5);
  await world.run('uploads @a --output-dir lists --update --all');
  assert.equal(
    await tally(),
    `chanlist: 2 archives checked, no problems found; oldest complete listing: 2026-03-01 (lists/${channelId('b')}.ndjson)\n`,
  );
  const { rows } = await check(world, 'lists');
  assert.deepEqual(
    rows.map(({ whole }) => whole?.slice(0, 10)),
    ['2026-03-06', '2026-03-01'],
  );
  // A list that is read in two runs was read whole when the first one began.
  world.pass(1);
  const all = 'uploads @a --output-dir lists --update --all';
  assert.equal((await world.run(`${all} --max-credits 1`)).exit, 9);
  world.pass(2);
  assert.equal((await world.run(all)).exit, 0);
  assert.equal((await check(world, 'lists')).rows[0]?.whole?.slice(0, 10), '2026-03-07');
  // Taken as an archive, and never read.
  world.remove(record);
  await world.run('uploads @a --output-dir lists --update');
  assert.match(await tally(), / complete listing: never \(lists\/UCa.*\.ndjson\)\n$/);
});

test('a feed that is back ends the longer limit, also where its page could not be bought', async (t) => {
  const { world, channel } = await archived(t);
  channel.feed = 500;
  world.pass(1);
  await world.run('uploads @a --output-dir lists --update --retries 0');
  world.pass(2);
  assert.deepEqual((await check(world, 'lists --max-age 36h')).codes, [null]);
  Object.assign(channel, { feed: 'list', list: videos(0, 260) });
  assert.equal((await world.run('uploads @a --output-dir lists --update --max-credits 0')).exit, 9);
  assert.deepEqual((await check(world, 'lists --max-age 36h')).codes, ['stale']);
});

test('of a stale archive the list lacks, which no run updates, that is said', async (t) => {
  const { world } = await archived(t);
  world.pass(3);
  const staleness = async (list: string): Promise<string> => {
    world.write('refs.txt', list);
    const { rows } = await check(world, 'lists --from refs.txt --max-age 36h');
    const { message, fix } = rows.find(({ file }) => file !== null)?.problem ?? {};
    return `${message} | ${fix}`;
  };
  assert.match(await staleness('@a\n'), /^last successful check \S+Z \| chanlist uploads @a .* --update$/);
  // Its update would be paid for each week.
  assert.match(
    await staleness('@b\n'),
    /^last successful check \S+Z; it is not in refs\.txt: add it, or remove its file and record \| null$/,
  );
  const since = '2026-02-03T04:05:06.000Z';
  edit(world, { failure: { code: 'gone', since, last: since } });
  assert.equal(
    await staleness('@b\n'),
    '404 since 2026-02-03; it is not in refs.txt: add it, or remove its file and record | null',
  );
  // A playlist is updated by a command of its own.
  world.remove('lists');
  world.service.addPlaylist('PLx', videos(0, 3));
  await world.run('playlist PLx --output-dir lists');
  world.pass(3);
  assert.match(await staleness('@b\n'), /^last successful check \S+Z \| chanlist playlist PLx .* --update$/);
});

test('gone and stale: the result of the last check; without a feed eight days at least', async (t) => {
  const { world } = await archived(t);
  world.pass(100);
  const ago = (hours: number): string => new Date(world.now - hours * 3_600_000).toISOString();
  const since = '2026-02-03T04:05:06.000Z';
  const gone = { failure: { code: 'gone', since, last: since } };
  for (const [change, maxAge, code] of [
    [{ checked: ago(37) }, '36h', 'stale'],
    [{ checked: ago(35) }, '36h', null],
    [{ checked: ago(49) }, '2d', 'stale'],
    [{ checked: null }, '2d', 'stale'],
    [{ checked: ago(-1) }, '2d', 'stale'],
    [{ checked: ago(-1) }, null, 'stale'],
    [{ checked: null }, null, null],
    [{ checked: ago(8 * 24 - 1), withoutFeed: ago(8 * 24 - 1) }, '36h', null],
    [{ checked: ago(8 * 24 + 1), withoutFeed: ago(8 * 24 + 1) }, '36h', 'stale'],
    [{ checked: ago(9 * 24), withoutFeed: ago(9 * 24) }, '10d', null],
    [{ checked: ago(7 * 24), withoutFeed: null, failure: { ...gone.failure, code: 'no_feed' } }, '2d', null],
    [{ checked: ago(1), failure: { ...gone.failure, code: 'unavailable' } }, '2d', null],
    [{ checked: ago(49), failure: { ...gone.failure, code: 'unauthorized' } }, '2d', 'stale'],
    [{ checked: ago(900), withoutFeed: null, ...gone }, '2d', 'gone'],
  ] as const) {
    edit(world, change);
    const { exit, codes, rows } = await check(world, `lists${maxAge === null ? '' : ` --max-age ${maxAge}`}`);
    assert.deepEqual([exit, codes], [code === null ? 0 : 11, [code]], JSON.stringify(change));
    if (code === 'gone')
      assert.deepEqual(rows[0]?.problem, { code, message: '404 since 2026-02-03', fix: null });
  }
});

test('a channel that the service refuses is stale without a fix: an update would be refused, too', async (t) => {
  const { world } = await archived(t);
  world.pass(3);
  const since = '2026-02-03T04:05:06.000Z';
  edit(world, { failure: { code: 'unauthorized', since, last: since } });
  const { rows } = await check(world, 'lists --max-age 2d');
  const { code, message = '', fix } = rows[0]?.problem ?? {};
  assert.deepEqual([code, fix], ['stale', null]);
  assert.match(message, /^last successful check \S+Z; access was refused \(403\) since 2026-02-03$/);
});

test('--from: these references, by ID or as a record knows them; each that has no archive is absent', async (t) => {
  const { world } = await archived(t);
  world.write('refs.txt', `https://example.com/channel/${id}/videos\n@a\n@b\nPLx\n`);
  const found = await check(world, 'lists --from refs.txt');
  assert.deepEqual([found.exit, found.codes], [11, [null, 'absent', 'absent']]);
  const fixes = [
    'chanlist uploads @b --output-dir lists --update',
    'chanlist playlist PLx --output-dir lists --update',
  ];
  assert.deepEqual(
    found.rows.slice(1).map(({ file, id, reference, problem }) => [file, id, reference, problem?.fix]),
    [
      [null, null, '@b', fixes[0]],
      [null, 'PLx', 'PLx', fixes[1]],
    ],
  );
  // Of several paths, it is not known where.
  const several = await check(world, `lists ${file} --from refs.txt -q`);
  assert.deepEqual(
    several.rows.map(({ problem }) => problem?.fix),
    [null, null],
  );
  for (const fix of fixes) await world.paste(fix);
  // A run by ID keeps the handle.
  await world.run(`uploads ${id} --output-dir lists --update`);
  const well = await check(world, 'lists --from refs.txt');
  assert.deepEqual([well.exit, well.codes, well.stderr], [0, [null, null, null], '']);
});

test('its table has the problem beside the file, and no fix', async (t) => {
  const { world } = await archived(t);
  world.remove(file);
  const { lines } = await world.run('check lists -f table');
  assert.match(lines[0] ?? '', /^file +problem +reference +entries +checked$/);
  assert.match(lines[2] ?? '', new RegExp(`^${file}  lost +@a +- +2026-03-01$`));
});

test('a list from stdin is gone: no line runs the fixes of several problems', async (t) => {
  const { world } = await archived(t);
  process.chdir(world.folder);
  const args = 'check lists --from - -q';
  const { exit, stderr } = await command(args, {
    stdin: '@b\nPLx\n',
    env: { HOME: world.home },
    now: () => world.now,
  });
  const says = 'absent: 2 archives (@b, PLx): not exported, or the record was deleted';
  assert.deepEqual([exit, stderr], [11, `chanlist: error: ${says}\n`]);
});

test('an archive answers for every reference that leads to its ID, whichever was given last', async (t) => {
  const { world } = await archived(t);
  world.service.handles.set('@second', id);
  const references = [id, '@a', '@second', `https://example.com/channel/${id}/videos`];
  for (const list of [references, references.toReversed()]) {
    world.remove('lists');
    world.write('refs.txt', list.join('\n'));
    const update = 'uploads --from refs.txt --output-dir lists';
    assert.equal((await world.run(update)).credits, 3);
    assert.equal((await check(world, 'lists --from refs.txt')).exit, 0, list.join());
    for (const reference of references) {
      assert.equal((await world.run(['uploads', reference, '--output-dir', 'lists', '--update'])).exit, 0);
      assert.equal((await check(world, 'lists --from refs.txt')).exit, 0, reference);
    }
    // None of them is resolved again.
    const again = await world.run(`${update} --update`);
    assert.deepEqual(
      again.requests.map(({ operation }) => operation),
      ['latest'],
    );
  }
});

test('problems with one code are one line; of several problems one line runs every fix', async (t) => {
  const { world } = await archived(t);
  for (const name of ['c', 'd', 'e']) world.service.addChannel(name, { list: videos(0, 150) });
  world.write('refs.txt', '@A\n@b\n@c\n@d\n@e\n');
  await interrupted(world, '--output-dir lists --update --all');
  const bad = await check(world, 'lists --from refs.txt -q -f ndjson');
  const fix = "chanlist check lists --from refs.txt --json | jq -r '.[].problem.fix // empty' | sh";
  assert.deepEqual(bad.errors, [
    'absent: 4 archives (@b, @c, @d and others): not exported, or the record was deleted',
    `interrupted: ${file}: its update was interrupted after 1 page; fix: ${fix}`,
  ]);
  for (const { problem } of bad.rows) await world.paste(problem?.fix ?? '');
  assert.equal((await check(world, 'lists --from refs.txt')).exit, 0);
});

test('at a terminal a fix, of one problem or of several, is one line that can be pasted', async (t) => {
  const { world } = await archived(t);
  const lists = join(world.folder, 'lists');
  const fixes = async (): Promise<unknown> => {
    const { stderr } = await command(['check', lists, '--max-age', '1h'], {
      columns: 40,
      now: () => world.now,
    });
    return stderr.split('\n').filter((line) => line.startsWith('chanlist: fix: '));
  };
  world.pass(3);
  const path = join(lists, `${id}.ndjson`);
  assert.deepEqual(await fixes(), [`chanlist: fix: chanlist uploads @a -o ${path} --update`]);
  world.write(`lists/.chanlist/b.ndjson.json`, '{');
  const all = `chanlist check ${lists} --max-age 1h --json | jq -r '.[].problem.fix // empty' | sh`;
  assert.deepEqual(await fixes(), [`chanlist: fix: ${all}`]);
});

test('a record that cannot be read, or is of another version: damaged; its fix keeps the file', async (t) => {
  const { world } = await archived(t);
  await world.run('uploads @b --output-dir lists');
  const other = `lists/.chanlist/${channelId('b')}.ndjson.json`;
  world.write(record, '{');
  world.write(other, '{"version":99}');
  world.write('refs.txt', '@a\n@b\n@c\n');
  const bad = await check(world, 'lists --from refs.txt');
  // Any of them may be the archive of @c.
  const unknown = 'could not find out for 3 references (@a, @b, @c) whether an archive exists: ';
  assert.deepEqual([bad.exit, bad.codes], [11, ['damaged', 'damaged']]);
  assert.deepEqual(
    bad.rows.map(({ file, id, problem }) => [file, id, problem?.fix]),
    [
      [file, null, `rm ${record}`],
      [`lists/${channelId('b')}.ndjson`, null, `rm ${other}`],
    ],
  );
  const [unread, ...problems] = bad.errors;
  assert.equal(
    unread,
    `${unknown}an archive or its record cannot be read; repair that first, then check again`,
  );
  assert.match(
    problems.join('\n'),
    /^damaged: 2 archives \(.*: the record .* cannot be read; fix: .* \| sh$/,
  );
  for (const each of [record, other]) world.remove(each);
  world.service.addChannel('c', { list: videos(0, 20) });
  const absent = await check(world, 'lists --from refs.txt');
  assert.deepEqual(absent.codes, ['absent', 'absent', 'absent']);
  let credits = 0;
  for (const { problem } of absent.rows) credits += (await world.paste(problem?.fix ?? ''))?.credits ?? 0;
  assert.deepEqual([credits, (await check(world, 'lists --from refs.txt')).exit], [1, 0]);
});

test('what another run is writing for the first time is not absent', async (t) => {
  const { world } = await archived(t);
  world.write('refs.txt', '@a\n@b\n');
  const during: unknown[] = [];
  world.service.on(async ({ operation }) => {
    if (operation !== 'uploads') return;
    const { rows, exit, warnings } = await check(world, 'lists --from refs.txt');
    during.push(
      rows.map(({ file }) => file),
      exit,
      warnings,
    );
  });
  // A lock that nobody holds says nothing.
  mkdirSync(join(world.folder, 'lists/.chanlist/UCx.ndjson.lock'));
  assert.deepEqual((await check(world, 'lists --from refs.txt -q')).codes, ['absent']);
  // Neither does that of `latest --seen`.
  const folder = PrivateFolder.open(join(world.folder, 'lists/.chanlist'));
  const seen = await SeenFile.open('lists/seen.txt', new AbortController().signal);
  assert.deepEqual(folder.names().includes('seen.txt.seen.lock'), true);
  assert.deepEqual((await check(world, 'lists --from refs.txt -q')).codes, ['absent']);
  seen[Symbol.dispose]();
  // With its first page, and with its second.
  await world.run('uploads @b --output-dir lists');
  const unknown = 'could not find out for 1 reference (@b) whether an archive exists: ';
  const first = [[file], 0, [`${unknown}another run is making its first export`]];
  assert.deepEqual(during, [...first, [file], 0, []]);
  assert.equal((await check(world, 'lists --from refs.txt')).exit, 0);
});

test('what another run is writing is skipped', async (t) => {
  const { world, channel } = await archived(t);
  world.write('refs.txt', '@a\n@b\n');
  channel.list = videos(0, 260);
  const during: unknown[] = [];
  world.service.on(async ({ operation }) => {
    if (operation !== 'uploads') return;
    damaged(world);
    const { lines, exit, stderr } = await world.run('check lists');
    during.push(lines, exit, stderr);
    // Another archive is absent as before.
    during.push((await check(world, 'lists --from refs.txt')).codes);
  });
  await world.run('uploads @a --output-dir lists --update');
  assert.deepEqual(during, [[], 0, '', ['absent']]);
  assert.deepEqual((await check(world, 'lists')).codes, ['damaged']);
});

test('what another run has written since is skipped, too, and what it has exported is not absent', async (t) => {
  const { world } = await archived(t);
  const place = findArchives('lists');
  const [found] = place.archives;
  assert.ok(found);
  const { context } = fakeContext();
  const isWritten = async (now = context.clock.now): Promise<unknown> =>
    (await checkArchive(found, null, { ...context, clock: { ...context.clock, now } }))?.isWritten;
  assert.deepEqual([await isWritten(), await hasFirstExport(place)], [false, false]);
  await world.run('uploads @b --output-dir lists');
  assert.equal(await hasFirstExport(place), true);
  // The record is replaced while FILE is read.
  const replaced = (): number => {
    utimesSync(join(world.folder, record), 1000, 1000);
    return world.now;
  };
  assert.equal(await isWritten(replaced), true);
});

test('a record of another ID than the name of its file: damaged, and no command replaces the file', async (t) => {
  const { world } = await archived(t);
  await world.run('uploads @b --output-dir lists');
  const b = channelId('b');
  cpSync(join(world.folder, `lists/.chanlist/${b}.ndjson.json`), join(world.folder, record));
  world.write('refs.txt', '@a\n@b\n');
  const { exit, codes, rows, errors } = await check(world, 'lists --from refs.txt');
  assert.deepEqual([exit, codes, rows[0]?.problem?.fix], [11, ['damaged', null], null]);
  const says = `its record is of ${b}; restore the file and its record under their own names`;
  assert.match(errors[0] ?? '', /^could not find out for 1 reference \(@a\) whether an archive exists: /);
  assert.deepEqual(errors.slice(1), [`damaged: ${file}: ${says}`]);
});

test('pages without a header are not an archive, and do not hide an absent one', async (t) => {
  const { world } = await archived(t);
  world.write('lists/.chanlist/x.ndjson.run', '');
  world.write('refs.txt', '@a\n@b\n');
  assert.deepEqual((await check(world, 'lists --from refs.txt')).codes, [null, 'absent']);
});

test('without a record, or a folder without .chanlist: 2; what cannot be read is damaged, and the others are checked', async (t) => {
  const { world } = await archived(t);
  world.write('alone.ndjson', world.read(file));
  world.write('lists/alone.ndjson', world.read(file));
  for (const path of ['.', 'alone.ndjson', 'lists/alone.ndjson']) {
    const bad = await check(world, path);
    assert.deepEqual([bad.exit, bad.rows], [2, []], path);
    onlyError(bad, 'no record', path.endsWith('.ndjson') ? 'uploads --update' : 'mounted');
  }
  for (const path of ['none', 'none.ndjson', 'lists none', 'none/none', 'none/', 'lists/none']) {
    const bad = await check(world, path);
    assert.deepEqual([bad.exit, bad.rows], [2, []], path);
    onlyError(bad, `${path.replace('lists ', '')}: there is no such file or folder`, 'mounted');
  }
  assert.equal((await check(world, [])).exit, 2);
  await world.run('uploads @b --output-dir lists');
  const b = `lists/${channelId('b')}.ndjson`;
  renameSync(join(world.folder, b), join(world.folder, 'b'));
  symlinkSync('none/b', join(world.folder, b));
  const dangling = await check(world, 'lists');
  assert.deepEqual([dangling.exit, dangling.codes], [11, [null, 'damaged']]);
  onlyError(dangling, `damaged: ${b}: `, 'does not exist');
  renameSync(join(world.folder, 'b'), join(world.folder, b));
  world.remove(record);
  const run = `lists/.chanlist/${id}.ndjson.run`;
  world.write(run, '#{"version":99}\n{}\n#{}\n');
  const other = await check(world, 'lists');
  assert.deepEqual([other.exit, other.codes], [11, ['damaged', null]]);
  // Its pages were paid for: no command that runs every fix removes them.
  assert.equal(other.rows[0]?.problem?.fix, null);
  onlyError(other, run, 'of another version', 'to discard them');
});

test('an interrupted export from the sandbox: its fix names --sandbox, and ends it', async (t) => {
  const world = await World.open(t);
  assert.equal((await world.run('uploads @size-150 -o a.ndjson --sandbox --max-credits 1')).exit, 9);
  const { rows } = await check(world, 'a.ndjson');
  const fix = rows[0]?.problem?.fix ?? '';
  assert.match(fix, /^chanlist uploads .*-o a\.ndjson --sandbox$/);
  await world.paste(fix);
  assert.equal((await check(world, 'a.ndjson')).rows[0]?.entries, 150);
});
