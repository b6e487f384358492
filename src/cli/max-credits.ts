import type { Command } from 'commander';
import { type CreditBound, parseBounds, resolveBounds } from '../accounts/bounds.ts';
import type { Context } from '../context.ts';

/** Adds `--max-credits`; `hidden`: to a command that costs nothing, whatever the budget. */
export function addMaxCredits(command: Command, hidden = false): void {
  command.addOption(
    command
      .createOption(
        '--max-credits <n>',
        'spend at most n in this call; n/day or n/month: in that time, over all calls',
      )
      .argParser((text: string, before: readonly CreditBound[] = []) => [
        ...before,
        ...parseBounds(text, '--max-credits'),
      ])
      .hideHelp(hidden),
  );
}

/** The bounds of a call: those of the flag, else of CHANLIST_MAX_CREDITS. */
export function maxCredits(
  flag: readonly CreditBound[],
  context: Pick<Context, 'env'>,
): readonly CreditBound[] {
  return resolveBounds(flag, context.env, []);
}
