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

/** Writes a ledger: returns what a day of it, by default the month, may have cost at the origin. */
async function ledgerIn(t: TestContext): Promise<(text: string) => (day?: string) => number> {
  const state = await temporaryFolder(t);
  mkdirSync(join(state, 'chanlist'), { mode: 0o700 });
  return (text) => {
    writeFileSync(join(state, 'chanlist', 'credits-2026-11.ndjson'), text, { mode: 0o600 });
    using file = LedgerFile.read('2026-11', { XDG_STATE_HOME: state });
    assert.ok(file !== null);
    return (day) => file.spentAt(origin, day === undefined ? 'month' : 'day', day ?? '');
  };
}

test('a request counts until it is known to be free, with any key, at its own origin', async (t) => {
  const spentIn = await ledgerIn(t);
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
    outcome('unknown', 'free'),
    outcome('c', 'free'),
    outcome('a', 'free'),
  ];
  const spentOn = spentIn(lines.map(lineText).join(''));
  assert.deepEqual(['2026-11-20', '2026-11-21', '2026-11-22'].map(spentOn), [1, 4, 0]);
  assert.equal(spentOn(), 5);
});

test('a line that cannot be read, of another version or shape, is one credit, on any day', async (t) => {
  const spentIn = await ledgerIn(t);
  const text = (day: string): string => lineText(request(day, day));
  const torn = `${'\0'.repeat(5000)}\n{"version":2,"kind":"transfer"}`;
  const spentOn = spentIn(`${text('2026-11-19')}\n{"torn\n\n${torn}\n${text('2026-11-20')}\n{"torn`);
  assert.deepEqual(['2026-11-19', '2026-11-20', '2026-11-21'].map(spentOn), [5, 5, 4]);
  assert.equal(spentOn(), 6);
  const changed = [{ version: 2 }, { kind: 'other' }, { credits: -5 }, { credits: 1.5 }, { day: 'x' }].map(
    (changes) => lineText(request('a', '2026-11-21', { credits: 9, ...changes })),
  );
  for (const line of [...changed, '{\n', '\0\0\0\n', 'null\n', '[]\n', lineText(outcome('a', 'lost'))])
    assert.equal(spentIn(line)('2026-11-22'), 1, line);
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
