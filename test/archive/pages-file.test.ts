/** `.chanlist/FILE.run`: the pages of an interrupted run, in one file that is only appended to. */

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { test } from 'node:test';
import { PagesFile } from '../../src/archive/pages-file.ts';
import type { PagesHeader } from '../../src/archive/pages-format.ts';
import type { PrivateFolder } from '../../src/fs/private-folder.ts';
import type { Position } from '../../src/service/page.ts';
import { isFailure } from '../support/failures.ts';
import { privateFolder } from '../support/private-folder.ts';
import { damages } from './damages.ts';
import { header, record, request, stop, timeAt } from './files.ts';

const positionAt = (pages: number, facts: Partial<Position> = {}): Position => ({
  next: { token: `t${pages}` },
  entries: 2 * pages,
  pages,
  total: 250,
  ...facts,
});
const rowsOf = (...ids: readonly string[]): string => ids.map((id) => `{"videoId":"${id}"}\n`).join('');
/** Three pages; the last one has no entry of its own. */
const rows = [rowsOf('ä', 'b'), rowsOf('c', 'd'), ''] as const;
const last = positionAt(3, { entries: 4 });
const isForeign = isFailure(1, 'another run or program is writing it');

async function open(folder: PrivateFolder): Promise<PagesFile> {
  const pages = await PagesFile.open(folder, 'a', stop);
  assert.ok(pages instanceof PagesFile);
  return pages;
}

async function textOf(pages: PagesFile): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of pages.rows(stop)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

function create(folder: PrivateFolder, facts: Partial<PagesHeader> = {}): void {
  using pages = PagesFile.create(folder, 'a', header(facts));
  pages.addPage(rows[0], positionAt(1), { info: '{"title":"t"}' });
  pages.addPage(Buffer.from(rows[1]), positionAt(2));
  pages.addPage(rows[2], last, { info: '{"title":"later"}' });
}

test('pages are read back as they were added', async (t) => {
  const folder = await privateFolder(t);
  create(folder);
  assert.deepEqual(folder.names().sort(), ['.gitignore', 'a.run']);
  assert.equal(fs.statSync(folder.at('a.run')).mode & 0o777, 0o600);
  using pages = await open(folder);
  assert.deepEqual(pages.header, { version: 2, ...header() });
  assert.deepEqual(pages.position, last);
  assert.deepEqual([pages.info, pages.end], ['{"title":"t"}', null]);
  assert.equal(await textOf(pages), rows.join(''));
  assert.deepEqual([...(await pages.readIds(stop)).ids], ['ä', 'b', 'c', 'd']);
  assert.equal(pages.size, fs.statSync(folder.at('a.run')).size);
  // playlist_info is stored once.
  assert.equal(fs.readFileSync(folder.at('a.run'), 'utf8').match(/title/g)?.length, 1);
  pages.remove();
  assert.deepEqual(folder.names(), ['.gitignore']);
});

test('cut off at any byte, it holds its whole pages, and the missing ones are added again', async (t) => {
  const folder = await privateFolder(t);
  create(folder);
  const path = folder.at('a.run');
  const whole = fs.readFileSync(path);
  const text = whole.toString('latin1');
  const ends = [...text.matchAll(/^#.*\n/gm)].map((found) => found.index + found[0].length).slice(1);
  assert.deepEqual([ends.length, ends.at(-1)], [3, whole.length]);
  for (let size = 0; size <= whole.length; size++) {
    fs.writeFileSync(path, whole.subarray(0, size));
    const count = ends.filter((end) => end <= size).length;
    if (count === 0) {
      assert.equal(await PagesFile.open(folder, 'a', stop), null, `cut at ${size}`);
      continue;
    }
    using pages = await open(folder);
    assert.deepEqual([pages.position.pages, await textOf(pages)], [count, rows.slice(0, count).join('')]);
    assert.equal(fs.statSync(path).size, size, 'opening it changes nothing');
    pages.openToAppend();
    if (count < 2) pages.addPage(rows[1], positionAt(2));
    if (count < 3) pages.addPage(rows[2], last);
    assert.ok(fs.readFileSync(path).equals(whole), `cut at ${size}`);
  }
});

test('what is not as it was written ends what counts: no change of bytes goes unnoticed', async (t) => {
  const folder = await privateFolder(t);
  {
    using pages = PagesFile.create(folder, 'a', header());
    for (let n = 1; n <= 12; n++) pages.addPage(rowsOf(`a${n}`, `b${n}`.repeat(n)), positionAt(n));
    pages.addEnd({ size: 64, mtime: 1.25, record: record() });
  }
  const path = folder.at('a.run');
  const whole = fs.readFileSync(path);
  const { random, count, seed } = damages.settings(1500);
  using original = await open(folder);
  const entries = await textOf(original);
  for (let n = 0; n < count; n++) {
    const { what, bytes } = damages.of(whole, random);
    fs.writeFileSync(path, bytes);
    const where = `${what} (CHANLIST_SEED=${seed}, ${n})`;
    const at = bytes.findIndex((byte, i) => byte !== whole[i]);
    using pages = await PagesFile.open(folder, 'a', stop);
    const counted = pages?.size ?? 0;
    assert.ok(at === -1 || counted <= at, `${where}: ${counted} bytes count, ${at} are as written`);
    assert.ok(pages === null || entries.startsWith(await textOf(pages)), where);
    assert.ok(pages === null || counted === whole.length || pages.end === null, where);
    if (pages === null) continue;
    pages.openToAppend();
    pages.addPage('', positionAt(20));
    assert.equal((await open(folder)).position.pages, 20, where);
  }
});

test('it gets its name with the first page; a run without a page removes it', async (t) => {
  const folder = await privateFolder(t);
  {
    using pages = PagesFile.create(folder, 'a', header());
    assert.deepEqual(folder.names().sort(), ['.gitignore', 'a.run.tmp']);
    assert.equal(pages.position.pages, 0);
  }
  assert.deepEqual(folder.names(), ['.gitignore']);
  create(folder);
  {
    // Until a new run has bought a page, the pages of the old one stay.
    using pages = PagesFile.create(folder, 'a', header({ reference: '@b' }));
    assert.equal((await open(folder)).header.reference, '@a');
    pages.addPage(rows[0], positionAt(1));
  }
  const pages = await open(folder);
  assert.deepEqual([pages.header.reference, pages.position.pages], ['@b', 1]);
  assert.deepEqual(folder.names().sort(), ['.gitignore', 'a.run']);
});

test('pages that are set aside for an update: only what later ones and FILE lack is added', async (t) => {
  const file = { size: 7, mtime: 1, checksum: 7, entries: 1 };
  const all = { all: true, started: timeAt(0), file, expected: [], feedProblem: null };
  const folder = await privateFolder(t);
  create(folder);
  {
    using pages = await open(folder);
    pages.openToAppend();
    pages.setAside(all, 'start');
    assert.deepEqual(pages.position, { ...last, next: 'start', entries: 0 });
    assert.deepEqual(pages.header.update, all);
    pages.addPage(rowsOf('new', 'c'), positionAt(4, { next: 'end', entries: 2 }));
  }
  {
    // Cut off within that page, nothing has been set aside.
    const whole = fs.readFileSync(folder.at('a.run'));
    fs.writeFileSync(folder.at('a.run'), whole.subarray(0, -1));
    using cut = await open(folder);
    assert.deepEqual([await textOf(cut), cut.header.update, cut.position], [rows.join(''), null, last]);
    fs.writeFileSync(folder.at('a.run'), whole);
  }
  using pages = await open(folder);
  assert.deepEqual([await textOf(pages), pages.header.update], [rowsOf('new', 'c'), all]);
  const ids = (await pages.readIds(stop)).ids;
  pages.openToAppend();
  await pages.addAside(new Set('b'), ids, true, stop);
  assert.equal(await textOf(pages), rowsOf('new', 'c', 'ä', 'd'));
  assert.deepEqual([pages.position.entries, [...ids]], [4, ['new', 'c', 'ä', 'd']]);
  // After a crash, it is not added again.
  using again = await open(folder);
  again.openToAppend();
  await again.addAside(new Set('b'), (await again.readIds(stop)).ids, true, stop);
  assert.deepEqual([await textOf(again), again.position], [await textOf(pages), pages.position]);
});

for (const [what, change, failure] of [
  ['is appended to', (path: string) => fs.appendFileSync(path, 'x'), isForeign],
  ['is cut', (path: string) => fs.truncateSync(path, 100), isForeign],
  ['is removed', (path: string) => fs.rmSync(path), isFailure(1, 'a.run was removed during this run')],
  [
    'is replaced by its copy',
    (path: string) => {
      fs.copyFileSync(path, `${path}.copy`);
      fs.rmSync(path);
      fs.copyFileSync(`${path}.copy`, path);
    },
    isForeign,
  ],
  [
    'goes with its folder',
    (path: string) => fs.rmSync(path.replace(/\/a\.run$/, ''), { recursive: true }),
    isFailure(1, 'was removed during this run'),
  ],
] as const)
  test(`a file that ${what} during a run is not written any more, and not removed`, async (t) => {
    const folder = await privateFolder(t);
    create(folder);
    const path = folder.at('a.run');
    using pages = await open(folder);
    pages.openToAppend();
    change(path);
    const names = folder.names.bind(folder);
    const before = what.startsWith('goes') ? null : names();
    assert.throws(() => pages.assertOwn(), failure);
    assert.throws(() => pages.addPage(rows[0], positionAt(4)), failure);
    assert.throws(() => pages.addEnd({ size: 1, mtime: 1, record: null }), failure);
    assert.throws(() => pages.remove(), failure);
    if (before !== null) assert.deepEqual(names(), before);
  });

test('pages that are removed or replaced before they are opened for writing are not created again', async (t) => {
  const folder = await privateFolder(t);
  create(folder);
  const path = folder.at('a.run');
  using removed = await open(folder);
  fs.rmSync(path);
  assert.throws(() => removed.openToAppend(), isFailure(1, 'removed'));
  assert.deepEqual(folder.names(), ['.gitignore']);
  create(folder);
  using replaced = await open(folder);
  fs.writeFileSync(`${path}.other`, fs.readFileSync(path));
  folder.rename('a.run.other', 'a.run');
  assert.throws(() => replaced.openToAppend(), isForeign);
});

test('rows that were changed since they were read are not passed on', async (t) => {
  const folder = await privateFolder(t);
  create(folder);
  using pages = await open(folder);
  fs.writeFileSync(folder.at('a.run'), fs.readFileSync(folder.at('a.run'), 'utf8').replace('"d"', '"e"'));
  await assert.rejects(textOf(pages), isForeign);
});

test('how it has ended is its last line; a cut one does not count', async (t) => {
  const folder = await privateFolder(t);
  create(folder);
  const end = { size: 64, mtime: 1.25, record: record() };
  {
    using pages = await open(folder);
    pages.openToAppend();
    pages.addEnd({ ...end, size: 63, record: null });
    pages.addEnd(end);
  }
  using ended = await open(folder);
  assert.deepEqual([ended.end, ended.position.pages, await textOf(ended)], [end, 3, rows.join('')]);
  const bytes = fs.readFileSync(folder.at('a.run'));
  fs.writeFileSync(folder.at('a.run'), bytes.subarray(0, -1));
  assert.equal((await open(folder)).end?.size, 63);
});

test('a first line of another version is 2, and names the file; one that cannot be read is not a pages file', async (t) => {
  const folder = await privateFolder(t);
  const path = folder.at('a.run');
  assert.equal(await PagesFile.open(folder, 'a', stop), null);
  create(folder);
  const [first = '', ...rest] = fs.readFileSync(path, 'utf8').split('\n');
  const { version: _, ...unversioned } = JSON.parse(first.slice(1, -9));
  for (const version of [1, 3]) {
    fs.writeFileSync(path, [`#${JSON.stringify({ version, ...unversioned })}`, ...rest].join('\n'));
    const isOther = isFailure(2, 'of another version', `rm ${path}`);
    await assert.rejects(PagesFile.open(folder, 'a', stop), isOther, String(version));
  }
  const own = JSON.stringify({ version: 2, request: request() });
  for (const line of [`#${own}`, JSON.stringify(unversioned), '{}', '', 'x', '#', first.slice(0, -20)]) {
    fs.writeFileSync(path, [line, ...rest].join('\n'));
    assert.equal(await PagesFile.open(folder, 'a', stop), null, line);
  }
  fs.writeFileSync(path, '');
  assert.equal(await PagesFile.open(folder, 'a', stop), null);
});
