/** The table "what is there" of docs/updates.md, row by row and cell by cell. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { type DiskState, decideExport } from '../../src/export/decide-export.ts';

const columns = [
  { update: false, restart: false },
  { update: true, restart: false },
  { update: false, restart: true },
];

const every: { readonly [Name in keyof DiskState]: readonly DiskState[Name][] } = {
  pages: ['none', 'ours', 'another'],
  file: ['none', 'archive', 'changed', 'foreign', 'other'],
  hasFolder: [false, true],
};
let covered = 0;

/** What is there, with all values of what is not given; and a cell for each column, with the reason of a refusal. */
function row(what: string, values: Partial<typeof every>, ...cells: readonly string[]): void {
  const all = { ...every, ...values };
  test(what, () => {
    for (const pages of all.pages)
      for (const file of all.file)
        for (const hasFolder of all.hasFolder) {
          const onDisk = { pages, file, hasFolder };
          covered++;
          const steps = columns.map((flags) => decideExport(onDisk, flags));
          assert.deepEqual(steps, cells, JSON.stringify(onDisk));
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
const noRun = { pages: ['none'] } as const;
const noFile = { ...noRun, file: ['none'] } as const;
row(ours, { pages: ['ours'] }, 'resume', 'resume', 'export');
row(others, { pages: ['another'] }, 'another run', 'another run', 'export');
row(none, { ...noFile, hasFolder: [true] }, 'export', 'export', 'export');
row(`${none}, without .chanlist`, { ...noFile, hasFolder: [false] }, 'export', 'not mounted', 'export');
row(archive, { ...noRun, file: ['archive', 'changed'] }, 'keep', 'update', 'export');
const refused = 'another file';
row(`${other}, of another ID`, { ...noRun, file: ['foreign'] }, refused, refused, 'export');
row(`${other}, without a record`, { ...noRun, file: ['other'] }, refused, 'update', 'export');

test('the rows are all that can be there, and those of the document', async () => {
  assert.equal(covered, 3 * 5 * 2);
  const [, text = ''] = (await readFile('docs/updates.md', 'utf8')).split('\n## What a run does with FILE\n');
  const first = text
    .split('\n')
    .flatMap((line) => line.replaceAll('`', '').match(/^\| (.+?) \| /)?.[1] ?? []);
  assert.deepEqual(first, ['what is there (the first row that fits)', ours, others, none, archive, other]);
});
