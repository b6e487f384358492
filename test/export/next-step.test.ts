/** The table "what is there" of docs/updates.md, row by row and cell by cell. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Existing, type Flags, nextStep } from '../../src/export/next-step.ts';

const columns: readonly Flags[] = ['no flag', '--update', '--restart'];

type Values = { readonly [Name in keyof Existing]: readonly Existing[Name][] };
const every: Values = {
  run: ['none', 'ours', 'another'],
  file: ['none', 'archive', 'changed', 'other'],
  isOfAnotherId: [false, true],
  hasFolder: [false, true],
};
const noRun = { run: ['none'] } as const;

/** Everything that can be there with these values. */
function combinations(values: Partial<Values>): Existing[] {
  const { run, file, isOfAnotherId, hasFolder } = { ...every, ...values };
  return run.flatMap((run) =>
    file.flatMap((file) =>
      isOfAnotherId.flatMap((isOfAnotherId) =>
        hasFolder.map((hasFolder) => ({ run, file, isOfAnotherId, hasFolder })),
      ),
    ),
  );
}

let covered = 0;

/** What is there, with all other values; and a cell for each column, with the reason of a refusal. */
function row(what: string, values: Partial<Values>, ...cells: readonly string[]): void {
  test(what, () => {
    for (const existing of combinations(values)) {
      covered++;
      const steps = columns.map((flags) => nextStep(existing, flags));
      assert.deepEqual(steps, cells, JSON.stringify(existing));
    }
  });
}

const same = 'the same ID, format, fields, limit and address';
row(`pages of an interrupted run with ${same}`, { run: ['ours'] }, 'resume', 'resume', 'export');
const other = 'another run';
row('pages of any other interrupted run of FILE', { run: ['another'] }, other, other, 'export');
const none = { ...noRun, file: ['none'] } as const;
row('no FILE (or an empty one)', { ...none, hasFolder: [true] }, 'export', 'export', 'export');
const unmounted = { ...none, hasFolder: [false] } as const;
row('… and the folder has no .chanlist', unmounted, 'export', 'not mounted', 'export');
const archive = { ...noRun, file: ['archive', 'changed'] } as const;
row('an archive of this ID, asked for as one', archive, 'keep', 'update', 'export');
const any = { ...noRun, file: ['other'] } as const;
const refused = 'another file';
row('any other FILE, of another ID', { ...any, isOfAnotherId: [true] }, refused, refused, 'export');
row('any other FILE, without a record', { ...any, isOfAnotherId: [false] }, refused, 'update', 'export');

test('the rows are all that can be there', () =>
  assert.deepEqual([covered, combinations({}).length], [48, 48]));
