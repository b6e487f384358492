/** Nights with faults, kills and budgets over many channels: at the end no upload is missing or doubled. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../src/sandbox/random.ts';
import { feedEntry, feedOf, video, videos } from '../support/simulated-service.ts';
import { idsIn, nightlyRuns } from './fixture.ts';

/** CHANLIST_NIGHTS=365 simulates a year, which takes some minutes. */
const year = Number(process.env.CHANLIST_NIGHTS ?? 0);
const [nightCount, channelCount] = year > 0 ? [year, 50] : [45, 20];

test(`${nightCount} nights of ${channelCount} channels with faults and kills: no upload is missing or doubled`, async (t) => {
  const nights = await nightlyRuns(t, { references: '--from refs.txt', output: '--output-dir dir' });
  const random = seeded(7);
  const chance = (odds: number): boolean => random() < odds;
  const upTo = (most: number): number => 1 + Math.floor(random() * most);
  const names = Array.from({ length: channelCount }, (_, n) => `c${n}`);
  nights.write('refs.txt', names.map((name) => `@${name}\n`).join(''));
  const channels = names.map((name) =>
    nights.service.addChannel(name, { list: videos(0, 20 + upTo(200), {}, `${name}_`) }),
  );
  let [issued, killed] = [0, 0];
  for (let n = 0; n < nightCount; n++) {
    for (const channel of channels) {
      if (n > 0 && chance(0.15))
        channel.list = [...Array.from({ length: upTo(3) }, () => video(`up_${++issued}`)), ...channel.list];
      if (chance(0.02)) channel.list.splice(upTo(channel.list.length) - 1, 1);
      const feed = feedOf(channel.list);
      if (chance(0.005)) feed.unshift(feedEntry(`dead_${++issued}`));
      channel.feed = chance(0.01) ? ((['empty', 404, 500, 'garbage'] as const)[upTo(4) - 1] ?? 404) : feed;
    }
    // One night in six, a page fails somehow or the run is killed; some have a budget.
    const by = (['kill', 'kill-charged', 500] as const)[upTo(3) - 1] ?? 500;
    const stop = chance(0.17) ? { at: upTo(3), by } : {};
    const night = await nights.night(chance(0.05) ? ['--max-credits', '2'] : [], stop);
    if (night.exit === null) killed++;
  }
  assert.ok(killed > 0);
  // Nights without faults, which finish what was interrupted.
  for (const channel of channels) channel.feed = feedOf(channel.list);
  for (let n = 0; n < 3; n++) assert.equal((await nights.night()).exit, 0);
  for (const { id, list } of channels) {
    const ids = nights.ids(`dir/${id}.ndjson`) ?? [];
    assert.equal(new Set(ids).size, ids.length);
    const missing = idsIn(list).filter((each) => !ids.includes(String(each)));
    assert.deepEqual(missing, [], id);
  }
  const check = await nights.run('check dir --from refs.txt --max-age 36h');
  assert.equal(check.exit, 0, `${check.stdout}${check.stderr}`);
});
