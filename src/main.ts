import { longFlag } from './cli/flag.ts';
import { flagsOf } from './cli/flags.ts';
import { withEnvironment } from './cli/options.ts';
import { parseArguments } from './cli/program.ts';
import { commands } from './commands/command-table.ts';
import type { Context } from './context.ts';
import { ClosedPipe, type Failure, toFailure } from './errors.ts';
import { Stderr } from './output/stderr.ts';
import { Stdout } from './output/stdout.ts';
import { type Flag, isCommand } from './text/command.ts';
import { escapeUnsafe } from './text/sanitize.ts';
import { version } from './version.ts';

/** Runs the program with these arguments (without node and script), and returns the exit code. */
export async function main(argv: readonly string[], context: Context): Promise<number> {
  const { flags, request } = await parseArguments(argv, { actions: commands });
  const countOf = (flag: string): number => flags.filter(({ name }) => name === flag).length;
  const color = countOf('--no-color') === 0;
  const stderr = new Stderr(context, { quiet: countOf('--quiet') > 0, verbose: countOf('--verbose'), color });
  const stdout = new Stdout(context, stderr, color);
  const streams = { context, stdout, stderr };
  const answer = async (): Promise<number> => {
    switch (request.kind) {
      case 'refused':
        throw request.failure;
      case 'version':
        await stdout.write(`${version}\n`);
        return 0;
      case 'help': {
        const { helpText } = await import('./help/help-text.ts');
        await stdout.write(await helpText(request.words, commands, stdout.terminal));
        return 0;
      }
      case 'run': {
        const { run, options } = request;
        // A run that is refused writes its summary before it throws.
        if (options.usageError !== null && options.summary === null) throw options.usageError;
        return await run(withEnvironment(options, context.env), streams);
      }
    }
  };
  const exit = await answer().catch(async (error: unknown) => {
    if (error instanceof ClosedPipe) return 0;
    const { redactStoredKeys } = await import('./accounts/store.ts');
    redactStoredKeys(context.env, stderr);
    const failure = withFlags(toFailure(error), flags);
    if (flags.some(({ name, value }) => name === '--format' && value === 'json')) {
      const text = JSON.stringify({ error: failure }, null, context.stdout.isTTY ? 2 : undefined);
      await stdout.write(`${stderr.withoutKeys(escapeUnsafe(text))}\n`).catch(() => {});
    }
    return reportFailure(failure, context, stderr);
  });
  const pagerFailure = await stdout.close();
  return pagerFailure === null ? exit : reportFailure(pagerFailure, context, stderr);
}

/** Whether a suggested command repeats a flag. No flag that may contain a key or password; no list: it has own references. */
function isCopied({ name, value }: Flag): boolean {
  if (name === '--base-url') return value !== null && /[.:]/.test(value) && !value.includes('@');
  return name !== '--key-file' && name !== '--from';
}

/** Adds to a suggested command the flags that the user typed, if the command accepts them. */
function withFlags(failure: Failure, flags: readonly Flag[]): Failure {
  const { step } = failure;
  if (!isCommand(step) || !step.isSuggestion) return failure;
  const taken = flagsOf(step.program.replace('chanlist ', '')).map(longFlag);
  const kept = flags.filter((flag) => taken.includes(flag.name) && isCopied(flag));
  return failure.with({ step: { ...step, flags: kept } });
}

/** Reports what was thrown in one line; returns the exit code. */
export function reportFailure(thrown: unknown, context: Context, stderr = new Stderr(context)): number {
  const failure = toFailure(thrown);
  stderr.printFailure(failure);
  return failure.exit;
}
