import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
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
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ledgerClockProblem } from '../../src/accounts/clock-problem.ts';
import { FileLedger, type LedgerOptions } from '../../src/accounts/ledger.ts';
import { readMonth } from '../../src/commands/credits.ts';
import { Failure, stoppedBy } from '../../src/errors.ts';
import { acquireLock } from '../../src/fs/file-lock.ts';
import { PrivateFolder } from '../../src/fs/private-folder.ts';
import { type Ledger, parseBounds, type Settle } from '../../src/service/budget.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';
import { meet, race } from '../support/race.ts';
import { nobody, notRoot } from '../support/users.ts';

const account = { origin: 'https://a.example', key: 'sk_ledger_secret_wxyz' };

/** The time at which all ledgers are opened, unless a test sets another. */
const noon = new Date(2026, 10, 21, 12).getTime();

// The racing processes of the tests below are this file again.
const mode = process.env.CHANLIST_TEST_RACE;
if (mode !== undefined) {
  await buyAll(mode);
  process.exit();
}

/** Buys until the bound is spent, and meets the other processes before every seventh purchase. Prints what it bought. */
async function buyAll(mode: string): Promise<void> {
  const bounds = parseBounds('200/month', '');
  const ledger = new FileLedger({ ...options(process.env), bounds, command: 'race' });
  const bought = { confirmed: 0, possibly_charged: 0, none: 0 };
  for (let i = 0; i < 400; i++) {
    if (i % 7 === 0) meet();
    const settle = await ledger.reserve(1, process.env.CHANLIST_TEST_REFERENCE ?? null).catch(() => null);
    if (settle === null) break;
    const charge = mode === 'free' && i % 3 === 1 ? 'none' : 'confirmed';
    settle(charge);
    bought[charge]++;
    if (mode !== 'kill' || i < 20) continue;
    const folder = PrivateFolder.open(join(process.env.XDG_STATE_HOME ?? '', 'chanlist'));
    // One of the processes dies while it holds the lock.
    if (folder !== null) await acquireLock(folder, 'credits', 'the ledger').catch(() => null);
    process.kill(process.pid, 'SIGKILL');
  }
  process.stdout.write(JSON.stringify(bought));
}

function options(env: LedgerOptions['context']['env'], clock = { now: () => noon }): LedgerOptions {
  let elapsed = 0;
  const fake = {
    ...clock,
    elapsed: () => elapsed,
    random: Math.random,
    sleep: async (ms: number) => {
      elapsed += ms;
      // Only processes that race have something to wait for.
      if (mode !== undefined) await setTimeout(ms);
    },
  };
  const warn = (message: string): void => assert.fail(message);
  return {
    context: { env, clock: fake, stop: new AbortController().signal },
    account,
    command: 'uploads',
    bounds: [],
    timeout: 30,
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

async function buy(
  ledger: Ledger,
  charge: Parameters<Settle>[0] | null,
  reference: string | null = '@a',
): Promise<void> {
  const settle = await ledger.reserve(1, reference);
  if (charge !== null) settle(charge);
}

/** Buys one more; the message of the bound that does not allow it, else null. */
async function spentBound(ledger: Ledger): Promise<string | null> {
  try {
    await buy(ledger, null);
    return null;
  } catch (error) {
    assert.ok(error instanceof Failure && error.code === 'budget', String(error));
    return error.message.replace('stopped at --max-credits ', '');
  }
}

test('each paid request and its outcome is a line; the key is not in it; file and folder are private', async (t) => {
  const { open, file, folder, warnings } = await fixture(t);
  const ledger = open();
  await buy(ledger, 'confirmed');
  await buy(ledger, null, null);
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

test('a request of another process that turns out to be free leaves room', async (t) => {
  const { open } = await fixture(t);
  const [one, other] = [open('1/month'), open('1/month')];
  const pending = await one.reserve(1, '@a');
  assert.match((await spentBound(other)) ?? '', /^1\/month/);
  pending('none');
  assert.equal(await spentBound(other), null);
});

test('a day and a month end at local midnight; an outcome goes to the file of its request', async (t) => {
  const { open, clock, folder, month } = await fixture(t);
  const ledger = open('2/day,3/month');
  clock.time = new Date(2026, 10, 29, 23, 59).getTime();
  await buy(ledger, 'confirmed');
  await buy(ledger, 'confirmed');
  assert.match((await spentBound(ledger)) ?? '', /^2\/day/);
  clock.time = new Date(2026, 10, 30, 23, 59, 59, 999).getTime();
  const last = await ledger.reserve(1, '@a');
  assert.match((await spentBound(ledger)) ?? '', /^3\/month, which resets on 2026-12-01 00:00/);
  clock.time = new Date(2026, 11, 1).getTime();
  await buy(ledger, 'confirmed');
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
    await buy(ledger, 'confirmed');
    await buy(ledger, 'confirmed');
    change(file, folder);
    await assert.rejects(ledger.reserve(1, '@a'), {
      code: 'failed',
      exit: 1,
      message: /credits-2026-11\.ndjson was removed, replaced or cut short/,
    });
  }
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
    await buy(ledger, 'confirmed');
    await buy(ledger, 'none');
    assert.equal(f.warnings.length, 1);
    assert.ok(f.warnings[0]?.includes(`could not be recorded in the credit ledger: `));
    assert.ok(f.warnings[0]?.includes(said));
    const shape = (listing: string): string => listing.replace(/\S+ +\d+ +\d\d:\d\d/g, '');
    assert.equal(shape(execFileSync('find', [f.state, '-ls'], { encoding: 'utf8' })), shape(before));
  });
}

test('a ledger that another process has locked for longer than --timeout: 1', async (t) => {
  const { open, folder, file } = await fixture(t);
  const ledger = open('5/month', { timeout: 7 });
  await buy(ledger, 'confirmed');
  const before = readFileSync(file, 'utf8');
  using opened = PrivateFolder.openOrCreate(folder);
  const lock = await acquireLock(opened, 'credits', 'the ledger');
  await assert.rejects(
    ledger.reserve(1, '@a'),
    isFailure(1, 'which --max-credits needs, cannot be used: another process', `${folder} for more than 7 s`),
  );
  assert.equal(readFileSync(file, 'utf8'), before);
  // Requests without such a bound, and outcomes, wait for nothing.
  await buy(open('5'), 'confirmed');
  lock?.[Symbol.dispose]();
  await buy(ledger, 'confirmed');
  assert.match((await spentBound(open('3/month'))) ?? '', /^3\/month/);
});

test('a signal ends the wait for a ledger that is locked', async (t) => {
  const { open, folder, env } = await fixture(t);
  const stop = AbortSignal.abort(stoppedBy('SIGTERM'));
  const { context } = options(env);
  const sleep = async (_: number, signal: AbortSignal): Promise<void> => signal.throwIfAborted();
  const clock = { ...context.clock, sleep };
  const ledger = open('5/month', { context: { ...context, clock, stop } });
  using opened = PrivateFolder.openOrCreate(folder);
  const lock = await acquireLock(opened, 'credits', 'the ledger');
  await assert.rejects(ledger.reserve(1, '@a'), { code: 'interrupted', exit: 143 });
  lock?.[Symbol.dispose]();
});

test('a clock that was set back by less than a day, and what tells no time, are no problem', async (t) => {
  const { env, file, folder } = await fixture(t);
  mkdirSync(folder, { mode: 0o700 });
  const problemAt = (...time: [number, number, number, number]): Failure | null =>
    ledgerClockProblem(new Date(...time).getTime(), env);
  const line = (time: string): string =>
    `\n${JSON.stringify({ version: 1, kind: 'outcome', id: 'a', time, outcome: 'free' })}\n`;
  const written = new Date(2026, 10, 1, 6).toISOString();
  writeFileSync(file, `${line('x')}{"torn\n${line(written)}${line('y')}`, { mode: 0o600 });
  assert.equal(problemAt(2026, 9, 31, 7), null);
  assert.equal(problemAt(2026, 9, 31, 5)?.exit, 1);
  assert.equal(problemAt(2026, 10, 1, 5), null);
  writeFileSync(file, `${line('x')}{"torn`);
  assert.equal(problemAt(2020, 0, 1, 5), null);
  // Who needs such a ledger says why it cannot be used.
  chmodSync(folder, 0o777);
  assert.equal(problemAt(2020, 0, 1, 5), null);
});

test('a ledger of another owner: chown for every user; a new ledger starts to count at 0', {
  skip: notRoot,
}, async (t) => {
  for (const plant of [
    (folder: string): void => chownSync(folder, nobody, nobody),
    (_: string, file: string): void => chownSync(file, nobody, nobody),
  ]) {
    const { open, folder, file } = await fixture(t);
    await buy(open(), 'confirmed');
    plant(folder, file);
    const repair = `if you trust its content: sudo chown -R root ${folder}; or `;
    const elsewhere = 'set XDG_STATE_HOME to another folder; a new ledger starts to count at 0';
    assert.throws(() => open('5/month'), isFailure(1, 'belongs to another user', repair + elsewhere));
    execFileSync('sh', ['-c', repair.replace(/.*sudo (.*); or $/, '$1')]);
    assert.match((await spentBound(open('1/month'))) ?? '', /^1\/month/);
  }
});

test('a ledger of a newer version is not changed: 2, with a bound or without', async (t) => {
  const { open, file } = await fixture(t);
  await buy(open(), 'confirmed');
  appendFileSync(file, '\n{"version":2,"kind":"transfer"}\n');
  const before = readFileSync(file, 'utf8');
  assert.throws(() => open('5/day'), {
    exit: 2,
    message: /a newer chanlist wrote .*credits-2026-11\.ndjson$/,
  });
  await assert.rejects(open().reserve(1, '@a'), { exit: 2 });
  assert.equal(readFileSync(file, 'utf8'), before);
});

/** Lets processes race for the credits of a bound; returns what each spent, null for one that was killed. */
async function raced(
  state: string,
  processes: number,
  mode: string,
): Promise<(Record<Parameters<Settle>[0], number> | null)[]> {
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
  const results = await race(racers);
  return results.map(({ signal, stdout }) => (signal === null ? JSON.parse(stdout) : null));
}

test('20 processes race for the last credits: all are spent, none twice', async (t) => {
  const { state, month } = await fixture(t);
  const bought = (await raced(state, 20, 'confirmed')).map((sums) => sums?.confirmed ?? 0);
  const sum = bought.reduce((sum, n) => sum + n, 0);
  assert.equal(sum, 200, bought.join(' '));
  // What each had spent when all met for the last time before the bound was reached.
  assert.ok(Math.min(...bought) >= 7, bought.join(' '));
  assert.deepEqual(month()?.[0]?.total, { confirmed: 200, possibly_charged: 0 });
});

test('processes that race with free requests never spend more', async (t) => {
  const { state, open, month } = await fixture(t);
  const bought = (await raced(state, 4, 'free')).map((sums) => sums?.confirmed ?? 0);
  const sum = bought.reduce((sum, n) => sum + n, 0);
  assert.ok(sum <= 200, bought.join(' '));
  assert.deepEqual(month()?.[0]?.total, { confirmed: sum, possibly_charged: 0 });
  // A credit that is reserved while others request it may stay unspent.
  const ledger = open('200/month');
  for (let left = sum; left < 200; left++) await buy(ledger, 'confirmed');
  assert.match((await spentBound(ledger)) ?? '', /^200\/month/);
});

test('processes killed after a paid request: its credit stays counted', async (t) => {
  const { state, open, month } = await fixture(t);
  assert.deepEqual(await raced(state, 4, 'kill'), [null, null, null, null]);
  assert.deepEqual(month()?.[0]?.total, { confirmed: 84, possibly_charged: 0 });
  assert.match((await spentBound(open('84/month'))) ?? '', /^84\/month/);
  assert.equal(await spentBound(open('85/month')), null);
});
