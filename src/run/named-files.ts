import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { RunOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import { assertNotArchive, isArchiveName } from '../fs/archive-names.ts';
import {
  assertDistinctPaths,
  type NamedFile,
  resolveIfPossible,
  resolveTarget,
  type Target,
} from '../fs/output-target.ts';

type Named = 'output' | 'outputDir' | 'summary' | 'seen' | 'from' | 'keyFile';

interface NamedPaths extends Partial<Pick<RunOptions, Named>> {
  /** The inputs of `show` and `check`. */
  readonly files?: readonly string[];
}

function filesOf(
  { output, outputDir, summary, seen, files = [], from, keyFile }: NamedPaths,
  { env }: Pick<Context, 'env'>,
): readonly NamedFile[] {
  const envKeyFile = keyFile || env.CHANLIST_API_KEY ? null : env.CHANLIST_API_KEY_FILE;
  const rows: readonly (readonly [NamedFile['kind'], flag: string, path: string | null | undefined])[] = [
    ['output', '--output', output],
    ['output', '--output-dir', outputDir],
    ['output', '--summary', summary],
    ['output', '--seen', seen],
    ...files.map((path) => ['input', 'FILE', path] as const),
    ['input', '--from', from],
    ['key', '--key-file', keyFile],
    ['key', 'CHANLIST_API_KEY_FILE', envKeyFile],
  ];
  return rows.flatMap(([kind, flag, path]) => (path ? [{ flag, path, kind }] : []));
}

/** Throws a usage error for a file that would overwrite an archive of `--output-dir`. */
function assertNotExport(flag: string, path: string, outputDir: string | null | undefined): void {
  if (!outputDir) return;
  const { real } = resolveIfPossible(path);
  if (isArchiveName(basename(real)) && dirname(real) === resolveIfPossible(outputDir).real)
    throw usage(`${flag} ${path} would overwrite an archive of --output-dir`, 'choose another file name');
}

/** Throws a usage error if an output is the same file as another output or an input, or is inside a private folder. */
export function assertPaths(options: NamedPaths, context: Pick<Context, 'env'>): void {
  const files = filesOf(options, context);
  assertDistinctPaths(files);
  for (const { flag, path } of files) assertNotExport(flag, path, options.outputDir);
  // Refuses a folder or a device before anything is sent, and in a dry run.
  if (options.seen) resolveTarget(options.seen);
}

/** Resolves the file of `-o`; null for stdout. Throws a usage error if the file cannot be written, or is named twice. */
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
  assertDistinctPaths([file]);
  for (const other of filesOf(options, context))
    if (other.flag !== file.flag) assertDistinctPaths([file, other]);
  assertNotExport(file.flag, summary, outputDir);
  // A summary that cannot be created is reported when the run begins.
  if (existsSync(summary)) assertNotArchive(resolveTarget(summary));
}
