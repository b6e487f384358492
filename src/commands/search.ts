import type { Command } from 'commander';
import type { Start } from '../cli/commands.ts';
import { readFlags, type SharedOptions, sharedOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import { costSentence, document } from '../help/document.ts';
import { planAnswers } from '../run/answers.ts';
import { filesOf } from '../run/outputs.ts';
import { runSession } from '../run/session.ts';
import { operations } from '../service/contract.ts';
import { checkParameters } from '../service/parameters.ts';
import { expectedReference, parseReference, type Reference } from '../service/references.ts';

export interface SearchOptions {
  readonly shared: SharedOptions;
  readonly channel: string;
  readonly query: string;
  /** Maximum number of results; null: the service's default. */
  readonly limit: number | null;
}

/** Adds the arguments and the help of `chanlist search`; its flags are in the table of flags. */
export function register(command: Command, start: Start): void {
  const [, , { maximum }] = operations.search.parameters;
  command
    .argument('<channel>', expectedReference.channel)
    .argument('<query...>', 'words to search for; they are joined');
  document(
    command,
    [`Searches the videos inside one channel. ${costSentence(operations.search)}`],
    [
      ['search without an account; words are joined', 'chanlist search @demo old town --sandbox'],
      ['request as many results as possible', `chanlist search @demo bicycle --limit ${maximum}`],
      ['print the titles alone', 'chanlist search @demo bicycle --fields title --format csv'],
    ],
  );
  command.action((channel: string, words: string[]) =>
    start(run, {
      shared: sharedOptions(command),
      channel,
      query: words.join(' '),
      limit: readFlags(command, ['searchLimit']).searchLimit,
    }),
  );
}

/** Prints the results of a search inside one channel (service specification, 4.2). */
export async function run(options: SearchOptions, context: Context): Promise<number> {
  const operation = operations.search;
  const { shared, query, limit } = options;
  const parameters = ({ value }: Reference) => ({
    channel: value,
    q: query,
    ...(limit !== null && { limit }),
  });
  return await runSession(operation.name, { shared, files: filesOf({ shared }) }, context, async () => {
    const channel = parseReference(options.channel, 'channel', false);
    checkParameters(operation, parameters(channel));
    if (query.trim() === '') throw usage('the query is blank', 'expected words to search for');
    const inputs = [{ ...channel, label: channel.given, first: 0 }];
    return await planAnswers({
      operation,
      parameters,
      references: { inputs, several: false },
      shared,
      concurrency: 1,
      limit: null,
      seen: null,
      context,
    });
  });
}
