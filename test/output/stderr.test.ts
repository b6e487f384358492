import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { suite, test } from 'node:test';
import { Stderr } from '../../src/output/stderr.ts';

function talking({ isTTY = false, quiet = false, verbose = 0 } = {}) {
  const log: string[] = [];
  const stream = Object.assign(new PassThrough(), { isTTY });
  stream.on('data', (chunk: Buffer) => log.push(chunk.toString()));
  const live = { hide: () => log.push('hide'), show: () => log.push('show') };
  return { talk: new Stderr(stream, { quiet, verbose }), log, live };
}

function sayAll(talk: Stderr): void {
  talk.error('error');
  talk.warn('warn');
  talk.note('note');
  talk.verbose('verbose');
  talk.detail('detail');
  talk.summary('summary');
}

suite('talk', () => {
  const cases = [
    [{}, ['error', 'warn']],
    [{ quiet: true }, ['error']],
    [{ quiet: true, isTTY: true, verbose: 2 }, ['error']],
    [{ isTTY: true }, ['error', 'warn', 'note', 'summary']],
    [{ verbose: 1 }, ['error', 'warn', 'note', 'verbose', 'summary']],
    [{ verbose: 2, isTTY: true }, ['error', 'warn', 'note', 'verbose', 'detail', 'summary']],
  ] as const;
  for (const [options, said] of cases) {
    test(`${JSON.stringify(options)}: ${said.join(', ')}`, () => {
      const { talk, log } = talking(options);
      sayAll(talk);
      assert.deepEqual(
        log,
        said.map((word) => (word === 'summary' ? 'summary\n' : `chanlist: ${word}\n`)),
      );
    });
  }

  test('a message is one line, free of control characters', () => {
    const { talk, log } = talking();
    talk.error('a\nb\u001b[2J\u202ec');
    assert.deepEqual(log, ['chanlist: a b [2J c\n']);
  });

  test('a reader that has gone does no harm', () => {
    const { talk } = talking();
    const stream = new PassThrough();
    const other = new Stderr(stream, { quiet: false, verbose: 0 });
    stream.emit('error', new Error('EPIPE'));
    other.error('still here');
    talk.error('here');
  });
});

suite('talk: around a progress line', () => {
  test('messages are written while it is away', () => {
    const { talk, log, live } = talking({ isTTY: true });
    talk.attach(live);
    talk.warn('w');
    assert.deepEqual(log, ['show', 'hide', 'chanlist: w\n', 'show']);
    talk.attach(null);
    talk.warn('x');
    assert.deepEqual(log.slice(4), ['chanlist: x\n']);
  });

  test('it stays away while data is written, also when a message comes in between', () => {
    const { talk, log, live } = talking({ isTTY: true });
    talk.attach(live);
    talk.hide();
    talk.warn('w');
    talk.show();
    assert.deepEqual(log, ['show', 'hide', 'chanlist: w\n', 'show']);
  });

  test('it stays away where data ended within a line, and a message begins a new one', () => {
    const { talk, log, live } = talking({ isTTY: true });
    talk.hide();
    talk.show(true);
    talk.attach(live);
    assert.deepEqual(log, []);
    talk.warn('w');
    assert.deepEqual(log, ['\nchanlist: w\n', 'show']);
    talk.hide();
    talk.show(true);
    talk.hide();
    talk.show();
    assert.deepEqual(log.slice(2), ['hide', 'show'], 'away for the data, back once its line is complete');
  });
});
