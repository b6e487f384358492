import { existsSync, realpathSync } from 'node:fs';
import type { Argument, Example, RunCommand, Terms } from '../cli/command.ts';
import { type CommonOptions, commandOf } from '../cli/options.ts';
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
import { firstOf, grouped } from '../run/report-lines.ts';
import { playlistId } from '../service/parse-reference.ts';
import { commandText } from '../text/command.ts';
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

  const columns = ['file', 'problem', 'reference', 'entries', 'checked'] as const;
  await printRecords(rows(), { ...options, context, stderr, fields: checkFields, columns });
  const groups = Object.keys(problemCodes).flatMap((code) =>
    grouped(
      bad.filter(({ problem }) => problem.code === code),
      () => code,
    ),
  );
  for (const group of groups) {
    const next = group === groups.at(-1) ? repairOf(bad, options) : null;
    stderr.error(problemLine(group[0].problem.code, group), next);
  }
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

/** A reference without an archive. An update also exports what does not exist. */
function absentRow({ reference, id, value }: Reference, folder: string | null): BadRow {
  const isPlaylist = playlistId.test(value);
  const fix = folder && {
    program: `chanlist ${isPlaylist ? 'playlist' : 'uploads'}`,
    operands: [reference ?? value],
    flags: [
      { name: '--output-dir', value: folder },
      { name: '--update', value: null },
    ],
  };
  const problem = {
    code: 'absent',
    message: 'it has not been exported',
    fix: fix && commandText(fix),
  } as const;
  return { file: null, reference, id, entries: null, missing: null, newest: null, checked: null, problem };
}

/** Problems with one code in one line: how many, the first files and the first message. */
function problemLine(code: string, group: readonly [BadRow, ...BadRow[]]): string {
  const [{ problem }] = group;
  const names = group.map(({ file, reference }) => file ?? reference);
  const archives = group.length === 1 ? names[0] : `${thousands(group.length)} archives${firstOf(names)}`;
  const isSame = group.every((row) => row.problem.message === problem.message);
  return `${code}: ${archives}: ${isSame ? '' : `${names[0]}: `}${problem.message}`;
}

/** The step that repairs what can be repaired: the fix of a single problem, else a line that runs all. */
function repairOf(bad: readonly BadRow[], { invocation, paths, from }: CheckOptions): string | null {
  const fixes = bad.flatMap(({ problem }) => problem.fix ?? []);
  if (bad.length === 1 || fixes.length === 0) return fixes.map((fix) => `fix: ${fix}`)[0] ?? null;
  // What was read from stdin is gone.
  if (from === '-') return null;
  const add = [{ name: '--json', value: null }];
  const check = commandOf(invocation, paths, { drop: ['--format', '--quiet', '--verbose'], add });
  return `fix: ${commandText(check)} | jq -r '.[].problem.fix // empty' | sh`;
}
