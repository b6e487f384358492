import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { temporaryFolder, testKey } from '../support/program.ts';
import { codeBlocks, runCommand, workshop } from '../support/shell.ts';

const blocks = await codeBlocks('README.md');
const refs = '# the channels of this test\n@demo\n\n@size-250\n';

suite('the crontab lines, as cron runs them', () => {
  const lines = blocks.find(({ language }) => language === 'crontab')?.lines ?? [];
  const [nightly = '', weekly = ''] = lines.filter((line) => /^\d/.test(line));
  const commandOf = (entry: string): string => entry.split(/ +/).slice(5).join(' ');

  test('are crontab lines: five fields of time, then a command without %, which cron takes for a line end', () => {
    for (const entry of [nightly, weekly]) {
      assert.match(entry, /^[\d*]+ [\d*]+ [\d*]+ [\d*]+ [\d*]+ \S/);
      assert.doesNotMatch(entry, /%/);
    }
    assert.match(lines[0] ?? '', /^PATH=(?:\/[\w/]+:?)+$/);
    assert.equal(lines.length, 3);
  });

  async function nights(t: TestContext) {
    const folder = await temporaryFolder(t);
    const at = await workshop(t);
    await mkdir(join(folder, 'lists'));
    await writeFile(join(folder, 'lists/refs.txt'), refs);
    const clean = { HOME: folder, SHELL: '/bin/sh', LOGNAME: 'me', PATH: `${at.bin}:/usr/bin:/bin` };
    const login = ['/bin/sh', '-c', `chanlist auth login --base-url '${at.sandbox.baseUrl}'`];
    const stored = await runCommand(login, { cwd: folder, env: clean, input: testKey });
    assert.equal(stored.exit, 0, stored.stderr);
    const variables = Object.entries(clean).map(([name, value]) => `${name}=${value}`);
    /** Runs a line: its exit code, what cron would mail, and what it cost. */
    const cron = async (entry: string) => {
      const before = at.sandbox.account.credits;
      const shell = ['/usr/bin/env', '-i', ...variables, '/bin/sh', '-c', commandOf(entry)];
      const { exit, stdout, stderr } = await runCommand(shell, { cwd: folder, env: {} });
      return { exit, mail: stdout + stderr, cost: before - at.sandbox.account.credits };
    };
    const night = () => cron(nightly);
    const week = () => cron(weekly);
    const summary = async () =>
      JSON.parse(await readFile(join(folder, 'lists/summary.json'), 'utf8')) as {
        credits: { confirmed: number };
        references: { reference: string; status: string; file: string; entries: number }[];
      };
    return { ...at, folder, night, week, summary };
  }

  const counting = /^chanlist: .*counting starts at 0.*\n$/;

  test('first night: all entries; second: nothing; then 1 credit for a channel with new uploads; no mail', async (t) => {
    const { folder, sandbox, night, week, summary } = await nights(t);
    const { exit, mail, cost } = await night();
    assert.deepEqual([exit, cost], [0, 13 + 3]);
    assert.match(mail, counting);
    const first = await summary();
    assert.equal(first.credits.confirmed, 16);
    const sizes = await Promise.all(
      first.references.map(
        async ({ file }) => (await readFile(join(folder, 'lists', file), 'utf8')).split('\n').length - 1,
      ),
    );
    assert.deepEqual(sizes, [1234, 250]);
    assert.deepEqual(await night(), { exit: 0, mail: '', cost: 0 });
    assert.deepEqual(
      (await summary()).references.map(({ status }) => status),
      ['unchanged', 'unchanged'],
    );
    sandbox.setUploads('@size-250', 250 + 15);
    assert.deepEqual(await night(), { exit: 0, mail: '', cost: 1 });
    const report = await week();
    assert.deepEqual([report.exit, report.cost], [0, 0]);
    assert.match(report.mail, /UC[\w-]{22}\.ndjson +@size-250 +265 .*Credits spent in .* 17 +0 +17 +0\n/s);
  });

  test('a channel that is gone: one line of mail and exit 5; the others are brought up to date', async (t) => {
    const { folder, sandbox, night } = await nights(t);
    await night();
    await writeFile(join(folder, 'lists/refs.txt'), `@gone\n${refs}`);
    sandbox.setUploads('@demo', 1235);
    const { exit, mail, cost } = await night();
    assert.deepEqual([exit, cost], [5, 1]);
    assert.match(mail, /^chanlist: refs\.txt:1 @gone: not found .*\n$/);
  });

  test('no credits: exit 4 and mail; the same line resumes once there are some', async (t) => {
    const { sandbox, night } = await nights(t);
    sandbox.account.credits = 5;
    const poor = await night();
    assert.deepEqual([poor.exit, poor.cost], [4, 5]);
    assert.match(poor.mail, /^chanlist: .*no credits/m);
    sandbox.account.credits = 100;
    assert.deepEqual(await night(), { exit: 0, mail: '', cost: 16 - 5 });
  });
});
