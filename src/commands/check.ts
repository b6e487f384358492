import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { day } from '../accounts/local-time.ts';
import type { Argument, Example, RunCommand, Terms } from '../cli/command.ts';
import type { OutputOptions } from '../cli/options.ts';
import { gravest, usage } from '../errors.ts';
import {
  type CheckedExport,
  type CheckRow,
  checkExport,
  problemCodes,
  unknownExport,
} from '../export/check/check-export.ts';
import { expectedExports, type FoundExport, findExports } from '../export/check/find-exports.ts';
import { exportCommand, folderCommand, listingOf } from '../export/check/fix.ts';
import { clockWarning } from '../export/record/reference-index.ts';
import { inputName } from '../fs/text-input.ts';
import { exportName } from '../output/formats.ts';
import { assertPaths } from '../run/output.ts';
import { printRecords } from '../run/print-records.ts';
import { type InputReference, readReferences } from '../run/read-references.ts';
import { firstOf } from '../run/report-lines.ts';
import { count, thousands } from '../text/count.ts';

export const args: readonly Argument[] = [['paths', '[path...]', 'an export, or a folder of exports']];

export const about = [
  'Verifies exports offline: every line, duplicates, lost entries, interrupted runs. Prints one record per export, ' +
    'with -q only those with a problem, and the command that repairs it, if one can. Writes nothing.',
  'Exits with 11 if there are problems. It cannot know whether the service has more than was exported.',
];

export const examples: readonly Example[] = [
  ['check all exports of a folder', 'chanlist check lists'],
  [
    'report only problems, also missing and stale exports',
    'chanlist check lists --from refs.txt --max-age 36h -q',
  ],
];

export const terms: Terms = { heading: 'Problems:', rows: Object.entries(problemCodes) };

/** Checks exports offline and prints one record per export. `maxAge`: milliseconds. Exit 11: problems. */
export const run: RunCommand<
  OutputOptions & {
    readonly paths: readonly string[];
    readonly from: string | null;
    readonly maxAge: number | null;
  }
> = async (options, context, stderr) => {
  const { paths, from, quiet } = options;
  if (paths.length === 0) throw usage('missing file or folder', 'name exports, or folders of exports');
  await assertPaths({ files: paths, from }, context);
  const found = findExports(paths);
  const list =
    from === null ? null : await readReferences({ references: [], from }, 'channel or playlist', context);
  const { exports, absent, others } =
    list === null ? { ...found, absent: [], others: [] } : expectedExports(found.exports, list.distinct);
  const now = context.clock.now();
  const expectations = { now, maxAge: options.maxAge, isExpected: from !== null };
  // With several paths, no single run serves them all.
  const [only] = paths.length === 1 ? paths : [];
  const folder = only !== undefined && existsSync(`${only}/.`) ? only : null;
  const bad: CheckedExport[] = [];
  let checked = 0;

  async function* checkedExports(): AsyncGenerator<CheckRow, void> {
    for (const each of exports) {
      const result = await checkExport(each, expectations, context.stop);
      if (result === null) continue;
      checked++;
      if (result.shown.problem !== null) bad.push(result);
      if (result.shown.problem !== null || !quiet) yield result.shown;
    }
    const unrecorded = others.filter(
      ({ path, stored }) => stored.record === null && exportName.test(basename(path)) && existsSync(path),
    ).length;
    for (const input of absent) {
      // What cannot be read, or is not mounted, may have it.
      if (found.failures.length > 0) continue;
      const result = absentExport(input, folder, input.id === null ? unrecorded : 0, from);
      bad.push(result);
      yield result.shown;
    }
  }

  await printRecords(checkedExports(), {
    ...options,
    context,
    stderr,
    fields: Object.keys(unknownExport) as (keyof CheckRow & string)[],
    columns: ['file', 'reference', 'entries', 'checked', 'problem'],
  });
  const records = exports.flatMap(({ path, stored: { record } }) =>
    record === null ? [] : [[path, record] as const],
  );
  const clockText = clockWarning(records, context);
  for (const warning of [
    ...found.warnings,
    ...listWarnings(others, from, now),
    ...(clockText ? [clockText] : []),
  ])
    stderr.warn(warning);
  for (const line of problemLines(bad, from, folder)) stderr.error(line);
  for (const failure of found.failures) stderr.printFailure(failure);
  const problems = bad.length === 0 ? 'no problems found' : `${thousands(bad.length)} with a problem`;
  if (checked > 0) stderr.note(`${count(checked, 'export', 'exports')} checked, ${problems}`);
  return gravest([found.failures.length > 0 ? 2 : 0, bad.length > 0 ? 11 : 0]);
};

/**
 * A reference without an export. `folder`: of the exports, if one was named; `unrecorded`: files without a record that may
 * be its export.
 */
function absentExport(
  input: InputReference,
  folder: string | null,
  unrecorded: number,
  from: string | null,
): CheckedExport {
  const { label, reference, id, value } = input;
  const folderFlags = { name: listingOf(value), update: false };
  const isMaybeThere = unrecorded > 0 && folder !== null && isPrintable(from);
  const maybe = isMaybeThere
    ? `; ${count(unrecorded, 'file has no record, and', 'files have no record, and one of them')} may be this export; the fix adopts it`
    : '';
  const command = isMaybeThere ? folderCommand(from, folder, folderFlags) : exportCommand(input, folder);
  const problem = { code: 'absent', message: `it has not been exported${maybe}`, fix: command } as const;
  return { shown: { ...unknownExport, reference, id, problem }, name: label ?? reference, folderFlags };
}

/** Whether a command can name a list again: what was read from stdin is gone. */
const isPrintable = (from: string | null): from is string => from !== null && from !== '-';

/** Exports that are not in the list, but were checked in the last 30 days: the list may have lost a part. */
function listWarnings(others: readonly FoundExport[], from: string | null, now: number): string[] {
  const recent = others.filter(({ stored: { record } }) => {
    const age = now - Date.parse(record?.checked ?? '');
    return age < 30 * day;
  });
  return recent.length === 0
    ? []
    : [
        `${count(recent.length, 'export is', 'exports are')} not in ${inputName(from ?? '')}${firstOf(recent.map(({ path }) => path))}`,
      ];
}

/** Problems with one code in one line: how many, the first files, the first message, and the fix that serves them all. */
function problemLines(bad: readonly CheckedExport[], from: string | null, folder: string | null): string[] {
  return Object.keys(problemCodes).flatMap((code) => {
    const group = bad.filter(({ shown }) => shown.problem?.code === code);
    const [first] = group;
    if (first?.shown.problem == null) return [];
    const { message } = first.shown.problem;
    const names = group.map(({ name }) => name);
    const subject = group.length === 1 ? names[0] : `${thousands(group.length)} exports${firstOf(names)}`;
    const fix = group.length === 1 ? first.shown.problem.fix : groupFix(group, from, folder);
    return [`${code}: ${subject}: ${message}${fix == null ? '' : `; fix: ${fix}`}`];
  });
}

/** The run over list and folder, if it repairs all of these; else the fix of the first that has one. */
function groupFix(
  group: readonly CheckedExport[],
  from: string | null,
  folder: string | null,
): string | null {
  const flags = group[0]?.folderFlags ?? null;
  const isForAll = group.every(
    ({ folderFlags }) => folderFlags?.name === flags?.name && folderFlags?.update === flags?.update,
  );
  if (flags !== null && isForAll && isPrintable(from) && folder !== null)
    return folderCommand(from, folder, flags);
  const fix = group.find(({ shown }) => shown.problem?.fix != null)?.shown.problem?.fix;
  return fix == null ? null : `one at a time, the first: ${fix}`;
}
