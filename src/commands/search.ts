import type { Command } from 'commander';
import type { CreditBound } from '../accounts/bounds.ts';
import { operations } from '../api/contract.ts';
import { checkParameters } from '../api/parameters.ts';
import { expectedReference, parseReference, type Reference } from '../api/references.ts';
import type { Start } from '../cli/command.ts';
import { addMaxCredits, maxCredits } from '../cli/max-credits.ts';
import { type SharedOptions, sharedOptions } from '../cli/options.ts';
import { wholeNumber } from '../cli/values.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import { costSentence } from '../help/cost.ts';
import { document } from '../help/document.ts';
import { prepareBodies } from '../run/answers.ts';
import { runCall } from '../run/session.ts';

export interface SearchOptions {
  readonly shared: SharedOptions;
  readonly channel: string;
  readonly query: string;
  /** Results at the most; null: the service's default. */
  readonly limit: number | null;
  readonly maxCredits: readonly CreditBound[];
}

export function register(command: Command, start: Start): void {
  const [, , { minimum, maximum, default: usual }] = operations.search.parameters;
  command
    .argument('<channel>', expectedReference.channel)
    .argument('<query...>', 'what to search for; words are joined')
    .addOption(
      command
        .createOption('-n, --limit <n>', `results at most, ${minimum} to ${maximum} (default: ${usual})`)
        .argParser(wholeNumber('--limit', minimum, maximum)),
    );
  addMaxCredits(command);
  document(
    command,
    [`Searches the videos inside one channel. ${costSentence(operations.search)}`],
    [
      ['words are joined; without an account', 'chanlist search @demo old town --sandbox'],
      ['as many as the service gives', `chanlist search @demo bicycle --limit ${maximum}`],
      ['titles alone', 'chanlist search @demo bicycle --fields title --format csv'],
    ],
  );
  command.action((channel: string, words: string[], flags: { limit?: number; maxCredits?: CreditBound[] }) =>
    start(run, {
      shared: sharedOptions(command),
      channel,
      query: words.join(' '),
      limit: flags.limit ?? null,
      maxCredits: flags.maxCredits ?? [],
    }),
  );
}

/** Prints what a search inside one channel finds (service specification, 4.2). */
export async function run(options: SearchOptions, context: Context): Promise<number> {
  const operation = operations.search;
  const { shared } = options;
  const parameters = ({ value }: Reference) => ({
    channel: value,
    q: options.query,
    ...(options.limit === null ? {} : { limit: options.limit }),
  });
  return await runCall(operation.name, shared, context, async () => {
    const channel = parseReference(options.channel, 'channel');
    checkParameters(operation, parameters(channel));
    if (options.query.trim() === '') throw usage('the query is blank', 'expected words to search for');
    const references = { list: [channel], several: false };
    const plan = { operation, parameters, references, shared, concurrency: 1 };
    return await prepareBodies(plan, maxCredits(options.maxCredits, context), context);
  });
}
