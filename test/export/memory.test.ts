import assert from 'node:assert/strict';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import {
  type Memory,
  newMemory,
  readFolderMemories,
  readMemory,
  UnusableMemory,
  writeMemory,
} from '../../src/export/memory.ts';
import { nodeFileOps } from '../../src/fs/file-ops.ts';
import { nobody, notRoot } from '../support/users.ts';
import { systemError } from './memory-disk.ts';
import { temporaryFolder } from './temp.ts';

const name = 'UCaaaaaaaaaaaaaaaaaaaaaa.ndjson';
const memory: Memory = {
  ...newMemory({
    file: name,
    command: 'uploads',
    service: 'https://x.example media',
    id: 'UCaaaaaaaaaaaaaaaaaaaaaa',
    format: 'ndjson',
    fields: null,
  }),
  references: { '@a': '2026-01-02T03:04:05.000Z', ['__proto__']: null },
  checked: '2026-01-02T03:04:05.000Z',
  changed: '2026-01-01T03:04:05.000Z',
  entries: 1234,
  credits: { confirmed: 13, possibly_charged: 1 },
  finished: { size: 99, digest: 'sha256:00', mtime: 1.5, inode: 7 },
  sought: { v1: { looks: 2, last: '2026-01-02T03:04:05.000Z' } },
  feed: { since: '2026-01-02T03:04:05.000Z', looks: 1, last: '2026-01-02T03:04:05.000Z' },
  seen: ['v2'],
  reported: ['moved null'],
  missing: 3,
  disappeared: 0,
};

const unusable =
  (words: string, kind: { newer?: boolean; inTheWay?: boolean }) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof UnusableMemory, String(error));
    const { newer = false, inTheWay = false } = kind;
    assert.deepEqual([error.newer, error.inTheWay], [newer, inTheWay], error.message);
    assert.ok(error.message.includes(words), error.message);
    return true;
  };

const refused = (path: string) => (error: unknown) => {
  assert.ok(error instanceof Failure, String(error));
  assert.equal(error.exit, 2);
  assert.ok(error.message.startsWith(`${path} is in the way`), error.message);
  return true;
};

test('a memory is read as it was written; nobody else can read it, and nothing is left beside it', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, name);
  assert.equal(await readMemory(file), null);
  for (const durable of [true, false]) {
    await writeMemory(file, memory, durable);
    assert.deepEqual(await readMemory(file), memory);
  }
  assert.deepEqual(await readdir(join(folder, '.chanlist')), [`${name}.json`]);
  assert.equal((await stat(join(folder, '.chanlist'))).mode & 0o777, 0o700);
  assert.equal((await stat(join(folder, '.chanlist', `${name}.json`))).mode & 0o777, 0o600);
  assert.equal(await readMemory(join(folder, 'other')), null);
});

test('a memory that cannot be written leaves the old one', async (t) => {
  const file = join(await temporaryFolder(t), name);
  await writeMemory(file, memory, true);
  const full = { ...nodeFileOps, rename: () => Promise.reject(systemError('ENOSPC')) };
  await assert.rejects(writeMemory(file, { ...memory, entries: 1 }, true, full), { code: 'failed' });
  assert.deepEqual(await readMemory(file), memory);
});

test('damaged, too large, or of a newer version', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, name);
  await writeMemory(file, memory, false);
  const path = join(folder, '.chanlist', `${name}.json`);
  const text = await readFile(path, 'utf8');
  const changed = (change: object): string => JSON.stringify({ ...memory, ...change });
  const damaged = [
    '',
    'null',
    '[]',
    '{"version":1}',
    text.slice(0, -20),
    changed({ version: '1' }),
    changed({ id: 7 }),
    changed({ references: { '@a': 'yesterday' } }),
    changed({ checked: 'never' }),
    changed({ entries: -1 }),
    changed({ credits: { confirmed: 1 } }),
    changed({ finished: { size: 1 } }),
    changed({ sought: { v1: { looks: 'two', last: '2026-01-02T03:04:05.000Z' } } }),
    changed({ seen: [1] }),
  ];
  for (const one of damaged) {
    await writeFile(path, one);
    await assert.rejects(readMemory(file), unusable('is damaged', {}), one);
  }
  await writeFile(path, ' '.repeat(4 * 1024 * 1024 + 1));
  await assert.rejects(readMemory(file), unusable('too large', {}));
  await writeFile(path, JSON.stringify({ version: 2, layout: 'unknown' }));
  await assert.rejects(readMemory(file), unusable('newer version', { newer: true }));
});

test('a file in the way of a memory is neither used nor changed', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, name);
  await writeMemory(file, memory, false);
  const path = join(folder, '.chanlist', `${name}.json`);
  const forged = join(folder, 'forged');
  await writeFile(forged, JSON.stringify({ ...memory, entries: 666 }));
  const plants: (() => Promise<void>)[] = [
    () => symlink(forged, path),
    () => mkdir(path),
    async () => {
      await writeFile(path, await readFile(forged));
      await chmod(path, 0o622);
    },
  ];
  if (notRoot === false)
    plants.push(async () => {
      await writeFile(path, await readFile(forged), { mode: 0o600 });
      await chown(path, nobody, nobody);
    });
  for (const plant of plants) {
    await rm(path, { recursive: true });
    await plant();
    const before = await lstat(path);
    await assert.rejects(readMemory(file), unusable('in the way', { inTheWay: true }));
    await assert.rejects(writeMemory(file, memory, true), refused(path));
    const after = await lstat(path);
    assert.deepEqual(
      [after.ino, after.mode, after.uid, after.size],
      [before.ino, before.mode, before.uid, before.size],
    );
    assert.deepEqual((await readFolderMemories(folder)).memories, []);
  }
  assert.equal(await readFile(forged, 'utf8'), JSON.stringify({ ...memory, entries: 666 }));
});

test('a folder of memories that is a link, a file, or open to others is neither used nor changed', async (t) => {
  const other = await temporaryFolder(t);
  await writeMemory(join(other, name), memory, false);
  const plants: ((path: string) => Promise<void>)[] = [
    (path) => symlink(join(other, '.chanlist'), path),
    (path) => symlink('nowhere', path),
    (path) => writeFile(path, ''),
    async (path) => {
      await mkdir(path);
      await chmod(path, 0o777);
    },
  ];
  if (notRoot === false)
    plants.push(async (path) => {
      await mkdir(path);
      await chown(path, nobody, nobody);
    });
  for (const plant of plants) {
    const folder = await temporaryFolder(t);
    const path = join(folder, '.chanlist');
    await plant(path);
    const before = await lstat(path);
    const file = join(folder, name);
    await assert.rejects(readMemory(file), unusable('in the way', { inTheWay: true }));
    await assert.rejects(writeMemory(file, { ...memory, entries: 1 }, true), refused(path));
    const { memories, problems } = await readFolderMemories(folder);
    assert.deepEqual(memories, []);
    assert.match(problems.join(), /^\S+\.chanlist is in the way: it [^:]*$/);
    const after = await lstat(path);
    assert.deepEqual([after.ino, after.mode, after.uid], [before.ino, before.mode, before.uid]);
    assert.deepEqual(await readdir(folder), ['.chanlist']);
  }
  assert.deepEqual(await readMemory(join(other, name)), memory);
});

test('the memories of a folder: unusable ones are named, a newer one is reported by its export', async (t) => {
  const folder = await temporaryFolder(t);
  assert.deepEqual(await readFolderMemories(join(folder, 'none')), {
    memories: [],
    problems: [],
    interrupted: new Set(),
    unknown: [],
  });
  await writeMemory(join(folder, name), { ...memory, file: '../elsewhere' }, false);
  await writeFile(join(folder, '.chanlist', 'UCb.ndjson.json'), '{');
  await writeFile(join(folder, '.chanlist', 'UCc.ndjson.json'), '{"version":2}');
  await writeFile(join(folder, '.chanlist', 'UCd.ndjson.json.tmp'), '{');
  for (const one of ['UCd.ndjson', 'UCe.ndjson.part', 'UCe.ndjson.part.json', 'notes.txt', name])
    await writeFile(join(folder, one), '');
  assert.deepEqual(await readFolderMemories(folder), {
    memories: [memory],
    problems: [`${join(folder, '.chanlist', 'UCb.ndjson.json')} is damaged`],
    interrupted: new Set(['UCe.ndjson']),
    unknown: ['UCd.ndjson'],
  });
});
