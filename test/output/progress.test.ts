import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Context } from '../../src/context.ts';
import { createProgress, listingText, runText, waitText } from '../../src/output/progress.ts';
import { Stderr } from '../../src/output/stderr.ts';
import { Stdout } from '../../src/output/stdout.ts';
import { pipeDescriptor, skipPipes } from './support.ts';

/** A terminal of one line: `lines` has what is seen in the end. */
class FakeTerminal extends Writable {
  readonly isTTY: boolean;
  columns: number;
  raw = '';

  constructor(isTTY: boolean, columns: number) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
    this.columns = columns;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    this.raw += chunk.toString();
    done();
  }

  // The progress line is all that moves the cursor, and it begins at the start of its line.
  cursorTo(): void {
    this.write('\r');
  }

  moveCursor(): void {}

  clearLine(): void {
    this.write('\u001b[K');
  }

  clearScreenDown(): void {}

  lines(): string[] {
    const visible = (line: string): string => line.replace(/.*\u001b\[K|\u001b\[[?\d;]*[a-z]|\r/gis, '');
    return this.raw.split('\n').map(visible);
  }
}

function setUp(
  t: TestContext,
  { isTTY = true, env = {} as Record<string, string>, quiet = false, columns = 100, all = 1 } = {},
) {
  const stderr = new FakeTerminal(isTTY, columns);
  let time = 0;
  const sleepers: { until: number; wake: () => void }[] = [];
  const clock: Context['clock'] = {
    now: () => time,
    elapsed: () => time,
    random: () => 0,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        sleepers.push({ until: time + ms, wake: resolve });
      }),
  };
  /** Time passes only here. */
  const pass = (ms: number): void => {
    time += ms;
    for (const sleeper of sleepers) if (sleeper.until <= time) sleeper.wake();
  };
  const stdin = new PassThrough();
  const context = { stdin, stdout: stderr, stderr, env, clock, stop: new AbortController().signal };
  const reporter = new Stderr(context, { quiet, color: false });
  const progress = createProgress({ context, stderr: reporter }, { references: all, noun: 'channel' });
  t.after(() => progress.stop());
  /** Waits without a clock until something is drawn: the line is loaded when it is first needed. */
  const drawn = async (): Promise<void> => {
    pass(200);
    for (let i = 0; stderr.raw === '' && i < 10_000; i++) await turn();
    assert.notEqual(stderr.raw, '');
  };
  /** The line as it is drawn next. */
  const shown = (): string => {
    reporter.hide();
    reporter.show();
    return stderr.lines().at(-1) ?? '';
  };
  return { stderr, pass, context, reporter, progress, drawn, shown };
}

const state = { reference: '@demo', page: 1, entries: 100, total: 250, credits: 1 };

test('progress: appears after a moment, and is gone when done; the cursor is never hidden', async (t) => {
  const { stderr, pass, progress, drawn, shown } = setUp(t);
  progress.update(state);
  pass(100);
  await turn();
  assert.equal(stderr.raw, '');
  await drawn();
  assert.match(shown(), /page 1, 100\/250 entries, 1 credit/);
  await progress.stop();
  assert.deepEqual(stderr.lines(), ['']);
  assert.ok(!stderr.raw.includes('\u001b[?25l'));
});

test('progress: several references: how many are done, their entries and credits together', async (t) => {
  const { progress, pass, drawn, shown } = setUp(t, { all: 3 });
  progress.update({ ...state, reference: '@a' });
  progress.update({ ...state, reference: '@b', entries: 20 });
  await drawn();
  assert.match(shown(), /^. {2}0\/3 channels, 120 entries, 2 credits$/);
  progress.update({ ...state, reference: '@a', entries: 250, credits: 3 });
  pass(9800);
  // Its second part, a page in place of a feed, comes later.
  const reference = {};
  progress.referenceDone(reference);
  progress.referenceDone(reference);
  assert.match(shown(), /^. {2}1\/3 channels, 270 entries, 4 credits$/);
});

test('progress: a wait is shown until it is over', async (t) => {
  const { progress, pass, drawn, shown } = setUp(t, { columns: 0 });
  progress.update(state);
  progress.countDown(5000, 'rate limited'.repeat(9));
  await drawn();
  // A terminal that does not know its width has 80 columns.
  assert.match(shown(), /^. {2}trying again in 5 s: rate limited.{40,42}…$/);
  progress.countDown(5000, 'rate limited');
  assert.match(shown(), /trying again in 5 s: rate limited$/);
  pass(3000);
  assert.match(shown(), /trying again in 2 s: rate limited$/);
  pass(2000);
  assert.match(shown(), /page 1/);
  progress.countDown(5000, 'rate limited');
  progress.update({ ...state, page: 2 });
  assert.match(shown(), /page 2/);
  progress.countDown(5000, 'rate limited');
  progress.referenceDone({});
  assert.match(shown(), /page 2/);
  await progress.stop();
});

test('progress: rows, messages and data that ends within a line are left alone', async (t) => {
  const { stderr, context, progress, reporter, drawn } = setUp(t);
  const stdout = new Stdout(context, reporter);
  progress.update(state);
  await drawn();
  await stdout.writePage('row\n');
  reporter.warn('something');
  await stdout.write('{"results":[1');
  progress.update({ ...state, page: 2 });
  await stdout.write(',2');
  const lines = ['row', 'chanlist: warning: something', '{"results":[1,2'];
  assert.deepEqual(stderr.lines(), lines);
  reporter.warn('other');
  lines.push('chanlist: warning: other');
  assert.deepEqual(stderr.lines().slice(0, 4), lines);
  assert.match(stderr.lines().at(-1) ?? '', /page 2/);
  await stdout.write(']}');
  await progress.stop();
  assert.deepEqual(stderr.lines(), [...lines, ']}']);
});

test('progress: a single request that takes longer than a moment is waited for', async (t) => {
  const { stderr, pass, drawn, shown } = setUp(t);
  pass(149);
  for (let i = 0; i < 50; i++) await turn();
  assert.equal(stderr.raw, '');
  await drawn();
  assert.match(shown(), /waiting for the service$/);
});

test('progress: beside the line there is room for the ^C that a terminal echoes', async (t) => {
  const { progress, drawn, shown } = setUp(t, { columns: 40 });
  progress.countDown(9000, 'the service is not available, and says so at length');
  await drawn();
  assert.match(shown(), /: the serv\S* ?.*…$/);
  assert.ok(shown().length <= 38, shown());
});

test('progress: rate and time left are those since the first page', async (t) => {
  const { progress, drawn, shown } = setUp(t);
  progress.update(state);
  await drawn();
  progress.update({ ...state, page: 2, entries: 200 });
  assert.match(shown(), /200\/250 entries, 1 credit, 500\/s, 1 s left$/);
});

test('progress: nothing while stdout is a pipe: its reader may draw on the same terminal', {
  skip: skipPipes,
}, async (t) => {
  const fd = await pipeDescriptor(t);
  const { stderr, pass, context, reporter, progress } = setUp(t);
  const piped = { ...context, stdout: Object.assign(new PassThrough().resume(), { fd }) };
  const line = createProgress({ context: piped, stderr: reporter });
  assert.deepEqual([line.isHidden, progress.isHidden], [true, false]);
  await progress.stop();
  line.update(state);
  pass(1000);
  for (let i = 0; i < 50; i++) await turn();
  await line.stop();
  assert.equal(stderr.raw, '');
});

test('progress: nothing at all off the terminal, on a dumb one, and with --quiet', async (t) => {
  for (const options of [{ isTTY: false }, { env: { TERM: 'dumb' } }, { quiet: true }]) {
    const { stderr, pass, progress } = setUp(t, options);
    progress.update(state);
    progress.countDown(9000, 'rate limited');
    pass(1000);
    for (let i = 0; i < 50; i++) await turn();
    await progress.stop();
    assert.equal(stderr.raw, '', JSON.stringify(options));
  }
});

const listing = { reference: '@demo', page: 3, entries: 300, total: 1234, credits: 3 };

test('progress: page, entries of total, credits, rate, time left; of several references no time left', () => {
  const shown = 'page 3, 300/1,234 entries, 3 credits';
  for (const [more, startEntries, text] of [
    [{}, 0, `${shown}, 100/s, 10 s left`],
    // The rate of a resumed listing counts only the entries of this run.
    [{}, 200, `${shown}, 33/s, 29 s left`],
    [{}, 290, `${shown}, 3.3/s, 4 min 41 s left`],
    [{}, 300, shown],
    [{ page: 1, entries: 1, total: null, credits: 1 }, 1, 'page 1, 1 entry, 1 credit'],
  ] as const)
    assert.equal(listingText({ ...listing, ...more }, { at: 1000, entries: startEntries }, 4000), text);
  const other = { ...listing, entries: 1260, credits: 17 };
  assert.equal(runText([listing, other], '7/31 channels'), '7/31 channels, 1,560 entries, 20 credits');
  assert.equal(runText([], '0/2 channels'), '0/2 channels');
});

test('progress: a wait is counted down', () => {
  assert.equal(waitText(2001, 'rate limited'), 'trying again in 3 s: rate limited');
  assert.equal(waitText(75_000, 'x\u001b\ny'), 'trying again in 1 min 15 s: x y');
});
