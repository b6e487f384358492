import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs, {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseBounds } from '../../src/accounts/bounds.ts';
import { FileLedger, type LedgerOptions } from '../../src/accounts/ledger.ts';
import { readMonth } from '../../src/accounts/ledger-report.ts';
import type { Charge, Ledger, SpentBound } from '../../src/service/budget.ts';
import { isFailure } from '../support/failures.ts';
import { meet, race } from '../support/race.ts';
import { temporaryFolder } from '../support/temp.ts';
import { nobody, notRoot } from '../support/users.ts';

const account = { origin: 'https://a.example', key: 'sk_ledger_secret_wxyz' };

/** The time at which all ledgers are opened, unless a test sets another. */
const noon = new Date(2026, 10, 21, 12).getTime();

// The racing processes of the tests below are this file again.
const mode = process.env.CHANLIST_TEST_RACE;
if (mode !== undefined) {
  buyAll(mode);
  process.exit();
}

/**
 * Buys until the bound is spent, and meets the other processes before every seventh purchase; with `append` they also
 * meet each time that a request stands in the ledger and what stands before it has not been read. Prints what it bought.
 */
function buyAll(mode: string): void {
  const ledger = new FileLedger({
    ...options(process.env),
    bounds: parseBounds(mode === 'append' ? '1/month' : '200/month', ''),
    command: 'race',
  });
  if (mode === 'append') meetAfterAppend();
  const bought: Record<Charge, number> = { confirmed: 0, possibly_charged: 0, none: 0 };
  for (let i = 0; i < 400; i++) {
    if (i % 7 === 0) meet();
    const reservation = ledger.reserve(1, process.env.CHANLIST_TEST_REFERENCE ?? null);
    if (typeof reservation !== 'function') break;
    const charge = mode === 'free' && i % 3 === 1 ? 'none' : 'confirmed';
    reservation(charge);
    bought[charge]++;
    if (mode === 'kill' && i === 20) process.kill(process.pid, 'SIGKILL');
  }
  process.stdout.write(JSON.stringify(bought));
}

/** Makes this process stop after each request that it writes to the ledger. */
function meetAfterAppend(): void {
  const write = fs.writeSync;
  const writeAndMeet = (fd: number, bytes: Buffer): number => {
    const written = write(fd, bytes);
    if (bytes.includes('"kind":"request"')) meet(write);
    return written;
  };
  Object.assign(fs, { writeSync: writeAndMeet });
  syncBuiltinESMExports();
}

function options(env: LedgerOptions['context']['env'], clock = { now: () => noon }): LedgerOptions {
  const fake = { ...clock, elapsed: () => 0, random: () => 0, sleep: async () => {} };
  const warn = (message: string): void => assert.fail(message);
  return {
    context: { env, clock: fake },
    account,
    command: 'uploads',
    bounds: [],
    warn: mode === undefined ? warn : () => {},
  };
}

/** A state folder, a clock that the test sets, and ledgers in it. */
async function fixture(t: TestContext) {
  const state = await temporaryFolder(t);
  const folder = join(state, 'chanlist');
  const env: Record<string, string> = { XDG_STATE_HOME: state };
  const clock = { time: noon };
  const warnings: string[] = [];
  return {
    state,
    folder,
    env,
    clock,
    warnings,
    file: join(folder, 'credits-2026-11.ndjson'),
    open: (bounds = '', changes: Partial<LedgerOptions> = {}): Ledger =>
      new FileLedger({
        ...options(env, { now: () => clock.time }),
        bounds: bounds === '' ? [] : parseBounds(bounds, ''),
        warn: (message) => warnings.push(message),
        ...changes,
      }),
    month: (month = '2026-11', today = '2026-11-21') => readMonth(month, today, null, env),
  };
}

function buy(ledger: Ledger, charge: Charge | null, reference: string | null = '@a'): void {
  const reservation = ledger.reserve(1, reference);
  assert.ok(typeof reservation === 'function');
  if (charge !== null) reservation(charge);
}

const spentBound = (ledger: Ledger): SpentBound | null => {
  const reserved = ledger.reserve(1, '@a');
  return typeof reserved === 'function' ? null : reserved;
};

test('each paid request and its outcome is a line; the key is not in it; file and folder are private', async (t) => {
  const { open, file, folder, warnings } = await fixture(t);
  const ledger = open();
  buy(ledger, 'confirmed');
  buy(ledger, null, null);
  const text = readFileSync(file, 'utf8');
  const [request, outcome, pending] = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const { id, key, time, ...rest } = request;
  assert.deepEqual(rest, {
    version: 1,
    kind: 'request',
    day: '2026-11-21',
    origin: 'https://a.example',
    last_four: 'wxyz',
    command: 'uploads',
    reference: '@a',
    credits: 1,
  });
  assert.equal(time, new Date(2026, 10, 21, 12).toISOString());
  assert.match(key, /^[0-9a-f]{16}$/);
  assert.deepEqual(outcome, { version: 1, kind: 'outcome', id, time, outcome: 'confirmed' });
  assert.equal(pending.reference, null);
  assert.ok(!text.includes('secret'));
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.deepEqual(warnings, []);
});

test('bounds count all keys of the origin, and requests without outcome; free requests are not counted', async (t) => {
  const { open, warnings } = await fixture(t);
  const other = open('', { account: { ...account, key: 'another_key' } });
  buy(other, 'confirmed');
  buy(other, null);
  buy(other, 'possibly_charged');
  buy(other, 'none');
  const elsewhere = open('', { account: { ...account, origin: 'https://b.example' } });
  for (let i = 0; i < 5; i++) buy(elsewhere, 'confirmed');
  const ledger = open('5/month');
  buy(ledger, 'none');
  buy(ledger, 'confirmed');
  buy(other, 'confirmed');
  assert.deepEqual(spentBound(ledger), { credits: 5, per: 'month', resets: '2026-12-01 00:00' });
  assert.deepEqual(spentBound(open('9/month,5/day')), { credits: 5, per: 'day', resets: '2026-11-22 00:00' });
  assert.deepEqual(spentBound(open('5/day,5/month'))?.per, 'month');
  assert.deepEqual(warnings, []);
});

test('a request of another process that turns out to be free leaves room', async (t) => {
  const { open } = await fixture(t);
  const [one, other] = [open('1/month'), open('1/month')];
  const pending = one.reserve(1, '@a');
  assert.ok(typeof pending === 'function');
  assert.equal(spentBound(other)?.credits, 1);
  pending('none');
  assert.equal(spentBound(other), null);
});

test('a day and a month end at local midnight; an outcome goes to the file of its request', async (t) => {
  const { open, clock, folder, month } = await fixture(t);
  const ledger = open('2/day,3/month');
  clock.time = new Date(2026, 10, 29, 23, 59).getTime();
  buy(ledger, 'confirmed');
  buy(ledger, 'confirmed');
  assert.equal(spentBound(ledger)?.per, 'day');
  clock.time = new Date(2026, 10, 30, 23, 59, 59, 999).getTime();
  const last = ledger.reserve(1, '@a');
  assert.equal(spentBound(ledger)?.resets, '2026-12-01 00:00');
  clock.time = new Date(2026, 11, 1).getTime();
  buy(ledger, 'confirmed');
  assert.ok(typeof last === 'function');
  last('confirmed');
  assert.deepEqual(readdirSync(folder).sort(), ['credits-2026-11.ndjson', 'credits-2026-12.ndjson']);
  assert.deepEqual(month()?.[0]?.total, { confirmed: 3, possibly_charged: 0 });
  assert.deepEqual(month('2026-12')?.[0]?.total, { confirmed: 1, possibly_charged: 0 });
});

test('without any ledger a run with such a bound says that counting starts at 0', async (t) => {
  const { open, warnings, folder, clock } = await fixture(t);
  open('5/month');
  const said = `there is no credit ledger yet: counting starts at 0; keep the folder ${folder} for --max-credits`;
  assert.deepEqual(warnings, [said]);
  clock.time = new Date(2026, 11, 1).getTime();
  open('5/month');
  assert.equal(warnings.length, 1);
  const other = await fixture(t);
  other.open('5');
  assert.deepEqual(other.warnings, []);
});

test('unreadable lines count: binary, huge, cut off', async (t) => {
  const { open, file, month } = await fixture(t);
  buy(open(), 'confirmed');
  for (const damage of ['\0'.repeat(5000), `"${'x'.repeat(600_000)}`, '{"version":1,"kind":"request"']) {
    appendFileSync(file, damage);
    buy(open(), 'confirmed');
  }
  assert.equal(spentBound(open('7/month'))?.credits, 7);
  assert.equal(spentBound(open('8/month')), null);
  const spent = month()?.map(({ account, total }) => [account, total]);
  assert.deepEqual(spent, [
    ['https://a.example …wxyz', { confirmed: 4, possibly_charged: 1 }],
    [null, { confirmed: 0, possibly_charged: 3 }],
  ]);
});

test('a ledger that was replaced during the run: 1 with a bound, which is not exceeded', async (t) => {
  const ways: ((file: string, folder: string) => void)[] = [
    (file) => truncateSync(file, 0),
    (file) => rmSync(file),
    (file) => renameSync(file, `${file}.1`),
    (file) => linkSync(file, `${file}.1`),
    (file) => {
      renameSync(file, `${file}.1`);
      copyFileSync(`${file}.1`, file);
    },
    (_, folder) => renameSync(folder, `${folder}.old`),
    (_, folder) => {
      renameSync(folder, `${folder}.old`);
      writeFileSync(folder, '');
    },
  ];
  for (const change of ways) {
    const { open, file, folder } = await fixture(t);
    const ledger = open('3/month');
    buy(ledger, 'confirmed');
    buy(ledger, 'confirmed');
    change(file, folder);
    assert.throws(() => ledger.reserve(1, '@a'), {
      code: 'failed',
      exit: 1,
      message: /credits-2026-11\.ndjson was removed, replaced or cut short/,
    });
  }
});

test('without a bound, requests are noted in a ledger that has replaced the first one', async (t) => {
  const { open, file, month, warnings } = await fixture(t);
  const ledger = open();
  buy(ledger, 'confirmed');
  const pending = ledger.reserve(1, '@b');
  renameSync(file, `${file}.1`);
  buy(ledger, 'confirmed');
  assert.ok(typeof pending === 'function');
  pending('confirmed');
  assert.deepEqual(month()?.[0]?.total, { confirmed: 1, possibly_charged: 0 });
  assert.match(readFileSync(`${file}.1`, 'utf8'), /"@b"[\s\S]*"confirmed"/);
  assert.deepEqual(warnings, []);
});

/** What makes a ledger unusable, and what the message says about it. */
const refused: Readonly<Record<string, (f: Awaited<ReturnType<typeof fixture>>) => string>> = {
  'a file with a second name': ({ file, state }) => {
    writeFileSync(join(state, 'victim'), '', { mode: 0o600 });
    linkSync(join(state, 'victim'), file);
    return 'credits-2026-11.ndjson: it has another name (a hard link)';
  },
  'a folder that others can write': ({ folder }) => {
    chmodSync(folder, 0o777);
    return 'chanlist: other users can write to it';
  },
};
if (notRoot === false) {
  Object.assign(refused, {
    'a HOME of another user': ({ env, state }) => {
      delete env.XDG_STATE_HOME;
      env.HOME = join(state, 'home');
      mkdirSync(env.HOME);
      chownSync(env.HOME, nobody, nobody);
      return `home belongs to user ${nobody}`;
    },
  } satisfies typeof refused);
}

for (const [what, plant] of Object.entries(refused)) {
  test(`${what} is refused: 1 with a bound per month, one warning without; it is not changed`, async (t) => {
    const f = await fixture(t);
    mkdirSync(f.folder, { mode: 0o700 });
    const said = plant(f);
    const before = execFileSync('find', [f.state, '-ls'], { encoding: 'utf8' });
    assert.throws(() => f.open('5/month'), isFailure(1, said));
    const ledger = f.open('5');
    buy(ledger, 'confirmed');
    buy(ledger, 'none');
    assert.equal(f.warnings.length, 1);
    assert.ok(f.warnings[0]?.includes(`could not be recorded in the credit ledger: `));
    assert.ok(f.warnings[0]?.includes(said));
    const shape = (listing: string): string => listing.replace(/\S+ +\d+ +\d\d:\d\d/g, '');
    assert.equal(shape(execFileSync('find', [f.state, '-ls'], { encoding: 'utf8' })), shape(before));
  });
}

test('a ledger of a newer version is not changed: 2, with a bound or without', async (t) => {
  const { open, file } = await fixture(t);
  buy(open(), 'confirmed');
  appendFileSync(file, '\n{"version":2,"kind":"transfer"}\n');
  const before = readFileSync(file, 'utf8');
  assert.throws(() => open('5/day'), {
    exit: 2,
    message: /a newer chanlist wrote .*credits-2026-11\.ndjson$/,
  });
  assert.throws(() => open(), { exit: 2 });
  assert.equal(readFileSync(file, 'utf8'), before);
});

/** Lets processes race for the credits of a bound; returns what each spent, null for one that was killed. */
async function raced(
  state: string,
  processes: number,
  mode: string,
  met?: () => void,
): Promise<(Record<Charge, number> | null)[]> {
  const racers = Array.from({ length: processes }, (_, n) =>
    spawn(process.execPath, [fileURLToPath(import.meta.url)], {
      env: {
        PATH: process.env.PATH ?? '',
        XDG_STATE_HOME: state,
        CHANLIST_TEST_RACE: mode,
        CHANLIST_TEST_REFERENCE: `@${n}`,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  const results = await race(racers, met);
  return results.map(({ signal, stdout }) => (signal === null ? JSON.parse(stdout) : null));
}

for (const { processes, least } of [
  { processes: 2, least: 98 },
  { processes: 8, least: 21 },
]) {
  test(`${processes} processes race for the last credits: all are spent, none twice`, async (t) => {
    const { state, month } = await fixture(t);
    const bought = (await raced(state, processes, 'confirmed')).map((sums) => sums?.confirmed ?? 0);
    assert.equal(
      bought.reduce((sum, n) => sum + n, 0),
      200,
      bought.join(' '),
    );
    // What each had spent when all met for the last time before the bound was reached.
    assert.ok(Math.min(...bought) >= least, bought.join(' '));
    assert.deepEqual(month()?.[0]?.total, { confirmed: 200, possibly_charged: 0 });
  });
}

test('the last credit goes to the process whose request is first in the ledger', async (t) => {
  const { state, file, month } = await fixture(t);
  let requests: string[] = [];
  const bought = await raced(state, 4, 'append', () => {
    requests = readFileSync(file, 'utf8').match(/(?<="reference":")@\d/g) ?? [];
  });
  assert.deepEqual(
    requests.toSorted(),
    ['@0', '@1', '@2', '@3'],
    'all requests were written before one was bought',
  );
  assert.deepEqual(
    bought.flatMap((sums, n) => (sums?.confirmed === 1 ? `@${n}` : [])),
    requests.slice(0, 1),
  );
  assert.deepEqual(month()?.[0]?.total, { confirmed: 1, possibly_charged: 0 });
});

test('processes that race with free requests never spend more', async (t) => {
  const { state, open, month } = await fixture(t);
  const bought = (await raced(state, 4, 'free')).map((sums) => sums?.confirmed ?? 0);
  const sum = bought.reduce((sum, n) => sum + n, 0);
  assert.ok(sum <= 200, bought.join(' '));
  assert.deepEqual(month()?.[0]?.total, { confirmed: sum, possibly_charged: 0 });
  // A credit that is reserved while others request it may stay unspent.
  const ledger = open('200/month');
  for (let left = sum; left < 200; left++) buy(ledger, 'confirmed');
  assert.equal(spentBound(ledger)?.credits, 200);
});

test('processes killed after a paid request: its credit stays counted', async (t) => {
  const { state, open, month } = await fixture(t);
  assert.deepEqual(await raced(state, 4, 'kill'), [null, null, null, null]);
  assert.deepEqual(month()?.[0]?.total, { confirmed: 84, possibly_charged: 0 });
  assert.equal(spentBound(open('84/month'))?.credits, 84);
  assert.equal(spentBound(open('85/month')), null);
});
