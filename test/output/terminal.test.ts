import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { pagerCommand } from '../../src/output/pager.ts';
import { descriptorOf, terminalOf } from '../../src/output/terminal.ts';
import { replaceFs } from '../support/failing.ts';

const stream = (isTTY: boolean, columns: number) => Object.assign(new PassThrough(), { isTTY, columns });

test('terminal: its width, else 80; none elsewhere', () => {
  assert.equal(terminalOf(stream(false, 80), {}, true), null);
  assert.equal(terminalOf(new PassThrough(), {}, true), null);
  assert.deepEqual(terminalOf(stream(true, 132), {}, true), { columns: 132, color: true });
  assert.equal(terminalOf(stream(true, 0), {}, true)?.columns, 80);
});

test('terminal: no colour with --no-color, NO_COLOR and TERM=dumb', () => {
  for (const [env, hasColor, color] of [
    [{ TERM: 'xterm', NO_COLOR: '' }, true, true],
    [{ TERM: 'xterm' }, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ TERM: 'dumb' }, true, false],
  ] as const)
    assert.equal(terminalOf(stream(true, 80), env, hasColor)?.color, color);
});

test('descriptor: a pipe and a socket have a reader that may leave, a file has none', (t) => {
  for (const [kind, isPipe, isFile] of [
    ['isFIFO', true, false],
    ['isSocket', true, false],
    ['isFile', false, true],
    ['isCharacterDevice', false, false],
  ] as const) {
    const no = () => false;
    replaceFs(t, {
      fstatSync: () => ({ isFIFO: no, isSocket: no, isFile: no, [kind]: () => true }) as never,
    });
    const found = descriptorOf(Object.assign(new PassThrough(), { fd: 7 }));
    assert.deepEqual(found, { fd: 7, isPipe, isFile }, kind);
  }
});

test('pager: $PAGER, else less if there is one; none if it is empty or cat, and on a dumb terminal', () => {
  const PATH = process.env.PATH ?? '';
  for (const [platform, env, command] of [
    ['linux', { PAGER: 'more -x', PATH }, 'more -x'],
    ['linux', { PAGER: '', PATH }, null],
    ['linux', { PAGER: ' cat ', PATH }, null],
    ['linux', { PATH: '/nonexistent' }, null],
    ['linux', {}, null],
    ['linux', { PAGER: 'more', TERM: 'dumb' }, null],
    ['win32', { PATH }, null],
    ['win32', { PAGER: 'more', PATH }, 'more'],
  ] as const)
    assert.equal(pagerCommand(env, platform), command);
});
