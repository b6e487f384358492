import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CreditLedger, type LedgerOptions } from '../../src/accounts/ledger.ts';
import { LedgerFile } from '../../src/accounts/ledger-file.ts';
import { Failure } from '../../src/errors.ts';
import { acquireLock } from '../../src/fs/file-lock.ts';
import { PrivateFolder } from '../../src/fs/private-folder.ts';
import { type Charge, type Credits, type Ledger, noCredits, parseBounds } from '../../src/service/budget.ts';
import { collect } from '../support/collect.ts';
import { recordSyncs } from '../support/failing.ts';
import { isFailure } from '../support/failures.ts';
import { deleteNamedLines } from '../support/ledger-lines.ts';
import { temporaryFolder } from '../support/program.ts';

// Days and months end at local midnight.
process.env.TZ = 'America/New_York';

const account = { origin: 'https://a.example', key: 'sk_ledger_secret_wxyz' };

/** The time at which all ledgers are opened, unless a test sets another. */
const noon = new Date(2026, 10, 21, 12).getTime();

// The racing processes of the last test are this file again.
const mode = process.env.CHANLIST_TEST_RACE;
if (mode !== undefined) {
  await buyAll(mode === 'kill' ? 4 : 400);
  process.exit();
}

/** Waits for the others, then buys until the bound is spent; one that is to be killed has a request under way then. */
async function buyAll(most: number): Promise<void> {
  const ledger = new CreditLedger({
    ...options(process.env),
    bounds: parseBounds('200/month', '--max-credits'),
  });
  fs.writeSync(1, '\n');
  fs.readSync(0, Buffer.alloc(1));
  for (let bought = 1; bought <= most; bought++) {
    const settle = await ledger.addRequest(1, `@${process.pid}`).catch(() => null);
    if (settle === null) break;
    if (bought < most) await settle('confirmed');
  }
  if (mode !== 'kill') return;
  // It dies while it holds the lock.
  const folder = PrivateFolder.open(join(process.env.XDG_STATE_HOME ?? '', 'chanlist'));
  if (folder !== null) await acquireLock(folder, 'credits', 'the ledger').catch(() => null);
  process.kill(process.pid, 'SIGKILL');
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
  return {
    context: { env, clock: fake, stop: new AbortController().signal },
    account,
    command: 'uploads',
    bounds: [],
    timeout: 30,
    warn: (message) => assert.fail(message),
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
      new CreditLedger({
        ...options(env, { now: () => clock.time }),
        bounds: bounds === '' ? [] : parseBounds(bounds, '--max-credits'),
        // The report of a run has each message once.
        warn: (message) => void (warnings.includes(message) || warnings.push(message)),
        ...changes,
      }),
    spent: (month = '2026-11'): Credits => {
      using ledger = LedgerFile.openRead(month, env);
      const sum = noCredits();
      for (const { outcome, request } of ledger?.entries ?? [])
        if (outcome !== 'free') sum[outcome] += request?.credits ?? 1;
      return sum;
    },
  };
}

async function buy(ledger: Ledger, charge: Charge): Promise<void> {
  await (await ledger.addRequest(1, '@a'))(charge);
}

/** Buys one more; the message of the bound that does not allow it, else null. */
const spentBound = (ledger: Ledger): Promise<string | null> =>
  ledger.addRequest(1, '@a').then(
    () => null,
    (error) => {
      assert.ok(error instanceof Failure && error.code === 'budget', String(error));
      return error.message.replace('stopped at --max-credits ', '');
    },
  );

test('each paid request and its outcome is a line; the key is not in it; file and folder are private', async (t) => {
  const { open, file, folder, warnings } = await fixture(t);
  const ledger = open();
  await buy(ledger, 'confirmed');
  await ledger.addRequest(1, null);
  const text = fs.readFileSync(file, 'utf8');
  const [request, outcome, pending] = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const { id, key, ...rest } = request;
  assert.deepEqual(rest, {
    ...{ version: 1, kind: 'request', time: new Date(2026, 10, 21, 12).toISOString(), day: '2026-11-21' },
    ...{ origin: 'https://a.example', last_four: 'wxyz', command: 'uploads', reference: '@a', credits: 1 },
  });
  assert.match(key, /^[0-9a-f]{16}$/);
  assert.deepEqual(outcome, { version: 1, kind: 'outcome', id, outcome: 'confirmed' });
  assert.equal(pending.reference, null);
  assert.ok(!text.includes('secret'));
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  assert.equal(fs.statSync(folder).mode & 0o777, 0o700);
  assert.deepEqual(warnings, []);
});

test('a day and a month end at local midnight; an outcome goes to the file of its request', async (t) => {
  const { open, clock, folder, spent } = await fixture(t);
  const ledger = open('2/day,3/month');
  clock.time = new Date(2026, 10, 29, 23, 59).getTime();
  await buy(ledger, 'confirmed');
  await buy(ledger, 'confirmed');
  assert.match((await spentBound(ledger)) ?? '', /^2\/day/);
  clock.time = new Date(2026, 10, 30, 23, 59, 59, 999).getTime();
  const last = await ledger.addRequest(1, '@a');
  assert.match((await spentBound(ledger)) ?? '', /^3\/month, which resets on 2026-12-01 00:00/);
  // Of two that are spent, the one that resets last.
  assert.match((await spentBound(open('0/day,3/month'))) ?? '', /^3\/month/);
  clock.time = new Date(2026, 11, 1).getTime();
  await buy(ledger, 'confirmed');
  await last('confirmed');
  assert.deepEqual(fs.readdirSync(folder).sort(), ['credits-2026-11.ndjson', 'credits-2026-12.ndjson']);
  assert.deepEqual(spent(), { confirmed: 3, possibly_charged: 0 });
  assert.deepEqual(spent('2026-12'), { confirmed: 1, possibly_charged: 0 });
});

test('whether a request is allowed can be asked without noting it', async (t) => {
  const { open, file } = await fixture(t);
  const ledger = open('1/month');
  const before = fs.readFileSync(file, 'utf8');
  for (const asked of [ledger, open()]) await asked.assertAllowed(1);
  assert.equal(fs.readFileSync(file, 'utf8'), before);
  await buy(ledger, 'confirmed');
  const spent = isFailure(9, '--max-credits 1/month', 'wait until it resets');
  await assert.rejects(ledger.assertAllowed(1), spent);
  await open().assertAllowed(1);
});

test('a ledger that cannot be opened: refused with a bound per month, one warning without', async (t) => {
  const { env, state, warnings, open } = await fixture(t);
  env.XDG_STATE_HOME = join(state, 'file');
  fs.writeFileSync(env.XDG_STATE_HOME, '');
  const cannot = 'which --max-credits needs, cannot be used: ';
  assert.throws(() => open('5/month'), isFailure(1, cannot, 'set XDG_STATE_HOME'));
  const ledger = open('5');
  await buy(ledger, 'confirmed');
  await buy(ledger, 'free');
  assert.equal(warnings.length, 1);
  assert.match(
    warnings[0] ?? '',
    /^the credit ledger is not complete: .*; give this user access to .*, or set XDG_STATE_HOME to another/,
  );
});

test('a damaged ledger: refused with a bound, naming file, line and remedy; one warning without', async (t) => {
  const { file, warnings, open, folder } = await fixture(t);
  await buy(open('5/month'), 'confirmed');
  const sound = fs.readFileSync(file, 'utf8');
  const remedy =
    'restore it from a backup, or delete what cannot be read (the credits noted there are then not counted)';
  fs.writeFileSync(file, sound.replace('"version":1', '"version":2'));
  assert.throws(() => open('5/month'), isFailure(1, `${file} is damaged: line 2 cannot be read`, remedy));
  await buy(open('5'), 'confirmed');
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /^the credit ledger is not complete: .* line 2 cannot be read; restore it/);
  // An outcome without its request is one credit still.
  fs.writeFileSync(file, `${sound.replace('"version":1', '"version":2')}${sound}\n{\n`);
  assert.throws(
    () => open('5/month'),
    (failure: Failure) => {
      deleteNamedLines(failure.line(), file);
      return isFailure(1, `${file} is damaged: lines 2, 10 cannot be read`, remedy)(failure);
    },
  );
  assert.match((await spentBound(open('2/month'))) ?? '', /^2\/month/);
  await buy(open('3/month'), 'free');
  fs.writeFileSync(file, 'x\n'.repeat(1022));
  const many = /: lines 1, 2, .*, 20 and 1,002 more cannot be read$/;
  assert.throws(
    () => open('5/month'),
    ({ message }: Failure) => many.test(message),
  );
  // The last line, which a crash has cut off, is one credit; also once another line has followed.
  fs.writeFileSync(file, sound.slice(0, -2));
  await buy(open('5/month'), 'confirmed');
  await buy(open('5/month'), 'confirmed');
  assert.match((await spentBound(open('3/month'))) ?? '', /^3\/month/);
  assert.equal(warnings.length, 1);
  assert.deepEqual(fs.readdirSync(folder), ['credits-2026-11.ndjson']);
});

test('with a bound, the line of a request is on the disk before the request is sent', async (t) => {
  const { open } = await fixture(t);
  const syncs = recordSyncs(t);
  for (const [bound, expected] of [
    ['5/month', ['sync file']],
    ['5', []],
  ] as const) {
    syncs.length = 0;
    const settle = await open(bound).addRequest(1, '@a');
    // The lock of a bound is renamed into its place.
    assert.deepEqual(
      syncs.filter((call) => call === 'sync file'),
      expected,
    );
    await settle('confirmed');
  }
});

test('a ledger that becomes shorter, or another file, while a run counts in it: 1', async (t) => {
  const { file, open } = await fixture(t);
  const changes: Record<string, () => void> = {
    emptied: () => fs.writeFileSync(file, ''),
    'cut by a line': () => fs.writeFileSync(file, fs.readFileSync(file, 'utf8').slice(0, -120)),
    'replaced by a copy': () => {
      const text = fs.readFileSync(file, 'utf8');
      fs.rmSync(file);
      fs.writeFileSync(`${file}.new`, text);
      fs.renameSync(`${file}.new`, file);
    },
    'moved away': () => fs.renameSync(file, `${file}.1`),
  };
  for (const [name, change] of Object.entries(changes))
    for (const isPending of [false, true]) {
      const ledger = open('6/month');
      await buy(ledger, 'free');
      const settle = isPending ? await ledger.addRequest(1, '@a') : null;
      change();
      await settle?.('free');
      await assert.rejects(ledger.addRequest(1, '@a'), isFailure(1, file), `${name} ${isPending}`);
      fs.rmSync(file, { force: true });
    }
});

test('a ledger that is removed during a run without a bound: a warning', async (t) => {
  const { file, open, warnings } = await fixture(t);
  const ledger = open();
  await buy(ledger, 'confirmed');
  fs.rmSync(file);
  await buy(ledger, 'confirmed');
  assert.equal(warnings.length, 1);
  assert.match(
    warnings[0] ?? '',
    /^the credit ledger is not complete: .* was replaced, cut or removed during this run/,
  );
});

test('a file system without sockets, which cannot be locked: 1 with a bound per day; nothing without', async (t) => {
  const { open, warnings } = await fixture(t);
  t.mock.method(Server.prototype, 'listen', function (this: Server) {
    setImmediate(() => this.emit('error', Object.assign(new Error(), { code: 'EOPNOTSUPP' })));
    return this;
  });
  const bounded = open('5/day');
  await assert.rejects(bounded.addRequest(1, '@a'), isFailure(1, 'cannot lock files', 'set XDG_STATE_HOME'));
  await buy(open('5'), 'confirmed');
  assert.deepEqual(warnings, []);
});

test('a ledger that another process has locked for longer than --timeout: 1', async (t) => {
  const { open, folder, file, spent } = await fixture(t);
  const ledger = open('5/month', { timeout: 7 });
  const settle = await ledger.addRequest(1, '@a');
  const before = fs.readFileSync(file, 'utf8');
  const opened = PrivateFolder.open(folder).ensure();
  const lock = await acquireLock(opened, 'credits', 'the ledger');
  await assert.rejects(
    ledger.addRequest(1, '@a'),
    isFailure(1, 'which --max-credits needs, cannot be used: another process', `${folder} for more than 7 s`),
  );
  assert.equal(fs.readFileSync(file, 'utf8'), before);
  // Requests without such a bound wait for nothing.
  await buy(open('5'), 'confirmed');
  // An outcome waits for the lock as long, and is noted in any case.
  await settle('confirmed');
  assert.deepEqual(spent(), { confirmed: 2, possibly_charged: 0 });
  lock?.[Symbol.dispose]();
  await buy(ledger, 'confirmed');
  assert.match((await spentBound(open('3/month'))) ?? '', /^3\/month/);
});

test('20 processes race for the last credits, and 4 of them are killed: 200 are spent, none twice', async (t) => {
  const { state, open, spent } = await fixture(t);
  const racers = Array.from({ length: 20 }, (_, n) =>
    spawn(process.execPath, [fileURLToPath(import.meta.url)], {
      env: { XDG_STATE_HOME: state, CHANLIST_TEST_RACE: n < 4 ? 'kill' : 'buy' },
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  const ended = racers.map(collect);
  await Promise.all(racers.map(({ stdout }) => once(stdout, 'data')));
  for (const { stdin } of racers) stdin.end();
  const signals = (await Promise.all(ended)).map(({ signal }) => signal);
  assert.deepEqual(signals.slice(0, 5), ['SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGKILL', null]);
  const { confirmed, possibly_charged } = spent();
  assert.equal(confirmed + possibly_charged, 200);
  assert.ok(possibly_charged > 0 && possibly_charged <= 4, `${possibly_charged}`);
  assert.match((await spentBound(open('200/month'))) ?? '', /^200\/month/);
  assert.equal(await spentBound(open('201/month')), null);
});
