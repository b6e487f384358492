/**
 * A year under the crontab of docs/cron.md, with the faults that a year has and the bounds of the document. For the sake of
 * time 40 channels, and 20 that are added, with pages of 10 entries, stand for 400 and 200 with pages of 100. With
 * CHANLIST_FULL_YEAR=1 it is these, and takes 20 minutes.
 */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { command } from '../support/command.ts';
import { codeBlocks, exampleOf } from '../support/documents.ts';
import { deleteNamedLines } from '../support/ledger-lines.ts';
import { linesOf } from '../support/program.ts';
import { type SimulatedChannel, video, videos } from '../support/simulated-service.ts';
import { idsInText, World, wordsOfShell } from '../support/world.ts';
import { idsIn } from './fixture.ts';

const file = 'docs/cron.md';
const crontab = (await codeBlocks(file)).find(({ language }) => language === 'crontab')?.lines ?? [];

/** The lines of the crontab in the order of a day: when, what is run, and what the shell does with what it prints. */
const cronLines = crontab
  .slice(1)
  .map((line) => {
    const form =
      /^(\d+) (\d+) \* \* (\d|\*) cd ~\/lists && chanlist (.*?)( > \/dev\/null| 2>&1 \| grep -v .*)?$/;
    const [, minute, hour, weekday, words, shell = ''] = form.exec(line) ?? assert.fail(line);
    return { time: Number(hour) * 60 + Number(minute), weekday, words: String(words).split(' '), shell };
  })
  .sort((a, b) => a.time - b.time);
/** The words of the command in an example of the document. */
const documented = async (beginning: string): Promise<string[]> => {
  const { text } = await exampleOf(file, beginning);
  const words = /chanlist ([^&<]+)/.exec(text)?.[1] ?? assert.fail(text);
  return words.trim().split(' ');
};
const login = await documented('chanlist auth login --profile');
const firstExport = await documented('cd ~/lists && chanlist uploads --from refs.txt --output-dir exports');
const addMany = await documented("cd ~/lists && printf '%s\\n' @size-120");

const { CHANLIST_FULL_YEAR: isFull } = process.env;
const sizes = isFull
  ? { channels: 400, added: 200, pageSize: 100, uploads: 460 }
  : { channels: 40, added: 20, pageSize: 10, uploads: 160 };

/** Days of the year: 1 is the first of January. In month 3 channels are added; the others are faults. */
const added = 60;
const feedOutage = [130, 138] as const;
const outage = [170, 171] as const;
const revoked = 200;
const zeroed = 230;
const isWithin = (day: number, [first, last]: readonly [number, number]): boolean =>
  day >= first && day <= last;

/** The mail of the year: what ended how, and the days. Feeds that are missing are a warning (0) once pages are bought instead. */
const mails = {
  // First exports that wait for the next days.
  'check 11': isFull ? [61, 68] : [61],
  'uploads 7': [130, 131, 132, 133, 134, 135, 170, 171],
  'uploads 0': [136, 137, 138],
  'playlist 7': [170, 171],
  'rotation 7': [170, 171],
  'uploads 3': [200],
  'uploads 1': [230],
};

/** A user who has set everything up on the first of January, and the service. */
async function openYear(t: TestContext) {
  // Some ten thousand records are made durable.
  if (existsSync('/dev/shm')) process.env.TMPDIR = '/dev/shm';
  const { service, home } = await World.open(t, { pageSize: sizes.pageSize });
  service.key = 'sk_year_first';
  mkdirSync(join(home, 'lists'));
  process.chdir(join(home, 'lists'));
  const env = { HOME: home, XDG_STATE_HOME: join(home, 'state') };
  const spent: number[] = Array(12).fill(0);
  const year = {
    service,
    /** Credits by month, counted at the service. */
    spent,
    now: 0,
    channels: [] as SimulatedChannel[],
    /** Of the month of `zeroed`. */
    ledger: join(home, 'state/chanlist/credits-2026-08.ndjson'),
    setTime: (day: number, minutes: number): void => {
      year.now = new Date(2026, 0, day, 0, minutes).getTime();
    },
    run: async (words: readonly string[]) => {
      const before = service.credits;
      const stdin = `${service.key}\n`;
      const result = await command(words, { env, stdin, now: () => year.now });
      const month = new Date(year.now).getMonth();
      spent[month] = (spent[month] ?? 0) + before - service.credits;
      return result;
    },
    /** Adds channels of several pages; returns their lines. */
    add: (count: number): string => {
      const from = year.channels.length;
      for (let n = from; n < from + count; n++)
        year.channels.push(
          service.addChannel(`c${n}`, { list: videos(0, 20 + ((n * 37) % sizes.uploads), {}, `c${n}_`) }),
        );
      return year.channels
        .slice(from)
        .map(({ id }) => `${id}\n`)
        .join('');
    },
    /** Does what a line of mail asks for. */
    repair: async (line: string): Promise<void> => {
      if (line.includes('delete what cannot be read')) return deleteNamedLines(line, year.ledger);
      const remedy = /[;:] (chanlist .*)$/.exec(line)?.[1];
      if (remedy === undefined) return;
      // `chanlist check … --json | jq … | sh` runs every fix.
      const [command = '', jq] = remedy.split(' | ');
      const { exit, stdout, stderr } = await year.run(wordsOfShell(command).slice(1));
      if (jq !== undefined) {
        const fixes = (JSON.parse(stdout) as { problem: { fix: string } }[]).map(
          ({ problem }) => problem?.fix,
        );
        for (const fix of fixes.filter(Boolean)) await year.repair(`; ${fix}`);
        return;
      }
      assert.equal(exit, 0, `${remedy}: ${stderr}`);
    },
  };
  return year;
}

const archiveOf = ({ id }: SimulatedChannel): string => `exports/${id}.ndjson`;

test('a year: nothing is late but for a fault, which is one line of a mail; the bounds hold', {
  timeout: isFull ? 3_600_000 : 900_000,
}, async (t) => {
  const year = await openYear(t);
  const { service, channels, run } = year;
  writeFileSync('refs.txt', year.add(sizes.channels));
  service.addPlaylist('PLdemo', videos(0, 15));
  year.setTime(1, 720);
  const address = '"$CHANLIST_BASE_URL"';
  for (const line of [
    login.map((word) => (word === address ? service.url : word)),
    firstExport,
    ['playlist', 'PLdemo', '--output-dir', 'exports'],
  ]) {
    const { exit, stderr } = await run(line);
    assert.equal(exit, 0, stderr);
  }
  /** Uploads that are not in their archives yet. */
  const due = new Map<SimulatedChannel, unknown[]>();
  const said = new Map<string, number[]>();
  let isAdding = false;
  for (let day = 2; day <= 365; day++) {
    for (let n = 0; n < 15; n++) {
      const channel = channels[(day * 31 + n * 17) % channels.length] ?? assert.fail();
      const id = `new_${day}_${n}`;
      channel.list.unshift(video(id));
      due.set(channel, [...(due.get(channel) ?? []), id]);
    }
    // A video is made public late: only the rotation can see it.
    if (day % 30 === 0 && day < 340) channels[day % sizes.channels]?.list.splice(30, 0, video(`late_${day}`));
    if (day === added) writeFileSync('new.txt', year.add(sizes.added));
    isAdding ||= day === added;
    service.fault = ({ operation }) => {
      if (isWithin(day, outage)) return 503;
      return isWithin(day, feedOutage) && operation === 'latest' ? 404 : null;
    };
    if (day === revoked) service.key = 'sk_year_second';
    if (day === zeroed) writeFileSync(year.ledger, Buffer.alloc(statSync(year.ledger).size));
    for (const { time, weekday, words, shell } of cronLines) {
      year.setTime(day, time);
      if (weekday !== '*' && Number(weekday) !== new Date(year.now).getDay()) continue;
      // As the document says of the month of the first export, and while channels are added.
      if (words.includes('--all') && (day <= 31 || isAdding)) continue;
      const { exit, stdout, stderr } = await run(words);
      // In a basic regular expression, a question mark needs a backslash.
      const [, pattern = null] = /grep -v '(.*)'/.exec(shell) ?? [];
      const isHidden = (line: string): boolean =>
        pattern !== null && new RegExp(pattern.replaceAll('\\?', '?')).test(line);
      const printed = shell === ' > /dev/null' ? stderr : stdout + stderr;
      const mail = linesOf(printed).filter((line) => !isHidden(line));
      assert.ok(mail.length <= 1 && (exit === 0 || mail.length === 1 || pattern !== null), stderr);
      if (words.includes('--summary')) {
        const refs = readFileSync('refs.txt', 'utf8');
        for (const [channel, ids] of due) {
          const has = existsSync(archiveOf(channel))
            ? idsInText(readFileSync(archiveOf(channel), 'utf8'))
            : [];
          due.set(
            channel,
            ids.filter((id) => !has.includes(String(id))),
          );
        }
        const late = channels.filter((channel) => refs.includes(channel.id) && due.get(channel)?.length);
        const isFault = isWithin(day, feedOutage) || isWithin(day, outage) || [revoked, zeroed].includes(day);
        assert.ok(late.length === 0 || (isFault && mail.length === 1), `day ${day}: ${late.length} are late`);
      }
      // How many feeds the rotation asks for depends on what is left of its bound.
      const isRotation = words.includes('--all');
      if (isRotation && exit === 9) continue;
      for (const line of mail) {
        const key = `${isRotation ? 'rotation' : words[0]} ${exit}`;
        said.set(key, [...(said.get(key) ?? []), day]);
        // Without feeds, a channel that a run has not reached is stale, and nothing can be done about it.
        const isHopeless = words[0] === 'check' && isWithin(day, feedOutage);
        if (!isHopeless) await year.repair(line);
      }
    }
    if (!isAdding) continue;
    year.setTime(day, 540);
    isAdding = (await run(addMany)).exit !== 0;
    if (!isAdding) appendFileSync('refs.txt', readFileSync('new.txt'));
  }
  for (const credits of year.spent) assert.ok(credits <= 3000, `${credits} in a month`);
  for (const channel of channels)
    assert.deepEqual(idsInText(readFileSync(archiveOf(channel), 'utf8')).sort(), idsIn(channel.list).sort());
  // Whether Sunday's run has reached all channels before five have failed depends on which responses come first.
  said.set('check 11', said.get('check 11')?.filter((day) => day !== feedOutage[0] + 1) ?? []);
  assert.deepEqual(Object.fromEntries(said), mails);
});
