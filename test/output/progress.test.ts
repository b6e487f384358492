import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Context } from '../../src/context.ts';
import { createProgress, sharedProgress } from '../../src/output/progress.ts';
import { Stderr } from '../../src/output/stderr.ts';
import { Stdout } from '../../src/output/stdout.ts';
import { temporaryFolder } from '../support/program.ts';

/** A terminal of one line: what is written, as it would be seen in the end. */
class FakeTerminal extends Writable {
  readonly isTTY: boolean;
  columns: number;
  raw = '';

  constructor(isTTY: boolean, columns = 100) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
    this.columns = columns;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    this.raw += chunk.toString();
    done();
  }

  cursorTo(x: number): void {
    this.write(`\u001b[${x + 1}G`);
  }

  moveCursor(_dx: number, dy: number): void {
    this.write(`\u001b[${-dy}A`);
  }

  clearLine(): void {
    this.write('\u001b[K');
  }

  clearScreenDown(): void {
    this.write('\u001b[J');
  }

  /** The lines on the screen. */
  lines(): string[] {
    const lines: string[][] = [[]];
    let line: string[] = [];
    lines[0] = line;
    let x = 0;
    for (const token of this.raw.match(/\u001b\[[?0-9;]*[A-Za-z]|[\s\S]/gu) ?? []) {
      if (token === '\n') {
        line = [];
        lines.push(line);
        x = 0;
      } else if (token === '\r') x = 0;
      else if (/^\u001b\[\d+G$/.test(token)) x = Number.parseInt(token.slice(2), 10) - 1;
      else if (token === '\u001b[K' || token === '\u001b[J') line.splice(x);
      else if (!token.startsWith('\u001b')) line[x++] = token;
    }
    return lines.map((each) => Array.from(each, (c) => c ?? ' ').join(''));
  }
}

/** A clock that moves only when a test moves it; sleeps end at their time. */
class FakeClock {
  time = 0;
  readonly #sleepers: { until: number; wake: () => void }[] = [];
  readonly now = (): number => this.time;
  readonly elapsed = (): number => this.time;
  readonly random = (): number => 0;

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.#sleepers.push({ until: this.time + ms, wake: resolve });
    });
  }

  pass(ms: number): void {
    this.time += ms;
    for (const sleeper of this.#sleepers) if (sleeper.until <= this.time) sleeper.wake();
  }
}

function setUp({ isTTY = true, env = {} as Record<string, string>, quiet = false, columns = 100 } = {}) {
  const stderr = new FakeTerminal(isTTY, columns);
  const clock = new FakeClock();
  const context: Context = {
    stdin: new PassThrough(),
    stdout: stderr,
    stderr,
    env,
    clock,
    stop: new AbortController().signal,
  };
  const reporter = new Stderr(context, { quiet, verbose: 0 });
  const progress = createProgress(context, reporter, { quiet, color: false });
  return { stderr, clock, context, reporter, progress };
}

const state = { reference: '@demo', page: 1, entries: 100, total: 250, credits: 1, estimated: 3 };

/** Lets a moment pass, and waits without a clock until something is drawn: the line is loaded when it is first needed. */
async function drawn({ stderr, clock }: ReturnType<typeof setUp>): Promise<void> {
  clock.pass(200);
  for (let i = 0; stderr.raw === '' && i < 10_000; i++) await turn();
  assert.notEqual(stderr.raw, '');
}

/** The progress of a listing that has been drawn, and rows that go to the same terminal. */
async function shownProgress() {
  const shown = setUp();
  shown.progress.update(state);
  await drawn(shown);
  return { ...shown, stdout: new Stdout(shown.context, shown.reporter) };
}

test('progress: appears after a moment, and is gone when done', async () => {
  const line = setUp();
  const { stderr, clock, progress } = line;
  progress.update(state);
  clock.pass(100);
  await turn();
  assert.equal(stderr.raw, '');
  await drawn(line);
  assert.match(stderr.lines().at(-1) ?? '', /page 1, 100\/250 entries, 1\/3 credits/);
  await progress.stop();
  assert.deepEqual(stderr.lines(), ['']);
  assert.ok(!stderr.raw.includes('\u001b[?25l'), 'the cursor is never hidden');
});

test('progress: a terminal that does not know its width has 80 columns', async () => {
  const line = setUp({ columns: 0 });
  line.progress.update({ ...state, reference: '@a-channel-of-this-name', total: 50_000, estimated: 500 });
  await drawn(line);
  const shown = line.stderr.lines().at(-1) ?? '';
  assert.match(shown, /^. {2}@a-channel-of-this-name: page 1, 100\/50,000 entries, 1\/500 credits/);
  assert.ok(shown.length <= 80, shown);
  await line.progress.stop();
  assert.deepEqual(line.stderr.lines(), ['']);
});

test('progress: several references: how many are done, their entries and credits together', async () => {
  const line = setUp();
  const shared = sharedProgress(line.progress, 3, 'channel');
  shared.update({ ...state, reference: '@a' });
  shared.update({ ...state, reference: '@b', entries: 20 });
  await drawn(line);
  const shown = (): string => {
    line.reporter.hide();
    line.reporter.show();
    return line.stderr.lines().at(-1) ?? '';
  };
  assert.match(shown(), /^. {2}0\/3 channels, 120 entries, 2 credits$/);
  shared.update({ ...state, reference: '@a', entries: 250, credits: 3 });
  line.clock.pass(9800);
  shared.referenceDone();
  assert.match(shown(), /^. {2}1\/3 channels, 270 entries, 4 credits, 20 s left$/);
  await shared.stop();
});

test('progress: short runs show no progress line', async () => {
  const { stderr, clock, progress } = setUp();
  progress.update(state);
  clock.pass(100);
  await progress.stop();
  clock.pass(1000);
  await turn();
  assert.equal(stderr.raw, '');
});

test('progress: rows go to stdout, messages to stderr, and the progress line stays below them', async () => {
  const { stderr, progress, reporter, stdout } = await shownProgress();
  await stdout.writePage('row 1\nrow 2\n');
  reporter.warn('something');
  await stdout.writePage('row 3\n');
  const lines = stderr.lines();
  assert.deepEqual(lines.slice(0, 4), ['row 1', 'row 2', 'chanlist: warning: something', 'row 3']);
  assert.match(lines[4] ?? '', /page 1/);
  await progress.stop();
  assert.deepEqual(stderr.lines(), ['row 1', 'row 2', 'chanlist: warning: something', 'row 3', '']);
});

test('progress: nothing while stdout is a pipe: its reader may draw on the same terminal', {
  skip: process.platform === 'win32' && 'Windows has no mkfifo',
}, async (t) => {
  const pipe = join(await temporaryFolder(t), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const fd = openSync(pipe, 'r+');
  t.after(() => closeSync(fd));
  const { stderr, clock, context, reporter } = setUp();
  const piped = { ...context, stdout: Object.assign(new PassThrough().resume(), { fd }) };
  const line = createProgress(piped, reporter, { quiet: false, color: false });
  assert.deepEqual(
    [line.isHidden, createProgress(context, reporter, { quiet: false, color: false }).isHidden],
    [true, false],
  );
  line.update(state);
  line.countDown(5000, 'rate limited');
  clock.pass(1000);
  for (let i = 0; i < 50; i++) await turn();
  await line.stop();
  assert.equal(stderr.raw, '');
});

test('progress: data that ends within a line is left alone', async () => {
  const { stderr, progress, reporter, stdout } = await shownProgress();
  await stdout.write('{"results":[1');
  progress.update({ ...state, page: 2 });
  await stdout.write(',2');
  assert.deepEqual(stderr.lines(), ['{"results":[1,2']);
  reporter.warn('something');
  assert.deepEqual(stderr.lines().slice(0, 2), ['{"results":[1,2', 'chanlist: warning: something']);
  assert.match(stderr.lines().at(-1) ?? '', /page 2/);
  await stdout.write(']}\n');
  assert.match(stderr.lines().at(-1) ?? '', /page 2/);
  await progress.stop();
  assert.deepEqual(stderr.lines().slice(2), [']}', '']);
});

test('progress: stopping within a line of data does not change it', async () => {
  const { stderr, progress, stdout } = await shownProgress();
  await stdout.write('{"results":[1');
  await progress.stop();
  assert.deepEqual(stderr.lines(), ['{"results":[1']);
});

test('progress: a wait is shown until it is over', async () => {
  const line = setUp();
  const { stderr, clock, progress, reporter } = line;
  const shown = (): string => {
    reporter.hide();
    reporter.show();
    return stderr.lines().at(-1) ?? '';
  };
  progress.update(state);
  progress.countDown(5000, 'rate limited');
  await drawn(line);
  assert.match(shown(), /rate limited: trying again in 5 s$/);
  clock.pass(3000);
  assert.match(shown(), /rate limited: trying again in 2 s$/);
  clock.pass(2000);
  assert.match(shown(), /page 1/);
  progress.countDown(5000, 'rate limited');
  progress.update({ ...state, page: 2 });
  assert.match(shown(), /page 2/);
  await progress.stop();
});

test('progress: nothing at all off the terminal, on a dumb one, and with --quiet', async () => {
  for (const options of [{ isTTY: false }, { env: { TERM: 'dumb' } }, { quiet: true }]) {
    const { stderr, clock, progress } = setUp(options);
    progress.update(state);
    progress.countDown(9000, 'rate limited');
    clock.pass(1000);
    for (let i = 0; i < 50; i++) await turn();
    await progress.stop();
    assert.equal(stderr.raw, '', JSON.stringify(options));
  }
});
