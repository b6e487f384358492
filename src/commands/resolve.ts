import type { Command } from 'commander';
import { addBodyOptions, type BodyFlags, type BodyOptions, bodyOptions } from '../bodies/options.ts';
import { runBodies } from '../bodies/run.ts';
import type { Context } from '../context.ts';
import { costSentence } from '../help/cost.ts';
import { document } from '../help/document.ts';
import { maxCredits } from '../max-credits.ts';
import type { Start } from '../program.ts';
import { readReferences } from '../references.ts';
import { operations } from '../service/contract.ts';
import { checkParameters } from '../service/parameters.ts';
import type { Reference } from '../service/references.ts';

export function register(command: Command, start: Start): void {
  addBodyOptions(command);
  document(
    command,
    ['Says which canonical ID each channel has.', costSentence(operations.resolve)],
    [
      ['a handle, without an account', 'chanlist resolve @demo --sandbox'],
      ['the IDs alone, one a line', 'chanlist resolve @demo @empty --format id'],
      ['a list, one reference a line', 'chanlist resolve --from refs.txt'],
    ],
  );
  command.action((channels: string[], flags: BodyFlags) => start(run, bodyOptions(command, channels, flags)));
}

/** Prints the canonical ID of each channel (service specification, 4.1). */
export async function run(options: BodyOptions, context: Context): Promise<number> {
  const operation = operations.resolve;
  const parameters = ({ value }: Reference) => ({ input: value });
  const check = (reference: Reference): void => checkParameters(operation, parameters(reference));
  const references = await readReferences(options.references, options.from, 'channel', context, check);
  const { shared, concurrency } = options;
  const budget = maxCredits(options.maxCredits, context);
  return await runBodies(
    { operation, parameters, references, shared, concurrency, maxCredits: budget },
    context,
  );
}
