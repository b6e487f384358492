import { realpathSync } from 'node:fs';
import type { Argument, Example, RunCommand, Terms } from '../cli/command.ts';
import { type CommonOptions, commandOf, repairAll } from '../cli/options.ts';
import { gravest, usage } from '../errors.ts';
import {
  type CheckRow,
  checkArchive,
  checkFields,
  emptyRow,
  findArchives,
  hasFirstExport,
  problemCodes,
} from '../export/check-archive.ts';
import { isFolder } from '../fs/files.ts';
import { printRecords } from '../output/print-records.ts';
import { failureLines, firstOf, grouped } from '../run/ending.ts';
import { assertPaths } from '../run/named-files.ts';
import {
  assertGoodLine,
  distinct,
  parseEither,
  type Reference,
  readReferences,
  valid,
} from '../run/read-references.ts';
import { badResults } from '../run/results.ts';
import { playlistId } from '../service/parse-reference.ts';
import { type Command, commandText } from '../text/command.ts';
import { count, thousands } from '../text/count.ts';

export const args: readonly Argument[] = [['paths', '[path...]', 'an archive, or a folder of archives']];

export const about = [
  'Reads archives offline and changes nothing. Prints one record per archive (with -q only those with a problem), with ' +
    'the command that repairs it. Exits with 11 if there are problems.',
];

export const examples: readonly Example[] = [
  ['check all archives of a folder', 'chanlist check lists'],
  [
    'report only problems, also missing and stale archives',
    'chanlist check lists --from refs.txt --max-age 36h -q',
  ],
];

export const terms: Terms = { heading: 'Problems:', rows: Object.entries(problemCodes) };

type BadRow = CheckRow<Command> & { readonly problem: NonNullable<CheckRow<Command>['problem']> };

interface CheckOptions extends CommonOptions {
  readonly paths: readonly string[];
  readonly from: string | null;
  readonly maxAge: number | null;
}

/** Checks archives offline and prints one record per archive. `maxAge`: milliseconds. Exit 11: problems. */
export const run: RunCommand<CheckOptions> = async (options, context, stderr) => {
  const { paths, from, quiet, maxAge } = options;
  if (paths.length === 0) throw usage('missing file or folder', 'give archives, or folders of archives');
  await assertPaths({ files: paths, from }, context);
  if (from === '-') stderr.announceInput(context.stdin);
  const kind = 'channel or playlist';
  const list = from === null ? [] : await readReferences({ references: [], from }, kind, context);
  assertGoodLine(list, { references: [], from }, kind);
  const expected = distinct(valid(list));
  const badLines = badResults(list);
  const places = paths.map(findArchives);
  // A path that is given twice is one archive.
  const all = places.flatMap(({ archives }) => archives);
  const found = new Map(all.map((each) => [`${realpathSync(each.folder.path)}/${each.name}`, each]));
  // Of several paths, a run over one folder may not repair all.
  const [path = '', ...others] = paths;
  const folder = others.length === 0 && isFolder(path) ? path : null;
  const bad: BadRow[] = [];
  const wholes: string[] = [];
  const warnings: string[] = [];
  let checked = 0;

  async function* rows(): AsyncGenerator<CheckRow, void> {
    const answered = new Set<string>();
    let isUnread = false;
    for (const each of found.values()) {
      const result = await checkArchive(each, maxAge, context);
      if (result === null) continue;
      const { row, references, isWritten } = result;
      isUnread ||= references.length === 0;
      for (const reference of references) answered.add(canonicalOf(reference));
      if (isWritten) continue;
      checked++;
      if (row.entries !== null) wholes.push(row.whole?.slice(0, 10) ?? '');
      if (row.problem !== null) bad.push({ ...row, problem: row.problem });
      if (row.problem !== null || !quiet) yield printed(row);
    }
    const absent = expected.filter(({ value }) => !answered.has(canonicalOf(value)));
    const isExporting = (await Promise.all(places.map(hasFirstExport))).includes(true);
    if (absent.length > 0 && (isUnread || isExporting)) {
      // Each may be what cannot be read, or what is exported now.
      const names = firstOf(absent.map(({ reference, value }) => reference ?? value));
      const which = `${count(absent.length, 'reference', 'references')}${names}`;
      const why = isUnread ? 'an archive or its record cannot be read' : 'another run makes a first export';
      warnings.push(`could not find out for ${which} whether an archive exists: ${why}`);
      return;
    }
    for (const reference of absent) {
      const row = absentRow(reference, folder);
      bad.push(row);
      yield printed(row);
    }
  }

  const columns = ['file', 'problem', 'reference', 'entries', 'checked'] as const;
  await printRecords(rows(), { ...options, context, stderr, fields: checkFields, columns });
  for (const warning of warnings) stderr.warn(warning);
  const codes = Object.keys(problemCodes);
  bad.sort((a, b) => codes.indexOf(a.problem.code) - codes.indexOf(b.problem.code));
  const groups = grouped(bad, ({ problem }) => problem.code);
  for (const group of groups) {
    const next = group === groups.at(-1) ? repairOf(bad, options) : null;
    stderr.error(problemLine(group[0].problem.code, group), next);
  }
  for (const failure of failureLines(badLines, null, options)) stderr.printFailure(failure);
  const problems = bad.length === 0 ? 'no problems found' : count(bad.length, 'problem', 'problems');
  const [oldest] = wholes.sort();
  const whole = oldest === undefined ? '' : `; the list read whole longest ago: ${oldest || 'never'}`;
  stderr.note(`${count(checked, 'archive', 'archives')} checked, ${problems}${whole}`);
  return gravest([badLines.length > 0 ? 2 : 0, bad.length > 0 ? 11 : 0]);
};

const printed = ({ problem, ...row }: CheckRow<Command>): CheckRow => ({
  ...row,
  problem: problem && { ...problem, fix: problem.fix && commandText(problem.fix) },
});

/** What references are compared by; one that cannot be parsed stands for itself. */
function canonicalOf(reference: string): string {
  try {
    const { value } = parseEither(reference);
    return value.startsWith('@') ? value.toLowerCase() : value;
  } catch {
    return reference;
  }
}

/** A reference without an archive. An update also exports what does not exist. */
function absentRow({ reference, id, value }: Reference, folder: string | null): BadRow {
  const fix =
    folder === null
      ? null
      : {
          program: playlistId.test(value) ? 'chanlist playlist' : 'chanlist uploads',
          operands: [reference ?? value],
          flags: [
            { name: '--output-dir', value: folder },
            { name: '--update', value: null },
          ],
        };
  return {
    ...emptyRow,
    reference,
    id,
    problem: { code: 'absent', message: 'it has not been exported', fix },
  };
}

/** Problems with one code in one line: how many, the first files and the first message. */
function problemLine(code: string, group: readonly [BadRow, ...BadRow[]]): string {
  const [{ problem }] = group;
  const names = group.map(({ file, reference }) => file ?? reference);
  const archives = group.length === 1 ? names[0] : `${thousands(group.length)} archives${firstOf(names)}`;
  const isSame = group.every((row) => row.problem.message === problem.message);
  return `${code}: ${archives}: ${isSame ? '' : `${names[0]}: `}${problem.message}`;
}

/** The command that repairs what can be repaired: the fix of a single problem, else a line that runs all. */
function repairOf(bad: readonly BadRow[], { invocation, paths, from }: CheckOptions): Command | null {
  const [fix] = bad.flatMap(({ problem }) => problem.fix ?? []);
  if (fix === undefined) return null;
  if (bad.length === 1) return { ...fix, purpose: 'fix' };
  // What was read from stdin is gone.
  if (from === '-') return null;
  const dropped = ['--format', '--quiet', '--verbose'];
  return repairAll(commandOf(invocation, 'fix', paths, dropped));
}
