import { realpathSync } from 'node:fs';
import type { Argument, Example, RunCommand, Terms } from '../cli/command-module.ts';
import { type CommonOptions, carriedFlagsOf, commandOf, repairAll } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, mostSevere, usage } from '../errors.ts';
import {
  type CheckedArchive,
  type CheckRow,
  checkArchive,
  checkFields,
  emptyRow,
  type FoundArchives,
  findArchives,
  hasFirstExport,
  problemCodes,
} from '../export/check-archive.ts';
import { isFolder } from '../fs/files.ts';
import { inputName } from '../fs/text-input.ts';
import { printRows, type RowOptions } from '../output/print-rows.ts';
import type { Stderr } from '../output/stderr.ts';
import { failureLines, firstNames, grouped, withNames } from '../run/ending.ts';
import { assertPaths } from '../run/named-files.ts';
import {
  assertSomeGoodLine,
  parseEither,
  type Reference,
  readReferences,
  uniqueReferences,
  validReferences,
} from '../run/read-references.ts';
import { badLineResults } from '../run/results.ts';
import { listingCommands } from '../service/contract.ts';
import { kindOfId } from '../service/parse-reference.ts';
import { type Command, commandText } from '../text/command.ts';
import { count } from '../text/count.ts';

export const args: readonly Argument[] = [['paths', '[path...]', 'an archive, or a folder of archives']];

export const about = [
  'Reads archives offline and changes nothing. Prints one record per archive (with -q only those with a problem), with ' +
    'the command that repairs it. Exits with 11 if there are problems.',
];

export const examples: readonly Example[] = [
  ['check all archives of a folder', 'chanlist check lists'],
  ['report only problems, absent and stale too', 'chanlist check lists --from refs.txt --max-age 36h -q'],
];

export const terms: Terms = { heading: 'Problems:', rows: Object.entries(problemCodes) };

type Row = CheckRow<Command>;
type BadRow = Row & { readonly problem: NonNullable<Row['problem']> };

interface CheckOptions extends CommonOptions {
  readonly paths: readonly string[];
  /** Milliseconds. */
  readonly maxAge: number | null;
}

export const run: RunCommand<CheckOptions> = async (options, streams) => {
  const { paths, from, quiet, maxAge } = options;
  const { context, stderr } = streams;
  if (paths.length === 0) throw usage('missing file or folder', 'give archives, or folders of archives');
  assertPaths({ files: paths, from }, context);
  if (from === '-') stderr.announceInput(context.stdin);
  const list = from === null ? [] : await readList(from, context);
  const places = paths.map(findArchives);
  const checked = await checkAll(places, maxAge, context);
  const unanswered = withoutArchive(uniqueReferences(validReferences(list)), checked);
  const isUnread = checked.some(({ references }) => references.length === 0);
  const isExporting = (await Promise.all(places.map(hasFirstExport))).includes(true);
  const isUnclear = unanswered.length > 0 && (isUnread || isExporting);
  const absent = isUnclear ? [] : unanswered;
  const listed = new Set(list.map(({ value }) => canonicalOf(value)));
  const archives = checked
    .filter(({ isWritten }) => !isWritten)
    .map((archive) => addListHint(archive, listed, from));
  const found = [...archives, ...absent.map((reference) => absentRow(reference, paths))];
  const rows = found.map((row) => withAccount(row, options));
  const bad = rows.filter((row): row is BadRow => row.problem !== null);
  const printed = (quiet ? bad : rows).map(printableRow);
  await printRows(printed, { ...columns, format: options.format }, streams).catch((error) => {
    // Report problems even if the reader closes the pipe before the last row.
    if (!(error instanceof ClosedPipe)) throw error;
  });
  if (isUnclear) printUnknown(unanswered, isUnread, stderr);
  printProblems(bad, options, stderr);
  const badLines = badLineResults(list);
  for (const failure of failureLines(badLines, null, options)) stderr.printFailure(failure);
  const problems = bad.length === 0 ? 'no problems found' : count(bad.length, 'problem', 'problems');
  stderr.note(`${count(archives.length, 'archive', 'archives')} checked, ${problems}${wholeText(archives)}`);
  return mostSevere([badLines.length > 0 ? 2 : 0, bad.length > 0 ? 11 : 0]);
};

/** How rows are printed: a table has only the code of a `problem`, a csv has three columns for it. */
const columns: Omit<RowOptions<CheckRow>, 'format'> = {
  fields: checkFields,
  tableRow: ({ file, problem, reference, entries, checked }) => {
    const day = checked?.slice(0, 10) ?? null;
    return { file, problem: problem?.code ?? null, reference, entries, checked: day };
  },
  csvColumns: checkFields.flatMap((name) =>
    name === 'problem' ? ['problem.code', 'problem.message', 'problem.fix'] : [name],
  ),
};

/** Reads the references of `--from`, including its bad lines. */
async function readList(from: string, context: Context): Promise<readonly Reference[]> {
  const kind = 'channel or playlist';
  const source = { references: [], from };
  const list = await readReferences(source, kind, context);
  assertSomeGoodLine(list, source, kind);
  return list;
}

/** Checks each archive once, even if several paths lead to it. */
async function checkAll(
  places: readonly FoundArchives[],
  maxAge: number | null,
  context: Context,
): Promise<readonly CheckedArchive[]> {
  const named = places.flatMap((place) => place.archives);
  const found = new Map(named.map((item) => [`${realpathSync(item.folder.path)}/${item.name}`, item]));
  const checked: CheckedArchive[] = [];
  for (const archive of found.values()) {
    const result = await checkArchive(archive, maxAge, context);
    if (result !== null) checked.push(result);
  }
  return checked;
}

/** Adds to a problem `stale` or `gone` that `--from` does not list the archive, so runs with that list do not update it. */
function addListHint(
  { row, references }: CheckedArchive,
  listed: ReadonlySet<string>,
  from: string | null,
): Row {
  const { problem } = row;
  // A playlist is updated by a command of its own.
  const isPlaylist = row.id !== null && kindOfId(row.id) === 'playlist';
  if (from === null || isPlaylist || (problem?.code !== 'stale' && problem?.code !== 'gone')) return row;
  if (references.some((reference) => listed.has(canonicalOf(reference)))) return row;
  const message = `${problem.message}; it is not in ${inputName(from)}: add it, or remove its file and record`;
  return { ...row, problem: { ...problem, message, fix: null } };
}

/** Selects the references that resolve to none of these archives. */
function withoutArchive(
  references: readonly Reference[],
  checked: readonly CheckedArchive[],
): readonly Reference[] {
  const answered = new Set(checked.flatMap((archive) => archive.references.map(canonicalOf)));
  return references.filter(({ value }) => !answered.has(canonicalOf(value)));
}

/** Says why it is not known whether references have an archive. `isUnread`: an archive or its record cannot be read. */
function printUnknown(references: readonly Reference[], isUnread: boolean, stderr: Stderr): void {
  const names = firstNames(references.map(({ given }) => given));
  const which = `${count(references.length, 'reference', 'references')}${names}`;
  const message = `could not find out for ${which} whether an archive exists`;
  if (isUnread)
    stderr.error(
      `${message}: an archive or its record cannot be read`,
      'repair that first, then check again',
    );
  else stderr.warn(`${message}: another run is making its first export`);
}

/** Prints a line for each kind of problem, the most severe first. Only the last kind that can be repaired gets the fix. */
function printProblems(bad: readonly BadRow[], options: CheckOptions, stderr: Stderr): void {
  const codes = Object.keys(problemCodes);
  const groups = grouped(bad, ({ problem }) => problem.code).sort(
    ([a], [b]) => codes.indexOf(a.problem.code) - codes.indexOf(b.problem.code),
  );
  const lastFixable = groups.findLast((group) => fixesOf(group).length > 0);
  for (const group of groups) {
    const names = group.map(({ file, reference }) => file ?? reference);
    const messages = group.map(({ problem }) => problem.message);
    const line = `${group[0].problem.code}: ${withNames(names, messages, 'archives')}`;
    const isOnlyFix = group.length === 1 && fixesOf(bad).length === 1;
    const repair = isOnlyFix ? ownFix(group[0]) : repairCommand(options);
    stderr.error(line, group === lastFixable ? repair : null);
  }
}

const fixesOf = (rows: readonly BadRow[]): readonly Command[] =>
  rows.flatMap(({ problem }) => problem.fix ?? []);

/** Says which archive has the oldest complete listing, or was never listed completely. */
function wholeText(archives: readonly Row[]): string {
  const known = archives.filter(({ entries }) => entries !== null);
  const [oldest] = known.sort((a, b) => (a.whole ?? '').localeCompare(b.whole ?? ''));
  if (oldest === undefined) return '';
  const file = known.length > 1 ? ` (${oldest.file})` : '';
  return `; oldest complete listing: ${oldest.whole?.slice(0, 10) ?? 'never'}${file}`;
}

/** Returns the text by which references are compared. A reference that cannot be parsed is compared as it is. */
function canonicalOf(reference: string): string {
  try {
    const { value } = parseEither(reference);
    return value.startsWith('@') ? value.toLowerCase() : value;
  } catch {
    return reference;
  }
}

function absentRow({ given, id, value }: Reference, [path = '', ...others]: readonly string[]): Row {
  const command = {
    program: `chanlist ${listingCommands[kindOfId(value)]}`,
    operands: [given ?? value],
    // An update also exports what does not exist.
    flags: [
      { name: '--output-dir', value: path },
      { name: '--update', value: null },
    ],
  };
  // With several paths, the folder in which to export it is unknown.
  const fix = others.length === 0 && isFolder(path) ? command : null;
  const problem = {
    code: 'absent',
    message: 'not exported, or the record was deleted',
    fix,
  } as const;
  return { ...emptyRow, reference: given, id, problem };
}

/** Adds the account flags of this command to the fix of a row, if the fix may spend credits. */
function withAccount(row: Row, options: CheckOptions): Row {
  const { problem } = row;
  if (problem === null || problem.fix === null) return row;
  const { program, flags = [] } = problem.fix;
  const isPaid = program.startsWith('chanlist') && !flags.some(({ name }) => name === '--sandbox');
  const account = isPaid ? carriedFlagsOf(options) : [];
  return { ...row, problem: { ...problem, fix: { ...problem.fix, flags: [...flags, ...account] } } };
}

const printableRow = ({ problem, ...row }: Row): CheckRow => ({
  ...row,
  problem: problem && { ...problem, fix: problem.fix && commandText(problem.fix) },
});

const ownFix = ({ problem: { fix } }: BadRow): Command | null => fix && { ...fix, purpose: 'fix' };

/** Returns the command that runs every fix; null if the list came from stdin, so that the command cannot be repeated. */
function repairCommand({ invocation, paths, from }: CheckOptions): Command | null {
  if (from === '-') return null;
  return repairAll(commandOf(invocation, 'fix', paths, ['--format', '--quiet', '--verbose']));
}
