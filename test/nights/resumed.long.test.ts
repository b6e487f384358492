/** Updates that were interrupted: the night after ends with the FILE of an undisturbed one. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { videos } from '../support/simulated-service.ts';
import { idsIn, nightlyRuns } from './fixture.ts';

test('--update --all, interrupted at the last entry of a limited FILE, appends the rest below it', async (t) => {
  for (const budget of ['1', '2']) {
    const nights = await nightlyRuns(t, { pageSize: 10 });
    nights.service.addChannel('a', { list: videos(0, 30) });
    await nights.run(['uploads', '@a', '-o', 'a.ndjson', '--limit', '10']);
    const stopped = await nights.night(['--all', '--max-credits', budget]);
    assert.equal(stopped.exit, 9, stopped.stderr);
    const resumed = await nights.night(['--all']);
    assert.deepEqual([resumed.exit, resumed.credits], [0, 3 - Number(budget)], resumed.stderr);
    assert.deepEqual(await nights.ids(), idsIn(videos(0, 30)));
  }
});

test('a FILE that may hold another channel is left as it is, every night', async (t) => {
  const nights = await nightlyRuns(t, { output: ['-o', 'a.txt', '-f', 'id'] });
  nights.service.addChannel('a', { list: videos(0, 150) });
  await nights.write('a.txt', 'of_another_1\nof_another_2\n');
  const first = await nights.night();
  assert.deepEqual([first.exit, first.credits], [8, 2], first.stderr);
  for (let night = 2; night <= 3; night++) {
    const later = await nights.night();
    assert.deepEqual([later.exit, later.credits], [8, 0], later.stderr);
    assert.match(later.stderr, /may hold another channel/);
  }
  assert.equal(await nights.read('a.txt'), 'of_another_1\nof_another_2\n');
});

test('an update that only had to replace FILE costs nothing, also if its new file or the memory is lost', async (t) => {
  for (const lost of [null, 'memory', 'file'] as const) {
    const nights = await nightlyRuns(t);
    const a = nights.service.addChannel('a', { list: videos(0, 8) });
    await nights.night();
    a.list = videos(0, 10);
    const full = openSync('/dev/full', 'w');
    const stopped = await nights.night(['--print-new'], { stdout: full });
    closeSync(full);
    assert.deepEqual([stopped.exit, stopped.credits], [1, 1], stopped.stderr);
    // Killed after the new file was assembled, and before it replaced FILE.
    const path = join(nights.folder, 'a.ndjson');
    const text = (await readFile(`${path}.part`, 'utf8')) + (await readFile(path, 'utf8'));
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    const log = await readFile(`${path}.part.json`, 'utf8');
    const progress = JSON.parse(log.trimEnd().split('\n').at(-1) ?? '');
    const line = JSON.stringify({ ...progress, result: { size: Buffer.byteLength(text), digest } });
    await writeFile(`${path}.part.json`, `${log}${line}\n`);
    if (lost !== 'file') await writeFile(`${path}.part.tmp`, text, { mode: 0o600 });
    if (lost === 'memory') await rm(join(nights.folder, '.chanlist'), { recursive: true });
    const night = await nights.night();
    assert.deepEqual([night.exit, night.credits, night.only.entries], [0, 0, 10], night.stderr);
    assert.deepEqual(await nights.ids(), idsIn(videos(0, 10)));
    const { exit, credits, only } = await nights.night();
    assert.deepEqual([exit, credits, only.status, only.entries], [0, 0, 'unchanged', 10]);
    assert.deepEqual((await readdir(nights.folder)).sort(), ['.chanlist', 'a.ndjson']);
  }
});

test('an export of version 0.1.0 is resumed on a list that has moved, and keeps each entry once', async (t) => {
  // The service numbers the entries as they stand now.
  const withoutIndex = (text: string): string => text.replace(/"index":"\d+"|,\d+$/gm, '');
  for (const name of ['a.ndjson', 'a.csv', 'a.json']) {
    const nights = await nightlyRuns(t, { pageSize: 10 });
    const a = nights.service.addChannel('a', { list: videos(0, 30) });
    const line = ['uploads', '@a', '-o', name];
    await nights.run(line);
    const whole = await nights.read(name);
    await rm(join(nights.folder, name));
    await nights.run([...line, '--max-credits', '1']);
    const path = join(nights.folder, `${name}.part.json`);
    const [header, progress] = (await readFile(path, 'utf8'))
      .split('\n')
      .map((text) => JSON.parse(text || 'null'));
    const { id: _, ...identity } = header.identity;
    const { bytes, entries, pages, token, lastPage, id, credits } = progress;
    const extra = {
      hasMore: true,
      done: false,
      total: 30,
      cut: false,
      last: progress.ids.at(-1),
      empty: 0,
      sent: '',
    };
    const state = {
      version: 1,
      mode: 'export',
      identity,
      started: header.started,
      bytes,
      entries,
      pages,
      token,
    };
    const rest = { lastPage, id, base: null, done: false, credits, extra };
    await writeFile(path, `${JSON.stringify({ ...state, ...rest })}\n`);
    a.list = videos(0, 33);
    const resumed = await nights.run(line);
    assert.deepEqual([resumed.exit, resumed.credits], [0, 3], resumed.stderr);
    assert.equal(withoutIndex(await nights.read(name)), withoutIndex(whole));
  }
});
