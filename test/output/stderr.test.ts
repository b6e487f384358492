import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { Stderr } from '../../src/output/stderr.ts';

function setUp({
  isTTY = false,
  columns = 80,
  quiet = false,
  verbose = 0,
  env = { NO_COLOR: '1' } as Record<string, string>,
} = {}) {
  const log: string[] = [];
  const stream = Object.assign(new PassThrough(), { isTTY, columns });
  stream.on('data', (chunk: Buffer) => log.push(chunk.toString()));
  return { stderr: new Stderr({ stderr: stream, env }, { quiet, verbose }), log };
}

test('what is printed at which verbosity, at a terminal and elsewhere: never the key', () => {
  const lines = { error: 'error: ', warn: 'warning: ', print: '', note: '', verbose: '', detail: '' };
  const levels = Object.keys(lines) as (keyof typeof lines)[];
  for (const [options, ...printed] of [
    [{}, 'error', 'warn', 'print'],
    [{ quiet: true }, 'error'],
    [{ quiet: true, isTTY: true, verbose: 2 }, 'error'],
    [{ isTTY: true }, 'error', 'warn', 'print', 'note'],
    [{ verbose: 1 }, 'error', 'warn', 'print', 'note', 'verbose'],
    [{ verbose: 2, isTTY: true }, 'error', 'warn', 'print', 'note', 'verbose', 'detail'],
  ] as const)
    for (const level of levels) {
      const { stderr, log } = setUp(options);
      stderr.addSecret('abcd-123');
      if (level === 'detail') stderr.detail(() => 'key abcd-123.');
      else stderr[level]('key abcd-123.');
      const isPrinted = (printed as readonly string[]).includes(level);
      assert.deepEqual(
        log,
        isPrinted ? [`chanlist: ${lines[level]}key [key].\n`] : [],
        JSON.stringify(options),
      );
    }
});

test('the key of the environment is hidden from the start', () => {
  const { stderr, log } = setUp({ env: { CHANLIST_API_KEY: ' abcd-123\n' } });
  stderr.error("'abcd-123' is not a channel reference");
  assert.deepEqual(log, ["chanlist: error: '[key]' is not a channel reference\n"]);
});

test('the next step of an error has a line of its own at a terminal; elsewhere it follows in the same line', () => {
  const printed = (isTTY: boolean): string[] => {
    const { stderr, log } = setUp({ isTTY });
    const add = [{ name: '--continuation', value: 'a; b' }];
    stderr.error('@a: stopped; 1 credit spent', {
      purpose: 'resume with',
      program: 'chanlist uploads',
      operands: ['@a'],
      flags: add,
    });
    stderr.printFailure(new Failure('usage', 'no', { step: 'wait' }));
    return log;
  };
  assert.deepEqual(printed(true), [
    'chanlist: error: @a: stopped; 1 credit spent\n',
    "chanlist: resume with: chanlist uploads @a --continuation='a; b'\n",
    'chanlist: error: no\n',
    'chanlist: wait\n',
  ]);
  assert.deepEqual(printed(false), [
    "chanlist: error: @a: stopped; 1 credit spent; resume with: chanlist uploads @a --continuation='a; b'\n",
    'chanlist: error: no; wait\n',
  ]);
});

test('while a pager has the terminal, lines wait until it has ended', async () => {
  const { stderr, log } = setUp({ isTTY: true });
  let end = (): void => {};
  const ended = new Promise<null>((resolve) => {
    end = () => resolve(null);
  });
  stderr.holdUntil(ended);
  stderr.warn('w');
  stderr.note('n');
  assert.deepEqual(log, []);
  end();
  await ended;
  assert.deepEqual(log, ['chanlist: warning: w\n', 'chanlist: n\n']);
  stderr.note('later');
  assert.equal(log.length, 3);
});

test('the lines of a message are as wide as a terminal draws them', () => {
  const { stderr, log } = setUp({ isTTY: true, columns: 40 });
  stderr.warn('日本語の名前 日本語の名前 日本語の名前');
  assert.deepEqual(log, ['chanlist: warning: 日本語の名前\nchanlist:   日本語の名前 日本語の名前\n']);
});

test('a long message breaks between words at a terminal; a command stays whole', () => {
  for (const [columns, text] of [
    // The word takes room in the first line only.
    [40, 'chanlist: error: @a: the list has ended\nchanlist:   before its time now\n'],
    [80, 'chanlist: error: @a: the list has ended before its time now\n'],
  ] as const) {
    const { stderr, log } = setUp({ isTTY: true, columns });
    const long = 'x'.repeat(60);
    stderr.error('@a: the list has ended before its time now', {
      purpose: 'resume with',
      program: 'chanlist uploads',
      operands: ['@a'],
      flags: [{ name: '--limit', value: '9999' }],
    });
    stderr.error(long);
    assert.deepEqual(log, [
      text,
      'chanlist: resume with: chanlist uploads @a --limit 9999\n',
      `chanlist: error: ${long}\n`,
    ]);
  }
});

test('a message is one line, free of control characters', () => {
  const { stderr, log } = setUp();
  stderr.error('a\nb\u001b[2J\u202ec');
  assert.deepEqual(log, ['chanlist: error: a b [2J c\n']);
});

test('error and warning are coloured at a terminal only, by the rules of colour', () => {
  const printed = (options: Parameters<typeof setUp>[0]): string => {
    const { stderr, log } = setUp(options);
    stderr.error('e');
    stderr.warn('w');
    stderr.note('n');
    return log.join('');
  };
  assert.equal(
    printed({ isTTY: true, env: {} }),
    'chanlist: \u001b[31merror: \u001b[39me\nchanlist: \u001b[33mwarning: \u001b[39mw\nchanlist: n\n',
  );
  const plain = 'chanlist: error: e\nchanlist: warning: w\n';
  assert.equal(printed({ isTTY: true, env: { NO_COLOR: '1' } }), `${plain}chanlist: n\n`);
  assert.equal(printed({ env: {} }), plain);
});

test('a closed stderr does not stop the run', () => {
  const stream = new PassThrough();
  const stderr = new Stderr({ stderr: stream, env: {} }, { quiet: false, verbose: 0 });
  stream.emit('error', new Error('EPIPE'));
  stderr.error('still here');
});

test('a secret of less than eight characters is not hidden: it may be a word', () => {
  const { stderr, log } = setUp();
  stderr.addSecret('entries');
  stderr.warn('120 entries');
  assert.deepEqual(log, ['chanlist: warning: 120 entries\n']);
});
