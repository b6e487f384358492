import { existsSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { Argument, Example, RunCommand, Terms } from '../cli/command.ts';
import { type CommonOptions, commandLine, type Flag } from '../cli/options.ts';
import { type Failure, gravest, toFailure, usage } from '../errors.ts';
import {
  type CheckRow,
  checkArchive,
  checkFields,
  type FoundArchive,
  findArchives,
  problemCodes,
} from '../export/check-archive.ts';
import { isLocked } from '../fs/file-lock.ts';
import { assertPaths, printRecords } from '../run/output.ts';
import { distinct, parseEither, type Reference, readReferences } from '../run/read-references.ts';
import { firstOf, maxNames } from '../run/report-lines.ts';
import { playlistId } from '../service/parse-reference.ts';
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

type BadRow = CheckRow & { readonly problem: NonNullable<CheckRow['problem']> };

/** Checks archives offline and prints one record per archive. `maxAge`: milliseconds. Exit 11: problems. */
export const run: RunCommand<
  CommonOptions & {
    readonly paths: readonly string[];
    readonly from: string | null;
    readonly maxAge: number | null;
  }
> = async (options, context, stderr) => {
  const { paths, from, quiet, maxAge, invocation } = options;
  if (paths.length === 0) throw usage('missing file or folder', 'name archives, or folders of archives');
  await assertPaths({ files: paths, from }, context);
  const expected =
    from === null
      ? []
      : distinct(await readReferences({ references: [], from }, 'channel or playlist', context));
  const found = new Map<string, FoundArchive>();
  for (const path of paths)
    for (const each of findArchives(path)) found.set(`${realpathSync(each.folder.path)}/${each.name}`, each);
  // Of several paths, a run over one folder may not repair all.
  const [path = '', ...others] = paths;
  const folder = others.length === 0 && existsSync(`${path}/.`) ? path : null;
  const listed = new Set(expected.map(({ value }) => canonicalOf(value)));
  const bad: BadRow[] = [];
  const failures: Failure[] = [];
  let checked = 0;

  async function* rows(): AsyncGenerator<CheckRow, void> {
    const seen = new Set<string>();
    for (const each of found.values()) {
      try {
        const row = await checkArchive(each, maxAge, context);
        for (const reference of [row.id, row.reference])
          if (reference !== null) seen.add(canonicalOf(reference));
        // What another run is writing is passed over.
        if (await isLocked(each.folder, each.name)) continue;
        checked++;
        if (row.problem !== null) bad.push({ ...row, problem: row.problem });
        if (row.problem !== null || !quiet) yield row;
      } catch (error) {
        context.stop.throwIfAborted();
        failures.push(toFailure(error));
      }
    }
    for (const input of expected) {
      // An archive that cannot be read may be the one of this reference.
      if (seen.has(canonicalOf(input.value)) || failures.length > 0) continue;
      const row = absentRow(input, folder);
      bad.push(row);
      yield row;
    }
  }

  const json = { name: '--json', value: null };
  const commandForAll = commandLine(invocation, paths, { drop: ['--format', '--quiet'], add: [json] });
  const columns = ['file', 'problem', 'reference', 'entries', 'checked'] as const;
  await printRecords(rows(), { ...options, context, stderr, fields: checkFields, columns });
  for (const [message, ...fix] of problemLines(bad, from, folder, listed, commandForAll))
    stderr.error(message, ...fix);
  for (const failure of failures) stderr.printFailure(failure);
  const problems = bad.length === 0 ? 'no problems found' : count(bad.length, 'problem', 'problems');
  stderr.note(`${count(checked, 'archive', 'archives')} checked, ${problems}`);
  return gravest([...failures.map(({ exit }) => exit), bad.length > 0 ? 11 : 0]);
};

/** What references are compared by; one that cannot be parsed stands for itself. */
function canonicalOf(reference: string): string {
  try {
    const { value } = parseEither(reference);
    return value.startsWith('@') ? value.toLowerCase() : value;
  } catch {
    return reference;
  }
}

/** A reference without an archive. */
function absentRow({ reference, id, value }: Reference, folder: string | null): BadRow {
  const fix = folder && commandOver(value, folder, [reference ?? value]);
  const problem = { code: 'absent', message: 'it has not been exported', fix } as const;
  return { file: null, reference, id, entries: null, missing: null, newest: null, checked: null, problem };
}

/** Problems with one code in one line: how many, the first files, the first message, and the fix. */
function problemLines(
  bad: readonly BadRow[],
  from: string | null,
  folder: string | null,
  listed: ReadonlySet<string>,
  commandForAll: string,
): [message: string, ...fix: string[]][] {
  return Object.keys(problemCodes).flatMap((code) => {
    const group = bad.filter(({ problem }) => problem.code === code);
    const [first] = group;
    if (first === undefined) return [];
    const names = group.map(({ file, reference }) => file ?? reference);
    const archives = group.length === 1 ? names[0] : `${thousands(group.length)} archives${firstOf(names)}`;
    const { message } = first.problem;
    const all = group.length === 1 ? null : groupFix(group, from, folder, listed);
    const fixes = all ? [all] : group.slice(0, maxNames).flatMap(({ problem }) => problem.fix ?? []);
    if (fixes[0] !== undefined) fixes[0] = `fix: ${fixes[0]}`;
    // What was read from stdin is gone.
    if (fixes.length === maxNames && group.length > maxNames && from !== '-') fixes.push(commandForAll);
    const said = group.every(({ problem }) => problem.message === message)
      ? message
      : `${names[0]}: ${message}`;
    return [[`${code}: ${archives}: ${said}`, ...fixes]];
  });
}

/** The run over list and folder that repairs all of these; null if none does. */
function groupFix(
  group: readonly BadRow[],
  from: string | null,
  folder: string | null,
  listed: ReadonlySet<string>,
): string | null {
  const isListed = group.every(
    ({ file, id, reference }) =>
      (file === null || basename(file) === `${id}.ndjson`) &&
      [id, reference].some((each) => each !== null && listed.has(canonicalOf(each))),
  );
  const isCheap = ['absent', 'interrupted', 'stale'].includes(group[0]?.problem.code ?? '');
  const id = group[0]?.id ?? group[0]?.reference;
  const isOneKind = [...listed].every((each) => playlistId.test(each) === playlistId.test(id ?? ''));
  if (!isListed || !isCheap || !isOneKind || !id || from === null || from === '-' || folder === null)
    return null;
  if (group[0]?.problem.code === 'stale' && playlistId.test(id)) return null;
  return commandOver(id, folder, [], [{ name: '--from', value: from }]);
}

/** A run over a folder: an update also exports what is not there, and takes a FILE without a record as an archive. */
function commandOver(
  reference: string,
  folder: string,
  references: readonly string[],
  flags: readonly Flag[] = [],
): string {
  const isPlaylist = playlistId.test(reference);
  const all = [...flags, { name: '--output-dir', value: folder }];
  if (!isPlaylist) all.push({ name: '--update', value: null });
  return commandLine({ name: isPlaylist ? 'playlist' : 'uploads', flags: all }, references);
}
