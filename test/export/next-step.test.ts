/** The table "what is there" of docs/updates.md, row by row and cell by cell. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { type Existing, nextStep } from '../../src/export/next-step.ts';

const columns = [
  { update: false, restart: false },
  { update: true, restart: false },
  { update: false, restart: true },
];

const every: { readonly [Name in keyof Existing]: readonly Existing[Name][] } = {
  run: ['none', 'ours', 'another'],
  file: ['none', 'archive', 'changed', 'other'],
  isOfAnotherId: [false, true],
  hasFolder: [false, true],
};
let covered = 0;

/** What is there, with all values of what is not given; and a cell for each column, with the reason of a refusal. */
function row(what: string, values: Partial<typeof every>, ...cells: readonly string[]): void {
  const all = { ...every, ...values };
  test(what, () => {
    for (const run of all.run)
      for (const file of all.file)
        for (const isOfAnotherId of all.isOfAnotherId)
          for (const hasFolder of all.hasFolder) {
            const existing = { run, file, isOfAnotherId, hasFolder };
            covered++;
            const steps = columns.map((flags) => nextStep(existing, flags));
            assert.deepEqual(steps, cells, JSON.stringify(existing));
          }
  });
}

const [ours, others, none, archive, other] = [
  'pages of an interrupted run with the same ID, format, fields, limit and address',
  'pages of any other interrupted run of FILE',
  'no FILE, or an empty one',
  'an archive of this ID, asked for as one',
  'any other FILE',
] as const;
const noRun = { run: ['none'] } as const;
const noFile = { ...noRun, file: ['none'] } as const;
const otherFile = { ...noRun, file: ['other'] } as const;
row(ours, { run: ['ours'] }, 'resume', 'resume', 'export');
row(others, { run: ['another'] }, 'another run', 'another run', 'export');
row(none, { ...noFile, hasFolder: [true] }, 'export', 'export', 'export');
row(`${none}, without .chanlist`, { ...noFile, hasFolder: [false] }, 'export', 'not mounted', 'export');
row(archive, { ...noRun, file: ['archive', 'changed'] }, 'keep', 'update', 'export');
const refused = 'another file';
row(`${other}, of another ID`, { ...otherFile, isOfAnotherId: [true] }, refused, refused, 'export');
row(`${other}, without a record`, { ...otherFile, isOfAnotherId: [false] }, refused, 'update', 'export');

test('the rows are all that can be there, and those of the document', async () => {
  assert.equal(covered, 3 * 4 * 2 * 2);
  const [, text = ''] = (await readFile('docs/updates.md', 'utf8')).split('\n## What a run does with FILE\n');
  const first = text
    .split('\n')
    .flatMap((line) => line.replaceAll('`', '').match(/^\| (.+?) \| /)?.[1] ?? []);
  assert.deepEqual(first, ['what is there (the first row that fits)', ours, others, none, archive, other]);
});
