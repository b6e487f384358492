import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { wholeNumber } from './values.ts';

const variable = 'CHANLIST_MAX_CREDITS';

/** Adds `--max-credits`; `hidden`: to a command that costs nothing, whatever the budget. */
export function addMaxCredits(command: Command, hidden = false): void {
  command.addOption(
    command
      .createOption('--max-credits <n>', 'spend no more than this in this call; 0 allows free calls only')
      .argParser(wholeNumber('--max-credits', 0))
      .hideHelp(hidden),
  );
}

/** The budget of a call: the flag, else CHANLIST_MAX_CREDITS, else none (null). */
export function maxCredits(flag: number | null, context: Pick<Context, 'env'>): number | null {
  const text = context.env[variable];
  return flag ?? (text === undefined || text === '' ? null : wholeNumber(variable, 0)(text));
}
