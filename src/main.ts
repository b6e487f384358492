import { parseArguments } from './cli/program.ts';
import type { Context } from './context.ts';
import { ClosedPipe, fallbackHint, toFailure } from './errors.ts';
import { columnsFor } from './help/text.ts';
import { Stderr } from './output/stderr.ts';
import { Stdout } from './output/stdout.ts';

/** Runs the program: arguments (without node and script) to exit code. Every error ends here. */
export async function main(argv: readonly string[], context: Context): Promise<number> {
  const stderr = new Stderr(context.stderr, { quiet: false, verbose: 0 });
  try {
    const task = await parseArguments(argv, () => columnsFor(context));
    if (typeof task !== 'string') return await task.run(task.options, context);
    await new Stdout(context, stderr).write(task);
    return 0;
  } catch (error) {
    return report(error, context, stderr);
  }
}

/** Reports what was thrown in one line; returns the exit code. */
export function report(
  thrown: unknown,
  context: Context,
  stderr = new Stderr(context.stderr, { quiet: false, verbose: 0 }),
): number {
  if (thrown instanceof ClosedPipe) return 0;
  const failure = toFailure(thrown);
  stderr.error(failure.line(failure.hint ?? fallbackHint(failure.code)));
  stderr.stack(failure, context);
  return failure.exit;
}
