import type { Argument, Example, RunCommand } from '../cli/command.ts';
import type { ResponseOptions } from '../cli/options.ts';
import { costSentence } from '../help/document.ts';
import { operations } from '../service/contract.ts';
import { expectedReference } from '../service/parse-reference.ts';

export const args: readonly Argument[] = [['references', '[channel...]', expectedReference.channel]];

export const about = ['Prints the canonical ID of each channel.', costSentence(operations.resolve)];

export const examples: readonly Example[] = [
  ['resolve a handle, without an account', 'chanlist resolve @demo --sandbox'],
  ['print the IDs alone, one per line', 'chanlist resolve @demo @empty --format id'],
  ['resolve a list, one reference per line', 'chanlist resolve --from refs.txt'],
];

/** Resolves channels (docs/service.md, 4.1). */
export const run: RunCommand<Omit<ResponseOptions, 'limit' | 'seen'>> = async (options, context, stderr) => {
  const { runResponses } = await import('./run-responses.ts');
  return await runResponses(operations.resolve, { ...options, limit: null, seen: null }, context, stderr);
};
