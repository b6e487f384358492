import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { age, type CheckedExport, checkExport, findExports } from '../../src/export/check.ts';
import { type Memory, memoryPath, newMemory, writeMemory } from '../../src/export/memory.ts';
import { noProgress, type Progress, type StateHeader } from '../../src/export/state.ts';
import { acquireLock } from '../../src/fs/lock.ts';
import { temporaryFolder } from './temp.ts';

const id = 'UCabcdefghijklmnopqrstuv';
const other = 'UCzzzzzzzzzzzzzzzzzzzzzz';
const now = Date.parse('2026-11-21T12:00:00Z');
const checkedAt = '2026-11-20T12:00:00.000Z';

const row = (videoId: string, channelId = id): string => `${JSON.stringify({ videoId, channelId })}\n`;
const rows = ['c', 'b', 'a'].map((name) => row(name)).join('');

/** Writes an export and what the folder remembers of it. `text`: null for no file; else what is there now. */
async function exported(
  folder: string,
  {
    name = `${id}.ndjson`,
    finished = rows,
    text = finished as string | null,
    ...change
  }: Partial<Omit<Memory, 'finished'>> & { name?: string; finished?: string; text?: string | null } = {},
): Promise<string> {
  const file = join(folder, name);
  if (text !== null) await writeFile(file, text);
  const about = { file: name, command: 'uploads', service: 's', id, format: 'ndjson', fields: null };
  const digest = `sha256:${createHash('sha256').update(finished).digest('hex')}`;
  const memory: Memory = {
    ...newMemory(about),
    references: { '@a': checkedAt },
    checked: checkedAt,
    changed: checkedAt,
    entries: finished.split('\n').length - 1,
    credits: { confirmed: 2, possibly_charged: 1 },
    finished: { size: Buffer.byteLength(finished), digest, mtime: 0, inode: 0 },
    ...change,
  };
  await writeMemory(file, memory, false);
  return file;
}

async function check(path: string, maxAge: number | null = null): Promise<CheckedExport[]> {
  const { exports } = await findExports([path]);
  return await Promise.all(exports.map((found) => checkExport(found, null, { now, maxAge })));
}

async function only(path: string, maxAge: number | null = null): Promise<CheckedExport> {
  const [checked, ...others] = await check(path, maxAge);
  assert.ok(checked);
  assert.deepEqual(others, []);
  return checked;
}

const codes = ({ problems }: CheckedExport): string[] => problems.map(({ code }) => code);

test('an export that is as remembered has no problems', async (t) => {
  const folder = await temporaryFolder(t);
  const file = await exported(folder, { missing: 4, failures: 2 });
  const expected = {
    file,
    reference: '@a',
    id,
    entries: 3,
    newest: 'c',
    checked: checkedAt,
    failures: 2,
    credits: 3,
    missing: 4,
    problems: [],
  };
  const checked = await only(folder);
  assert.deepEqual(checked, expected);
  assert.deepEqual(Object.keys(checked), Object.keys(expected));
  assert.deepEqual(await only(file), expected);
});

test('without a memory only the file is checked', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, `${id}.ndjson`), rows);
  await writeFile(join(folder, 'notes.json'), '{');
  await writeFile(join(folder, 'PLx.txt'), '');
  const { entries, reference, checked, credits, missing, problems } = await only(folder);
  assert.deepEqual(
    { entries, reference, checked, credits, missing },
    {
      entries: 3,
      reference: id,
      checked: null,
      credits: 0,
      missing: null,
    },
  );
  assert.deepEqual(problems, []);
  const [stale] = (await only(folder, 1000)).problems;
  assert.equal(stale?.code, 'stale');
});

const hundred = Array.from({ length: 250 }, (_, i) => row(`v${i}`)).join('');
const restart = (folder: string): string => `chanlist uploads ${id} --output-dir ${folder} --restart`;

const damages: readonly [what: string, text: string, expected: readonly string[], message: RegExp][] = [
  ['a row cut short', hundred.slice(0, -5), ['damaged', 'changed'], /ndjson:250: cut short$/],
  [
    'a row that does not parse',
    hundred.replace('"v7"', '"v7'),
    ['damaged', 'changed'],
    /ndjson:8: not valid JSON$/,
  ],
  ['zeros after a power cut', `${hundred}${'\0'.repeat(9)}`, ['damaged', 'changed'], /:251: /],
  ['an ID twice', hundred + row('v7'), ['duplicate', 'changed'], /^v7 occurs twice$/],
  ['another channel', hundred + row('w', other), ['foreign', 'changed'], /^entries of UCz+, not of UCabc/],
  ['rows missing', hundred.split('\n').slice(3).join('\n'), ['changed'], /bytes, not \d+, 3 entries fewer$/],
  ['a changed letter', hundred.replace('"v7"', '"V7"'), ['changed'], /^its content is not as remembered; /],
];
for (const [what, text, expected, message] of damages) {
  test(`${what}: ${expected.join(', ')}`, async (t) => {
    const folder = await temporaryFolder(t);
    await exported(folder, { finished: hundred, text });
    const checked = await only(folder);
    assert.deepEqual(codes(checked), expected);
    assert.match(checked.problems[0]?.message ?? '', message);
    for (const { fix, cost } of checked.problems) assert.deepEqual([fix, cost], [restart(folder), 3]);
  });
}

test('a damaged file without a memory: the cost is that of its lines', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, `${id}.ndjson`), `${hundred}{`);
  const checked = await only(folder);
  assert.deepEqual([checked.entries, checked.problems[0]?.cost], [null, 3]);
});

test('a playlist may hold a video twice, and any channels', async (t) => {
  const folder = await temporaryFolder(t);
  const text = row('a') + row('b', other) + row('a');
  await exported(folder, { name: 'PLx.ndjson', id: 'PLx', command: 'playlist', finished: text });
  assert.deepEqual(codes(await only(folder)), []);
  await writeFile(join(folder, 'mixed.ndjson'), text);
  assert.deepEqual(codes(await only(join(folder, 'mixed.ndjson'))), []);
});

test('a remembered file that is not there', async (t) => {
  const folder = await temporaryFolder(t);
  const file = await exported(folder, { finished: hundred, text: null });
  const checked = await only(folder);
  assert.deepEqual(codes(checked), ['no_file']);
  assert.deepEqual([checked.file, checked.entries], [file, null]);
  assert.deepEqual([checked.problems[0]?.fix, checked.problems[0]?.cost], [restart(folder), 3]);
  assert.deepEqual(codes(await only(file)), ['no_file']);
});

test('looks: vanished, stale, failing', async (t) => {
  const folder = await temporaryFolder(t);
  await exported(folder, { vanished: '2026-11-19T00:00:00.000Z', failures: 3 });
  assert.deepEqual(codes(await only(folder, 25 * 3_600_000)), ['vanished', 'failing']);
  const { problems } = await only(folder, 23 * 3_600_000);
  assert.deepEqual(
    problems.map(({ code, message, cost }) => [code, message, cost]),
    [
      ['vanished', 'not found (404) since 2026-11-19', 0],
      ['stale', 'last successful look 24 hours ago', 0],
      ['failing', '3 consecutive failed runs', 0],
    ],
  );
  assert.equal(problems[2]?.fix, `chanlist uploads ${id} --output-dir ${folder} --update`);
});

test('fixes repeat format and fields, and keep the memory of a file with another name', async (t) => {
  const folder = join(await temporaryFolder(t), "it's");
  await mkdir(folder);
  const text = 'videoId,title\na,x\n';
  const memory = { format: 'csv', fields: 'videoId,title', finished: text, failures: 3 };
  await exported(folder, { ...memory, name: `${id}.csv` });
  const quoted = folder.replace("'", `'\\''`);
  assert.equal(
    (await only(folder)).problems[0]?.fix,
    `chanlist uploads ${id} --format csv --fields videoId,title --output-dir '${quoted}' --update`,
  );
  await exported(folder, { ...memory, name: 'a b', text: `${text}"` });
  assert.equal(
    (await only(join(folder, 'a b'))).problems[0]?.fix,
    `chanlist uploads ${id} --format csv --fields videoId,title --output '${quoted}/a b' --update --restart`,
  );
});

test('an export that was limited is exported again with its limit', async (t) => {
  const folder = await temporaryFolder(t);
  await exported(folder, { limited: true, text: null });
  const fix = `chanlist uploads ${id} --output-dir ${folder} --limit 3 --restart`;
  assert.deepEqual((await only(folder)).problems[0]?.fix, fix);
});

const header: StateHeader = {
  version: 2,
  mode: 'export',
  identity: { command: 'uploads', reference: '@a', id, format: 'ndjson', fields: null, service: 's' },
  started: '2026-11-20T00:00:00.000Z',
  base: null,
  inode: 0,
  published: {},
  marks: '',
};

async function interrupted(
  file: string,
  mode: StateHeader['mode'],
  change: Partial<Progress>,
): Promise<void> {
  const lines = [
    { ...header, mode },
    { ...noProgress, entries: 3, pages: 1, bytes: rows.length, ...change },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeFile(`${file}.part.json`, text, { mode: 0o600 });
  await writeFile(`${file}.part`, rows, { mode: 0o600 });
}

test('leftovers of an interruption name the command that resumes, and its cost', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, `${id}.ndjson`);
  await interrupted(file, 'export', { total: 250 });
  const first = await only(folder);
  assert.deepEqual(first.problems, [
    {
      code: 'interrupted',
      message: 'an export of 2026-11-20 was interrupted after 3 entries of 250',
      fix: `chanlist uploads ${id} --output-dir ${folder}`,
      cost: 3,
    },
  ]);
  assert.deepEqual(first, await only(`${file}.part`));
  await exported(folder);
  await interrupted(file, 'update', { done: true });
  const [update] = (await only(folder)).problems;
  assert.deepEqual(
    [update?.fix, update?.cost],
    [`chanlist uploads ${id} --output-dir ${folder} --update`, 0],
  );
  await rm(`${file}.part.json`);
  const [lone] = (await only(folder)).problems;
  assert.deepEqual([lone?.code, lone?.fix, lone?.cost], ['interrupted', `rm ${file}.part`, 0]);
});

test('an interruption that cannot be resumed names the command that exports again, and its cost', async (t) => {
  const folder = await temporaryFolder(t);
  const again = [`chanlist uploads ${id} --output-dir ${folder} --restart`, 1];
  const fixes = async () => (await only(folder)).problems.map(({ code, fix, cost }) => [code, fix, cost]);
  const file = await exported(folder);
  await interrupted(file, 'export', { total: 250, bytes: rows.length + 1 });
  assert.deepEqual(await fixes(), [['interrupted', ...again]]);
  await rm(`${file}.part`);
  assert.deepEqual(await fixes(), [['interrupted', ...again]]);
  // An update of a file that is gone.
  await interrupted(file, 'update', {});
  await rm(file);
  assert.deepEqual(await fixes(), [
    ['interrupted', ...again],
    ['no_file', ...again],
  ]);
});

test('a file that an interrupted run has put in place is not changed', async (t) => {
  const folder = await temporaryFolder(t);
  const text = row('d') + rows;
  const file = await exported(folder, { text });
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  await interrupted(file, 'update', { done: true, result: { size: text.length, digest } });
  assert.deepEqual(codes(await only(folder)), ['interrupted']);
});

test('while another run holds the lock, its files are not problems', async (t) => {
  const folder = await temporaryFolder(t);
  const file = await exported(folder, { text: `${rows}${row('c')}` });
  await interrupted(file, 'update', {});
  const gone = await exported(folder, { name: `${other}.ndjson`, text: null });
  const locks = [await acquireLock(file), await acquireLock(gone)];
  assert.deepEqual((await check(folder)).map(codes), [['duplicate'], []]);
  for (const lock of locks) await lock.release();
  assert.deepEqual((await check(folder)).map(codes), [['duplicate', 'changed', 'interrupted'], ['no_file']]);
});

test('memories that cannot be used are named; the files are checked, and nothing is written', async (t) => {
  const folder = await temporaryFolder(t);
  const newer = await exported(folder);
  await writeFile(memoryPath(newer), '{"version":2}');
  const damaged = await exported(folder, { name: `${other}.ndjson`, text: row('a', other) });
  await writeFile(memoryPath(damaged), '{"version"');
  const before = await readdir(folder, { recursive: true });
  const { exports, problems } = await findExports([folder]);
  assert.deepEqual(
    exports.map(({ id, memory }) => [id, memory]),
    [
      [id, null],
      [other, null],
    ],
  );
  assert.match(problems.join('\n'), /^.+ newer version .+ left as it is; update chanlist\n.+ is damaged$/);
  assert.deepEqual((await check(folder)).map(codes), [[], []]);
  assert.deepEqual(await readdir(folder, { recursive: true }), before);
});

test('a planted memory names no exports', async (t) => {
  const folder = await temporaryFolder(t);
  const elsewhere = await temporaryFolder(t);
  await exported(elsewhere, { name: 'planted' });
  await symlink(join(elsewhere, '.chanlist'), join(folder, '.chanlist'));
  const { exports, problems } = await findExports([folder]);
  assert.deepEqual(exports, []);
  assert.match(problems.join('\n'), /\.chanlist is in the way: it is not a folder/);
});

test('a path that is no file, or cannot be read, is damaged at no cost', async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, `${id}.ndjson`));
  const [problem] = (await only(folder)).problems;
  assert.deepEqual([problem?.code, problem?.cost], ['damaged', 0]);
  if (process.getuid?.() === 0) return;
  const file = await exported(folder, { name: `${other}.ndjson` });
  await chmod(file, 0);
  assert.deepEqual(codes(await only(file)), ['damaged']);
});

test('a linked export is checked where it is', async (t) => {
  const folder = await temporaryFolder(t);
  const file = await exported(folder, { name: 'a' });
  const link = join(await temporaryFolder(t), `${id}.ndjson`);
  await symlink(file, link);
  const checked = await only(dirname(link));
  assert.deepEqual([checked.file, checked.checked, codes(checked)], [link, checkedAt, []]);
});

test('paths that do not exist, and files of unknown formats, are usage errors', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'refs.txt'), '');
  for (const name of ['none', 'none.ndjson', 'refs.txt'])
    await assert.rejects(
      findExports([join(folder, name)]),
      (error: unknown) => error instanceof Failure && error.exit === 2 && error.message.includes(folder),
      name,
    );
  assert.deepEqual(await check(folder), []);
});

test('ages are hours, then days', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  assert.equal(age('2026-11-21T11:00:01Z', now), 'less than an hour ago');
  assert.equal(age('2026-11-21T11:00:00Z', now), '1 hour ago');
  assert.equal(age('2026-11-19T12:00:01Z', now), '47 hours ago');
  assert.equal(age('2026-11-19T12:00:00Z', now), '2 days ago');
});
