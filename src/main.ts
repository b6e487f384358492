import type { CommonOptions } from './cli/options.ts';
import { parseArguments } from './cli/program.ts';
import { unparsedSummary, wantsJson } from './cli/usage-errors.ts';
import { commands } from './commands/table.ts';
import type { Context } from './context.ts';
import { ClosedPipe, type Failure, toFailure } from './errors.ts';
import { helpColumns } from './help/document.ts';
import { Stderr } from './output/stderr.ts';
import { Stdout } from './output/stdout.ts';
import { escapeUnsafe } from './text/sanitize.ts';

/**
 * Runs the program: arguments (without node and script) to exit code. Commands report what goes wrong in their work;
 * what they throw before that ends here.
 */
export async function main(argv: readonly string[], context: Context): Promise<number> {
  const stderr = new Stderr(context, { quiet: false, verbose: 0, color: !argv.includes('--no-color') });
  const stdout = new Stdout(context, stderr);
  let options: CommonOptions | null = null;
  try {
    const task = await parseArguments(argv, commands, () => helpColumns(context));
    if (typeof task === 'string') {
      await stdout.write(task);
      return 0;
    }
    options = task.options as CommonOptions;
    return await task.run(options, context);
  } catch (error) {
    if (error instanceof ClosedPipe) return 0;
    const failure = toFailure(error);
    if (wantsJson(argv)) await printDocument(failure, stdout, context);
    const asked = options ? { ...options, command: options.invocation.name } : unparsedSummary(argv);
    if (asked?.summary && !options?.dryRun) {
      const { writeSummaryOf } = await import('./run/summary.ts');
      await writeSummaryOf(failure, asked, context);
    }
    return reportFailure(failure, context, stderr);
  }
}

/** Prints the failure as the document that the arguments ask for. */
async function printDocument(error: Failure, stdout: Stdout, { stdout: { isTTY } }: Context): Promise<void> {
  const text = JSON.stringify({ error }, null, isTTY ? 2 : undefined);
  await stdout.write(`${escapeUnsafe(text)}\n`).catch(() => {});
}

/** Reports what was thrown in one line; returns the exit code. */
export function reportFailure(thrown: unknown, context: Context, stderr = new Stderr(context)): number {
  const failure = toFailure(thrown);
  stderr.printFailure(failure);
  return failure.exit;
}
