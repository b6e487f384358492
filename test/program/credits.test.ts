import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runHere as run } from '../support/command.ts';
import {
  ended,
  type Result,
  serviceEnvironment,
  start,
  temporaryFolder,
  testKey,
} from '../support/program.ts';
import { page, scriptedService } from '../support/service.ts';
import { onlyWarning, said } from '../support/stderr.ts';
import { writeStore } from '../support/stored-accounts.ts';

const pad = (number: number): string => String(number).padStart(2, '0');
const month = (): string => `${new Date().getFullYear()}-${pad(new Date().getMonth() + 1)}`;
const day = (): string => `${month()}-${pad(new Date().getDate())}`;

/** A service whose uploads never end, a ledger of its own, and what was asked of the service. */
async function fixture(t: TestContext) {
  const state = await temporaryFolder(t);
  const service = await scriptedService(t, ({ path, query }) => {
    if (query.get('channel') === '@gone') return { status: 404, body: { detail: 'no such channel' } };
    if (path.endsWith('/search')) return { body: { results: [] } };
    const at = Number(query.get('continuation') ?? 0);
    return { body: page(at, at + 1, `${at + 1}`, 1000) };
  });
  const env = { ...serviceEnvironment(service.url), XDG_STATE_HOME: state };
  return {
    state,
    env,
    service,
    file: join(state, 'chanlist', `credits-${month()}.ndjson`),
    call: (line: string): Promise<Result> => run(line, { env }),
    credits: async (more = ''): Promise<Record<string, unknown>[]> => {
      const result = await run(`credits --json${more}`, { env: { XDG_STATE_HOME: state } });
      assert.equal(result.exit, 0, result.stderr);
      assert.equal(result.stderr, '');
      return JSON.parse(result.stdout);
    },
  };
}

const credits = (confirmed: number, possibly_charged = 0) => ({ confirmed, possibly_charged });

test('credits prints what was spent, per account, day, command and reference', async (t) => {
  const { call, credits: report, service, state } = await fixture(t);
  assert.equal((await call('uploads @a -n 2')).exit, 0);
  assert.equal((await call('uploads @b -n 1')).exit, 0);
  assert.equal((await call('search @a x')).exit, 0);
  assert.equal((await call('uploads @gone')).exit, 5);
  const account = `${service.url} …d2b8`;
  const all = { account, month: month(), today: credits(4), total: credits(4) };
  assert.deepEqual(await report(), [all]);
  const parts = {
    day: [{ day: day(), ...credits(4) }],
    command: [
      { command: 'uploads', ...credits(3) },
      { command: 'search', ...credits(1) },
    ],
    reference: [
      { reference: '@a', ...credits(3) },
      { reference: '@b', ...credits(1) },
    ],
  };
  for (const [by, rows] of Object.entries(parts)) {
    const records = rows.map((row) => ({ account, month: month(), ...row }));
    assert.deepEqual(await report(` --by ${by}`), records);
  }
  const printed = async (more = ''): Promise<string> =>
    (await call(`credits${more}`)).stdout.replaceAll(account, 'ACCOUNT').replaceAll(/ {2,}/g, '  ');
  assert.equal(await printed(), `${JSON.stringify({ ...all, account: 'ACCOUNT' })}\n`);
  assert.match(
    await printed(' -f table'),
    /^account {2}month {2}today {2}total\n─+\nACCOUNT {2}\d{4}-\d\d {2}4 {2}4\n$/,
  );
  assert.equal(
    await printed(' --by command -f csv'),
    `account,month,command,confirmed,possibly_charged
ACCOUNT,${month()},uploads,3,0
ACCOUNT,${month()},search,1,0
`,
  );
  const [name] = await readdir(join(state, 'chanlist'));
  assert.ok(!(await readFile(join(state, 'chanlist', name ?? ''), 'utf8')).includes(testKey));
});

test('a month without a ledger is empty, with a warning if it was named; a wrong month or grouping is 2', async (t) => {
  const { call, credits: report, state } = await fixture(t);
  assert.deepEqual(await report(), []);
  const empty = await call('credits --month 2020-01 --json');
  assert.deepEqual([empty.exit, empty.stdout], [0, '[]\n']);
  const path = join(state, 'chanlist/credits-2020-01.ndjson');
  assert.equal(
    empty.stderr,
    `chanlist: warning: there is no credit ledger for 2020-01: ${path} does not exist\n`,
  );
  for (const words of ['--month 2020-13', '--month 20-1', '--by key', 'x'])
    assert.equal((await call(`credits ${words}`)).exit, 2);
});

test('credits: a line that cannot be read is warned of and counted; a ledger that cannot be read is 1', async (t) => {
  const { call, file } = await fixture(t);
  await call('uploads @a -n 2');
  await appendFile(file, '\n{"torn');
  const torn = await call('credits --json');
  assert.equal(torn.exit, 0);
  assert.equal(
    torn.stderr,
    `chanlist: warning: ${file}: 1 line cannot be read; each counts as one possibly charged credit\n`,
  );
  const [known, unknown] = JSON.parse(torn.stdout);
  assert.deepEqual([known.today, known.total], [credits(2), credits(2)]);
  assert.deepEqual(unknown, { account: null, month: month(), today: credits(0, 1), total: credits(0, 1) });
  await writeFile(file, '{"version":2}\n');
  const newer = await call('credits');
  assert.deepEqual([newer.exit, newer.stdout], [2, '']);
  assert.match(newer.stderr, /^chanlist: error: a newer chanlist wrote /);
  const old = file.replace(month(), '2026-01');
  await rename(file, old);
  await writeFile(old, '{"torn');
  const past = await call('credits --month 2026-01');
  const total = credits(0, 1);
  assert.deepEqual(JSON.parse(past.stdout), { account: null, month: '2026-01', today: null, total });
});

test('--max-credits N/month counts all runs, from flag and environment, and names the reset', async (t) => {
  const { call, env, service } = await fixture(t);
  const first = await call('uploads @a -f id --max-credits 3/month');
  assert.equal(first.exit, 9);
  assert.match(
    first.stderr,
    /^chanlist: warning: there is no credit ledger yet: counting starts at 0; keep the folder /,
  );
  assert.match(
    first.stderr,
    /--max-credits 3\/month, which resets on \d{4}-\d\d-01 00:00 \(local time\); about 997 more credits are needed to finish; 3 credits spent; /,
  );
  const second = await run('uploads @b', { env: { ...env, CHANLIST_MAX_CREDITS: '50,4/day' } });
  assert.equal(second.exit, 9);
  assert.match(second.stderr, /stopped at --max-credits 4\/day, .*; 1 credit spent; /);
  assert.doesNotMatch(second.stderr, /no ledger/);
  const third = await call('search @a x --max-credits 9 --max-credits 4/month');
  assert.equal(third.exit, 9);
  assert.equal(service.seen.length, 4);
});

test('the bound of a profile applies unless flag or environment give one', async (t) => {
  const { state, service } = await fixture(t);
  const env = { XDG_STATE_HOME: state, XDG_CONFIG_HOME: state };
  const profile = { baseUrl: service.url, namespace: 'media', key: testKey, max_credits: '2/month' };
  writeStore(state, { a: profile }, 'a');
  const given = { ...env, CHANLIST_MAX_CREDITS: '4/month' };
  for (const [line, variables, pages] of [
    ['', env, 2],
    ['', given, 2],
    [' --max-credits 1', given, 1],
  ] as const) {
    const stopped = await run(`uploads @a -f id${line}`, { env: variables });
    assert.deepEqual([stopped.exit, stopped.lines.length], [9, pages]);
  }
});

test('a clock that is behind: 1 before any request with a bound per month or day, else one warning', async (t) => {
  const { call, env, service, file } = await fixture(t);
  assert.equal((await call('uploads @a -n 1')).exit, 0);
  const behind = { env, now: Date.UTC(1970, 0, 1, 12) };
  const says =
    /the clock is behind: it shows 1970-01-01 12:00, but (\S+) was written on (\d{4}-\d\d)-\d\d \d\d:\d\d; set the clock; if it is right now, move that file away \(nothing of this month is in it\): mv (\S+) \S+\n$/;
  for (const [line, exit, kind] of [
    ['uploads @a --max-credits 5/day', 1, 'error'],
    ['uploads @a --max-credits 3 --max-credits 5/month', 1, 'error'],
    ['uploads @a -n 1 --max-credits 5', 0, 'warning'],
    ['search @a x', 0, 'warning'],
  ] as const) {
    const result = await run(line, behind);
    assert.equal(result.exit, exit, line);
    if (exit === 1) assert.equal(result.stdout, '');
    assert.ok(result.stderr.startsWith(`chanlist: ${kind}: `), result.stderr);
    assert.deepEqual(says.exec(result.stderr)?.slice(1), [file, month(), file]);
  }
  assert.equal(service.seen.length, 3);
  // Nothing that is free buys or looks at anything.
  assert.equal((await run('credits', behind)).stderr, '');
  // The printed command is the remedy.
  await rename(file, `${file}.old`);
  assert.equal((await run('uploads @a -n 1 --max-credits 5/month', behind)).exit, 0);
});

test('a ledger that cannot be used: nothing is sent with a bound per month; without, one warning', async (t) => {
  const { env, service, file } = await fixture(t);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Files of these runs may have 1,024 bytes: a line is written only in part.
  await writeFile(file, '\n'.repeat(1000), { mode: 0o600 });
  const within = ['bash', '-c', 'ulimit -f 1; exec "$@"', 'bash'];
  for (const [options, why] of [
    [{ env: { ...env, XDG_STATE_HOME: '/dev/null/x' } }, ''],
    [{ env: { ...env, XDG_STATE_HOME: '/proc/x' } }, ''],
    [{ env, within }, 'a line was written only in part'],
  ] as const) {
    const bounded = await ended(start('uploads @a -n 1 --max-credits 5/month', options));
    assert.deepEqual([bounded.exit, service.seen.length], [1, 0], bounded.stderr);
    const [error = ''] = said(bounded.stderr).errors;
    assert.ok(error.startsWith('the credit ledger, which --max-credits needs, cannot be used: '), error);
    assert.ok(error.includes(why), error);
    await writeFile(file, '\n'.repeat(1000));
    const free = await ended(start('uploads @a -n 1', options));
    assert.deepEqual([free.exit, service.seen.length], [0, 1]);
    onlyWarning(free, 'some requests of this run could not be recorded in the credit ledger: ');
    service.seen.length = 0;
  }
});

test('--sandbox is not noted in the ledger, and bounds apply to the run alone', async (t) => {
  const { state } = await fixture(t);
  const args = ['uploads', '@demo', '--sandbox', '-f', 'id', '--max-credits', '2/month'];
  for (let i = 0; i < 2; i++) {
    const result = await run(args, { env: { XDG_STATE_HOME: state } });
    assert.deepEqual([result.exit, result.lines.length], [9, 200]);
    assert.match(result.stderr, /^chanlist: error: @demo: stopped at --max-credits 2\/month; /);
  }
  assert.deepEqual(await readdir(state), []);
});

test('numbers in a table are those of messages: 1,234', async (t) => {
  const { call, file } = await fixture(t);
  const line = (id: string, command: string, credits: number) => ({
    ...{ version: 1, kind: 'request', time: '', day: day(), origin: 'https://a.example', key: 'x' },
    ...{ last_four: 'wxyz', id, command, reference: '@a', credits },
  });
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const lines = [
    line('1', 'uploads', 12345),
    { version: 1, kind: 'outcome', id: '1', time: '', outcome: 'confirmed' },
    line('2', 'search', 1234),
  ];
  await writeFile(file, lines.map((each) => `${JSON.stringify(each)}\n`).join(''), { mode: 0o600 });
  const total = String.raw` +12,345 \(\+1,234 possibly charged\)`;
  assert.match((await call('credits -f table')).stdout, new RegExp(`${total}${total}\n$`));
  const parts = await call('credits -f table --by command');
  assert.match(parts.stdout, / uploads +12,345 +0\n.* search +0 +1,234\n$/);
  assert.match((await call('credits --by command')).stdout, /"confirmed":12345,"possibly_charged":0/);
});
