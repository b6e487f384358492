import { statSync } from 'node:fs';
import type { Command } from 'commander';
import type { CheckOptions } from '../cli/options.ts';
import type { Start } from '../cli/program.ts';
import type { Context } from '../context.ts';
import { gravest, usage } from '../errors.ts';
import { type CheckedExport, checkExport, checkFields, problemCodes } from '../export/check.ts';
import { exportCommand } from '../export/check-fix.ts';
import { expected, findExports, nothingFound } from '../export/find-exports.ts';
import { document } from '../help/document.ts';
import { printRecords } from '../output/print-records.ts';
import { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';
import { readReferences } from '../run/references.ts';
import { count } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';

/** Adds the argument and the help of `chanlist check`; its flags are in the table of flags. */
export function register(command: Command, start: Start): void {
  command.argument('[path...]', 'an export, or a folder of exports');
  document(
    command,
    [
      'Verifies exports offline: every record, duplicates, lost entries, unfinished runs. Prints one record per export, ' +
        'with -q only those with a problem, and the command that repairs it. Writes nothing.',
      'Exits with 11 if there are problems. It cannot know whether the service has more than was exported.',
    ],
    [
      ['check all exports of a folder', 'chanlist check lists'],
      [
        'report only problems, also checks older than 36 hours and references without an export',
        'chanlist check lists --from refs.txt --max-age 36h -q',
      ],
    ],
    { heading: 'Problems:', rows: Object.entries(problemCodes) },
  );
  command.action((paths: string[]) => start(run, { ...command.optsWithGlobals<CheckOptions>(), paths }));
}

/** Checks exports offline and prints one record per export. Exit 11: problems. */
export async function run(options: CheckOptions, context: Context): Promise<number> {
  const { paths, from, color, quiet } = options;
  if (paths.length === 0) throw usage('missing file or folder', 'name exports, or folders of exports');
  const stderr = new Stderr(context, options);
  const found = findExports(paths);
  const references =
    from === null
      ? []
      : (await readReferences({ references: [], from }, 'channel or playlist', context)).inputs;
  const { exports, absent } = from === null ? { ...found, absent: [] } : expected(found.exports, references);
  const settings = { now: context.clock.now(), maxAge: options.maxAge, isExpected: from !== null };
  const bad: CheckedExport[] = [];
  let checked = 0;

  async function* records(): AsyncGenerator<CheckedExport, void> {
    for (const each of exports) {
      context.stop.throwIfAborted();
      const result = await checkExport(each, settings);
      if (result === null) continue;
      checked++;
      if (result.problem !== null) bad.push(result);
      if (result.problem !== null || !quiet) yield result;
    }
    const folder =
      paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory()) ?? paths[0] ?? '.';
    for (const input of absent) {
      checked++;
      const problem = {
        code: 'absent',
        message: `${input.label} has not been exported`,
        fix: exportCommand(input, folder),
      } as const;
      const { reference, id } = input;
      const nothing = { entries: null, limit: null, missing: null, newest: null, checked: null };
      const result = { file: null, reference, id, ...nothing, problem };
      bad.push(result);
      yield result;
    }
    // A folder that is not mounted must not pass for one where all is well.
    if (checked === 0 && found.failures.length === 0) throw nothingFound(paths);
  }

  const format = await printRecords(records(), {
    ...options,
    color,
    context,
    stderr,
    fields: checkFields,
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
  for (const failure of found.failures) stderr.failure(failure);
  const summary = `${count(checked, 'export', 'exports')} checked`;
  stderr.note(
    bad.length === 0 ? `${summary}, no problems found` : `${summary}, ${bad.length} with a problem`,
  );
  return gravest([
    ...(found.failures.length > 0 ? [2 as const] : []),
    ...(bad.length > 0 ? [11 as const] : []),
  ]);
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
