import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type CommonOptions, effectiveFormat } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import type { NamedFile, Target } from '../fs/output-target.ts';
import { parseFields } from '../output/fields.ts';
import type { Format, Text } from '../output/format.ts';
import { createFormat, exportName } from '../output/formats.ts';
import { decideTerminal } from '../output/terminal.ts';
import type { Reference } from './read-references.ts';
import { type Result, unreachedResult } from './results.ts';
import type { Run } from './run.ts';

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

/** The format of the output. */
export async function outputFormat({
  operation,
  options,
  context: { stdout, env },
}: Run): Promise<{ readonly format: Format; readonly isTerminalTable: boolean }> {
  const terminal = options.output === null ? decideTerminal(stdout, env, options.color) : null;
  const name = effectiveFormat(options, terminal !== null);
  const fields = parseFields(options.fields, operation);
  const several = options.references.length > 1 || options.from != null;
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
 * Throws a usage error if an output of a run is another one or an input, or is in a private folder; and if `--summary` would
 * replace an archive. `exports`: the files of `--output-dir`, once they are known.
 */
export async function assertPaths(
  options: NamedPaths,
  { env }: Pick<Context, 'env'>,
  exports: readonly string[] = [],
): Promise<void> {
  const { output, outputDir, summary, from, seen, keyFile, files: shown = [] } = options;
  const envKeyFile = keyFile || env.CHANLIST_API_KEY ? null : env.CHANLIST_API_KEY_FILE;
  const named = (flag: string, path: string | null | undefined, isOutput: boolean): NamedFile[] =>
    path ? [{ flag, path, isOutput }] : [];
  const files = [
    ...exports.flatMap((path) => named('the export', path, true)),
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
  const { assertDistinctPaths, resolveTarget } = await import('../fs/output-target.ts');
  assertDistinctPaths(files);
  // One that cannot be created is reported when the run begins.
  if (!summary || !existsSync(summary)) return;
  // Which files a folder gets is known only after the first summary.
  if (outputDir && existsSync(outputDir) && realpathSync(outputDir) === realpathSync(dirname(summary)))
    if (exportName.test(basename(summary)))
      throw usage(`--summary ${summary} has the name of an archive`, 'name another file');
  const { assertNotArchive } = await import('../fs/private-folder.ts');
  assertNotArchive(resolveTarget(summary));
}

/** Prints references one after another; each has its place in a json document, however the run ends. */
export async function printAll(
  run: Run,
  format: Format,
  write: (text: Text) => Promise<void>,
  print: (reference: Reference) => Promise<Result>,
): Promise<readonly Result[]> {
  const { references } = run;
  const results: Result[] = [];
  try {
    for (const reference of references) {
      results.push(await print(reference));
      if (run.hasReaderLeft) break;
    }
    if (!run.hasReaderLeft) await write(format.tail());
  } catch (error) {
    run.endAt(error);
  }
  for (const warning of format.warnings()) run.warn('format', null, warning);
  return [
    ...results,
    ...references.slice(results.length).map((reference) => unreachedResult(reference, run.stopped)),
  ];
}
