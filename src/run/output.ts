import { basename, dirname, resolve } from 'node:path';
import type { CommonOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import type { Target } from '../fs/output-target.ts';
import { exportName } from '../output/formats.ts';
import { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';

/** What `-o` names; null: stdout. Throws usage errors as `resolveTarget`. */
export async function outputTarget({ output }: Pick<CommonOptions, 'output'>): Promise<Target | null> {
  if (output === null) return null;
  const { resolveTarget } = await import('../fs/output-target.ts');
  return resolveTarget(output);
}

/** stdout, or the device or pipe that an output names. */
export async function openOutput(
  target: Target | null,
  context: Context,
  verbosity: Pick<CommonOptions, 'quiet' | 'verbose'>,
  stderr: Stderr = new Stderr(context, verbosity),
): Promise<Stdout> {
  if (target === null) return new Stdout(context, stderr);
  const { openStream } = await import('../fs/open-stream.ts');
  return new Stdout(context, stderr, await openStream(target, context.stop));
}

/** The flags that name files. */
interface NamedPaths extends Pick<CommonOptions, 'output' | 'summary' | 'keyFile'> {
  readonly from?: string | null;
  readonly seen?: string | null;
  readonly outputDir?: string | null;
}

/**
 * Throws a usage error if two flags of a run name the same file, if one names a file in a private folder, or if the
 * report would replace an export.
 */
export async function checkPaths(options: NamedPaths, { env }: Pick<Context, 'env'>): Promise<void> {
  const { output, outputDir, summary, from, seen, keyFile } = options;
  const outputs: (readonly [string, string | null | undefined])[] = [
    ['--output', output],
    ['--output-dir', outputDir],
    ['--summary', summary],
    ['--seen', seen],
  ];
  const inputs: typeof outputs = [
    ['--from', from],
    ['--key-file', keyFile],
    ['CHANLIST_API_KEY_FILE', keyFile || env.CHANLIST_API_KEY ? null : env.CHANLIST_API_KEY_FILE],
  ];
  if ([...outputs, ...inputs].every(([, path]) => !path)) return;
  const { assertDistinctPaths } = await import('../fs/distinct-paths.ts');
  const named = (list: typeof outputs, isOutput: boolean) =>
    list.flatMap(([flag, path]) => (path ? [{ flag, path, isOutput }] : []));
  assertDistinctPaths([...named(outputs, true), ...named(inputs, false)]);
  if (!summary) return;
  const { refuseRecorded } = await import('../fs/private-folder.ts');
  refuseRecorded({ path: summary, real: resolve(summary) });
  if (outputDir && dirname(resolve(summary)) === resolve(outputDir) && exportName.test(basename(summary)))
    throw usage(`--summary ${summary} has the name of an export`, 'name another file');
}
