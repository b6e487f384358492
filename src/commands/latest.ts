import type { Command } from 'commander';
import { addBodyOptions, type BodyFlags, type BodyOptions, bodyOptions } from '../bodies/options.ts';
import { runBodies } from '../bodies/run.ts';
import type { Context } from '../context.ts';
import { costSentence } from '../help/cost.ts';
import { document } from '../help/document.ts';
import { maxCredits } from '../max-credits.ts';
import type { Start } from '../program.ts';
import { readReferences } from '../references.ts';
import { latestSize, operations } from '../service/contract.ts';
import { checkParameters } from '../service/parameters.ts';
import type { Reference } from '../service/references.ts';

export function register(command: Command, start: Start): void {
  addBodyOptions(command);
  document(
    command,
    [`Prints the latest ${latestSize} uploads of each channel.`, costSentence(operations.latest)],
    [
      ['of one channel, without an account', 'chanlist latest @demo --sandbox'],
      ['the whole answer of the service', 'chanlist latest @demo --json'],
      [
        'of several channels, for a spreadsheet',
        'chanlist latest --from refs.txt --fields @reference,videoId,title -o latest.csv',
      ],
    ],
  );
  command.action((channels: string[], flags: BodyFlags) => start(run, bodyOptions(command, channels, flags)));
}

/** Prints the latest uploads of each channel (service specification, 4.4). */
export async function run(options: BodyOptions, context: Context): Promise<number> {
  const operation = operations.latest;
  const parameters = ({ value }: Reference) => ({ channel: value });
  const check = (reference: Reference): void => checkParameters(operation, parameters(reference));
  const references = await readReferences(options.references, options.from, 'channel', context, check);
  const { shared, concurrency } = options;
  const budget = maxCredits(options.maxCredits, context);
  return await runBodies(
    { operation, parameters, references, shared, concurrency, maxCredits: budget },
    context,
  );
}
