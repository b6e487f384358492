import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import {
  checkIdentity,
  noProgress,
  type Progress,
  parseState,
  type StateHeader,
} from '../../src/export/state.ts';
import { specifiedFields } from '../support/specified-fields.ts';
import { identity } from './export-runs.ts';

const header: StateHeader = {
  version: 2,
  mode: 'export',
  identity,
  started: '2026-01-02T03:04:05.000Z',
  base: null,
  inode: 7,
  published: {},
  marks: '',
};
const first: Progress = { ...noProgress, bytes: 2, pages: 1, entries: 1, token: 'a' };
const second: Progress = { ...first, bytes: 4, pages: 2, entries: 2, token: 'b', mark: 'digest-a' };
const log = (...values: object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

const fails = (exit: number, code: string, words: string, remedy?: string) => (error: unknown) => {
  assert.ok(error instanceof Failure, String(error));
  assert.deepEqual([error.exit, error.code, error.remedy], [exit, code, remedy]);
  assert.ok(`${error.message}; ${error.hint}`.includes(words), error.message);
  return true;
};

test('the last complete line of a state log counts; an incomplete one does not', () => {
  const whole = log(header, first, second);
  assert.deepEqual(parseState(whole, 'S'), {
    header,
    progress: second,
    marks: 'digest-a',
    isVersion1: false,
  });
  const ends = ['{"bytes":6,"entr', '\0'.repeat(40), `\0\0\0${log({ ...second, bytes: 6 }).slice(3)}`];
  for (const end of ends) assert.deepEqual(parseState(whole + end, 'S').progress, second, end);
});

test('a damaged state log is damaged (1); starting over is the remedy', () => {
  const third = log({ ...second, bytes: 6 });
  const texts = [
    '',
    '\n',
    '[]\n',
    log(header),
    JSON.stringify(header),
    log({ ...header, mode: 'other' }, first),
    log(header, { ...first, bytes: -1 }),
    log(header, { ...first, token: '\ud800' }),
    log(header, first).slice(0, 60),
    `${log(header, first)}{"bytes":\n${third}`,
    `${log(header)}${'\0'.repeat(30)}\n${third}`,
    log({ version: 1, mode: 'export' }),
  ];
  for (const text of texts)
    assert.throws(() => parseState(text, 'S'), fails(1, 'damaged', 'S is damaged', 'restart'), text);
});

test('a newer version of the state, of any layout, is a usage error (2)', () => {
  for (const text of [log({ version: 3 }, { pages: 1 }), JSON.stringify({ version: 4 }, null, 2)])
    assert.throws(() => parseState(text, 'S'), fails(2, 'usage', 'update chanlist'), text);
});

/** As version 0.1.0 writes it. */
const version1 = {
  version: 1,
  mode: 'export',
  identity: {
    command: 'uploads',
    reference: '@a',
    format: 'csv',
    fields: null,
    service: 'https://x.example media',
  },
  started: '2025-01-02T03:04:05.000Z',
  bytes: 30,
  entries: 3,
  pages: 2,
  token: 'b+/=',
  lastPage: 'digest of page 2',
  id: 'UCa',
  base: { size: 3, mtimeMs: 1, ino: 2 },
  done: false,
  credits: { confirmed: 2, possibly_charged: 1 },
  extra: { hasMore: true, done: false, total: 5, cut: false, last: 'v3', empty: 1, sent: 'digest-a' },
};

test('a state of version 0.1.0 is read', () => {
  const state = parseState(`${JSON.stringify(version1)}\n`, 'S');
  assert.deepEqual(state, {
    header: {
      version: 2,
      mode: 'export',
      identity: { ...version1.identity, id: 'UCa' },
      started: '2025-01-02T03:04:05.000Z',
      base: { size: 3, mtimeMs: 1, ino: 2 },
      inode: 0,
      published: {},
      marks: 'digest-a',
    },
    progress: {
      bytes: 30,
      entries: 3,
      pages: 2,
      top: null,
      token: 'b+/=',
      hasMore: true,
      done: false,
      cut: false,
      total: 5,
      lastPage: 'digest of page 2',
      ids: ['v3'],
      emptyPages: 1,
      id: 'UCa',
      credits: { confirmed: 2, possibly_charged: 1 },
      // The header of a CSV file of that version.
      columns: specifiedFields,
      mark: null,
      result: null,
    },
    marks: 'digest-a',
    isVersion1: true,
  });
  const finished = parseState(JSON.stringify({ ...version1, done: true, extra: {} }), 'S');
  assert.deepEqual(finished.progress.result, { size: 30, digest: null });
  const { progress } = parseState(
    JSON.stringify({ ...version1, identity: { ...version1.identity, format: 'id' } }),
    'S',
  );
  assert.equal(progress.columns, null);
});

test('each argument that differs from the interrupted export is named; an ID makes two references the same', () => {
  const was = { ...identity, fields: 'videoId,title' };
  const state = parseState(log({ ...header, identity: was }, { ...first, id: 'UCa' }), 'S');
  const check = (
    change: Partial<typeof was>,
    differences: string,
    mode: 'export' | 'update' = 'export',
  ): void =>
    assert.throws(
      () => checkIdentity(state, mode, { ...was, ...change }, 'out'),
      fails(2, 'usage', `out: the interrupted export differs: ${differences}; resume it`),
    );
  check({ reference: '@b' }, 'of @a, not @b');
  check({ reference: '@b', id: 'UCb' }, 'of @a, not @b');
  check({ reference: `--continuation ${'x'.repeat(5000)}` }, `of @a, not --continuation ${'x'.repeat(185)}…`);
  check({ format: 'csv' }, 'as ndjson, not csv');
  check({ command: 'playlist' }, 'by uploads, not playlist');
  check({ service: 'https://y.example media' }, 'from https://x.example media, not https://y.example media');
  check({ fields: 'title' }, 'with --fields videoId,title, not with --fields title');
  check({}, 'not with --update', 'update');
  assert.throws(
    () => checkIdentity(state, 'export', { ...was, fields: null }, 'out'),
    /not without --fields/,
  );
  check({ reference: '@b', format: 'id' }, 'of @a, not @b; as ndjson, not id');
  checkIdentity(state, 'export', was, 'out');
  checkIdentity(state, 'export', { ...was, reference: 'UCa', id: 'UCa' }, 'out');
  const updating = parseState(log({ ...header, mode: 'update' }, first), 'S');
  assert.throws(() => checkIdentity(updating, 'export', identity, 'out'), /differs: with --update$/);
});
