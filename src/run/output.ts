import { basename, dirname, resolve } from 'node:path';
import { type CommonOptions, effectiveFormat, type OutputOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import type { NamedFile, Target } from '../fs/output-target.ts';
import { parseFields } from '../output/fields.ts';
import { type Format, joined, type RecordShape, type Terminal, type Text } from '../output/format.ts';
import { createFormat, exportName, type FormatName } from '../output/formats.ts';
import { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';
import { decideTerminal } from '../output/terminal.ts';

/** What `-o` names; null: stdout. Throws usage errors as `checkPaths` and `resolveTarget`. */
export async function outputTarget(
  options: NamedPaths & Pick<CommonOptions, 'output'>,
  context: Context,
): Promise<Target | null> {
  await checkPaths(options, context);
  if (options.output === null) return null;
  const { resolveTarget } = await import('../fs/output-target.ts');
  return resolveTarget(options.output);
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

/** The format that the options choose for an output. */
export interface OutputFormat {
  readonly name: FormatName;
  readonly format: Format;
  /** Of stdout, if that is the output, and a terminal. */
  readonly terminal: Terminal | null;
}

/** The format of the output. `several`: json has the form for several references. Throws usage errors. */
export async function outputFormat(
  operation: RecordShape,
  options: OutputOptions,
  { stdout, env }: Pick<Context, 'stdout' | 'env'>,
  several: boolean,
): Promise<OutputFormat> {
  const terminal = options.output === null ? decideTerminal(stdout, env, options.color) : null;
  const name = effectiveFormat(options, terminal !== null);
  const fields = parseFields(options.fields, operation);
  return { name, terminal, format: await createFormat(name, { operation, fields, several, terminal }) };
}

/** Where the text of a document goes. */
export interface TextSink {
  write(text: Text): void | Promise<void>;
  /** Notices a reader that has left, before the next page is fetched. */
  writePage?(text: Text): Promise<void>;
}

/** The one document that a run prints: the head of its format comes before the first text, or at the end. */
export class OutputDocument {
  readonly #format: Format;
  readonly #sink: TextSink;
  #isOpen = false;

  constructor(format: Format, sink: TextSink) {
    this.#format = format;
    this.#sink = sink;
  }

  /** Writes text; `isPage`: more is fetched after it. Throws as `Stdout.write`. */
  async write(text: Text, isPage = false): Promise<void> {
    if (text.length === 0) return;
    const whole = joined(this.#head(), text);
    if (isPage && this.#sink.writePage) await this.#sink.writePage(whole);
    else await this.#sink.write(whole);
  }

  /** Writes the end of the document. Throws as `Stdout.write`. */
  async end(): Promise<void> {
    await this.#sink.write(this.#head() + this.#format.tail());
  }

  #head(): string {
    if (this.#isOpen) return '';
    this.#isOpen = true;
    return this.#format.head();
  }
}

/** The flags and arguments that name files. */
export interface NamedPaths extends Partial<Pick<CommonOptions, 'output' | 'summary' | 'keyFile'>> {
  readonly from?: string | null | undefined;
  readonly seen?: string | null;
  readonly outputDir?: string | null;
  /** Of `show`. */
  readonly files?: readonly string[];
}

/**
 * Throws a usage error if an output of a run is another one or an input, if one names a file in a private folder, or if the
 * report would replace an export. `exports`: the files of `--output-dir` or `-o`, once they are known.
 */
export async function checkPaths(
  options: NamedPaths,
  { env }: Pick<Context, 'env'>,
  exports: readonly Target[] = [],
): Promise<void> {
  const { output, outputDir, summary, from, seen, keyFile, files: shown = [] } = options;
  const files: NamedFile[] = exports.map((target) => {
    return { flag: 'the export', path: target.path, isOutput: true, target };
  });
  const add = (flag: string, path: string | null | undefined, isOutput: boolean): void => {
    if (path) files.push({ flag, path, isOutput });
  };
  add('--output', output, true);
  add('--output-dir', outputDir, true);
  add('--summary', summary, true);
  add('--seen', seen, true);
  for (const file of shown) add('FILE', file, false);
  add('--from', from, false);
  add('--key-file', keyFile, false);
  if (!keyFile && !env.CHANLIST_API_KEY) add('CHANLIST_API_KEY_FILE', env.CHANLIST_API_KEY_FILE, false);
  if (files.length === 0) return;
  const { assertDistinctPaths } = await import('../fs/output-target.ts');
  assertDistinctPaths(files);
  if (!summary) return;
  const { refuseRecorded } = await import('../fs/private-folder.ts');
  refuseRecorded({ path: summary, real: resolve(summary) });
  if (outputDir && dirname(resolve(summary)) === resolve(outputDir) && exportName.test(basename(summary)))
    throw usage(`--summary ${summary} has the name of an export`, 'name another file');
}
