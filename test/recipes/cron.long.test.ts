import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import type { Collected } from '../support/collect.ts';
import { codeBlocks, exampleOf } from '../support/documents.ts';
import { temporaryFolder, testKey } from '../support/program.ts';
import { runCommand, type Workshop, workshop } from '../support/shell.ts';
import { runExample, testExamples } from './run-examples.ts';

const file = 'docs/cron.md';
const refs = '# the channels of this test\n@demo\n\n@size-250\n';
const firstRun = 'cd ~/lists && chanlist uploads --from refs.txt --output-dir exports';
const giveUp = 'rm -f ~/lists/exports/.chanlist/UCdemo__________________.ndjson.run';
const queue = 'cd ~/lists && rm -f nightly.json && ';
const monitor = 'find ~/lists/nightly.json -mmin -720 | grep -q . && ';

testExamples(
  file,
  {
    'chanlist auth login --max-credits 3000/month': {
      run: ({ sh }) => sh('chanlist auth login --max-credits 3000/month', { input: `${testKey}\n` }),
    },
    [giveUp]: { run: givenUp },
    [(await exampleOf(file, monitor)).text]: { run: monitored },
    [(await exampleOf(file, queue)).text]: { run: queued },
  },
  async ({ folder, bin }) => {
    await writeFile(join(bin, 'crontab'), '#!/bin/sh\n[ "$1" = -e ]\n', { mode: 0o755 });
    await writeFile(join(folder, 'key.txt'), `${testKey}\n`);
    return { CHANLIST_API_KEY: '' };
  },
);

/** The pages of an interrupted update are discarded. */
async function givenUp({ sh }: Workshop): Promise<Collected> {
  const update = 'chanlist uploads @demo --output-dir ~/lists/exports --update';
  assert.equal((await sh(`${update} --all --max-credits 3`)).exit, 9);
  const removed = await sh(giveUp);
  const { exit, stderr } = await sh(`${update} --max-credits 0`);
  assert.deepEqual([exit, stderr], [0, '']);
  return removed;
}

/** The summary of the last night says that all is well, half a day later it does not. */
async function monitored({ sh }: Workshop): Promise<Collected> {
  const { text } = await exampleOf(file, monitor);
  await sh(`${firstRun} --update --summary nightly.json`);
  const fresh = await sh(text);
  await sh('touch -d "13 hours ago" ~/lists/nightly.json');
  assert.equal((await sh(text)).exit, 1);
  return fresh;
}

/** Two new uploads of each channel are the new lines of the queue. */
async function queued(at: Workshop): Promise<Collected> {
  at.grow(2);
  const example = await exampleOf(file, queue);
  const result = await runExample(example, at);
  // A run that does not start adds nothing again.
  await at.sh(example.text.replace('--update', '--updat'));
  const lines = (await readFile(join(at.folder, 'lists/queue.ndjson'), 'utf8')).trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).videoId),
    'demo0001236 demo0001235 003C0000122 003C0000121 00960000332 00960000331'.split(' '),
  );
  return result;
}

suite('the crontab lines, as cron runs them', async () => {
  const crontab = (await codeBlocks(file)).find(({ language }) => language === 'crontab')?.lines ?? [];
  const [path, ...entries] = crontab;
  const [night, week, rotation = '', playlist] = entries.map((entry) => entry.split(/ +/).slice(5).join(' '));

  test('are crontab lines: five fields of time, then a command without %, which cron takes for a line end', async () => {
    const [readme] = (await codeBlocks('README.md')).filter(({ language }) => language === 'crontab');
    assert.match(path ?? '', /^PATH=(?:\/[\w/]+:?)+$/);
    assert.deepEqual([entries.length, readme?.lines.length], [4, 1]);
    for (const entry of [...entries, ...(readme?.lines ?? [])])
      assert.match(entry, /^[\d*]+ [\d*]+ [\d*]+ [\d*]+ [\d*]+ [^%]+$/);
  });

  /** A user who has set everything up and done the first run; runs a command: its exit code, the mail, and its cost. */
  async function nights(t: TestContext) {
    const folder = await temporaryFolder(t);
    const { bin, sandbox, grow } = await workshop(t);
    await mkdir(join(folder, 'lists'));
    const write = (text: string): Promise<void> => writeFile(join(folder, 'lists/refs.txt'), text);
    await write(refs);
    const clean = { HOME: folder, SHELL: '/bin/sh', LOGNAME: 'me', PATH: `${bin}:/usr/bin:/bin` };
    const variables = Object.entries(clean).map(([name, value]) => `${name}=${value}`);
    const cron = async (command = '', input = '') => {
      const before = sandbox.account.credits;
      const shell = ['/usr/bin/env', '-i', ...variables, '/bin/sh', '-c', command];
      const { exit, stdout, stderr } = await runCommand(shell, { cwd: folder, env: {}, input });
      return { exit, mail: stdout + stderr, cost: before - sandbox.account.credits };
    };
    const login = `chanlist auth login --max-credits 3000/month --base-url '${sandbox.baseUrl}'`;
    assert.equal((await cron(login, testKey)).exit, 0);
    assert.deepEqual(await cron(firstRun), { exit: 0, mail: '', cost: 13 + 3 });
    return { grow, write, cron };
  }

  test('a night costs nothing, or 1 credit for a channel with new uploads; no mail', async (t) => {
    const { grow, cron } = await nights(t);
    assert.deepEqual(await cron(night), { exit: 0, mail: '', cost: 0 });
    grow(15);
    assert.deepEqual(await cron(night), { exit: 0, mail: '', cost: 2 });
    assert.deepEqual(await cron(week), { exit: 0, mail: '', cost: 0 });
    assert.deepEqual(await cron(rotation), { exit: 1, mail: '', cost: 13 + 3 });
    assert.equal((await cron('cat lists/exports/*.ndjson | wc -l')).mail.trim(), String(1249 + 265));
    for (let runs = 0; runs < 2; runs++)
      assert.deepEqual(await cron(playlist), { exit: 0, mail: '', cost: 4 });
  });

  test('the rotation ends at its own bound without mail; other errors are mailed', async (t) => {
    const { write, cron } = await nights(t);
    // The first run has spent 16 credits of this day.
    const small = rotation.replaceAll('75/day', '20/day');
    assert.deepEqual(await cron(small), { exit: 1, mail: '', cost: 4 });
    // A rotation that cannot buy anything is not its usual end.
    assert.match(
      (await cron(small)).mail,
      /stopped at --max-credits 20\/day, .*; 0 credits spent; [^\n]*\n$/,
    );
    await write(`${refs}@gone\n`);
    const { mail } = await cron(rotation);
    assert.match(mail, /^chanlist: error: refs\.txt:5 @gone: not found .*\n$/);
  });

  test('two lost, one damaged, one absent, one interrupted: the line that check prints repairs all', async (t) => {
    const { write, cron } = await nights(t);
    const channels = ['@demo', '@size-120', '@size-220', '@size-330', '@size-250'];
    await write(channels.join('\n'));
    assert.equal((await cron(firstRun)).cost, 2 + 3 + 4);
    const file = (name: string): string => `lists/exports/UC${name.padEnd(22, '_')}.ndjson`;
    await cron(
      `rm ${file('size-120')}; sed -i 1,50d ${file('size-220')}; sed -i '7s/^/#/' ${file('size-330')}`,
    );
    const begin = 'cd ~/lists && chanlist uploads @demo --output-dir exports --update --all --max-credits 3';
    assert.equal((await cron(begin)).exit, 9);
    await write([...channels, '@size-50'].join('\n'));
    const { exit, mail } = await cron(week);
    assert.equal(exit, 11);
    assert.deepEqual(
      mail.split('\n').map((line) => /^chanlist: error: (\w+): /.exec(line)?.[1]),
      ['damaged', 'lost', 'absent', 'interrupted', undefined],
    );
    const [, fix] = /; fix: (.+)$/m.exec(mail) ?? [];
    const repaired = await cron(`cd ~/lists && ${fix}`);
    // The damaged one, the two that were lost, the absent one, and the pages that the interrupted one lacked.
    assert.equal(repaired.cost, 4 + 2 + 3 + 1 + 10, repaired.mail);
    assert.deepEqual(await cron(week), { exit: 0, mail: '', cost: 0 });
    const whole = 1234 + 120 + 220 + 330 + 250 + 50;
    assert.equal((await cron('cat lists/exports/*.ndjson | wc -l')).mail.trim(), String(whole));
    const spent = (await cron('chanlist credits --json')).mail;
    assert.match(spent, new RegExp(`"total":\\s*{\\s*"confirmed":\\s*${13 + 3 + 9 + 3 + 20},`));
  });
});
