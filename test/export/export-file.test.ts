import assert from 'node:assert/strict';
import {
  chmod,
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
import { PartialFile } from '../../src/export/partial-file.ts';
import type { Identity } from '../../src/export/state.ts';
import type { FileOps } from '../../src/fs/file-ops.ts';
import { resolveTarget } from '../../src/fs/target.ts';
import { MemoryDisk } from './memory-disk.ts';
import { identity, target } from './runs.ts';
import { temporaryFolder } from './temp.ts';

const begun = Date.UTC(2026, 0, 2, 3, 4, 5);

async function newPath(t: TestContext): Promise<{ folder: string; path: string }> {
  const folder = await temporaryFolder(t);
  return { folder, path: join(folder, 'out.ndjson') };
}

interface Given {
  of?: Identity;
  restart?: boolean;
  mode?: 'export' | 'update';
  ops?: FileOps;
}

async function open(path: string, given: Given = {}): Promise<PartialFile> {
  const { of = identity('ndjson'), restart = false, mode = 'export', ops } = given;
  return await PartialFile.open(await resolveTarget(path), of, {
    restart,
    mode,
    now: begun,
    ...(ops && { ops }),
  });
}

/** An export of which two pages were written when it was interrupted. */
async function interrupt(path: string, given: Given = {}): Promise<void> {
  const file = await open(path, given);
  await file.append('1\n', { pages: 1, entries: 1, token: 'a' });
  await file.append('2\n3\n', { pages: 2, entries: 3, token: 'b+/=', id: 'UCa', extra: { known: [1] } });
  await file.close();
}

const fails =
  (exit: number, ...words: string[]) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.exit, exit, error.message);
    const said = `${error.message}; ${error.hint}`;
    for (const word of words) assert.ok(said.includes(word), said);
    return true;
  };

async function* texts(...list: string[]): AsyncGenerator<string, void> {
  yield* list;
}

test('an export from beginning to end: FILE shows only when it is whole, and nothing else is left', async (t) => {
  const { folder, path } = await newPath(t);
  const file = await open(path);
  assert.equal(file.resumed, false);
  assert.deepEqual((await readdir(folder)).sort(), ['out.ndjson.part', 'out.ndjson.part.json']);
  await file.append('1\n', { pages: 1, token: 'a' });
  assert.equal(await readFile(`${path}.part`, 'utf8'), '1\n');
  await file.appendUncommitted('2\n');
  await file.finish('end\n');
  await file.close();
  assert.deepEqual(await readdir(folder), ['out.ndjson']);
  assert.equal(await readFile(path, 'utf8'), '1\n2\nend\n');
  await assert.rejects(file.append('x', {}));
});

test('an interrupted export goes on where it stopped, and knows since when', async (t) => {
  const { path } = await newPath(t);
  await interrupt(path);
  const seen = await PartialFile.peek(await resolveTarget(path));
  assert.deepEqual(
    { pages: seen?.pages, token: seen?.token, bytes: seen?.bytes },
    { pages: 2, token: 'b+/=', bytes: 6 },
  );
  const file = await open(path);
  assert.equal(file.resumed, true);
  assert.equal(file.alreadyDone, false);
  const { started, entries, pages, token, id, extra, mode, done } = file.state;
  assert.deepEqual(
    { started, entries, pages, token, id, extra, mode, done },
    {
      started: '2026-01-02T03:04:05.000Z',
      entries: 3,
      pages: 2,
      token: 'b+/=',
      id: 'UCa',
      extra: { known: [1] },
      mode: 'export',
      done: false,
    },
  );
  await file.append('4\n', { pages: 3, token: null });
  await file.finish('');
  assert.equal(await readFile(path, 'utf8'), '1\n2\n3\n4\n');
});

test('rows that cannot be gone on from are gone when the export goes on', async (t) => {
  const { path } = await newPath(t);
  const first = await open(path);
  await first.append('1\n', { pages: 1, token: 'a' });
  await first.appendUncommitted('a longer page that broke off\n');
  await first.close();
  const second = await open(path);
  assert.equal(second.state.pages, 1);
  await second.append('2\n', { pages: 2 });
  await second.finish('');
  assert.equal(await readFile(path, 'utf8'), '1\n2\n');
});

test('progress alone can be noted', async (t) => {
  const { path } = await newPath(t);
  const first = await open(path);
  await first.append('', { credits: { confirmed: 2, possibly_charged: 1 } });
  await first.close();
  const second = await open(path);
  assert.deepEqual(second.state.credits, { confirmed: 2, possibly_charged: 1 });
  await second.close();
});

test('arguments that do not fit are told apart, one by one, and nothing changes', async (t) => {
  const { path } = await newPath(t);
  const was = { ...identity('csv'), fields: 'videoId,title' };
  await interrupt(path, { of: was });
  const state = await readFile(`${path}.part.json`, 'utf8');
  const unfit = (change: Partial<Identity>, ...words: string[]): Promise<void> =>
    assert.rejects(open(path, { of: { ...was, ...change } }), fails(2, path, '--restart', ...words));
  await unfit({ reference: '@b' }, 'of @a, not @b');
  await unfit({ format: 'ndjson' }, 'as csv, not ndjson');
  await unfit({ fields: null }, 'videoId,title', 'without --fields');
  await unfit({ fields: 'title' }, 'with --fields videoId,title, not with --fields title');
  await unfit(
    { service: 'https://y.example media' },
    'from https://x.example media, not https://y.example media',
  );
  await unfit({ command: 'playlist' }, 'by uploads, not playlist');
  await unfit({ reference: '@b', format: 'id' }, 'of @a, not @b; as csv, not id');
  assert.equal(await readFile(`${path}.part.json`, 'utf8'), state);
  assert.equal(await readFile(`${path}.part`, 'utf8'), '1\n2\n3\n');
});

test('--restart throws the interrupted one away, also a damaged one or one of something else', async (t) => {
  const { folder, path } = await newPath(t);
  await interrupt(path);
  await writeFile(`${path}.part.json`, '{"vers');
  const file = await open(path, { restart: true, of: identity('json') });
  assert.equal(file.resumed, false);
  assert.equal(file.state.pages, 0);
  await file.append('x', { pages: 1 });
  await file.finish('');
  assert.equal(await readFile(path, 'utf8'), 'x');
  assert.deepEqual(await readdir(folder), ['out.ndjson']);
});

test('a state or part file that is damaged is told, with the way out', async (t) => {
  const { path } = await newPath(t);
  const damage = async (work: () => Promise<void>, ...words: string[]): Promise<void> => {
    await (await open(path, { restart: true })).discard();
    await interrupt(path);
    await work();
    await assert.rejects(open(path), fails(1, '--restart', ...words));
  };
  const state = `${path}.part.json`;
  const part = `${path}.part`;
  await damage(() => writeFile(state, ''), state, 'damaged');
  await damage(() => writeFile(state, '[]'), state, 'damaged');
  await damage(() => writeFile(state, '{"version":1}'), state, 'damaged');
  await damage(() => writeFile(state, '{"version":2,"more":true}'), state, 'newer version');
  await damage(() => truncate(state, 100), state, 'damaged');
  await damage(() => truncate(part, 3), part, 'shorter');
  await damage(() => rm(part), part, 'missing');
  await rm(state, { force: true });
});

test('what is in the way is not overwritten', async (t) => {
  const { folder, path } = await newPath(t);
  const mine = join(folder, 'mine');
  await writeFile(mine, 'mine');
  await symlink('mine', `${path}.part`);
  await assert.rejects(open(path), fails(2, `${path}.part`));
  await assert.rejects(open(path, { restart: true }), fails(2, `${path}.part`));
  await rm(`${path}.part`);
  await mkdir(`${path}.part`);
  await assert.rejects(open(path), fails(2, `${path}.part`));
  await rm(`${path}.part`, { recursive: true });
  await writeFile(`${path}.part`, 'somebody else');
  await assert.rejects(open(path), fails(2, `${path}.part`, '--restart'));
  assert.equal(await readFile(`${path}.part`, 'utf8'), 'somebody else');
  await writeFile(`${path}.part`, '');
  await (await open(path)).discard();
  await interrupt(path);
  await rename(`${path}.part`, join(folder, 'moved'));
  await symlink('moved', `${path}.part`);
  await assert.rejects(open(path), fails(2, `${path}.part`));
  assert.equal(await readFile(mine, 'utf8'), 'mine');
});

test('a link is kept and its target replaced; the mode stays, and nobody else can read the part file', async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'data'));
  const real = join(folder, 'data', 'real');
  await writeFile(real, 'old');
  await chmod(real, 0o440);
  const link = join(folder, 'link');
  await symlink('data/real', link);
  const file = await open(link);
  await file.append('new', { pages: 1 });
  assert.equal((await stat(`${real}.part`)).mode & 0o777, 0o600);
  assert.equal((await stat(`${real}.part.json`)).mode & 0o777, 0o600);
  assert.equal(await readFile(real, 'utf8'), 'old');
  await file.finish('');
  assert.equal(await readFile(link, 'utf8'), 'new');
  assert.equal((await stat(real)).mode & 0o777, 0o440);
  assert.deepEqual(await readdir(folder), ['data', 'link']);
  assert.deepEqual(await readdir(join(folder, 'data')), ['real']);
});

test('a folder that is missing shows before anything is paid', async (t) => {
  const folder = join(await temporaryFolder(t), 'sub');
  await mkdir(folder);
  const path = join(folder, 'out');
  const gone = await resolveTarget(path);
  await rm(folder, { recursive: true });
  const options = { restart: false, mode: 'export', now: begun } as const;
  await assert.rejects(PartialFile.open(gone, identity('id'), options), fails(2, path));
});

test('a read-only folder (2) and a full disk (1) show before anything is paid', async () => {
  for (const [code, exit] of [
    ['EROFS', 2],
    ['EACCES', 2],
    ['ENOSPC', 1],
    ['EDQUOT', 1],
  ] as const) {
    const ops = new MemoryDisk().process();
    const refusing: FileOps = {
      ...ops,
      open: () => Promise.reject(Object.assign(new Error(code), { code })),
    };
    const options = { restart: false, mode: 'export', now: begun, ops: refusing } as const;
    await assert.rejects(PartialFile.open(target, identity('id'), options), fails(exit, '/d/out', code));
  }
});

test('a full disk midway says so, and how to go on; the page counts as not written', async () => {
  const disk = new MemoryDisk();
  const options = { restart: false, mode: 'export', now: begun } as const;
  const probe = new MemoryDisk().process();
  const begin = await PartialFile.open(target, identity('id'), { ...options, ops: probe });
  const steps = probe.steps();
  await begin.close();
  const ops = disk.process({ step: steps + 1, kind: 'ENOSPC' });
  const file = await PartialFile.open(target, identity('id'), { ...options, ops });
  await assert.rejects(
    file.append('1\n', { pages: 1 }),
    fails(1, '/d/out.part', 'no space left', 'make room'),
  );
  await assert.rejects(file.append('2\n', { pages: 2 }));
  await file.close();
  const again = await PartialFile.open(target, identity('id'), { ...options, ops: disk.process() });
  assert.equal(again.state.pages, 0);
});

test('a part file that is taken away or replaced midway is noticed before the next page', async (t) => {
  const { folder, path } = await newPath(t);
  await writeFile(path, 'old');
  const first = await open(path);
  await first.append('1\n', { pages: 1 });
  await rm(`${path}.part`);
  await assert.rejects(first.append('2\n', { pages: 2 }), fails(1, `${path}.part`, '--restart'));
  await first.close();
  const second = await open(path, { restart: true });
  await second.append('1\n', { pages: 1 });
  await rm(`${path}.part`);
  await writeFile(`${path}.part`, 'something else');
  await assert.rejects(second.finish(''), fails(1, `${path}.part`, 'replaced'));
  await second.close();
  assert.equal(await readFile(path, 'utf8'), 'old');
  const third = await open(path, { restart: true });
  await third.append('1\n', { pages: 1 });
  await rm(folder, { recursive: true });
  await assert.rejects(third.append('2\n', { pages: 2 }), fails(1, `${path}.part`));
  await third.close();
});

test('killed right before or after FILE took its place: the next run pays nothing', async (t) => {
  for (const renamed of [false, true]) {
    const { folder, path } = await newPath(t);
    await writeFile(path, 'old and longer');
    const file = await open(path);
    await file.append('1\n2\n', { pages: 1 });
    await file.close();
    const state = JSON.parse(await readFile(`${path}.part.json`, 'utf8'));
    await writeFile(`${path}.part.json`, JSON.stringify({ ...state, done: true }));
    if (renamed) await rename(`${path}.part`, path);
    else await assert.rejects(open(path, { of: identity('csv') }), fails(2, 'as ndjson, not csv'));
    const next = await open(path);
    assert.equal(next.alreadyDone, true);
    assert.equal(next.resumed, true);
    await next.close();
    assert.equal(await readFile(path, 'utf8'), '1\n2\n');
    assert.deepEqual(await readdir(folder), ['out.ndjson']);
  }
});

test('once FILE is in its place, other arguments begin an export of their own', async (t) => {
  const { path } = await newPath(t);
  const file = await open(path);
  await file.append('1\n', { pages: 1 });
  await file.close();
  const state = JSON.parse(await readFile(`${path}.part.json`, 'utf8'));
  await writeFile(`${path}.part.json`, JSON.stringify({ ...state, done: true }));
  await rename(`${path}.part`, path);
  const next = await open(path, { of: identity('csv') });
  assert.equal(next.resumed, false);
  assert.equal(next.state.pages, 0);
  await next.discard();
});

test('the old FILE of the same length is not taken for the finished one', async (t) => {
  const { path } = await newPath(t);
  await writeFile(path, 'old\n');
  const file = await open(path);
  await file.append('new\n', { pages: 1 });
  await file.close();
  const state = JSON.parse(await readFile(`${path}.part.json`, 'utf8'));
  await writeFile(`${path}.part.json`, JSON.stringify({ ...state, done: true }));
  await rm(`${path}.part`);
  await assert.rejects(open(path), fails(1, 'missing', '--restart'));
  assert.equal(await readFile(path, 'utf8'), 'old\n');
});

test('an update: new rows on top of the old ones; whether FILE changed meanwhile is known', async (t) => {
  const { folder, path } = await newPath(t);
  await writeFile(path, 'old 1\nold 2\n');
  await interrupt(path, { mode: 'update' });
  await assert.rejects(open(path), fails(2, 'with --update', '--restart'));
  const file = await open(path, { mode: 'update' });
  assert.equal(file.baseChanged, false);
  await file.finishWith(texts('old 1\n', 'old 2\n'), 'end\n');
  assert.equal(await readFile(path, 'utf8'), '1\n2\n3\nold 1\nold 2\nend\n');
  assert.deepEqual(await readdir(folder), ['out.ndjson']);
  await interrupt(path, { mode: 'update' });
  await writeFile(path, 'edited\n');
  const second = await open(path, { mode: 'update' });
  assert.equal(second.baseChanged, true);
  await second.discard();
  assert.equal(await readFile(path, 'utf8'), 'edited\n');
  assert.deepEqual(await readdir(folder), ['out.ndjson']);
});

test('old entries that cannot be read stop an update; it can be finished later', async (t) => {
  const { path } = await newPath(t);
  await writeFile(path, 'old\n');
  const file = await open(path, { mode: 'update' });
  await file.append('new\n', { pages: 1 });
  async function* broken(): AsyncGenerator<string, void> {
    yield 'half of the ';
    yield 'x'.repeat(3_000_000);
    throw new Failure('usage', 'damaged');
  }
  await assert.rejects(file.finishWith(broken(), ''), fails(2, 'damaged'));
  await file.close();
  assert.equal(await readFile(path, 'utf8'), 'old\n');
  const again = await open(path, { mode: 'update' });
  await again.finishWith(texts('old\n'), '');
  assert.equal(await readFile(path, 'utf8'), 'new\nold\n');
});

test('discard leaves FILE and nothing else, at whatever operation the process dies', async () => {
  const options = { restart: false, mode: 'export', now: begun } as const;
  for (const pages of [0, 1]) {
    for (let step = 1; ; step++) {
      const disk = new MemoryDisk();
      disk.put('/d/out', 'old');
      const ops = disk.process({ step, kind: 'before' });
      let died = false;
      try {
        const file = await PartialFile.open(target, identity('id'), { ...options, ops });
        if (pages > 0) await file.append('1\n', { pages });
        await file.discard();
      } catch {
        died = true;
        const file = await PartialFile.open(target, identity('id'), { ...options, ops: disk.process() });
        await file.discard();
      }
      assert.deepEqual(disk.names(), ['/d/out'], `step ${step}`);
      assert.equal(disk.text('/d/out'), 'old');
      if (!died) break;
    }
  }
});
