import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { CommonOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import type { NamedFile, Target } from '../fs/output-target.ts';
import { exportName } from '../output/formats.ts';

interface NamedPaths extends Partial<Pick<CommonOptions, 'output' | 'summary' | 'keyFile'>> {
  readonly from?: string | null | undefined;
  readonly seen?: string | null;
  readonly outputDir?: string | null;
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
  const named = (flag: string, path: string | null | undefined, kind: NamedFile['kind']): NamedFile[] =>
    path ? [{ flag, path, kind }] : [];
  return [
    ...exports.flatMap((path) => named('the export', path, 'output')),
    ...named('--output', output, 'output'),
    ...named('--output-dir', outputDir, 'output'),
    ...named('--summary', summary, 'output'),
    ...named('--seen', seen, 'output'),
    ...files.flatMap((file) => named('FILE', file, 'input')),
    ...named('--from', from, 'input'),
    ...named('--key-file', keyFile, 'key'),
    ...named('CHANLIST_API_KEY_FILE', envKeyFile, 'key'),
  ];
}

/** Throws a usage error if an output of a command is another one or an input, or is in a private folder. */
export async function assertPaths(options: NamedPaths, context: Pick<Context, 'env'>): Promise<void> {
  const files = filesOf(options, context);
  if (files.length === 0) return;
  const { assertDistinctPaths, resolveTarget } = await import('../fs/output-target.ts');
  assertDistinctPaths(files);
  // Refuses a folder or a device before anything is sent, and in a dry run.
  if (options.seen) resolveTarget(options.seen);
}

/** What `-o` names; null: stdout. Throws usage errors as `assertPaths` and `resolveTarget`. */
export async function outputTarget(
  options: NamedPaths & Pick<CommonOptions, 'output'>,
  context: Context,
): Promise<Target | null> {
  await assertPaths(options, context);
  if (options.output === null) return null;
  const { resolveTarget } = await import('../fs/output-target.ts');
  return resolveTarget(options.output);
}

/** Throws a usage error if `--summary` would replace another file of the command, or an archive. */
export async function assertSummaryFile(options: NamedPaths, context: Pick<Context, 'env'>): Promise<void> {
  const { summary, outputDir } = options;
  if (!summary) return;
  const { assertDistinctPaths, resolveTarget } = await import('../fs/output-target.ts');
  const files = filesOf(options, context);
  const file: NamedFile = { flag: '--summary', path: summary, kind: 'output' };
  for (const other of files) if (other.flag !== file.flag) assertDistinctPaths([file, other]);
  if (outputDir && exportName.test(basename(summary)) && resolve(outputDir) === resolve(dirname(summary)))
    throw usage(`--summary ${summary} has the name of an archive`, 'choose another file name');
  // A summary that cannot be created is reported when the run begins.
  if (!existsSync(summary)) return;
  const { assertNotArchive } = await import('../fs/private-folder.ts');
  assertNotArchive(resolveTarget(summary));
}
