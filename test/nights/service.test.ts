import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testKey } from '../support/program.ts';
import { channelId, simulatedService, video, videos } from '../support/simulated-service.ts';
import { specifiedFields } from '../support/specified-fields.ts';

interface Body {
  readonly results: readonly Readonly<Record<string, string>>[];
  readonly result_count: number;
  readonly continuation_token: string;
  readonly has_more: boolean;
  readonly playlist_info: { readonly numVideos: string };
}

test('the simulated service: pages, tokens, entries that move, parameters, credits', async (t) => {
  const service = await simulatedService(t, { pageSize: 3, credits: 4 });
  const a = service.addChannel('a', { list: videos(0, 7) });
  const ask = async (path: string, key = testKey) => {
    const response = await fetch(`${service.url}/api/v2/${path}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return { status: response.status, body: (await response.json()) as Body };
  };
  assert.deepEqual((await ask('media/channel/resolve?input=@A')).body, {
    channel_id: channelId('a'),
    resolved_from: '@A',
  });
  assert.equal((await ask('other/channel/resolve?input=@a', 'wrong')).status, 404);
  assert.equal((await ask('media/channel/resolve?input=@a', 'wrong')).status, 401);
  assert.equal((await ask('media/channel/videos')).status, 400);
  assert.equal((await ask('media/channel/videos?channel=@b')).status, 404);

  const first = await ask('media/channel/videos?channel=@a');
  assert.deepEqual(
    first.body.results.map(({ videoId, index }) => `${index} ${videoId}`),
    ['0 a_000000006', '1 a_000000005', '2 a_000000004'],
  );
  assert.deepEqual([first.body.has_more, first.body.playlist_info.numVideos], [true, '7']);
  assert.deepEqual(Object.keys(first.body.results[0] ?? {}), specifiedFields);
  assert.equal(first.body.results[0]?.channelId, channelId('a'));
  a.list.unshift(video('new'));
  const next = `media/channel/videos?continuation=${encodeURIComponent(first.body.continuation_token)}`;
  const second = await ask(next);
  assert.deepEqual(
    second.body.results.map(({ videoId }) => videoId),
    ['a_000000004', 'a_000000003', 'a_000000002'],
  );
  service.expireTokens();
  assert.equal((await ask(next)).status, 404);
  service.failPaid(2, 503);
  assert.equal((await ask('media/channel/videos?channel=@a')).status, 200);
  assert.equal((await ask('media/channel/videos?channel=@a')).status, 503);
  assert.equal((await ask('media/channel/latest?channel=@a')).body.result_count, 8);
  assert.equal((await ask('media/channel/videos?channel=@a')).status, 200);
  assert.equal((await ask('media/channel/latest?channel=@a')).status, 402);
  assert.equal(service.charged(), 4);
});
