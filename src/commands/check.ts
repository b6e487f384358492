import { statSync } from 'node:fs';
import type { Command } from 'commander';
import type { Start } from '../cli/commands.ts';
import { effectiveFormat, readFlags, type SharedOptions, sharedOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { Failure, usage } from '../errors.ts';
import type { CheckedExport } from '../export/check.ts';
import { problemCodes } from '../export/problem-codes.ts';
import { document } from '../help/document.ts';
import { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';
import { decideTerminal } from '../output/terminal.ts';
import { count } from '../text/count.ts';
import { jsonLine } from './auth/json.ts';

export interface CheckOptions {
  readonly shared: SharedOptions;
  /** Exports, and folders of exports. */
  readonly paths: readonly string[];
  /** `--from`: the list of expected references; `-` for stdin. */
  readonly from: string | null;
  /** Milliseconds. */
  readonly maxAge: number | null;
}

/** Adds the argument and the help of `chanlist check`; its flags are in the table of flags. */
export function register(command: Command, start: Start): void {
  command.argument('[path...]', 'an export, or a folder of exports');
  document(
    command,
    [
      'Checks exports against the memory of their folder: every record, IDs and channels, size and digest, leftovers of ' +
        'interrupted runs, the last successful look, failed runs. Prints one line per export, with the fix of ' +
        'each problem and about how many credits it costs; with -q only the exports with problems. Free and offline: ' +
        'it needs no account and writes nothing.',
      'Exits with 11 if there are problems. It cannot know whether the service has more than was exported.',
    ],
    [
      ['check all exports of a folder', 'chanlist check lists'],
      [
        'report only problems, also looks older than 36 hours and references without an export',
        'chanlist check lists --from refs.txt --max-age 36h -q',
      ],
    ],
    { heading: 'Problems:', rows: Object.entries(problemCodes) },
  );
  command.action((paths: string[]) => {
    const { checkFrom: from, maxAge } = readFlags(command, ['checkFrom', 'maxAge']);
    start(run, { shared: sharedOptions(command), paths, from, maxAge });
  });
}

/** Checks exports offline and prints one line per export (product contract, "chanlist check"). Exit 11: problems. */
export async function run({ shared, paths, from, maxAge }: CheckOptions, context: Context): Promise<number> {
  if (paths.length === 0) throw usage('no file or folder is given', 'name exports, or folders of exports');
  const { checkExport, findExports } = await import('../export/check.ts');
  const { looksInVain, matchExpected, readExpected } = await import('../export/check-expected.ts');
  const { keepHeapFlat } = await import('../run/flat-heap.ts');
  const { firstOf, shortNames } = await import('../run/reports.ts');
  await keepHeapFlat();
  const stderr = new Stderr(context.stderr, shared);
  const stdout = new Stdout(context, stderr);
  const expected = from === null ? [] : await readExpected(from, context);
  const { exports, problems } = await findExports(paths);
  if (problems.length > 0) stderr.warn(`${firstOf(problems)}; the files are checked without it`);
  // Exports that are missing belong to the first folder.
  const folder = paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory()) ?? null;
  const { matches, absent } = await matchExpected(expected, exports, folder);
  const total = exports.length + absent.length;
  // A folder that is not mounted must not pass for one where all is well.
  if (total === 0)
    throw usage(
      `there are no exports in ${paths.join(', ')}`,
      'check the path, and whether the folder is mounted; --from FILE reports what was never exported',
    );
  const terminal = decideTerminal(context.stdout, context.env, !shared.color);
  const format = effectiveFormat({ format: shared.format, output: null }, terminal !== null);
  const kept: CheckedExport[] = [];
  const vain: string[] = [];
  let withProblems = 0;
  const print = async (checked: CheckedExport): Promise<void> => {
    if (checked.problems.length > 0) withProblems++;
    else if (shared.quiet) return;
    if (format === 'ndjson') await stdout.write(jsonLine(checked));
    else kept.push(checked);
  };
  const now = context.clock.now();
  for (const found of exports) {
    context.stop.throwIfAborted();
    await print(await checkExport(found, matches.get(found) ?? null, { now, maxAge }));
    if (looksInVain(found, now)) vain.push(found.file);
  }
  for (const each of absent) await print(each);
  if (format === 'json') await stdout.write(jsonLine(kept));
  else if (format === 'table') {
    const { checkTable } = await import('./check/table.ts');
    await stdout.write(await checkTable(kept, terminal, now));
  }
  if (vain.length > 0)
    stderr.warn(
      `the feeds of ${count(vain.length, 'export', 'exports')} often have IDs that the list never holds; looking for each ID costs up to 5 credits: ${shortNames(vain)}`,
    );
  if (withProblems > 0)
    throw new Failure(
      'problems',
      `${withProblems} of ${count(total, 'export', 'exports')} ${withProblems === 1 ? 'has' : 'have'} problems`,
    );
  stderr.note(`${count(total, 'export', 'exports')} checked, no problems found`);
  return 0;
}
