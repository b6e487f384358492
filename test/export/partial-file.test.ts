import assert from 'node:assert/strict';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { type OpenOptions, PartialFile } from '../../src/export/partial-file.ts';
import type { Identity } from '../../src/export/state.ts';
import { type FileOps, nodeFileOps } from '../../src/fs/file-ops.ts';
import { resolveTarget } from '../../src/fs/target.ts';
import { nobody, notRoot } from '../support/users.ts';
import { each, identity, target } from './export-runs.ts';
import { MemoryDisk, systemError } from './memory-disk.ts';
import { temporaryFolder } from './temp.ts';

async function newPath(t: TestContext): Promise<{ folder: string; path: string }> {
  const folder = await temporaryFolder(t);
  return { folder, path: join(folder, 'out') };
}

async function open(
  path: string,
  given: Partial<OpenOptions> & { of?: Identity } = {},
): Promise<PartialFile> {
  const { of = identity, ...options } = given;
  return await PartialFile.open(await resolveTarget(path), of, {
    mode: 'export',
    restart: false,
    digest: true,
    now: Date.UTC(2026, 0, 2, 3, 4, 5),
    ...options,
  });
}

/** An export of which two pages were written when it was interrupted. */
async function interrupt(path: string, given: Partial<OpenOptions> = {}): Promise<void> {
  const file = await open(path, given);
  await file.append('1\n', { pages: 1, entries: 1, token: 'a' });
  await file.append('2\n3\n', { pages: 2, entries: 3, token: 'b+/=', id: 'UCa', mark: 'digest-a' });
  await file.close();
}

const fails =
  (exit: number, ...words: string[]) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.exit, exit, error.message);
    for (const word of words) assert.ok(`${error.message}; ${error.hint}`.includes(word), error.message);
    return true;
  };

test('FILE shows only when it is whole, with its digest; nothing else is left', async (t) => {
  const { folder, path } = await newPath(t);
  const file = await open(path);
  assert.deepEqual(await readdir(folder), ['out.part.tmp']);
  await file.append('1\n', { pages: 1, token: 'a' });
  assert.deepEqual((await readdir(folder)).sort(), ['out.part', 'out.part.json']);
  assert.equal(await readFile(`${path}.part`, 'utf8'), '1\n');
  // printf '1\n2\nend\n' | sha256sum
  const digest = 'sha256:56acac4369520cc1d2a6752a230d6eda5c788c2318f1c3837a1c4b465622e36a';
  await file.append(Buffer.from('2\n'), { pages: 2 });
  assert.deepEqual(await file.finish('end\n'), { size: 8, digest, problem: null });
  await file.close();
  assert.deepEqual(await readdir(folder), ['out']);
  assert.equal(await readFile(path, 'utf8'), '1\n2\nend\n');
  await assert.rejects(file.append('x', {}));
});

test('a resumed export knows its progress and its start; uncommitted rows are dropped', async (t) => {
  const { folder, path } = await newPath(t);
  await interrupt(path, { published: { v1: '2026-01-01T00:00:00Z' } });
  const loose = await open(path);
  await loose.appendUncommitted('rows of a page that cannot be resumed\n');
  await loose.close();
  const file = await open(path);
  assert.deepEqual([file.resumed, file.finished, file.marks], [true, null, 'digest-a']);
  assert.equal(file.header.started, '2026-01-02T03:04:05.000Z');
  assert.deepEqual(file.header.published, { v1: '2026-01-01T00:00:00Z' });
  const { bytes, entries, pages, token, id } = file.progress;
  assert.deepEqual([bytes, entries, pages, token, id], [6, 3, 2, 'b+/=', 'UCa']);
  await file.append('', { pages: 3, mark: 'digest-b' });
  assert.equal(file.marks, 'digest-adigest-b');
  await file.finish('');
  assert.equal(await readFile(path, 'utf8'), '1\n2\n3\n');
  assert.deepEqual(await readdir(folder), ['out']);
});

test('other arguments are a usage error, and nothing changes; another reference with the same ID resumes', async (t) => {
  const { path } = await newPath(t);
  await interrupt(path);
  const state = await readFile(`${path}.part.json`, 'utf8');
  await assert.rejects(
    open(path, { of: { ...identity, format: 'csv' } }),
    fails(2, path, 'as ndjson, not csv'),
  );
  await assert.rejects(open(path, { mode: 'update' }), fails(2, 'with --update'));
  assert.equal(await readFile(`${path}.part.json`, 'utf8'), state);
  assert.equal(await readFile(`${path}.part`, 'utf8'), '1\n2\n3\n');
  const file = await open(path, { of: { ...identity, reference: 'UCa', id: 'UCa' } });
  assert.equal(file.progress.pages, 2);
  await file.close();
});

test('an interrupted export that is not all there is damaged (1), and stays; --restart replaces it', async (t) => {
  const { folder, path } = await newPath(t);
  const [part, state] = [`${path}.part`, `${path}.part.json`];
  const cases: readonly [damage: () => Promise<void>, ...words: string[]][] = [
    [() => writeFile(state, '[]\n'), state, 'damaged'],
    [() => truncate(part, 3), part, 'shorter'],
    [() => rm(part), part, 'missing'],
  ];
  for (const [damage, ...words] of cases) {
    await interrupt(path, { restart: true });
    await damage();
    await assert.rejects(open(path), fails(1, ...words));
  }
  const file = await open(path, { restart: true, of: { ...identity, format: 'json' } });
  assert.deepEqual([file.resumed, file.progress.pages], [false, 0]);
  await file.append('x', { pages: 1 });
  await file.finish('');
  assert.equal(await readFile(path, 'utf8'), 'x');
  assert.deepEqual(await readdir(folder), ['out']);
});

test('a state of a newer version is left alone, by --restart too', async (t) => {
  const { folder, path } = await newPath(t);
  await interrupt(path);
  await writeFile(`${path}.part.json`, '{"version":3}\n');
  for (const restart of [false, true])
    await assert.rejects(open(path, { restart }), fails(2, `${path}.part.json`, 'newer version'));
  assert.equal(await readFile(`${path}.part.json`, 'utf8'), '{"version":3}\n');
  assert.deepEqual((await readdir(folder)).sort(), ['out.part', 'out.part.json']);
});

test('a file in the way is found before anything is paid, and left unchanged', async (t) => {
  const { folder, path } = await newPath(t);
  const mine = join(folder, 'mine');
  await writeFile(mine, 'mine');
  const names = [`${path}.part`, `${path}.part.json`, `${path}.part.json.tmp`, `${path}.part.tmp`];
  const plants: ((name: string) => Promise<void>)[] = [
    (name) => symlink('mine', name),
    (name) => mkdir(name),
    async (name) => {
      await writeFile(name, '');
      await chmod(name, 0o666);
    },
  ];
  if (notRoot === false)
    plants.push(async (name) => {
      await writeFile(name, '');
      await chown(name, nobody, nobody);
    });
  for (const name of names) {
    for (const plant of plants) {
      await plant(name);
      const before = await lstat(name);
      for (const restart of [false, true])
        await assert.rejects(open(path, { restart }), fails(2, name, 'in the way'));
      const after = await lstat(name);
      assert.deepEqual([after.ino, after.mode, after.uid], [before.ino, before.mode, before.uid]);
      await rm(name, { recursive: true });
    }
  }
  await writeFile(`${path}.part`, 'somebody else');
  await assert.rejects(open(path), fails(2, `${path}.part`, 'in the way', '--restart'));
  assert.equal(await readFile(`${path}.part`, 'utf8'), 'somebody else');
  assert.equal(await readFile(mine, 'utf8'), 'mine');
});

test('an interrupted export whose rows are a link is not resumed', async (t) => {
  const { folder, path } = await newPath(t);
  await interrupt(path);
  await rename(`${path}.part`, join(folder, 'moved'));
  await symlink('moved', `${path}.part`);
  await assert.rejects(open(path), fails(2, `${path}.part`, 'in the way'));
});

test('the target of a link is replaced and keeps its mode; until then only this user can read the rows', async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'data'));
  const real = join(folder, 'data', 'real');
  await writeFile(real, 'old');
  await chmod(real, 0o462);
  const link = join(folder, 'link');
  await symlink('data/real', link);
  const file = await open(link);
  const modes = async (): Promise<number[]> =>
    await Promise.all(['part', 'part.json'].map(async (end) => (await stat(`${real}.${end}`)).mode & 0o777));
  await file.append('new', { pages: 1 });
  assert.deepEqual(await modes(), [0o600, 0o600]);
  await file.close();
  // Stopped while it was finished.
  await chmod(`${real}.part`, 0o462);
  const again = await open(link);
  assert.deepEqual(await modes(), [0o600, 0o600]);
  assert.equal(await readFile(real, 'utf8'), 'old');
  await again.finish('');
  assert.equal(await readFile(link, 'utf8'), 'new');
  assert.equal((await stat(real)).mode & 0o777, 0o462);
  assert.deepEqual(await readdir(folder), ['data', 'link']);
  assert.deepEqual(await readdir(join(folder, 'data')), ['real']);
});

test('a folder that cannot be written (2) and a full disk (1) show before anything is paid', async (t) => {
  const folder = join(await temporaryFolder(t), 'sub');
  await mkdir(folder);
  const missing = await resolveTarget(join(folder, 'out'));
  await rm(folder, { recursive: true });
  const options = { mode: 'export', restart: false, digest: false, now: 0 } as const;
  await assert.rejects(
    PartialFile.open(missing, identity, options),
    fails(2, missing.path, 'does not exist'),
  );
  for (const [code, exit] of [
    ['EROFS', 2],
    ['EACCES', 2],
    ['ENOSPC', 1],
    ['EDQUOT', 1],
  ] as const) {
    const ops: FileOps = { ...new MemoryDisk().process(), open: () => Promise.reject(systemError(code)) };
    await assert.rejects(
      PartialFile.open(target, identity, { ...options, ops }),
      fails(exit, '/d/out', code),
    );
  }
});

test('a full disk midway says how to resume; the page counts as not written, and no other is accepted', async (t) => {
  const { path } = await newPath(t);
  let isFull = false;
  const ops: FileOps = {
    ...nodeFileOps,
    open: async (name, how, mode) => {
      const file = await nodeFileOps.open(name, how, mode);
      const datasync = () => (isFull ? Promise.reject(systemError('ENOSPC')) : file.datasync());
      return { ...file, datasync };
    },
  };
  const file = await open(path, { ops });
  await file.append('1\n', { pages: 1 });
  isFull = true;
  await assert.rejects(file.append('2\n', { pages: 2 }), (error) => {
    assert.ok(error instanceof Failure);
    assert.equal(error.remedy, 'same-command');
    return fails(1, `${path}.part`, 'no space left', 'make room')(error);
  });
  isFull = false;
  await assert.rejects(file.append('3\n', { pages: 3 }));
  await file.close();
  const again = await open(path);
  assert.deepEqual([again.progress.pages, again.progress.bytes], [1, 2]);
  await again.close();
});

test('rows that are removed or replaced midway are noticed before the next page and before FILE is replaced', async (t) => {
  const { path } = await newPath(t);
  await writeFile(path, 'old');
  const steps: ((file: PartialFile) => Promise<unknown>)[] = [
    (file) => file.append('2\n', { pages: 2 }),
    (file) => file.finish(''),
    (file) => file.finishUpdate({ entries: 1, rows: () => each(['old']) }, '', ''),
  ];
  for (const step of steps) {
    for (const replace of [false, true]) {
      const file = await open(path, { restart: true });
      await file.append('1\n', { pages: 1 });
      await rm(`${path}.part`);
      if (replace) await writeFile(`${path}.part`, 'something else');
      await assert.rejects(step(file), fails(1, `${path}.part`, 'removed or replaced'));
      await file.close();
      assert.equal(await readFile(path, 'utf8'), 'old');
      await rm(`${path}.part`, { force: true });
      await rm(`${path}.part.json`);
    }
  }
});

test('a state that is removed midway is written again with the next page', async (t) => {
  const { path } = await newPath(t);
  const file = await open(path);
  await file.append('1\n', { pages: 1, mark: null });
  await rm(`${path}.part.json`);
  await file.append('2\n', { pages: 2, mark: 'digest-a' });
  await file.close();
  const again = await open(path);
  assert.deepEqual([again.progress.pages, again.marks], [2, 'digest-a']);
  await again.close();
});

test('a long state log is rewritten, and keeps the digests of all tokens; its header does not count', async (t) => {
  const { path } = await newPath(t);
  const published = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`v${i}`, '2026-01-01T00:00:00Z']),
  );
  let logs = 0;
  const ops: FileOps = {
    ...nodeFileOps,
    rename: async (from, to) => {
      if (to.endsWith('.json')) logs++;
      await nodeFileOps.rename(from, to);
    },
  };
  const file = await open(path, { ops, published, maxLogBytes: 1000 });
  let marks = '';
  for (let page = 1; page <= 20; page++) {
    const mark = `mark-${String(page).padStart(3, '0')}`;
    marks += mark;
    await file.append(`${page}\n`, { pages: page, mark });
  }
  assert.equal(file.marks, marks);
  await file.close();
  assert.ok(logs > 2 && logs < 15, `${logs} logs for 20 pages`);
  const again = await open(path);
  assert.deepEqual([again.marks, again.progress.pages], [marks, 20]);
  await again.discard();
});

test('an update puts rows above and below the old ones, and knows whether FILE has changed', async (t) => {
  const { folder, path } = await newPath(t);
  await writeFile(path, 'old 1\nold 2\n');
  await interrupt(path, { mode: 'update' });
  const file = await open(path, { mode: 'update' });
  assert.equal(await file.isBaseChanged(), false);
  await file.append('4\n5\n', { pages: 3, entries: 5, top: { bytes: 8, entries: 4 } });
  const seen: string[] = [];
  const old = { entries: 2, rows: () => each(['old 1\n', 'old 2\n']) };
  for await (const text of file.newRows()) seen.push(text.toString());
  assert.deepEqual(seen, ['1\n2\n3\n4\n5\n']);
  await file.finishUpdate(old, '', 'end\n');
  assert.equal(await readFile(path, 'utf8'), '1\n2\n3\n4\nold 1\nold 2\n5\nend\n');
  assert.deepEqual(await readdir(folder), ['out']);
  await interrupt(path, { mode: 'update' });
  await writeFile(path, 'edited\n');
  const second = await open(path, { mode: 'update' });
  assert.equal(await second.isBaseChanged(), true);
  await second.discard();
  assert.equal(await readFile(path, 'utf8'), 'edited\n');
  assert.deepEqual(await readdir(folder), ['out']);
});

test('old rows that cannot be read stop an update; the next run finishes it', async (t) => {
  const { folder, path } = await newPath(t);
  await writeFile(path, 'old\n');
  await interrupt(path, { mode: 'update' });
  async function* broken(): AsyncGenerator<string[], void> {
    yield ['x'.repeat(3_000_000)];
    throw new Failure('damaged', 'out:7: damaged');
  }
  const failed = await open(path, { mode: 'update' });
  const old = { entries: 1, rows: broken };
  await assert.rejects(failed.finishUpdate(old, '', ''), fails(1, 'out:7: damaged'));
  await failed.close();
  assert.equal(await readFile(path, 'utf8'), 'old\n');
  assert.deepEqual((await readdir(folder)).sort(), ['out', 'out.part', 'out.part.json']);
  const file = await open(path, { mode: 'update' });
  await file.finishUpdate({ entries: 1, rows: () => each(['old\n']) }, '', '');
  assert.equal(await readFile(path, 'utf8'), '1\n2\n3\nold\n');
});

test('once FILE is replaced nothing is a failure: problems are returned, and the next run cleans up', async (t) => {
  const { folder, path } = await newPath(t);
  const problem = systemError('EIO');
  const stuck: FileOps = { ...nodeFileOps, unlink: () => Promise.reject(problem) };
  await interrupt(path);
  const file = await open(path, { ops: stuck });
  assert.equal((await file.finish('')).problem, problem);
  await file.close();
  assert.equal(await readFile(path, 'utf8'), '1\n2\n3\n');
  const second = await open(path, { ops: stuck });
  assert.equal(second.finished?.problem, problem);
  const third = await open(path);
  assert.deepEqual([third.resumed, third.finished?.size, third.finished?.problem], [true, 6, null]);
  assert.deepEqual(await readdir(folder), ['out']);
});

test('an old FILE of the same length is not mistaken for the finished one', async (t) => {
  const { path } = await newPath(t);
  for (const digest of [false, true]) {
    await writeFile(path, 'old\n');
    const stuck: FileOps = {
      ...nodeFileOps,
      rename: async (from, to) => {
        if (to === path) throw systemError('EIO');
        await nodeFileOps.rename(from, to);
      },
    };
    const file = await open(path, { ops: stuck, digest, restart: true });
    await file.append('new\n', { pages: 1 });
    await assert.rejects(file.finish(''), fails(1, path, 'EIO'));
    await file.close();
    await rm(`${path}.part`);
    await assert.rejects(open(path), fails(1, 'missing'));
    assert.equal(await readFile(path, 'utf8'), 'old\n');
  }
});
