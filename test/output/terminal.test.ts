import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { decideTerminal } from '../../src/output/terminal.ts';

const stream = (isTTY: boolean, columns?: number) =>
  Object.assign(new PassThrough(), { isTTY }, columns === undefined ? {} : { columns });

test('terminal: a stream that is no terminal has none, in any environment', () => {
  assert.equal(decideTerminal(stream(false, 80), { FORCE_COLOR: '1', COLUMNS: '90' }, true), null);
  assert.equal(decideTerminal(new PassThrough(), {}, true), null);
});

test('terminal: columns: of the stream, else COLUMNS, else 80', () => {
  const columns = (own: number | undefined, variable?: string) =>
    decideTerminal(stream(true, own), { COLUMNS: variable }, true)?.columns;
  assert.equal(columns(132, '90'), 132);
  assert.equal(columns(0, '90'), 90);
  assert.equal(columns(undefined, '90'), 90);
  assert.equal(columns(0), 80);
  for (const wrong of ['', '0', '-5', 'wide', '90x', '1e3', ' 90'])
    assert.equal(columns(0, wrong), 80, wrong);
});

test('terminal: colour: --no-color, NO_COLOR, FORCE_COLOR, TERM=dumb, in that order', () => {
  const color = (env: Record<string, string>, hasColor = true) =>
    decideTerminal(stream(true, 80), env, hasColor)?.color;
  assert.equal(color({ TERM: 'xterm' }), true);
  assert.equal(color({}), true);
  assert.equal(color({ TERM: 'dumb' }), false);
  assert.equal(color({ NO_COLOR: '1' }), false);
  assert.equal(color({ NO_COLOR: '' }), true);
  assert.equal(color({ FORCE_COLOR: '1', TERM: 'dumb' }), true);
  assert.equal(color({ FORCE_COLOR: '0' }), false);
  assert.equal(color({ FORCE_COLOR: '', TERM: 'dumb' }), false);
  assert.equal(color({ FORCE_COLOR: '1', NO_COLOR: '1' }), false);
  assert.equal(color({ FORCE_COLOR: '1' }, false), false);
});
