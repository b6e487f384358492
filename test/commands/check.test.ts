/** `chanlist check` (product contract, Exports): offline, one record per export, the gravest problem, a fix that works. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { CheckRow } from '../../src/export/check/check-export.ts';
import { acquireLock } from '../../src/fs/file-lock.ts';
import { PrivateFolder } from '../../src/fs/private-folder.ts';
import { command, runHere as run } from '../support/command.ts';
import { type ExportFixture, exportFixture } from '../support/exports.ts';
import { type Line, type Result, temporaryFolder, wordsOf } from '../support/program.ts';
import { nobody, notRoot } from '../support/users.ts';
import { wordsOfShell } from '../support/world.ts';

const id = 'UCsize-250______________';
const empty = 'UCempty_________________';
const name = `${id}.ndjson`;

/** Runs `check` without an account. */
async function check(folder: string, line: Line, input?: string): Promise<Result & { exports: CheckRow[] }> {
  const result = await run(['check', ...wordsOf(line)], {
    cwd: folder,
    ...(input !== undefined && { input }),
  });
  return { ...result, exports: result.lines.map((line) => JSON.parse(line) as CheckRow) };
}

const codes = ({ exports }: { exports: readonly CheckRow[] }): (string | null)[] =>
  exports.map(({ problem }) => problem?.code ?? null);

/** Runs a fix as it is printed. Returns what the service charged. */
async function repair({ run }: ExportFixture, fix: string): Promise<number> {
  const { exit, stderr, charged } = await run(wordsOfShell(fix).slice(1));
  assert.equal(exit, 0, `${fix}: ${stderr}`);
  return charged;
}

/** All files with their times and contents: what must not change. */
function everything(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .sort()
    .map((path) => {
      const stats = statSync(join(folder, path));
      const content = stats.isFile() ? readFileSync(join(folder, path)) : '';
      return `${path} ${stats.mtimeMs} ${createHash('sha256').update(content).digest('hex')}`;
    });
}

/** Changes a record. */
function edit(record: string, change: (value: Record<string, unknown>) => object): void {
  const value = JSON.parse(readFileSync(record, 'utf8')) as Record<string, unknown>;
  writeFileSync(record, `${JSON.stringify({ ...value, ...change(value) })}\n`);
}

/** A folder with an export of 250 entries. */
async function exported(t: TestContext): Promise<ExportFixture & { file: string; record: string }> {
  const fixture = await exportFixture(t, { pageSize: 100 });
  await fixture.run('uploads @size-250 --output-dir lists');
  const lists = join(fixture.folder, 'lists');
  return { ...fixture, file: join(lists, name), record: join(lists, '.chanlist', `${name}.json`) };
}

test('one record per export, offline; nothing is created or changed', async (t) => {
  const fixture = await exported(t);
  const { folder, file, requests } = fixture;
  await fixture.run('uploads @empty --output-dir lists');
  await fixture.run('uploads @size-250 -o lists/three.csv --limit 3');
  await fixture.run('playlist PLdemo --output-dir lists');
  cpSync(file, join(folder, 'lists', 'UCunknown.ndjson'));
  writeFileSync(join(folder, 'lists/notes.txt'), 'no export');
  const [before, sent] = [everything(folder), requests.length];
  const all = await check(folder, 'lists');
  const rows = all.exports.map(({ file, entries, limit, problem }) => [
    file,
    entries,
    limit,
    problem?.code ?? null,
  ]);
  assert.deepEqual(rows, [
    ['lists/PLdemo.ndjson', 321, null, null],
    [`lists/${empty}.ndjson`, 0, null, null],
    [`lists/${name}`, 250, null, null],
    ['lists/UCunknown.ndjson', 250, null, 'foreign'],
    ['lists/three.csv', 3, 3, null],
  ]);
  const foreign = `chanlist: error: foreign: lists/UCunknown.ndjson: it contains entries of ${id}\n`;
  assert.deepEqual([all.exit, all.stderr], [11, foreign]);
  const [first] = readFileSync(file, 'utf8').split('\n');
  const found = all.exports[2];
  assert.match(found?.checked ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const { videoId: newest } = JSON.parse(first ?? '') as { videoId: string };
  const whole = { file: `lists/${name}`, reference: '@size-250', id, entries: 250, limit: null, missing: 0 };
  assert.equal(all.lines[2], JSON.stringify({ ...whole, newest, checked: found?.checked, problem: null }));
  const { entries, limit, missing, checked, reference } = all.exports[3] ?? {};
  assert.deepEqual([entries, limit, missing, checked, reference], [250, null, null, null, null]);
  assert.equal(all.exports[4]?.newest, null);
  const csv = await run('check lists -f csv -q', { cwd: folder });
  assert.equal(csv.lines[0], 'file,reference,id,entries,limit,missing,newest,checked,problem');
  assert.equal(csv.lines.length, 2);
  // -q: only those with a problem; a path that is given twice is one export.
  const quiet = await check(folder, [`lists/${name}`, file, 'lists', '-q']);
  assert.deepEqual([quiet.exit, codes(quiet)], [11, ['foreign']]);
  const good = await check(folder, [`lists/${name}`, '-q']);
  assert.deepEqual([good.exit, good.stdout, good.stderr], [0, '', '']);
  assert.deepEqual(everything(folder), before);
  assert.equal(requests.length, sent);
  const bare = await temporaryFolder(t);
  cpSync(file, join(bare, name));
  assert.equal((await check(bare, '.')).exit, 0);
  assert.deepEqual(readdirSync(bare), [name]);
});

test('each problem goes away with its fix, at the cost that it names', async (t) => {
  const fixture = await exported(t);
  const { folder, file, record } = fixture;
  const whole = readFileSync(file, 'utf8');
  const lines = whole.split('\n');
  const free = 'free if there is nothing new';
  const whole100 = '1 credit per 100 entries';
  const cases: readonly [code: string, damage: () => void, cost: string, credits: number][] = [
    ['damaged', () => writeFileSync(file, `${whole.slice(0, -100)}\n`), whole100, 3],
    ['damaged', () => writeFileSync(file, whole.replace(lines[7] ?? '', '\0')), whole100, 3],
    ['lost', () => writeFileSync(file, lines.slice(100).join('\n')), whole100, 3],
    ['absent', () => rmSync(file), whole100, 3],
    ['stale', () => edit(record, () => ({ checked: '2026-01-01T00:00:00.000Z' })), free, 0],
    ['stale', () => rmSync(join(folder, 'lists/.chanlist'), { recursive: true }), free, 0],
  ];
  const options = 'lists --from - --max-age 36h';
  for (const [code, damage, cost, credits] of cases) {
    damage();
    const bad = await check(folder, options, `${id}\n`);
    const { fix, message } = bad.exports[0]?.problem ?? {};
    assert.deepEqual([bad.exit, codes(bad)], [11, [code]]);
    assert.equal(bad.stderr, `chanlist: error: ${code}: lists/${name}: ${message}; fix: ${fix}\n`);
    assert.ok(message?.endsWith(`(repair: ${cost})`), message);
    assert.equal(await repair(fixture, fix ?? ''), credits, fix ?? '');
    assert.deepEqual(codes(await check(folder, options, `${id}\n`)), [null], fix ?? '');
    assert.deepEqual(readFileSync(file, 'utf8').split('\n').sort(), [...lines].sort());
  }
});

test('an interrupted update of every page: what is left to pay', async (t) => {
  const fixture = await exported(t);
  const { folder } = fixture;
  await fixture.run('uploads @size-250 --output-dir lists --update --all --max-credits 1');
  const problem = (await check(folder, 'lists')).exports[0]?.problem;
  assert.equal(problem?.message, 'its update was interrupted after 0 entries (repair: about 2 credits)');
  assert.equal(await repair(fixture, problem.fix ?? ''), 2);
});

test('foreign and duplicate entries have no fix', async (t) => {
  const { folder, file } = await exported(t);
  const whole = readFileSync(file, 'utf8');
  const one = whole.slice(0, whole.indexOf('\n') + 1);
  const cases: readonly [code: string, text: string][] = [
    ['duplicate', whole + one],
    ['foreign', `${whole.replaceAll(id, empty)}${one.replaceAll(id, empty)}`],
    ['damaged', `${whole.replaceAll(id, empty)}{`],
  ];
  for (const [code, text] of cases) {
    writeFileSync(file, text);
    const { exports, exit } = await check(folder, 'lists');
    assert.deepEqual([exit, codes({ exports })], [11, [code]]);
    if (code !== 'damaged') assert.equal(exports[0]?.problem?.fix, null);
  }
});

test('the fix of an export with its own request and name: the remaining cost, no more than its limit', async (t) => {
  const fixture = await exportFixture(t, { pageSize: 100 });
  const { folder } = fixture;
  const file = join(folder, 'my list');
  const rows = (): string => {
    const part = readdirSync(join(folder, '.chanlist')).find((each) => each.endsWith('.part'));
    return join(folder, '.chanlist', part ?? 'none');
  };
  const nothing = (): void => {};
  const cutRows = (): void => truncateSync(rows(), 10);
  const playlist = 'playlist PLdemo -f csv --fields videoId,title';
  const again = '1 credit per 100 entries';
  const cases: readonly [line: string, damage: () => void, code: string, cost: string, paid: number][] = [
    ['uploads @size-250 -f csv', nothing, 'interrupted', 'about 2 credits', 2],
    ['uploads @size-250 -f csv', cutRows, 'damaged', again, 3],
    ['uploads @size-250 -f csv', () => rmSync(rows()), 'damaged', again, 3],
    ['uploads @size-250 --limit 150 -f csv', nothing, 'interrupted', 'about 1 credit', 1],
    ['uploads @size-250 --limit 12', () => truncateSync(file, 100), 'damaged', again, 1],
    ['uploads @size-250 --limit 12', () => writeFileSync(file, '{}\n'), 'lost', again, 1],
    [playlist, nothing, 'interrupted', 'about 3 credits', 3],
    // An interrupted --restart whose rows are damaged is started over.
    [`${playlist} --restart`, cutRows, 'damaged', again, 4],
  ];
  for (const [line, damage, code, cost, paid] of cases) {
    if (!line.endsWith('--restart'))
      for (const each of readdirSync(folder)) rmSync(join(folder, each), { recursive: true });
    const { exit } = await fixture.run([...wordsOf(line), '-o', 'my list', '--max-credits', '1']);
    assert.equal(exit, line.includes('--limit 12') ? 0 : 9);
    damage();
    const found = await check(folder, '.');
    const { fix, message } = found.exports[0]?.problem ?? {};
    assert.deepEqual([found.exit, codes(found)], [11, [code]], line);
    assert.ok(message?.endsWith(` (repair: ${cost})`), message);
    assert.equal(await repair(fixture, fix ?? ''), paid, fix ?? '');
    const repaired = await check(folder, '.');
    assert.deepEqual([repaired.exit, codes(repaired)], [0, [null]], line);
  }
  // Deleting FILE starts over: no problem, unless a run was interrupted.
  rmSync(file);
  const none = await check(folder, '.');
  assert.deepEqual([none.exit, none.stdout, none.stderr], [0, '', '']);
});

test('a view that was changed is damaged, also under its size and time; it is never stale', async (t) => {
  const fixture = await exportFixture(t, { pageSize: 100 });
  const { folder } = fixture;
  const file = join(folder, 'odd.id');
  await fixture.run('uploads @odd -f id -o odd.id');
  const whole = readFileSync(file, 'utf8');
  const { mtime } = statSync(file);
  writeFileSync(file, whole.replace(/^./, '_'));
  utimesSync(file, mtime, mtime);
  const { exports } = await check(folder, 'odd.id');
  const { code, message, fix } = exports[0]?.problem ?? {};
  assert.deepEqual(
    [code, message],
    ['damaged', 'the view is not as it was written (repair: 1 credit per 100 entries)'],
  );
  await repair(fixture, fix ?? '');
  assert.equal(readFileSync(file, 'utf8'), whole);
  edit(join(folder, '.chanlist/odd.id.json'), () => ({ checked: '2026-01-01T00:00:00.000Z' }));
  assert.deepEqual(codes(await check(folder, 'odd.id --max-age 1h')), [null]);
});

test('gone, stale and unknown: what the last check said, in this order', async (t) => {
  const { folder, record } = await exported(t);
  const ago = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
  const gone = { failure: { code: 'gone', since: '2026-02-03T04:05:06.000Z' } };
  const cases: readonly [change: object, maxAge: string, code: string | null][] = [
    [{ checked: ago(37) }, '36h', 'stale'],
    [{ checked: ago(35) }, '36h', null],
    [{ checked: ago(49) }, '2d', 'stale'],
    [{ checked: ago(-0.9) }, '2d', null],
    [{ checked: ago(-1.1) }, '2d', 'stale'],
    [{ checked: null }, '2d', 'stale'],
    [{ checked: ago(7 * 24), withoutFeed: ago(7 * 24) }, '36h', null],
    [{ checked: ago(9 * 24), withoutFeed: ago(9 * 24) }, '36h', 'stale'],
    [{ checked: ago(9 * 24), withoutFeed: ago(9 * 24) }, '10d', null],
    [{ checked: ago(900), ...gone }, '2d', 'gone'],
    [{ checked: ago(1), withoutFeed: null, failure: { ...gone.failure, code: 'unavailable' } }, '2d', null],
  ];
  for (const [change, maxAge, code] of cases) {
    edit(record, () => change);
    const { exit, exports } = await check(folder, `lists --max-age ${maxAge}`);
    assert.deepEqual([exit, codes({ exports })], [code === null ? 0 : 11, [code]], JSON.stringify(change));
    if (code === 'gone') assert.match(exports[0]?.problem?.message ?? '', /2026-02-03/);
  }
});

test('--from: exactly these references, by ID or as a record knows them', async (t) => {
  const fixture = await exported(t);
  const { folder } = fixture;
  await fixture.run('uploads @empty --output-dir lists');
  await fixture.run('playlist PLdemo --output-dir lists');
  const list = `https://example.com/channel/${empty}/videos\n@size-250\n@size-9\nPLother\n`;
  const found = await check(folder, 'lists --from -', list);
  assert.equal(found.exit, 11);
  assert.deepEqual(found.stderr.split('\n'), [
    'chanlist: warning: 1 export is not in stdin (lists/PLdemo.ndjson)',
    'chanlist: error: absent: 2 exports (stdin:3 @size-9, stdin:4 PLother): it has not been exported; ' +
      'fix: one at a time, the first: chanlist uploads @size-9 --output-dir lists',
    '',
  ]);
  const shown = found.exports.map(({ file, id, reference, problem }) => [file, id, reference, problem?.code]);
  assert.deepEqual(
    shown.sort(),
    [
      [`lists/${empty}.ndjson`, empty, '@empty', undefined],
      [`lists/${name}`, id, '@size-250', undefined],
      [null, null, '@size-9', 'absent'],
      [null, 'PLother', 'PLother', 'absent'],
    ].sort(),
  );
  const fixes = found.exports.flatMap(({ problem }) => problem?.fix ?? []);
  assert.deepEqual(fixes, [
    'chanlist uploads @size-9 --output-dir lists',
    'chanlist playlist PLother --output-dir lists',
  ]);
  const well = await check(folder, 'lists --from -', `@size-250\n@size-250 # twice\n${id}\n`);
  assert.deepEqual([well.exit, well.lines.length], [0, 1]);
  // FILE is gone: that is graver than the run which was interrupted over it.
  assert.equal((await fixture.run('uploads @size-250 --output-dir lists --restart --max-credits 1')).exit, 9);
  rmSync(join(folder, 'lists', name));
  assert.deepEqual(codes(await check(folder, 'lists --from -', '@size-250\n')), ['absent']);
  await fixture.run('uploads @size-250 --output-dir lists --restart');
  // A list from stdin cannot be named again; only a file that is named by an ID may be adopted.
  rmSync(join(folder, 'lists', '.chanlist', `${name}.json`));
  const unknown = await check(folder, 'lists --from -', '@size-251\n@size-251\n');
  assert.equal(unknown.exports.length, 1);
  assert.equal(unknown.exports[0]?.problem?.fix, 'chanlist uploads @size-251 --output-dir lists');
  // Without records, names that are IDs.
  rmSync(join(folder, 'lists/.chanlist'), { recursive: true });
  const bare = await check(folder, 'lists --from -', `@empty\n${id}\n`);
  assert.deepEqual([bare.exit, codes(bare)], [11, [null, 'absent']]);
});

test('an export that is no regular file is damaged; a link is followed', async (t) => {
  const fixture = await exported(t);
  const { folder, file } = fixture;
  execFileSync('mkfifo', [join(folder, 'lists/UCfifo.ndjson')]);
  mkdirSync(join(folder, 'lists/UCfolder.ndjson'));
  const socket = createServer().listen(join(folder, 'lists/PLsocket.ndjson'));
  t.after(() => socket.close());
  await new Promise((resolve) => socket.once('listening', resolve));
  symlinkSync('nowhere/at-all', join(folder, 'lists/UClink.ndjson'));
  const all = await check(folder, 'lists');
  assert.equal(all.exit, 11);
  assert.match(all.stderr, /^chanlist: error: damaged: 4 exports \(.* and others\): .*regular file.*\n$/);
  const bad = all.exports.filter(({ problem }) => problem !== null);
  assert.deepEqual(
    bad.map(({ file, problem }) => [file, problem?.code, problem?.fix]),
    ['PLsocket.ndjson', 'UCfifo.ndjson', 'UCfolder.ndjson', 'UClink.ndjson'].map((name) => [
      ...[`lists/${name}`, 'damaged', null],
    ]),
  );
  symlinkSync(file, join(folder, 'a link.ndjson'));
  const linked = await check(folder, ['a link.ndjson', 'lists/UCfifo.ndjson']);
  assert.deepEqual([linked.exports[0]?.id, codes(linked)], [id, [null, 'damaged']]);
  truncateSync(file, 0);
  assert.deepEqual(codes(await check(folder, ['a link.ndjson'])), ['lost']);
});

test('an export that cannot be examined is one line (2, before 11), and the rest is checked', async (t) => {
  const fixture = await exported(t);
  const { folder, file, record } = fixture;
  writeFileSync(join(folder, 'refs.txt'), '@a\nnot one\n');
  const cases: readonly [line: Line, message: RegExp][] = [
    [[], /missing file or folder/],
    ['none', /none: no such file or folder/],
    ['none/at/all.csv', /none\/at\/all\.csv: no such file or folder/],
    ['lists --max-age 36', /--max-age/],
    ['lists --from refs.txt', /refs\.txt:2/],
    ['.', /no exports in \./],
    ['lists/.chanlist', /chanlist's own folder/],
  ];
  for (const [line, message] of cases) {
    const { exit, stdout, stderr } = await check(folder, line);
    assert.deepEqual([exit, stdout, stderr.split('\n').length], [2, '', 2], String(line));
    assert.match(stderr, message);
  }
  // No tally of nothing, which would read as all well.
  assert.doesNotMatch((await check(folder, 'none -v')).stderr, /checked/);
  const some = await check(folder, 'none lists');
  assert.deepEqual([some.exit, codes(some), some.stderr.split('\n').length], [2, [null], 2]);
  // A damaged record is a warning, and FILE one without a record.
  const whole = readFileSync(record);
  truncateSync(record, 20);
  const damaged = await check(folder, 'lists --max-age 2d');
  assert.deepEqual([damaged.exit, codes(damaged)], [11, ['stale']]);
  assert.match(
    damaged.stderr,
    /^chanlist: warning: .*its record is damaged.*\nchanlist: error: stale: .*\n$/,
  );
  writeFileSync(record, whole);
  edit(record, () => ({ version: 3 }));
  appendFileSync(file, '{');
  const newer = await check(folder, 'lists');
  assert.deepEqual([newer.exit, codes(newer)], [2, ['damaged']]);
  assert.match(newer.stderr, /^chanlist: error: damaged: .*\nchanlist: error: .*newer version.*\n$/);
});

test('records of another user count if nobody else can write them', { skip: notRoot }, async (t) => {
  const { folder, record } = await exported(t);
  const own = join(folder, 'lists/.chanlist');
  for (const path of [own, ...readdirSync(own).map((each) => join(own, each))])
    chownSync(path, nobody, nobody);
  const all = await check(folder, 'lists --max-age 2d');
  assert.deepEqual([all.exit, codes(all), all.exports[0]?.reference], [0, [null], '@size-250']);
  for (const [path, mode] of [
    [own, 0o770],
    [record, 0o620],
  ] as const) {
    const { mode: before } = statSync(path);
    chmodSync(path, mode);
    const bad = await check(folder, 'lists --max-age 2d');
    assert.deepEqual([bad.exit, codes(bad), bad.exports[0]?.reference], [2, ['stale'], null]);
    assert.match(bad.stderr, /^chanlist: error: stale: .*\nchanlist: error: refusing to use .*\n$/);
    // The export of a handle may be there: no advice to pay for it again.
    const some = await check(folder, 'lists --from -', '@size-250\n');
    assert.deepEqual([some.exit, codes(some)], [2, []]);
    chmodSync(path, before);
  }
});

test('while another run holds the lock, only what is certain is reported', async (t) => {
  const fixture = await exported(t);
  const { folder, file, record } = fixture;
  const whole = readFileSync(file, 'utf8');
  edit(record, ({ finished }) => ({
    finished: { ...(finished as object), entries: 300, digest: 'of more', inode: 1 },
  }));
  assert.deepEqual(codes(await check(folder, 'lists')), ['lost']);
  const own = PrivateFolder.openOrCreate(join(folder, 'lists/.chanlist'));
  const lock = await acquireLock(own, name, file);
  const busy = await check(folder, 'lists --max-age 1h');
  assert.deepEqual([busy.exit, codes(busy), busy.exports[0]?.entries], [0, [null], 250]);
  writeFileSync(file, `${whole}{`);
  assert.deepEqual(codes(await check(folder, 'lists')), ['damaged']);
  lock?.[Symbol.dispose]();
  own.close();
});

test('at a terminal: a table; on stderr one line per kind of problem', async (t) => {
  const folder = await temporaryFolder(t);
  const [a, b, c] = ['PLa.ndjson', 'PLb.ndjson', 'UC\u001b[31m.ndjson'].map((each) => join(folder, each));
  writeFileSync(a ?? '', '{"videoId":"a"}\n{"videoId"\n');
  writeFileSync(b ?? '', '\0\n');
  writeFileSync(c ?? '', '{"videoId":"c","channelId":"UCx\u009b"}\n{"videoId":"c"}\n');
  const args = ['check', a ?? '', b ?? '', c ?? ''];
  const { exit, stdout, stderr } = await command(args, { columns: 200 });
  assert.equal(exit, 11);
  assert.match(stdout.split('\n')[0] ?? '', /^file +reference +entries +checked +problem$/);
  assert.match(stdout, /PLa\.ndjson +- +1 +- +damaged *\n/);
  const fix = `one at a time, the first: chanlist playlist PLa -o ${a} --restart`;
  assert.deepEqual(stderr.split('\n').slice(0, 2), [
    `chanlist: error: damaged: 2 exports (${a}, ${b}): line 2 is not a JSON record (repair: 1 credit per 100 entries); fix: ${fix}`,
    `chanlist: error: duplicate: ${folder}/UC [31m.ndjson: c is in it twice`,
  ]);
  assert.doesNotMatch(stdout + stderr, /[\u001b\u009b]/);
});

test('a folder that was never exported to is 2 and proposes nothing; files without a record are exports', async (t) => {
  const { folder } = await exported(t);
  mkdirSync(join(folder, 'empty'));
  writeFileSync(join(folder, 'refs.txt'), `@a\n${id}\n`);
  const both = await check(folder, 'lists empty');
  assert.deepEqual([both.exit, codes(both)], [2, [null]]);
  assert.match(both.stderr, /^chanlist: error: no exports in empty; .*mounted\n$/);
  const absent = await check(folder, 'empty --from refs.txt');
  assert.deepEqual([absent.exit, absent.stdout], [2, '']);
  rmSync(join(folder, 'lists', '.chanlist'), { recursive: true });
  writeFileSync(join(folder, 'handles.txt'), '@other\n');
  const unrecorded = await check(folder, 'lists --from handles.txt');
  assert.deepEqual([unrecorded.exit, codes(unrecorded)], [11, ['absent']]);
});

test('a damaged record with rows and without FILE is damaged', async (t) => {
  const { folder, file, record } = await exported(t);
  rmSync(file);
  truncateSync(record, 20);
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 20);
  writeFileSync(join(folder, `lists/.chanlist/${hash}.12345678.part`), '{}\n', { mode: 0o600 });
  const result = await check(folder, 'lists');
  assert.deepEqual([result.exit, codes(result)], [11, ['damaged']]);
});
