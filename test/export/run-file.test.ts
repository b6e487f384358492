/** `.chanlist/FILE.run`: an interrupted run, in one file that is only appended to. */
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { RunFile } from '../../src/export/run-file.ts';
import type { RunHeader } from '../../src/export/run-header.ts';
import type { PrivateFolder } from '../../src/fs/private-folder.ts';
import type { Position } from '../../src/run/list-pages.ts';
import { isFailure } from '../support/failures.ts';
import { privateFolder } from '../support/private-folder.ts';
import { header, record, request, stop } from './files.ts';

const positionAt = (pages: number, facts: Partial<Position> = {}): Position => ({
  token: `t${pages}`,
  hasMore: true,
  entries: 2 * pages,
  pages,
  total: 250,
  ...facts,
});
const rowsOf = (...ids: readonly string[]): string => ids.map((id) => `{"videoId":"${id}"}\n`).join('');
/** Three pages; the last one has no entry of its own. */
const pages = [rowsOf('ä', 'b'), rowsOf('c', 'd'), ''] as const;

async function open(folder: PrivateFolder): Promise<RunFile> {
  const run = await RunFile.open(folder, 'a', stop);
  assert.ok(run instanceof RunFile);
  return run;
}

async function textOf(run: RunFile): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of run.rows(stop)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

/** Writes the run file of three pages. */
function create(folder: PrivateFolder, facts: Partial<RunHeader> = {}): void {
  using run = RunFile.create(folder, 'a', header(facts));
  run.addPage(pages[0], positionAt(1), [], '{"title":"t"}');
  run.addPage(Buffer.from(pages[1]), positionAt(2), [], null);
  run.addPage(pages[2], positionAt(3, { entries: 4 }), ['d'], null);
}

test('pages are read back as they were added', async (t) => {
  const folder = await privateFolder(t);
  create(folder);
  assert.deepEqual(folder.names().sort(), ['.gitignore', 'a.run']);
  assert.equal(statSync(folder.at('a.run')).mode & 0o777, 0o600);
  using run = await open(folder);
  assert.deepEqual(run.header, { version: 1, ...header() });
  assert.deepEqual(run.position, positionAt(3, { entries: 4 }));
  assert.deepEqual([run.info, run.end], ['{"title":"t"}', null]);
  assert.equal(await textOf(run), pages.join(''));
  assert.deepEqual([...(await run.ids(stop))], ['ä', 'b', 'c', 'd']);
  assert.equal(run.size, statSync(folder.at('a.run')).size);
  run.remove();
  assert.deepEqual(folder.names(), ['.gitignore']);
});

test('cut off at any byte, it holds its whole pages, and the missing ones are added again', async (t) => {
  const folder = await privateFolder(t);
  create(folder);
  const path = folder.at('a.run');
  const whole = readFileSync(path);
  const text = whole.toString('latin1');
  const first = text.indexOf('\n') + 1;
  /** The bytes behind each page. */
  const ends = [...text.matchAll(/\n#.*\n/g)].map((found) => found.index + found[0].length);
  const third = text.length;
  assert.deepEqual([ends.length, ends.at(-1)], [2, text.lastIndexOf('#')]);
  for (let size = first; size <= whole.length; size++) {
    writeFileSync(path, whole.subarray(0, size));
    const count = [...ends, third].filter((end) => end <= size).length;
    if (count === 0) {
      assert.equal(await RunFile.open(folder, 'a', stop), null, `cut at ${size}`);
      continue;
    }
    using run = await open(folder);
    assert.deepEqual([run.position.pages, await textOf(run)], [count, pages.slice(0, count).join('')]);
    assert.equal(statSync(path).size, size, 'opening it changes nothing');
    if (count < 2) run.addPage(pages[1], positionAt(2), [], null);
    if (count < 3) run.addPage(pages[2], positionAt(3, { entries: 4 }), ['d'], null);
    assert.ok(readFileSync(path).equals(whole), `cut at ${size}`);
  }
});

test('a page of which blocks were lost does not count', async (t) => {
  const folder = await privateFolder(t);
  create(folder);
  const path = folder.at('a.run');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace('{"videoId":"c"}\n{', '\0'.repeat(17)));
  using run = await open(folder);
  assert.deepEqual([run.position.pages, await textOf(run)], [1, pages[0]]);
});

test('the IDs on the last page that had entries, those that were left out included', async (t) => {
  const folder = await privateFolder(t);
  using run = RunFile.create(folder, 'a', header());
  const last = async (): Promise<string> => {
    using read = await open(folder);
    const ids = [...(await run.lastPageIds(stop))].join(' ');
    assert.equal([...(await read.lastPageIds(stop))].join(' '), ids);
    return ids;
  };
  assert.deepEqual([...(await run.lastPageIds(stop))], []);
  run.addPage(rowsOf('a', 'b'), positionAt(1), [], null);
  assert.equal(await last(), 'a b');
  run.addPage(rowsOf('c'), positionAt(2, { entries: 3 }), ['b'], null);
  assert.equal(await last(), 'c b');
  run.addPage('', positionAt(3, { entries: 3 }), [], null);
  assert.equal(await last(), 'c b');
  run.addPage('', positionAt(4, { entries: 3 }), ['c'], null);
  assert.equal(await last(), 'c');
});

test('it has its name once it holds a page; a run without one leaves nothing', async (t) => {
  const folder = await privateFolder(t);
  {
    using run = RunFile.create(folder, 'a', header());
    assert.deepEqual(folder.names().sort(), ['.gitignore', 'a.run.tmp']);
    assert.equal(run.position.pages, 0);
  }
  assert.deepEqual(folder.names(), ['.gitignore']);
  create(folder);
  {
    // Until a new run has bought a page, the pages of the old one stay.
    using run = RunFile.create(folder, 'a', header({ reference: '@b' }));
    assert.equal((await open(folder)).header.reference, '@a');
    run.addPage(pages[0], positionAt(1), [], null);
  }
  const run = await open(folder);
  assert.deepEqual([run.header.reference, run.position.pages], ['@b', 1]);
  assert.deepEqual(folder.names().sort(), ['.gitignore', 'a.run']);
});

test('how it has ended is its last line; a cut one does not count', async (t) => {
  const folder = await privateFolder(t);
  create(folder);
  const end = { size: 64, mtime: 1.25, record: record() };
  {
    using run = await open(folder);
    run.addEnd({ ...end, size: 63, record: null });
    run.addEnd(end);
  }
  using ended = await open(folder);
  assert.deepEqual([ended.end, ended.position.pages, await textOf(ended)], [end, 3, pages.join('')]);
  const bytes = readFileSync(folder.at('a.run'));
  writeFileSync(folder.at('a.run'), bytes.subarray(0, -1));
  assert.equal((await open(folder)).end?.size, 63);
});

test('a first line that is none of this version is 2, and names the file', async (t) => {
  const folder = await privateFolder(t);
  const path = folder.at('a.run');
  assert.equal(await RunFile.open(folder, 'a', stop), null);
  create(folder);
  const [first = '', ...rest] = readFileSync(path, 'utf8').split('\n');
  const { version: _, ...unversioned } = JSON.parse(first.slice(1));
  const others = [{ ...unversioned, version: 2 }, unversioned, { version: 1, request: request() }, []];
  for (const line of [...others.map((value) => `#${JSON.stringify(value)}`), '{}', '', 'x', '#']) {
    writeFileSync(path, [line, ...rest].join('\n'));
    await assert.rejects(
      RunFile.open(folder, 'a', stop),
      isFailure(2, 'of another version', `rm ${path}`),
      line,
    );
  }
});
