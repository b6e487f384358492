/** The table "What a run does with one export" of docs/updates.md, row by row. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExportFile } from '../../src/export/inspect.ts';
import { type ExportFlags, flagsLeft, nextStep } from '../../src/export/next-step.ts';
import type { ExportRecord, ExportRequest, Finished, Progress } from '../../src/export/record.ts';
import { contents, exportFile, finished, hour, now, progress, record, request, timeAt } from './files.ts';

type Options = Partial<Pick<ExportFlags, 'request' | 'isFolder' | 'several' | 'unresumable'>>;

/** The columns: no flag, --update, --update --all, --restart. */
const columns: readonly Pick<ExportFlags, 'update' | 'all' | 'restart'>[] = [
  { update: false, all: false, restart: false },
  { update: true, all: false, restart: false },
  { update: true, all: true, restart: false },
  { update: false, all: false, restart: true },
];

/** What is there, and what to do: a cell per column, with its reason where it has one (`keep: complete`). */
function row(name: string, file: ExportFile, cells: string, options: Options = {}): void {
  test(name, () => {
    const steps = columns.map((column) => {
      const alone = { isFolder: false, several: false, unresumable: false };
      const step = nextStep(file, { request: request(), now, ...alone, ...column, ...options });
      return 'why' in step ? `${step.do}: ${step.why}` : step.do;
    });
    assert.equal(steps.join(' | '), cells);
  });
}

/** A FILE as its record describes it. */
const there = (given: Partial<Finished> = {}, of: Partial<ExportRecord> = {}): ExportFile =>
  exportFile({
    state: 'recorded',
    finished: finished(given),
    record: record({ finished: finished(given), ...of }),
  });

/** An interrupted run without a FILE, and one beside a complete FILE. */
const interrupted = (given: Partial<Progress> = {}): ExportFile =>
  exportFile({ record: record({ progress: progress(given) }) });
const beside = (given: Partial<Progress>, file: Partial<ExportFile> = {}): ExportFile => ({
  ...there({}, { progress: progress(given) }),
  ...file,
});

const without = (given: Partial<ExportFile> = {}): ExportFile =>
  exportFile({ state: 'unrecorded', finished: finished(), contents: contents(), ...given });
const withoutBut = (given: Partial<Progress>): ExportFile =>
  without({ record: record({ progress: progress(given) }) });

const gone = { state: 'none', finished: null } as const;
const damage = { contents: contents({ damage: 'line 3 is not a record' }) };
const damaged = { ...damage, state: 'damaged', finished: null } as const;
const lost = { state: 'lost', finished: null, contents: contents({ entries: 249 }) } as const;
const update = { isUpdate: true };
const restart = { isRestart: true };
const inFolder = { isFolder: true };
const now4 = { request: request({ limit: 4 }) };
const now5 = { request: request({ limit: 5 }) };
const nowIds = { request: request({ format: 'csv', fields: 'videoId' }) };

row('nothing', exportFile(), 'full | full | full | full');

const resumed = 'resume | resume | resume | full';
row('an interrupted export of this request', interrupted(), resumed);
row('… of a FILE that --limit cut', { ...there({ isCut: true }, { progress: progress() }) }, resumed);
row('… of a damaged FILE', beside({}, damaged), resumed);
const restarted = 'resume | resume | resume | resume';
row('an interrupted --restart, no FILE', interrupted(restart), restarted);
row('an interrupted --restart of a FILE without a record', withoutBut(restart), restarted);
row(
  'an interrupted --restart of a FILE that --limit cut',
  there({ isCut: true }, { progress: progress(restart) }),
  restarted,
);
row('an interrupted --restart of a damaged FILE', beside(restart, damaged), restarted);
row(
  'an interrupted --restart of a complete FILE',
  beside(restart),
  'keep: interrupted restart | resume | resume | resume',
);
row('an interrupted export, and its FILE is back', beside({}), resumed);
row(
  'an interrupted export, and a FILE that others have put there',
  withoutBut({}),
  'refuse: no record | refuse: no record | refuse: no record | full',
);

const updated = 'keep: interrupted update | resume | resume | full';
row('an interrupted update of FILE', beside(update), updated);
row('… that others have changed', beside(update, { state: 'changed' }), updated);
row('… that had no record', withoutBut(update), updated);
row('… that has lost entries', beside(update, lost), 'refuse: lost | refuse: lost | update | full');
row('… that is damaged', beside(update, damaged), 'refuse: damaged | refuse: damaged | update | full');
row(
  '… of every page, that is damaged',
  beside({ ...update, isAll: true }, damaged),
  'refuse: damaged | refuse: damaged | resume | full',
);

/** The list loops, or a run has found that the token is refused or the rows are damaged. */
const noResume = 'refuse: unresumable | refuse: unresumable | refuse: unresumable | full';
const startsOver = 'keep: interrupted update | update | update | full';
for (const [what, isLoop, unresumable] of [
  ['of a list that loops', true, false],
  ['whose token is refused', false, true],
] as const) {
  const refused = { unresumable };
  row(`an interrupted export ${what}`, interrupted({ isLoop }), noResume, refused);
  row(`an interrupted --restart ${what}`, interrupted({ ...restart, isLoop }), noResume, refused);
  row(`an interrupted update ${what}`, beside({ ...update, isLoop }), startsOver, refused);
  row(
    `an interrupted update of every page ${what}, of a damaged FILE`,
    beside({ ...update, isAll: true, isLoop }, damaged),
    'refuse: damaged | refuse: damaged | update | full',
    refused,
  );
}

const others: readonly Partial<ExportRequest>[] = [
  { format: 'csv' },
  { fields: 'videoId' },
  { limit: 5 },
  { service: 'http://other/media' },
];
for (const given of others) {
  const other = { request: request(given) };
  const [what] = Object.keys(given);
  const cells = 'refuse: other request | refuse: other request | refuse: other request | full';
  row(`an interrupted export with another ${what}`, interrupted(other), cells);
  row(`an interrupted --restart with another ${what}`, interrupted({ ...other, ...restart }), cells);
  row(`an interrupted update with another ${what}`, beside({ ...other, ...update }), cells);
}

const complete = 'keep: complete | update | update | full';
row('a complete FILE of this request', there(), complete);
row('… changed by others', { ...there(), state: 'changed' }, complete);
row('… of another service', there({}, { request: request({ service: 'http://other' }) }), complete);
row('… without entries', there({ entries: 0, size: 0 }), complete);
row('… now with a --limit that it does not exceed', there({ entries: 5 }), complete, now5);

test('--restart of several references keeps what was exported in the last 22 hours', () => {
  const ago = (hours: number, more: Partial<Finished> = {}) => ({ ...more, exported: timeAt(hours * hour) });
  const cases: readonly [file: ExportFile, step: string, options?: Options][] = [
    [there(ago(0)), 'keep'],
    [there(ago(21)), 'keep'],
    [there(ago(21)), 'full', { several: false }],
    [there(ago(22)), 'full'],
    [there(ago(-1)), 'full'],
    [there(ago(1)), 'full', nowIds],
    [{ ...there(ago(1)), ...lost }, 'full'],
    [{ ...there(ago(1)), ...gone }, 'full'],
    [there(ago(1), { progress: progress(update) }), 'full'],
    [there(ago(1), { progress: progress(restart) }), 'resume'],
    [there(ago(1, { entries: 5, isCut: true }), now5), 'keep', now5],
    [there(ago(1, { entries: 5, isCut: true }), now5), 'full', now4],
  ];
  for (const [at, [file, expected, options = {}]] of cases.entries()) {
    const flags = { request: request(), update: false, all: false, restart: true, isFolder: true, now };
    const step = nextStep(file, { ...flags, several: true, unresumable: false, ...options });
    assert.equal(step.do, expected, `case ${at}`);
  }
});

const otherFormat = 'refuse: other format | refuse: other format | refuse: other format | full';
row('a complete FILE of another format', there({}, { request: request({ format: 'csv' }) }), otherFormat);
row('a complete FILE with other fields', there({}, { request: request({ fields: 'videoId' }) }), otherFormat);
row(
  'a complete FILE, now with a --limit below its entries',
  there({ entries: 6 }),
  'refuse: other limit | refuse: other limit | refuse: other limit | full',
  now5,
);

const cut = there({ entries: 5, isCut: true }, now5);
row('a FILE that --limit cut, now without', cut, 'full | full | full | full');
row('… now another one', cut, 'full | full | full | full', now4);
row('… now the same', cut, complete, now5);

const fileGone = 'full | refuse: file gone | refuse: file gone | full';
row('FILE gone, the record is there', { ...there(), ...gone }, fileGone);
row('FILE gone, with an interrupted update', beside(update, gone), fileGone);

row('FILE has lost entries', { ...there(), ...lost }, 'refuse: lost | refuse: lost | update | full');
row('FILE is damaged', { ...there(), ...damaged }, 'refuse: damaged | refuse: damaged | update | full');

row('FILE without a record (-o)', without(), 'refuse: no record | update | update | full');
row('… (--output-dir)', without(), 'keep: adopted | update | update | full', inFolder);
row(
  '… whose entries have no channel',
  without({ contents: contents({ channels: new Set() }) }),
  'refuse: no record | update | update | full',
);
row('… damaged (-o)', without(damage), 'refuse: no record | refuse: damaged | update | full');
row(
  '… damaged (--output-dir)',
  without(damage),
  'refuse: damaged | refuse: damaged | update | full',
  inFolder,
);
row(
  '… without IDs',
  without({ contents: contents({ ids: new Set() }) }),
  'refuse: no record | refuse: no ids | refuse: no ids | full',
);
const noIds = { contents: contents({ ids: new Set() }) };
const changedNoIds = 'keep: complete | refuse: no ids | refuse: no ids | full';
row('… that others have changed, without IDs', { ...there(), state: 'changed', ...noIds }, changedNoIds);
const otherColumns = 'refuse: other columns | refuse: other columns | refuse: other columns | full';
for (const isFolder of [false, true])
  row(
    `… a csv with other columns (${isFolder ? '--output-dir' : '-o'})`,
    without({ contents: contents({ columns: ['videoId', 'x'] }) }),
    otherColumns,
    { isFolder, ...nowIds },
  );

const foreign = 'refuse: foreign | refuse: foreign | refuse: foreign | refuse: foreign';
const other = { request: request({ id: 'UCb' }) };
const otherChannel = { contents: contents({ channels: new Set(['UCb']) }) };
row('FILE of another channel', there({}, other), foreign);
row('… of a playlist', there({}, { request: request({ command: 'playlist' }) }), foreign);
row('… without a record', without(otherChannel), foreign);
row('… by what others wrote into it', { ...there(), state: 'changed', ...otherChannel }, foreign);
row('an interrupted run of another channel', interrupted(other), foreign);
row('… beside a complete FILE', beside(other), foreign);
row('… whose result is not yet in place', { ...beside(other), pending: 'rows' }, foreign);

for (const pending of ['rows', 'file'] as const)
  row(
    `a result that is not yet in place (${pending}), whatever the flags`,
    { ...beside({ result: finished() }), pending },
    'publish | publish | publish | publish',
    nowIds,
  );

test('what is left to do after an interrupted run was finished, or could not be resumed', () => {
  const of = { unresumable: false, isFolder: false, several: false, now };
  const [plain, toUpdate, toUpdateAll, toRestart] = columns.map((column) => {
    return { request: request(), ...of, ...column };
  });
  const left = (
    step: 'resume' | 'publish' | 'full',
    given: Partial<Progress>,
    flags = plain,
    failed = false,
  ) => {
    const next = flags && flagsLeft({ do: step }, progress(given), failed ? 'unresumable' : null, flags);
    const names = ['update', 'all', 'restart', 'unresumable'] as const;
    return next ? names.filter((name) => next[name]).join(' ') || 'plain' : null;
  };
  const cut = { request: request({ limit: 5 }) };
  const csv = { request: request({ format: 'csv' }) };
  const all = { isUpdate: true, isAll: true };
  assert.equal(left('full', {}, toUpdate), null);
  for (const step of ['resume', 'publish'] as const) {
    assert.equal(left(step, {}), null);
    assert.equal(left(step, {}, toUpdate), 'update');
    assert.equal(left(step, {}, toUpdateAll), 'update all');
    assert.equal(left(step, all, toUpdateAll), 'update');
    assert.equal(left(step, { isRestart: true }, toRestart), null);
    assert.equal(left(step, {}, toRestart), 'restart');
  }
  assert.equal(left('publish', cut), 'plain');
  assert.equal(left('publish', csv), 'plain');
  assert.equal(left('resume', {}, toUpdate, true), null);
  assert.equal(left('resume', { isUpdate: true }, toUpdate, true), 'update unresumable');
  assert.equal(left('resume', { isRestart: true }, toRestart, true), 'restart unresumable');
  const other = flagsLeft({ do: 'resume' }, progress({ isUpdate: true }), 'unavailable', {
    request: request(),
    ...of,
    update: true,
    all: false,
    restart: false,
  });
  assert.equal(other, null);
});
