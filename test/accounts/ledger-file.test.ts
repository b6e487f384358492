import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  LedgerFile,
  lineText,
  type OutcomeLine,
  parseLine,
  type RequestLine,
} from '../../src/accounts/ledger-file.ts';
import { temporaryFolder } from '../support/program.ts';

const origin = 'https://a.example';

function request(id: string, day: string, changes: Partial<RequestLine> = {}): RequestLine {
  const time = `${day}T12:00:00.000Z`;
  const account = { origin, key: '0123456789abcdef', last_four: 'wxyz' };
  const line = { version: 1, kind: 'request', id, time, day, ...account } as const;
  return { ...line, command: 'uploads', reference: '@a', credits: 1, ...changes };
}

const outcome = (id: string, outcome: OutcomeLine['outcome']) =>
  ({ version: 1, kind: 'outcome', id, time: '2026-11-21T12:00:00.000Z', outcome }) as const;

/** Writes a ledger. What a day of it, by default the month, may have cost at the origin. */
async function ledgerIn(t: TestContext): Promise<(text: string) => (day?: string) => number> {
  const state = await temporaryFolder(t);
  mkdirSync(join(state, 'chanlist'), { mode: 0o700 });
  return (text) => {
    writeFileSync(join(state, 'chanlist', 'credits-2026-11.ndjson'), text, { mode: 0o600 });
    using file = LedgerFile.read('2026-11', { XDG_STATE_HOME: state });
    assert.ok(file !== null);
    return (day = '2026-11') => file.spentAt(origin, day);
  };
}

test('a line is appended between two line ends and read back as it was', () => {
  const line = request('a', '2026-11-21', { reference: 'x\n\u2028"\u{1f3ac}' });
  const text = lineText(line);
  assert.match(text, /^\n\{[^\n]*\}\n$/);
  assert.deepEqual(parseLine(text.trim()), line);
  assert.deepEqual(parseLine(JSON.stringify(outcome('a', 'free'))), outcome('a', 'free'));
});

test('a line of no known version is unreadable, or newer', () => {
  const line = request('a', '2026-11-21');
  const unreadable: unknown[] = [
    ...[null, 7, [], {}, { ...line, version: 0 }, { ...line, version: '1' }, { ...line, kind: 'other' }],
    ...[
      { ...line, credits: -1 },
      { ...line, credits: 1.5 },
      { ...line, credits: null },
      { ...line, day: 'x' },
    ],
    ...[
      { ...line, origin: 1 },
      { ...line, reference: 7 },
      { ...outcome('a', 'free'), outcome: 'paid' },
    ],
  ];
  for (const data of unreadable) assert.equal(parseLine(JSON.stringify(data)), null);
  for (const text of ['{', '\0\0\0', 'x', '{"version":1']) assert.equal(parseLine(text), null);
  assert.equal(parseLine('{"version":2,"kind":"transfer"}'), 'newer');
});

test('a request counts until it is known to be free, with any key, at its own origin', async (t) => {
  const spentIn = await ledgerIn(t);
  const text = [
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
  const spentOn = spentIn(text.map(lineText).join(''));
  assert.equal(spentOn(), 5);
  assert.equal(spentOn('2026-11-20'), 1);
  assert.equal(spentOn('2026-11-21'), 4);
  assert.equal(spentOn('2026-11-22'), 0);
});

test('an unreadable line is one credit, on any day', async (t) => {
  const spentIn = await ledgerIn(t);
  const text = (day: string): string => lineText(request(day, day));
  const other = `${'\0'.repeat(5000)}\n"${'x'.repeat(600_000)}`;
  const spentOn = spentIn(`${text('2026-11-19')}\n{"torn\n\n${other}\n${text('2026-11-20')}\n{"torn`);
  assert.equal(spentOn(), 6);
  assert.equal(spentOn('2026-11-19'), 5);
  assert.equal(spentOn('2026-11-20'), 5);
  assert.equal(spentOn('2026-11-21'), 4);
});

test('a line cut short at any byte damages only itself, and never lowers the sum', async (t) => {
  const spentIn = await ledgerIn(t);
  const before = lineText(request('a', '2026-11-21')) + lineText(outcome('a', 'confirmed'));
  const after = lineText(request('z', '2026-11-21'));
  const pending = request('b', '2026-11-21');
  for (const [torn, earlier] of [
    [pending, ''],
    [outcome('b', 'confirmed'), lineText(pending)],
    [outcome('b', 'free'), lineText(pending)],
  ] as const) {
    const text = lineText(torn);
    for (let cut = 0; cut < text.length; cut++) {
      const spentOn = spentIn(before + earlier + text.slice(0, cut) + after);
      // The line is whole without its line end, and no byte of it, or only its first line end, is nothing.
      const whole = cut === text.length - 1;
      const readable = torn.kind === 'request' ? (whole ? 1 : 0) : whole && torn.outcome === 'free' ? 0 : 1;
      const unreadable = cut > 1 && !whole ? 1 : 0;
      assert.equal(spentOn('2026-11-21'), 2 + readable + unreadable, `${torn.kind} cut at ${cut}`);
      assert.equal(spentOn(), spentOn('2026-11-21'));
    }
  }
});
