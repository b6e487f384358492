import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { codeBlocks, exampleOf } from '../support/documents.ts';
import { listen } from '../support/listen.ts';
import { temporaryFolder, testKey } from '../support/program.ts';
import { missing, runCommand, type Workshop, workshop } from '../support/shell.ts';
import { recipe as recipeOf, runExample, testExamples } from './run-examples.ts';

const file = 'docs/cron.md';
const refs = '# the channels of this test\n@demo\n\n@size-250\n';

const recipe = (at: Workshop, beginning: string): Promise<string> => recipeOf(file, at, beginning);

const lines = (text: string): string[] => text.split('\n').slice(0, -1);

/** A monitoring service: its address, and the paths that were requested. */
async function monitor(t: TestContext): Promise<{ url: string; requested: (string | undefined)[] }> {
  const requested: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url);
    response.end();
  });
  return { url: await listen(t, server), requested };
}

testExamples(
  file,
  {
    'chanlist auth login --max-credits 3000/month': {
      run: ({ sh }) => sh('chanlist auth login --max-credits 3000/month', { input: `${testKey}\n` }),
    },
    'cd ~/lists && chanlist uploads --from refs.txt --output-dir exports': {
      stderr: /counting starts at 0/,
    },
    // test/recipes/services.long.test.ts runs it.
    'docker run': { run: async () => null },
  },
  async ({ folder, bin }, t) => {
    await writeFile(join(bin, 'crontab'), '#!/bin/sh\n[ "$1" = -e ]\n', { mode: 0o755 });
    await writeFile(join(folder, 'refs.txt'), '@demo\n@size-250\n');
    for (const name of ['key.txt', 'key-00.txt', 'key-01.txt'])
      await writeFile(join(folder, name), `${testKey}\n`);
    return { CHANLIST_API_KEY: '', PING_URL: (await monitor(t)).url };
  },
);

/** A workshop with `lists/refs.txt`, and a nightly run of it. */
async function lists(t: TestContext) {
  const at = await workshop(t);
  await mkdir(join(at.folder, 'lists'));
  const write = (text: string): Promise<void> => writeFile(join(at.folder, 'lists/refs.txt'), text);
  await write(refs);
  const first = await runExample(await exampleOf(file, firstRun), at);
  assert.deepEqual([first.exit, first.stderr], [0, '']);
  return { ...at, write };
}

const firstRun = 'cd ~/lists && chanlist uploads --from refs.txt --output-dir exports';

test('check: its exit code goes to the monitoring service, its problems to a file', {
  skip: missing('curl'),
}, async (t) => {
  const { url, requested } = await monitor(t);
  const plain = await lists(t);
  const at = { ...plain, env: { ...plain.env, PING_URL: url } };
  const check = 'cd ~/lists && chanlist check exports --from refs.txt --max-age 36h -q >';
  await recipe(at, check);
  await at.write(`${refs}@size-4\n`);
  const { exit } = await runExample(await exampleOf(file, check), at);
  assert.equal(exit, 0);
  assert.deepEqual(requested, ['/0', '/11']);
  const problems = lines(await readFile(join(at.folder, 'lists/problems.ndjson'), 'utf8'));
  const { reference, problem } = JSON.parse(problems.join(''));
  assert.deepEqual([reference, problem.code], ['@size-4', 'absent']);
});

test('a restored FILE without its record is adopted; with it, there is nothing to do', async (t) => {
  const at = await lists(t);
  await recipe(at, 'tar -C ~ -czf');
  await at.sh('rm lists/exports/UCdemo* lists/exports/.chanlist/UCdemo*');
  await recipe(at, 'name=UCdemo');
  const nightly = 'cd ~/lists && chanlist uploads --from refs.txt --output-dir exports --update --summary';
  await recipe(at, nightly);
  await at.sh('rm lists/exports/.chanlist/UCdemo*');
  const adopted = await runExample(await exampleOf(file, nightly), at);
  assert.equal(adopted.exit, 0);
  assert.match(adopted.stderr, /^chanlist: warning: .*\n$/);
});

test('the age of a summary, and its metrics, also of a run that was killed', {
  skip: missing('jq'),
}, async (t) => {
  const at = await workshop(t);
  await mkdir(join(at.folder, 'lists'));
  const counts = { unchanged: 29, complete: 2 };
  const summary = async (started: string, seconds: number | null, exit: number | null): Promise<void> => {
    const text = JSON.stringify({
      started,
      seconds,
      exit,
      credits: { confirmed: 3, possibly_charged: 1 },
      counts,
    });
    await writeFile(join(at.folder, 'lists/nightly.json'), text);
  };
  const metrics = async (): Promise<string[]> => {
    await recipe(at, 'mkdir -p ~/lists/metrics');
    return lines(await readFile(join(at.folder, 'lists/metrics/chanlist.prom'), 'utf8'));
  };
  await summary(new Date().toISOString(), 12.5, 0);
  assert.equal(await recipe(at, "jq -e '(.started"), '');
  await summary('2026-01-02T03:15:00.123Z', 12.5, 0);
  assert.equal(await recipe(at, "jq -e '(.started"), 'no run for 36 hours\n');
  assert.deepEqual(await metrics(), [
    'chanlist_started_seconds 1767323700',
    'chanlist_exit_code 0',
    'chanlist_duration_seconds 12.5',
    'chanlist_credits{kind="confirmed"} 3',
    'chanlist_credits{kind="possibly_charged"} 1',
    'chanlist_references{status="unchanged"} 29',
    'chanlist_references{status="complete"} 2',
  ]);
  await summary('2026-01-02T03:15:00.123Z', null, null);
  assert.deepEqual((await metrics()).slice(1, 3), ['chanlist_exit_code -1', 'chanlist_duration_seconds 0']);
});

suite('the crontab lines, as cron runs them', async () => {
  const crontab = (await codeBlocks(file)).find(({ language }) => language === 'crontab')?.lines ?? [];
  const [nightly = '', weekly = '', monthly = ''] = crontab.filter((line) => /^\d/.test(line));
  const commandOf = (entry: string): string => entry.split(/ +/).slice(5).join(' ');

  test('are crontab lines: five fields of time, then a command without %, which cron takes for a line end', async () => {
    const [readme] = (await codeBlocks('README.md')).filter(({ language }) => language === 'crontab');
    const [ofReadme = '', ...others] = readme?.lines ?? [];
    assert.deepEqual(others, []);
    for (const entry of [nightly, weekly, monthly, ofReadme]) {
      assert.match(entry, /^[\d*]+ [\d*]+ [\d*]+ [\d*]+ [\d*]+ \S/);
      assert.doesNotMatch(entry, /%/);
    }
    assert.match(crontab[0] ?? '', /^PATH=(?:\/[\w/]+:?)+$/);
    assert.equal(crontab.length, 4);
  });

  /** A user who has set everything up, and what cron mails to that user. */
  async function nights(t: TestContext) {
    const folder = await temporaryFolder(t);
    const at = await workshop(t);
    await mkdir(join(folder, 'lists'));
    const write = (text: string): Promise<void> => writeFile(join(folder, 'lists/refs.txt'), text);
    await write(refs);
    const clean = { HOME: folder, SHELL: '/bin/sh', LOGNAME: 'me', PATH: `${at.bin}:/usr/bin:/bin` };
    const login = `chanlist auth login --max-credits 3000/month --base-url '${at.sandbox.baseUrl}'`;
    const stored = await runCommand(['/bin/sh', '-c', login], { cwd: folder, env: clean, input: testKey });
    assert.equal(stored.exit, 0, stored.stderr);
    const variables = Object.entries(clean).map(([name, value]) => `${name}=${value}`);
    /** Runs a command: its exit code, what cron would mail, and what it cost. */
    const cron = async (command: string) => {
      const before = at.sandbox.account.credits;
      const shell = ['/usr/bin/env', '-i', ...variables, '/bin/sh', '-c', command];
      const { exit, stdout, stderr } = await runCommand(shell, { cwd: folder, env: {} });
      return { exit, mail: stdout + stderr, cost: before - at.sandbox.account.credits };
    };
    const first = async () => cron((await exampleOf(file, firstRun)).text);
    const [night, week, month] = [nightly, weekly, monthly].map((entry) => () => cron(commandOf(entry)));
    assert.ok(night && week && month);
    return { ...at, folder, write, cron, first, night, week, month };
  }

  test('first run: all entries; second: nothing; third: 1 credit for a channel with new uploads; no mail', async (t) => {
    const { sandbox, cron, first, night, week, month } = await nights(t);
    const { exit, mail, cost } = await first();
    assert.deepEqual([exit, cost], [0, 13 + 3]);
    assert.match(mail, /^chanlist: .*counting starts at 0.*\n$/);
    assert.deepEqual(await night(), { exit: 0, mail: '', cost: 0 });
    sandbox.setUploads('@size-250', 250 + 15);
    assert.deepEqual(await night(), { exit: 0, mail: '', cost: 1 });
    assert.deepEqual(await week(), { exit: 0, mail: '', cost: 0 });
    assert.deepEqual(await month(), { exit: 0, mail: '', cost: 13 + 3 });
    const count = await cron('cat lists/exports/*.ndjson | wc -l');
    assert.equal(count.mail.trim(), String(1234 + 265));
  });

  test('a misspelled channel: one line of mail and exit 5; the others are updated', async (t) => {
    const { sandbox, write, first, night, week } = await nights(t);
    await first();
    await write(`@gone\n${refs}`);
    sandbox.setUploads('@demo', 1235);
    const { exit, mail, cost } = await night();
    assert.deepEqual([exit, cost], [5, 1]);
    assert.match(mail, /^chanlist: error: refs\.txt:1 @gone: not found .*\n$/);
    const report = await week();
    assert.equal(report.exit, 11);
    assert.match(report.mail, /^chanlist: error: .*@gone.*\n$/);
  });

  test('an update with --all that a bound has stopped: without the rows that the message names, FILE stays', async (t) => {
    const { folder, sandbox, first, night, cron } = await nights(t);
    await first();
    sandbox.setUploads('@demo', 1235);
    const all = 'cd ~/lists && chanlist uploads @demo --output-dir exports --update --all --max-credits 3';
    const stopped = await cron(all);
    assert.deepEqual([stopped.exit, stopped.cost], [9, 3]);
    const found = await cron((await exampleOf(file, 'cd ~/lists/exports/.chanlist')).text);
    const [record = '', rows = ''] = found.mail.trimEnd().split(':');
    assert.equal(record, 'UCdemo__________________.ndjson.json');
    assert.ok(stopped.mail.includes(`.chanlist/${rows}`), stopped.mail);
    await rm(join(folder, 'lists/exports/.chanlist', rows));
    const { exit, mail, cost } = await night();
    assert.deepEqual([exit, cost], [0, 1]);
    assert.match(mail, /^chanlist: warning: .*\n$/);
    assert.deepEqual(await night(), { exit: 0, mail: '', cost: 0 });
  });
});
