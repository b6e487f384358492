import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LedgerFile, ledgerFolder } from '../../src/accounts/ledger-file.ts';
import { temporaryFolder } from '../support/program.ts';

const origin = 'https://a.example';

const request = (id: string, day: string, changes: object = {}) => ({
  ...{ version: 1, kind: 'request', id, time: `${day}T12:00:00.000Z`, day, origin, key: '0123456789abcdef' },
  ...{ last_four: 'wxyz', command: 'uploads', reference: '@a', credits: 1, ...changes },
});

const outcome = (id: string, outcome: string) => ({ version: 1, kind: 'outcome', id, outcome });

const lineText = (line: object): string => `\n${JSON.stringify(line)}\n`;

/** Writes ledgers, and returns what a day of one, by default the month, may have cost at the origin; and its damage. */
async function ledgerIn(t: TestContext) {
  const state = await temporaryFolder(t);
  mkdirSync(join(state, 'chanlist'), { mode: 0o700 });
  return (content: string | Buffer) => {
    writeFileSync(join(state, 'chanlist', 'credits-2026-11.ndjson'), content, { mode: 0o600 });
    using file = LedgerFile.openRead('2026-11', { XDG_STATE_HOME: state });
    assert.ok(file !== null);
    const spentOn = (day?: string): number =>
      file.spentAt(origin, day === undefined ? 'month' : 'day', day ?? '');
    return { spentOn, damage: file.damage?.message.replace(/.* is damaged: /, '') ?? null };
  };
}

test('a request counts until it is known to be free, with any key, at its own origin', async (t) => {
  const read = await ledgerIn(t);
  const lines = [
    request('a', '2026-11-20'),
    request('b', '2026-11-21', { key: 'fedcba9876543210' }),
    request('c', '2026-11-21', { origin: 'https://b.example' }),
    outcome('a', 'confirmed'),
    request('d', '2026-11-21', { credits: 3 }),
    request('f', '2026-11-21', { origin: 'https://b.example' }),
    request('e', '2026-11-21'),
    outcome('e', 'free'),
    outcome('e', 'free'),
    outcome('b', 'possibly_charged'),
    outcome('c', 'free'),
  ];
  const { spentOn, damage } = read(lines.map(lineText).join(''));
  assert.deepEqual(['2026-11-20', '2026-11-21', '2026-11-22'].map(spentOn), [1, 4, 0]);
  assert.deepEqual([spentOn(), damage], [5, null]);
});

const [first, second] = [request('a', '2026-11-19'), request('b', '2026-11-20')].map(lineText);

test('a line that was cut off when it was the last one is one credit, on any day', async (t) => {
  const read = await ledgerIn(t);
  const whole = lineText(request('c', '2026-11-21')).trimEnd();
  for (let length = 2; length <= whole.length; length++) {
    const torn = whole.slice(0, length);
    for (const text of [`${first}${second}${torn}`, `${first}${torn}${second}`]) {
      const { spentOn, damage } = read(text);
      const days = length === whole.length && text.endsWith(second ?? '') ? [1, 1, 1] : [2, 2, 1];
      assert.deepEqual(['2026-11-19', '2026-11-20', '2026-11-21'].map(spentOn), days, torn);
      assert.deepEqual([spentOn(), damage], [3, null], torn);
    }
  }
});

test('two lines that were cut off, one after the other', async (t) => {
  const read = await ledgerIn(t);
  const { spentOn, damage } = read(`${first}\n{"version":1,"ki\n{"vers`);
  assert.deepEqual([spentOn(), damage], [3, null]);
});

test('any other line that cannot be read, of another version or shape, is damage', async (t) => {
  const read = await ledgerIn(t);
  const changed = [{ version: 2 }, { kind: 'other' }, { credits: -5 }, { credits: 1.5 }, { day: 'x' }].map(
    (changes) => lineText(request('c', '2026-11-21', { credits: 9, ...changes })),
  );
  const others = ['\n{\n', '\n\0\0\0\n', '\nnull\n', '\n[]\n', '\n{"version":2,"kind":"transfer"}\n'];
  for (const line of [...changed, ...others, lineText(outcome('a', 'lost'))]) {
    const { spentOn, damage } = read(`${first}${line}${second}{"ver`);
    assert.deepEqual([spentOn(), damage], [4, 'line 4 cannot be read'], line);
  }
  const zeros = read(`${first}${'\0'.repeat(5000)}`);
  assert.deepEqual([zeros.spentOn(), zeros.damage], [2, 'line 3 cannot be read']);
});

test('an outcome without its request: one credit on any day, unless it was free', async (t) => {
  const read = await ledgerIn(t);
  for (const [charge, credits] of [
    ['confirmed', 2],
    ['possibly_charged', 2],
    ['free', 1],
  ] as const) {
    const { spentOn, damage } = read(`${first}${lineText(outcome('unknown', charge))}`);
    assert.deepEqual([spentOn(), spentOn('2026-11-19'), damage], [credits, credits, null], charge);
  }
});

test('zeros over any part of it, lines lost, doubled or swapped: damage, or no credit less', async (t) => {
  const read = await ledgerIn(t);
  const ids = ['a', 'b', 'c', 'd'];
  const lines = ids.flatMap((id) => [request(id, '2026-11-21'), outcome(id, 'confirmed')]).map(lineText);
  const counts = (content: string | Buffer, what: string): void => {
    const { spentOn, damage } = read(content);
    assert.ok(damage !== null || spentOn() >= ids.length, what);
  };
  const bytes = Buffer.from(lines.join(''));
  for (let start = 0; start < bytes.length; start += 7)
    for (const length of [1, 2, 30, 400, bytes.length])
      counts(
        Buffer.from(bytes).fill(0, start, Math.min(start + length, bytes.length)),
        `zeros: ${start} ${length}`,
      );
  for (const [i, line] of lines.entries()) {
    counts(lines.toSpliced(i, 1).join(''), `without ${line}`);
    counts(lines.toSpliced(i, 0, line).join(''), `twice ${line}`);
    for (const j of lines.keys())
      counts(
        lines
          .with(i, lines[j] ?? '')
          .with(j, line)
          .join(''),
        `swapped ${i} ${j}`,
      );
  }
  const doubled = read(bytes.toString().repeat(2));
  assert.deepEqual([doubled.spentOn(), doubled.damage], [4, null]);
});

test('the folder of the ledger, by platform and environment', () => {
  const home = { HOME: '/u', USERPROFILE: 'C:\\u' };
  for (const [platform, env, folder] of [
    ['linux', {}, '/u/.local/state/chanlist'],
    ['linux', { XDG_STATE_HOME: '/state', LOCALAPPDATA: '/local' }, '/state/chanlist'],
    ['linux', { XDG_STATE_HOME: 'relative' }, '/u/.local/state/chanlist'],
    ['darwin', {}, '/u/.local/state/chanlist'],
    ['win32', {}, 'C:\\u\\AppData\\Local\\chanlist'],
    ['win32', { LOCALAPPDATA: 'D:\\local' }, 'D:\\local\\chanlist'],
    ['win32', { XDG_STATE_HOME: 'D:\\state', LOCALAPPDATA: 'D:\\local' }, 'D:\\state\\chanlist'],
  ] as const)
    assert.equal(ledgerFolder({ ...home, ...env }, platform), folder);
});
