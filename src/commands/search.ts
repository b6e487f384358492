import type { Argument, Example, RunCommand } from '../cli/command.ts';
import type { CommonOptions } from '../cli/options.ts';
import { usage } from '../errors.ts';
import { costSentence } from '../help/document.ts';
import { operations } from '../service/contract.ts';
import { expectedReference } from '../service/parse-reference.ts';

export const args: readonly Argument[] = [
  ['channel', '<channel>', expectedReference.channel],
  ['words', '[query...]', 'words to search for; they are joined'],
];

export const about = [`Searches the videos inside one channel. ${costSentence(operations.search)}`];

const [, , { maximum }] = operations.search.parameters;

export const examples: readonly Example[] = [
  ['search without an account; words are joined', 'chanlist search @demo old town --sandbox'],
  ['request as many results as possible', `chanlist search @demo bicycle --limit ${maximum}`],
  ['print the titles alone', 'chanlist search @demo bicycle --fields title --format csv'],
];

/** Searches a channel (docs/service.md, 4.2). The service applies the limit (null: its default). */
export const run: RunCommand<
  CommonOptions & {
    readonly channel: string;
    readonly words: readonly string[];
    readonly limit: number | null;
  }
> = async ({ channel, words, limit, ...options }, context, stderr) => {
  if (words.length === 0) throw usage('missing query', 'see: chanlist help search');
  const query = words.join(' ');
  if (query.trim() === '') throw usage('<query> is blank', 'expected words to search for');
  const { runResponses } = await import('./run-responses.ts');
  const one = { references: [channel], from: undefined, concurrency: 1, limit: null, seen: null };
  const more = { q: query, limit: limit ?? undefined };
  return await runResponses(operations.search, { ...options, ...one }, context, stderr, more);
};
