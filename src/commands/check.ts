import { existsSync } from 'node:fs';
import type { OutputOptions } from '../cli/options.ts';
import type { Argument } from '../cli/program.ts';
import type { Context } from '../context.ts';
import { gravest, usage } from '../errors.ts';
import {
  type CheckedExport,
  checkExport,
  exportCommand,
  problemCodes,
  unknownExport,
} from '../export/check.ts';
import { expectedExports, findExports, nothingFound } from '../export/find-exports.ts';
import type { Example, Terms } from '../help/document.ts';
import { printRecords } from '../output/print-records.ts';
import { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';
import { readReferences } from '../run/references.ts';
import { count } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';

export const args: readonly Argument[] = [['paths', '[path...]', 'an export, or a folder of exports']];

export const about = [
  'Verifies exports offline: every record, duplicates, lost entries, unfinished runs. Prints one record per export, ' +
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

interface CheckOptions extends OutputOptions {
  readonly paths: readonly string[];
  readonly from: string | null;
  /** Milliseconds. */
  readonly maxAge: number | null;
}

/** Checks exports offline and prints one record per export. Exit 11: problems. */
export async function run(options: CheckOptions, context: Context): Promise<number> {
  const { paths, from, quiet } = options;
  if (paths.length === 0) throw usage('missing file or folder', 'name exports, or folders of exports');
  const stderr = new Stderr(context, options);
  const found = findExports(paths);
  const list =
    from === null ? null : await readReferences({ references: [], from }, 'channel or playlist', context);
  const { exports, absent } =
    list === null ? { ...found, absent: [] } : expectedExports(found.exports, list.inputs);
  const expectations = { now: context.clock.now(), maxAge: options.maxAge, isExpected: from !== null };
  const bad: CheckedExport[] = [];
  let checked = 0;

  async function* records(): AsyncGenerator<CheckedExport, void> {
    for (const each of exports) {
      const result = await checkExport(each, expectations, context.stop);
      if (result === null) continue;
      checked++;
      if (result.problem !== null) bad.push(result);
      if (result.problem !== null || !quiet) yield result;
    }
    const folder = paths.find((path) => existsSync(`${path}/.`)) ?? paths[0];
    for (const input of absent) {
      // Which file is that of a handle, only the records say: if some cannot be read, it may be there.
      if (input.id === null && found.failures.length > 0) continue;
      const { label, reference, id } = input;
      const fix = exportCommand(input, folder ?? '.');
      const problem = { code: 'absent', message: `${label} has not been exported`, fix } as const;
      const result = { ...unknownExport, reference, id, problem };
      checked++;
      bad.push(result);
      yield result;
    }
    // A folder that is not mounted looks empty.
    if (checked === 0 && found.failures.length === 0) throw nothingFound(paths);
  }

  const format = await printRecords(records(), {
    ...options,
    context,
    stderr,
    fields: Object.keys(unknownExport) as (keyof CheckedExport)[],
    columns: {
      file: ({ file }) => file ?? '-',
      reference: ({ reference }) => reference ?? '-',
      entries: ({ entries }) => entries ?? '-',
      checked: ({ checked: time }) => time?.slice(0, 16).replace('T', ' ') ?? '-',
      problem: ({ problem }) => problem?.code ?? '-',
    },
  });
  if (format === 'table') await new Stdout(context, stderr).write(problemLines(bad));
  for (const warning of found.warnings) stderr.warn(warning);
  for (const failure of found.failures) stderr.printFailure(failure);
  const problems = bad.length === 0 ? 'no problems found' : `${bad.length} with a problem`;
  if (checked > 0) stderr.note(`${count(checked, 'export', 'exports')} checked, ${problems}`);
  return gravest([found.failures.length > 0 ? 2 : 0, bad.length > 0 ? 11 : 0]);
}

/** Below a table: problems with one code in one line, with the fix of the first. */
function problemLines(bad: readonly CheckedExport[]): string {
  const lines = Object.keys(problemCodes).flatMap((code) => {
    const found = bad.filter(({ problem }) => problem?.code === code);
    const [first] = found;
    if (first?.problem == null) return [];
    const others = found.length > 1 ? ` (${count(found.length - 1, 'other', 'others')})` : '';
    const { message, fix } = first.problem;
    const line = `${code}: ${first.file ?? first.reference}${others}: ${message}`;
    return `${sanitize(`${line}${fix === null ? '' : `; fix: ${fix}`}`)}\n`;
  });
  return lines.length === 0 ? '' : `\n${lines.join('')}`;
}
