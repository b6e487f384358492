import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { RunOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import { assertDistinctPaths, type NamedFile, resolveTarget, type Target } from '../fs/output-target.ts';
import { assertNotArchive } from '../fs/private-folder.ts';
import { exportName } from '../output/formats.ts';

type Named = 'output' | 'outputDir' | 'summary' | 'seen' | 'from' | 'keyFile';

interface NamedPaths extends Partial<Pick<RunOptions, Named>> {
  /** Files of `--output-dir`, once they are known. */
  readonly exports?: readonly string[];
  /** Of `show` and `check`. */
  readonly files?: readonly string[];
}

function filesOf(
  { exports = [], output, outputDir, summary, seen, files = [], from, keyFile }: NamedPaths,
  { env }: Pick<Context, 'env'>,
): readonly NamedFile[] {
  const envKeyFile = keyFile || env.CHANLIST_API_KEY ? null : env.CHANLIST_API_KEY_FILE;
  const named: readonly (readonly [
    flag: string,
    kind: NamedFile['kind'],
    path: string | null | undefined,
  ])[] = [
    ...exports.map((path) => ['the export', 'output', path] as const),
    ['--output', 'output', output],
    ['--output-dir', 'output', outputDir],
    ['--summary', 'output', summary],
    ['--seen', 'output', seen],
    ...files.map((path) => ['FILE', 'input', path] as const),
    ['--from', 'input', from],
    ['--key-file', 'key', keyFile],
    ['CHANLIST_API_KEY_FILE', 'key', envKeyFile],
  ];
  return named.flatMap(([flag, kind, path]) => (path ? [{ flag, kind, path }] : []));
}

/** Throws a usage error if an output of a command is another one or an input, or is in a private folder. */
export function assertPaths(options: NamedPaths, context: Pick<Context, 'env'>): void {
  assertDistinctPaths(filesOf(options, context));
  // Refuses a folder or a device before anything is sent, and in a dry run.
  if (options.seen) resolveTarget(options.seen);
}

/** What `-o` names; null: stdout. Throws usage errors as `assertPaths` and `resolveTarget`. */
export function outputTarget(
  options: NamedPaths & Pick<RunOptions, 'output'>,
  context: Pick<Context, 'env'>,
): Target | null {
  assertPaths(options, context);
  return options.output === null ? null : resolveTarget(options.output);
}

/** Throws a usage error if `--summary` would replace another file of the command, or an archive. */
export function assertSummaryFile(options: NamedPaths, context: Pick<Context, 'env'>): void {
  const { summary, outputDir } = options;
  if (!summary) return;
  const file: NamedFile = { flag: '--summary', path: summary, kind: 'output' };
  for (const other of filesOf(options, context))
    if (other.flag !== file.flag) assertDistinctPaths([file, other]);
  if (outputDir && exportName.test(basename(summary)) && resolve(outputDir) === resolve(dirname(summary)))
    throw usage(`--summary ${summary} has the name of an archive`, 'choose another file name');
  // A summary that cannot be created is reported when the run begins.
  if (existsSync(summary)) assertNotArchive(resolveTarget(summary));
}
