/**
 * What an operator has after a year of nights with faults, kills and budgets: ledger, service and summaries agree to
 * the credit, and `check` is clean. With CHANLIST_MAILS=FILE the mails of all nights are written there, to be read.
 */
import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { test } from 'node:test';
import { seeded } from '../../src/sandbox/random.ts';
import { feedEntry, feedOf, short, video, videos } from '../support/simulated-service.ts';
import type { Credits } from '../support/summary.ts';
import { long, nightlyRuns } from './fixture.ts';

/** CHANLIST_NIGHTS=365 simulates a year, which takes some minutes. */
const year = Number(process.env.CHANLIST_NIGHTS ?? 0);
const [nightCount, channelCount] = year > 0 ? [year, 50] : long ? [45, 20] : [16, 8];

test(`${nightCount} nights of ${channelCount} channels: ledger, service and summaries agree, check is clean`, async (t) => {
  const nights = await nightlyRuns(t, {
    references: '--from refs.txt',
    output: '--output-dir dir',
  });
  const random = seeded(7);
  const chance = (odds: number): boolean => random() < odds;
  const upTo = (most: number): number => 1 + Math.floor(random() * most);
  const names = Array.from({ length: channelCount }, (_, n) => `c${n}`);
  nights.write('refs.txt', names.map((name) => `@${name}\n`).join(''));
  const channels = names.map((name) =>
    nights.service.addChannel(name, { list: videos(0, 20 + upTo(200), {}, `${name}_`) }),
  );
  /** Per month: requests with a complete response, requests without one, credits of all summaries. */
  const months = new Map<string, { whole: number; open: number; summaries: number; killed: number }>();
  const ofMonth = (month: string) => {
    const known = months.get(month) ?? { whole: 0, open: 0, summaries: 0, killed: 0 };
    months.set(month, known);
    return known;
  };
  let issued = 0;
  const shorts = new Map<string, string>();

  for (let n = 0; n < nightCount; n++) {
    for (const channel of channels) {
      if (n > 0 && chance(0.15)) {
        channel.list = [...Array.from({ length: upTo(3) }, () => video(`up_${++issued}`)), ...channel.list];
      }
      if (chance(0.02)) channel.list.splice(upTo(channel.list.length) - 1, 1);
      if (chance(0.1)) shorts.set(channel.id, `short_${++issued}`);
      const shortId = shorts.get(channel.id);
      const feed = [...(shortId === undefined ? [] : [short(shortId)]), ...feedOf(channel.list)];
      if (chance(0.005)) feed.unshift(feedEntry(`dead_${++issued}`));
      channel.feed = chance(0.01)
        ? ((['empty', 404, 500, 'garbage'] as const)[upTo(4) - 1] ?? 404)
        : feed.slice(0, 15);
    }
    // One night in ten, a page fails somehow; one in fifteen, the run is killed; some have a budget.
    const fault = (['reset', 'reset-charged', 'truncate', 500] as const)[upTo(4) - 1] ?? 500;
    const undo = [chance(0.1) ? nights.service.failPaid(upTo(3), fault) : () => {}];
    const killAt = chance(0.07) ? upTo(3) : null;
    let kill = () => {};
    let paid = 0;
    if (killAt !== null) {
      undo.push(
        nights.service.failPaid(killAt, 'hang'),
        nights.service.on(({ operation }) => {
          if (operation === 'uploads' && ++paid === killAt) kill();
        }),
      );
    }
    const first = nights.service.log.length;
    const month = new Date(nights.now).toISOString().slice(0, 7);
    const night = await nights.night([...(chance(0.05) ? ['--max-credits', '2'] : [])], {
      started: (child) => {
        kill = () => child.kill('SIGKILL');
      },
    });
    for (const each of undo) each();
    const tally = ofMonth(month);
    for (const { operation, complete, status } of nights.service.log.slice(first)) {
      if (operation !== 'uploads') continue;
      if (complete) tally.whole += status === 200 ? 1 : 0;
      else tally.open += 1;
    }
    if (night.signal !== null) tally.killed += 1;
    else tally.summaries += night.summary?.credits.confirmed ?? 0;
    const mails = process.env.CHANLIST_MAILS;
    if (mails !== undefined && (night.stderr !== '' || night.signal !== null)) {
      const heading = `--- night ${n}, ${night.signal ?? `exit ${night.exit}`}`;
      await appendFile(mails, `${heading}\n${night.stderr}`);
    }
  }

  // Two nights without faults, which finish what was interrupted.
  for (const channel of channels) channel.feed = feedOf(channel.list);
  for (let n = 0; n < 3; n++) {
    const month = new Date(nights.now).toISOString().slice(0, 7);
    const night = await nights.night();
    assert.equal(night.exit, 0, night.stderr);
    ofMonth(month).whole += night.credits;
    ofMonth(month).summaries += night.credits;
  }
  for (const [month, { whole, open, summaries, killed }] of months) {
    const { stdout, exit, stderr } = await nights.run(['credits', '--month', month, '--json']);
    assert.equal(exit, 0, stderr);
    const accounts = JSON.parse(stdout) as { total: Credits }[];
    assert.ok(accounts.length <= 1);
    // A month without a paid request has no account.
    const none = { confirmed: 0, possibly_charged: 0 };
    const { confirmed, possibly_charged: possibly } = accounts[0]?.total ?? none;
    // A killed run has noted requests that it did not send, and not noted responses: one per concurrent reference at most.
    const unsent = confirmed + possibly - (whole + open);
    assert.ok(unsent >= 0 && unsent <= 3 * killed, `${month}: ${unsent} noted requests were not sent`);
    assert.ok(confirmed <= whole && whole - confirmed <= 3 * killed, `${month}: ${confirmed} of ${whole}`);
    if (killed === 0) assert.equal(summaries, whole);
    else assert.ok(summaries <= whole);
  }
  for (const channel of channels) {
    const ids = nights.ids(`dir/${channel.id}.ndjson`) ?? [];
    assert.equal(new Set(ids).size, ids.length);
    for (const id of channel.sent) assert.ok(ids.includes(id), `${channel.id} lacks ${id}`);
  }
  const check = await nights.run('check dir --from refs.txt --max-age 36h');
  assert.equal(check.exit, 0, `${check.stdout}${check.stderr}`);
});
