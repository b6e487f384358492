import { basename, dirname } from 'node:path';
import { type CommonOptions, effectiveFormat, type OutputOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import type { Target } from '../fs/output-target.ts';
import { parseFields } from '../output/fields.ts';
import type { Format, RecordShape } from '../output/format.ts';
import { createFormat, exportName } from '../output/formats.ts';
import type { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';
import { decideTerminal } from '../output/terminal.ts';

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

/** stdout, or the device or pipe that an output names. */
export async function openOutput(target: Target | null, context: Context, stderr: Stderr): Promise<Stdout> {
  if (target === null) return new Stdout(context, stderr);
  const { openStream } = await import('../fs/output-target.ts');
  return new Stdout(context, stderr, await openStream(target, context.stop));
}

/** The format of the output. `several`: json has the form for several references. Throws usage errors. */
export async function outputFormat(
  operation: RecordShape,
  options: OutputOptions,
  { stdout, env }: Pick<Context, 'stdout' | 'env'>,
  several: boolean,
): Promise<{ readonly format: Format; readonly isTerminalTable: boolean }> {
  const terminal = options.output === null ? decideTerminal(stdout, env, options.color) : null;
  const name = effectiveFormat(options, terminal !== null);
  const fields = parseFields(options.fields, operation);
  const format = await createFormat(name, { operation, fields, several, terminal });
  return { format, isTerminalTable: terminal !== null && name === 'table' };
}

interface NamedPaths extends Partial<Pick<CommonOptions, 'output' | 'summary' | 'keyFile'>> {
  readonly from?: string | null | undefined;
  readonly seen?: string | null;
  readonly outputDir?: string | null;
  /** Of `show`. */
  readonly files?: readonly string[];
}

/**
 * Throws a usage error if an output of a run is another one or an input, if one names a file in a private folder, or if
 * `--summary` would replace an export. `exports`: the files of `--output-dir` or `-o`, once they are known.
 */
export async function assertPaths(
  options: NamedPaths,
  { env }: Pick<Context, 'env'>,
  exports: readonly Target[] = [],
): Promise<void> {
  const { output, outputDir, summary, from, seen, keyFile, files: shown = [] } = options;
  const envKeyFile = keyFile || env.CHANLIST_API_KEY ? null : env.CHANLIST_API_KEY_FILE;
  const named = (flag: string, path: string | null | undefined, isOutput: boolean) =>
    path ? [{ flag, path, isOutput }] : [];
  const files = [
    ...exports.map((target) => ({ flag: 'the export', path: target.path, isOutput: true, target })),
    ...named('--output', output, true),
    ...named('--output-dir', outputDir, true),
    ...named('--summary', summary, true),
    ...named('--seen', seen, true),
    ...shown.flatMap((file) => named('FILE', file, false)),
    ...named('--from', from, false),
    ...named('--key-file', keyFile, false),
    ...named('CHANLIST_API_KEY_FILE', envKeyFile, false),
  ];
  if (files.length === 0) return;
  const { assertDistinctPaths, locate } = await import('../fs/output-target.ts');
  assertDistinctPaths(files);
  if (!summary) return;
  const { assertNotRecorded } = await import('../fs/private-folder.ts');
  const { real } = locate(summary, true);
  assertNotRecorded({ path: summary, real });
  if (outputDir && dirname(real) === locate(outputDir, true).real && exportName.test(basename(real)))
    throw usage(`--summary ${summary} has the name of an export`, 'name another file');
}
