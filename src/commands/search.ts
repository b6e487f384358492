import type { Command } from 'commander';
import type { SearchOptions } from '../cli/options.ts';
import type { Start } from '../cli/program.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import { costSentence, document } from '../help/document.ts';
import { checkFields } from '../output/fields.ts';
import { printDryRun } from '../run/dry-run.ts';
import { openRun } from '../run/open.ts';
import { checkPaths, outputTarget } from '../run/output.ts';
import { report } from '../run/report.ts';
import { checkOutputFile, printResponses } from '../run/responses.ts';
import { newSubject } from '../run/results.ts';
import { operations } from '../service/contract.ts';
import { checkParameters } from '../service/parameters.ts';
import { expectedReference, parseReference, type Reference } from '../service/references.ts';

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
      ...command.optsWithGlobals<SearchOptions>(),
      channel,
      query: words.join(' '),
    }),
  );
}

/** Prints the results of a search inside one channel (docs/service.md, 4.2). */
export async function run(options: SearchOptions, context: Context): Promise<number> {
  const operation = operations.search;
  const { query, limit } = options;
  const parameters = ({ value }: Reference) => ({
    channel: value,
    q: query,
    ...(limit !== null && { limit }),
  });
  checkFields(options.fields, operation);
  await checkPaths(options, context);
  const target = await outputTarget(options);
  const channel = parseReference(options.channel, 'channel', false);
  if (query.trim() === '') throw usage('<query> is blank', 'expected words to search for');
  checkParameters(operation, parameters(channel));
  const input = { ...channel, ...newSubject(channel.given), reference: channel.given, first: 0 };
  if (options.dryRun)
    return await printDryRun(
      [{ reference: channel.given, operation, parameters: parameters(channel) }],
      options,
      context,
    );
  await checkOutputFile(target, true);
  const plan = { command: operation.name, subjects: [input], concurrency: 1, isPaid: true };
  await using run = await openRun(plan, options, context);
  const references = { inputs: [input], several: false };
  const results = printResponses(run, {
    operation,
    parameters,
    references,
    options,
    limit: null,
    target,
    seen: null,
  });
  return await report(run, results, options.output);
}
