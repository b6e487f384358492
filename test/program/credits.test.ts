import assert from 'node:assert/strict';
import { appendFile, chmod, chown, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { command, runHere as run } from '../support/command.ts';
import { deleteNamedLines } from '../support/ledger-lines.ts';
import {
  ended,
  type Result,
  serviceEnvironment,
  start,
  temporaryFolder,
  testKey,
} from '../support/program.ts';
import { page, scriptedService } from '../support/service.ts';
import { onlyError, onlyWarning } from '../support/stderr.ts';
import { writeStore } from '../support/stored-accounts.ts';
import { asUser, nobody, notRoot } from '../support/users.ts';

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
  const table = `account,month,command,confirmed,possibly_charged
ACCOUNT,${month()},uploads,3,0
ACCOUNT,${month()},search,1,0
`;
  const csv = await call('credits --by command -f csv');
  assert.equal(csv.stdout.replaceAll(account, 'ACCOUNT'), table);
  const [name] = await readdir(join(state, 'chanlist'));
  assert.ok(!(await readFile(join(state, 'chanlist', name ?? ''), 'utf8')).includes(testKey));
});

test('a line that cannot be read, also of another version, is warned of and counted', async (t) => {
  const { call, file } = await fixture(t);
  await call('uploads @a -n 2');
  await appendFile(file, '\n{"version":2,"kind":"transfer"}\n{"vers');
  const report = await call('credits --json');
  assert.equal(report.exit, 0);
  onlyWarning(report, `${file} is damaged: line 10 cannot be read; restore it`);
  const [known, unknown] = JSON.parse(report.stdout);
  assert.deepEqual([known.today, known.total], [credits(2), credits(2)]);
  assert.deepEqual(unknown, { account: null, month: month(), today: credits(0, 2), total: credits(0, 2) });
  const bounded = await call('uploads @a --max-credits 5/month');
  assert.equal(bounded.exit, 1);
  onlyError(bounded, 'which --max-credits needs', 'line 10');
  deleteNamedLines(bounded.stderr, file);
  // The torn line behind it is one credit still.
  const repaired = await call('uploads @a --max-credits 5/month');
  assert.match(repaired.stderr, /5\/month, .*; 2 credits spent; wait until it resets, then /);
  await rename(file, file.replace(month(), '2026-01'));
  const past = await call('credits --month 2026-01');
  assert.deepEqual(
    past.lines.map((line) => JSON.parse(line).today),
    [null, null],
  );
});

test('credits: a bound that cannot be read, or a profile that there is not, is 2 in every format', async (t) => {
  const { state } = await fixture(t);
  for (const format of ['', ' --json', ' --by day', ' -f csv', ' -f table']) {
    const unknown = await run(`credits --profile nope${format}`, { env: { XDG_STATE_HOME: state } });
    assert.equal(unknown.exit, 2, format);
    onlyError(unknown, "'nope'");
    const env = { XDG_STATE_HOME: state, CHANLIST_MAX_CREDITS: '1/year' };
    const refused = await run(`credits${format}`, { env });
    assert.equal(refused.exit, 2);
    onlyError(refused, "CHANLIST_MAX_CREDITS is '1/year'", 'give it as 3000 or 3000/month');
  }
});

test('credits: a ledger that cannot be opened is 1, of another user 2', { skip: notRoot }, async (t) => {
  const { call, credits: report, file, state } = await fixture(t);
  await call('uploads @a -n 1');
  await chmod(state, 0o755);
  await chown(dirname(file), nobody, nobody);
  const foreign = await call('credits');
  assert.deepEqual([foreign.exit, foreign.stdout], [2, '']);
  await chown(file, nobody, nobody);
  await asUser(nobody, async () => assert.equal((await report()).length, 1));
  await chmod(file, 0);
  const closed = await asUser(nobody, () => call('credits'));
  assert.deepEqual([closed.exit, closed.stdout], [1, '']);
  onlyError(closed, file, 'permission denied');
});

test('a table fits 80 columns, cuts no number, and says what is left of the bounds that hold', async (t) => {
  const { file, state } = await fixture(t);
  const origin = `https://${'a'.repeat(30)}.example`;
  const line = (id: string, command: string, credits: number) => ({
    ...{ version: 1, kind: 'request', time: '', day: day(), origin, key: 'x', last_four: 'wxyz' },
    ...{ id, command, reference: '@a', credits },
  });
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const lines = [
    line('1', 'uploads', 1_234_567),
    { version: 1, kind: 'outcome', id: '1', outcome: 'confirmed' },
    line('2', 'search', 345_678),
  ];
  await writeFile(file, lines.map((each) => `${JSON.stringify(each)}\n`).join(''), { mode: 0o600 });
  const profile = {
    baseUrl: origin,
    namespace: 'media',
    key: testKey,
    max_credits: '2000000/month,5,1000000/day',
  };
  writeStore(state, { a: profile }, 'a');
  const table = async (line: string, variables: Record<string, string> = {}): Promise<string[]> => {
    const options = { env: { XDG_STATE_HOME: state, XDG_CONFIG_HOME: state, ...variables }, now: Date.now };
    const { exit, stdout } = await command(line, { ...options, columns: 80 });
    assert.equal(exit, 0);
    const rows = stdout.trimEnd().split('\n');
    assert.ok(
      rows.every((row) => row.length <= 80),
      stdout,
    );
    return rows;
  };
  const all = await table('credits');
  assert.match(
    all[2] ?? '',
    /^https:\/\/aaa\S*… +\d{4}-\d\d +1,234,567 \(\+345,678\) +1,234,567 \(\+345,678\)$/,
  );
  assert.deepEqual(all.slice(3), [
    '(+N): possibly charged',
    '419,755 of 2,000,000/month left at',
    origin,
    `0 of 1,000,000/day left at ${origin}`,
  ]);
  const [, , search, uploads, , left] = await table('credits --by command --max-credits 1600000/month');
  assert.match(`${uploads}\n${search}`, / search +0 \(\+345,678\)\n.* uploads +1,234,567$/);
  assert.equal(left, `19,755 of 1,600,000/month left at ${origin}`);
  // A bound that is set twice is one line.
  const other = { CHANLIST_BASE_URL: 'http://127.0.0.1:1', CHANLIST_MAX_CREDITS: '2000000/month,7/day' };
  assert.deepEqual((await table('credits', other)).slice(-3), [
    '2,000,000 of 2,000,000/month left at http://127.0.0.1:1',
    '7 of 7/day left at http://127.0.0.1:1',
    '1,000,000 of 1,000,000/day left at http://127.0.0.1:1',
  ]);
  assert.equal((await table('credits --month 2020-01', other)).at(-1), '');
});

test('bounds of profile, variable and flag hold together; the one that is reached is named', async (t) => {
  const { state, service } = await fixture(t);
  const profile = { baseUrl: service.url, namespace: 'media', key: testKey, max_credits: '5/month' };
  writeStore(state, { a: profile }, 'a');
  for (const [bound, spent, reached] of [
    ['4/day', 4, '4/day of CHANLIST_MAX_CREDITS, which resets on '],
    ['', 1, "5/month of profile 'a', which resets on "],
  ] as const) {
    const env = { XDG_STATE_HOME: state, XDG_CONFIG_HOME: state, CHANLIST_MAX_CREDITS: bound };
    const stopped = await run('uploads @a -f id --max-credits 1000', { env });
    assert.deepEqual([stopped.exit, stopped.lines.length], [9, spent], stopped.stderr);
    onlyError(stopped, `stopped at --max-credits ${reached}`);
  }
});

test('a ledger that cannot be used: nothing is sent with a bound per month; without, one warning', async (t) => {
  const { env, service, file } = await fixture(t);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Files of these runs may have 1,024 bytes: only part of a line is written.
  const within = ['bash', '-c', 'ulimit -f 1; exec "$@"', 'bash'];
  await writeFile(file, '\n'.repeat(1000), { mode: 0o600 });
  const bounded = await ended(start('uploads @a -n 1 --max-credits 5/month', { env, within }));
  assert.deepEqual([bounded.exit, service.seen.length], [1, 0]);
  onlyError(bounded, /^the credit ledger, which --max-credits needs, cannot be used: .* only part of a line/);
  await writeFile(file, '\n'.repeat(1000));
  const free = await ended(start('uploads @a -n 1', { env, within }));
  assert.deepEqual([free.exit, service.seen.length], [0, 1]);
  onlyWarning(free, 'the credit ledger is not complete: ');
  // The request has room, its outcome has not: it was sent, and counts as possibly charged.
  await writeFile(file, '\n'.repeat(1024 - 340));
  const sent = await ended(start('uploads @a -n 1 --max-credits 5/month', { env, within }));
  assert.deepEqual([sent.exit, service.seen.length], [0, 2]);
  onlyWarning(sent, 'the credit ledger is not complete: ', 'only part of a line');
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
