/** The table "What a run does with one export" of docs/updates.md, row by row. */
import assert from 'node:assert/strict';
import type { Stats } from 'node:fs';
import { test } from 'node:test';
import { type ExportFlags, flagsLeft, nextStep } from '../../src/export/decide/next-step.ts';
import type { ExportFile } from '../../src/export/inspect/inspect-export.ts';
import type {
  ExportRecord,
  ExportRequest,
  Finished,
  Progress,
} from '../../src/export/record/export-record.ts';
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

/** A FILE as its record describes it, without an interrupted run, and beside one. */
const whole = (facts: Partial<Finished> = {}, of: Partial<ExportRecord> = {}): ExportFile =>
  exportFile({ state: 'recorded', record: record({ finished: finished(facts), ...of }) });
const beside = (facts: Partial<Progress>, file: Partial<ExportFile> = {}): ExportFile => ({
  ...whole({}, { progress: progress(facts) }),
  ...file,
});
/** An interrupted run without a FILE. */
const interrupted = (facts: Partial<Progress> = {}, file: Partial<ExportFile> = {}): ExportFile => ({
  ...exportFile({ record: record({ progress: progress(facts) }) }),
  ...file,
});
const unrecorded = (facts: Partial<ExportFile> = {}): ExportFile => exportFile({ ...isNew, ...facts });

const isNew = { state: 'unrecorded', contents: contents() } as const;
const gone = { state: 'none' } as const;
const damaged = { state: 'damaged', contents: contents({ damage: 'line 3 is not a JSON record' }) } as const;
const lost = { state: 'lost', contents: contents({ entries: 249 }) } as const;
const update = { kind: 'update' } as const;
const restart = { kind: 'restart', fileAtStart: { size: 1, mtime: 1, inode: 1 } } as const;
const badRows = { rowsDamage: 'the rows of its interrupted run are missing' };
const fetched = { hasMore: false };
const inFolder = { isFolder: true };
const free = 'resume | resume | resume | resume';
const resumed = 'resume | resume | resume | export';
const updated = 'update | update | update | export';
/** Only the repair of --update --all is possible, or only an export. */
const repaired = (why: string): string => `refuse: ${why} | refuse: ${why} | update | export`;
const absent = 'export | refuse: absent | refuse: absent | export';
/** The same cell for every column but --restart. */
const refused = (why: string, last: string): string =>
  `${Array(3).fill(`refuse: ${why}`).join(' | ')} | ${last}`;

// A FILE, or an interrupted run, of another channel or playlist.
const other = { request: request({ id: 'UCb' }) };
const ofOther = { contents: contents({ channels: new Set(['UCb']) }) };
for (const [what, file] of [
  ['FILE of another channel', whole({}, other)],
  ['FILE of a playlist', whole({}, { request: request({ command: 'playlist' }) })],
  ['FILE without a record, all of another channel', unrecorded(ofOther)],
  ['FILE that others have filled with another channel', { ...whole(), state: 'changed', ...ofOther }],
  ['an interrupted run of another channel', interrupted(other)],
  ['the same beside a complete FILE', beside({ ...other, ...restart })],
] as const)
  row(what, file, refused('foreign', 'refuse: foreign'));

// Nothing.
row('nothing', exportFile(), 'export | export | export | export');
row('a record of references alone', exportFile({ record: record() }), 'export | export | export | export');

// An interrupted export, and a FILE that was not there when it began.
row('an interrupted export, and a new FILE', interrupted({}, isNew), refused('appeared', 'export'));
row('… that has all pages', interrupted(fetched, isNew), refused('appeared', 'export'));
row(
  'an interrupted --restart that began without a FILE, and a new one',
  beside({ kind: 'restart' }),
  refused('appeared', 'export'),
);
row('an interrupted export, and the old FILE is back', beside({}), refused('appeared', 'export'));

// An interrupted run of this request.
row('an interrupted export', interrupted(), resumed);
row('an interrupted --restart', beside(restart), free);
row('… of a damaged FILE', beside(restart, damaged), free);
row('… of a FILE without a record', interrupted(restart, isNew), free);
const stats = (facts: object): Partial<ExportFile> => ({
  target: { ...exportFile().target, stats: { size: 1, mtimeMs: 1, ino: 1, ...facts } as Stats },
});
row('… whose FILE is as it was', beside(restart, stats({})), free);
row('… in a copied folder', beside(restart, stats({ ino: 2 })), free);
for (const facts of [{ size: 2 }, { mtimeMs: 2 }])
  row(
    `… whose FILE has another ${Object.keys(facts)}`,
    beside(restart, { ...stats(facts), state: 'changed' }),
    refused('changed since', 'refuse: changed since'),
  );
row('an interrupted update', beside(update), resumed);
row('… of a FILE that others have changed', beside(update, { state: 'changed' }), resumed);
row('… of a FILE with fewer entries', beside(update, lost), repaired('lost'));
row('… of a damaged FILE', beside(update, damaged), repaired('damaged'));
const repair = { ...update, isAll: true };
row('an interrupted repair', beside(repair, damaged), 'refuse: damaged | refuse: damaged | resume | export');
row('an update, and FILE is gone', beside(repair, gone), absent);

// Its rows are damaged or missing, its token is refused, or its list loops.
row('an export, rows damaged', interrupted({}, badRows), refused('damaged rows', 'export'));
row(
  'an export with all pages, rows damaged',
  interrupted(fetched, badRows),
  refused('damaged rows', 'export'),
);
row('a --restart, rows damaged', beside(restart, badRows), refused('damaged rows', 'export'));
row('an update, rows damaged', beside(update, badRows), updated);
for (const [what, isLoop, unresumable] of [
  ['of a list that loops', true, false],
  ['whose token is refused', false, true],
] as const) {
  const options = { unresumable };
  row(`an export ${what}`, interrupted({ isLoop }), refused('unresumable', 'export'), options);
  row(`a --restart ${what}`, beside({ ...restart, isLoop }), refused('unresumable', 'export'), options);
  row(`an update ${what}`, beside({ ...update, isLoop }), updated, options);
}

// All of its pages are there.
row('an export with all pages', interrupted(fetched), free);
row('an export up to its --limit', interrupted({ request: request({ limit: 100 }) }), free);
row('a --restart with all pages', beside({ ...restart, ...fetched }), free);
row('an update with all pages', beside({ ...update, ...fetched }), free);
row('the same, of another request', interrupted({ ...fetched, request: request({ format: 'csv' }) }), free);
row(
  'FILE is in place, but its record does not say so',
  beside(update, { isInPlace: true, progress: null }),
  'record | record | record | record',
);
row(
  'an update with all pages, of a damaged FILE',
  beside({ ...update, ...fetched }, damaged),
  repaired('damaged'),
);

// Another request.
for (const facts of [{ format: 'csv' }, { fields: 'videoId' }, { limit: 500 }] as const) {
  const [what] = Object.keys(facts);
  const of = { request: request(facts) };
  row(`FILE with another ${what}`, whole({}, of), refused('other request', 'export'));
  row(`… that is damaged`, { ...whole({}, of), ...damaged }, refused('other request', 'export'));
  row(`an interrupted export with another ${what}`, interrupted(of), refused('other request', 'export'));
  row(
    `an interrupted --restart with another ${what}`,
    beside({ ...of, ...restart }),
    refused('other request', 'export'),
  );
  row(
    `an interrupted update with another ${what}`,
    beside({ ...of, ...update }),
    refused('other request', 'export'),
  );
  row(`FILE gone with another ${what}`, { ...whole({}, of), ...gone }, absent);
}
const elsewhere = { request: request({ service: 'http://other/media' }) };
row('FILE of another service', whole({}, elsewhere), 'keep: complete | update | update | export');
row('an interrupted export of another service', interrupted(elsewhere), refused('other request', 'export'));
row(
  'an interrupted --restart of another service',
  beside({ ...elsewhere, ...restart }),
  refused('other request', 'export'),
);
row('an interrupted update of another service', beside({ ...elsewhere, ...update }), updated);

// A complete FILE of this request.
const complete = 'keep: complete | update | update | export';
row('a complete FILE', whole(), complete);
row('… changed by others', { ...whole(), state: 'changed' }, complete);
row('… without entries', whole({ entries: 0, size: 0 }), complete);
const limited = { request: request({ limit: 5 }) };
row('… up to the same --limit', whole({ entries: 5 }, limited), complete, limited);

// FILE gone, with fewer entries, damaged.
row('FILE gone', { ...whole(), ...gone }, absent);
row('FILE with fewer entries', { ...whole(), ...lost }, repaired('lost'));
row('FILE is damaged', { ...whole(), ...damaged }, repaired('damaged'));

// A FILE without a record.
const adopted = 'adopt | adopt | export';
row('an archive without a record (-o)', unrecorded(), `refuse: adoptable | ${adopted}`);
row('… (--output-dir)', unrecorded(), `keep: adopted | ${adopted}`, inFolder);
const playlist = { request: request({ command: 'playlist', id: 'PLa' }) };
const many = { contents: contents({ channels: new Set(['UCa', 'UCb', '']) }) };
row('… of a playlist', unrecorded(many), `refuse: adoptable | ${adopted}`, playlist);
row(
  '… whose entries have no channel',
  unrecorded({ contents: contents({ channels: new Set(['']) }) }),
  `refuse: adoptable | ${adopted}`,
);
const noExport = refused('not adoptable', 'export');
for (const [what, facts, options] of [
  ['with a line that is no entry', { damage: 'line 2 is not an entry' }, {}],
  ['without any videoId', { ids: new Set<string>() }, {}],
  ['with entries of another channel, too', { channels: new Set(['UCa', 'UCb']) }, {}],
  ['that is wanted as csv', {}, { request: request({ format: 'csv' }) }],
  ['that is wanted with --limit', {}, limited],
] as const) {
  row(`FILE without a record ${what} (-o)`, unrecorded({ contents: contents(facts) }), noExport, options);
  row(`… (--output-dir)`, unrecorded({ contents: contents(facts) }), noExport, { ...options, ...inFolder });
}

// The record cannot be used, and there are rows.
const unusable = { unusable: 'damaged', hasUnrecordedRows: true } as const;
row('an unusable record with rows', exportFile(unusable), refused('unusable record', 'export'));
row('… beside an archive', unrecorded(unusable), refused('unusable record', 'export'), inFolder);

test('--restart of several references keeps what was exported in the last 22 hours', () => {
  const ago = (hours: number, more: Partial<Finished> = {}) => ({ ...more, exported: timeAt(hours * hour) });
  const csv = { request: request({ format: 'csv' }) };
  const cases: readonly [file: ExportFile, step: string, options?: Options][] = [
    [whole(ago(0)), 'keep'],
    [whole(ago(21)), 'keep'],
    [whole(ago(21)), 'export', { several: false }],
    [whole(ago(22)), 'export'],
    [whole(ago(-1)), 'export'],
    [whole(ago(1)), 'export', csv],
    [{ ...whole(ago(1)), ...lost }, 'export'],
    [{ ...whole(ago(1)), ...gone }, 'export'],
    [whole(ago(1), { progress: progress(update) }), 'export'],
    [whole(ago(1), { progress: progress(restart) }), 'resume'],
  ];
  for (const [at, [file, expected, options = {}]] of cases.entries()) {
    const flags = { request: request(), update: false, all: false, restart: true, isFolder: true, now };
    const step = nextStep(file, { ...flags, several: true, unresumable: false, ...options });
    assert.equal(step.do, expected, `case ${at}`);
  }
});

test('what is left to do after an interrupted run was finished, or could not be resumed', () => {
  const of = { unresumable: false, isFolder: false, several: false, now };
  const [plain, toUpdate, toUpdateAll, toRestart] = columns.map((column) => {
    return { request: request(), ...of, ...column };
  });
  const left = (
    step: 'resume' | 'record' | 'export' | 'update',
    facts: Partial<Progress>,
    flags = plain,
    code: 'unresumable' | 'unavailable' | null = null,
    status = 410,
  ) => {
    const failed = code && { code, status };
    const next = flags && flagsLeft({ do: step }, progress(facts), failed, flags);
    const names = ['update', 'all', 'restart', 'unresumable'] as const;
    return next ? names.filter((name) => next[name]).join(' ') || 'plain' : null;
  };
  assert.equal(left('export', {}, toUpdate), null);
  for (const step of ['resume', 'record'] as const) {
    assert.equal(left(step, {}), null);
    assert.equal(left(step, {}, toUpdate), 'update');
    assert.equal(left(step, {}, toUpdateAll), 'update');
    assert.equal(left(step, update, toUpdateAll), 'update all');
    assert.equal(left(step, repair, toUpdateAll), 'update');
    assert.equal(left(step, update), null);
    assert.equal(left(step, {}, toRestart), null);
    assert.equal(left(step, restart, toRestart), null);
    assert.equal(left(step, update, toRestart), 'restart');
  }
  const csv: Partial<ExportRequest> = { format: 'csv' };
  assert.equal(left('record', { request: request(csv) }), 'plain');
  assert.equal(left('record', { request: request(csv) }, toUpdate), 'update');
  assert.equal(left('resume', {}, toUpdate, 'unresumable'), null);
  assert.equal(left('resume', update, plain, 'unresumable'), 'unresumable');
  assert.equal(left('resume', update, toUpdate, 'unresumable'), 'update unresumable');
  assert.equal(left('resume', restart, toRestart, 'unresumable'), 'restart unresumable');
  assert.equal(left('resume', update, toUpdate, 'unavailable'), null);
  // An update whose token is refused in the run that got it: once; not one that repeats itself.
  assert.equal(left('update', update, toUpdate, 'unresumable'), 'update unresumable');
  assert.equal(left('update', update, toUpdate, 'unresumable', 200), null);
  assert.equal(left('update', update, toUpdate && { ...toUpdate, unresumable: true }, 'unresumable'), null);
  assert.equal(left('export', {}, toUpdate, 'unresumable'), null);
});
