import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelByHandle } from '../../src/sandbox/channels.ts';
import { writeToken } from '../../src/sandbox/tokens.ts';
import { videoId } from '../../src/sandbox/videos.ts';
import { body, get, type Page, page, pages, sandbox } from './client.ts';

const entries = (list: readonly Page[]): Page['results'] => list.flatMap(({ results }) => results);

test('data are the same for every page size', async (t) => {
  const reference = await sandbox(t);
  for (const [path, query] of [
    ['channel/videos', { channel: '@size-250' }],
    ['channel/videos', { channel: '@odd' }],
    ['playlist/videos', { playlist: 'PLdemo' }],
  ] as const) {
    const expected = entries(await pages(reference, path, query));
    for (const pageSize of [1, 7, 50, 250, 1000]) {
      const service = await sandbox(t, { pageSize, seed: pageSize });
      const all = await pages(service, path, query);
      assert.deepEqual(entries(all), expected);
    }
  }
});

test('data are the same on every machine', async (t) => {
  const service = await sandbox(t);
  const { results } = await page(service, 'channel/videos', { channel: '@demo' });
  assert.deepEqual(
    results.slice(0, 3).map(({ videoId, title }) => [videoId, title]),
    [
      ['X5X1q9DSW44', 'Fixing a bicycle wheel 🎉🔥 #shorts'],
      ['Ej-WU_Yohq8', 'Why the sky is blue'],
      ['8kyaQR0koM0', 'Bread with three ingredients'],
    ],
  );
});

test('a page of 100 is as large as one of a real deployment', async (t) => {
  const service = await sandbox(t);
  const all = await pages(service, 'channel/videos', { channel: '@demo' });
  for (const whole of all.slice(0, 12)) {
    const bytes = Buffer.byteLength(JSON.stringify(whole));
    assert.ok(bytes > 70_000 && bytes < 85_000, String(bytes));
  }
});

test('titles are of all kinds, without control or bidirectional formatting characters', async (t) => {
  const service = await sandbox(t);
  const titles = entries(await pages(service, 'channel/videos', { channel: '@demo' })).map((e) => e.title);
  for (const kind of [
    /\u{1f468}\u200d\u{1f469}/u,
    /\u{1f1ef}\u{1f1f5}/u,
    /\p{Script=Han}/u,
    /\p{Script=Hangul}/u,
    /\p{Script=Arabic}/u,
    /\p{Script=Hebrew}/u,
    /\p{Script=Devanagari}/u,
    /\p{L}\p{M}/u,
    /"/,
    /'/,
    /,/,
    /\\/,
    /&/,
    /^.$/u,
    /^.{150,}$/u,
  ]) {
    assert.ok(
      titles.some((title) => kind.test(title)),
      String(kind),
    );
  }
  const unwanted = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
  assert.deepEqual(
    titles.filter((title) => unwanted.test(title) || title === ''),
    [],
  );
});

test('a channel of a million: its first page, its last page and latest', async (t) => {
  const service = await sandbox(t);
  const channel = '@size-1000000';
  const first = await page(service, 'channel/videos', { channel });
  assert.equal(first.playlist_info.numVideos, '1000000');
  const continuation = writeToken({ operation: 'uploads', list: 1_000_000, offset: 999_900, turn: 0 }, false);
  const last = await page(service, 'channel/videos', { continuation });
  assert.deepEqual([last.has_more, last.continuation_token, last.results.length], [false, null, 100]);
  assert.equal(last.results.at(-1)?.index, '999999');
  const latest = body<{ result_count: number }>(await get(service, 'channel/latest', { channel }));
  assert.equal(latest.result_count, 15);
});

test('entries of a channel of a million are all different', () => {
  const channel = channelByHandle('@size-1000000');
  assert.ok(channel !== undefined);
  const ids = new Set<string>();
  // Steps of 5: enough to find a collision of 32 bits, at a fifth of the time.
  for (let number = 1; number <= 1_000_000; number += 5) ids.add(videoId({ channel, number }));
  assert.equal(ids.size, 200_000);
});
