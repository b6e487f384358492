import type { Argument, Example, RunCommand } from '../cli/command.ts';
import type { ResponseOptions } from '../cli/options.ts';
import { costSentence } from '../help/document.ts';
import { latestSize, operations } from '../service/contract.ts';
import { expectedReference } from '../service/parse-reference.ts';

export const args: readonly Argument[] = [['references', '[channel...]', expectedReference.channel]];

export const about = [
  `Prints the latest ${latestSize} uploads of each channel.`,
  costSentence(operations.latest),
];

export const examples: readonly Example[] = [
  ['list the latest uploads, without an account', 'chanlist latest @demo --sandbox'],
  ['print the whole response of the service', 'chanlist latest @demo --json'],
  [
    'write the latest uploads of several channels as csv',
    'chanlist latest --from refs.txt --fields @reference,videoId,title -o new.csv',
  ],
];

/** Lists the latest uploads (docs/service.md, 4.4). */
export const run: RunCommand<ResponseOptions> = async (options, context, stderr) => {
  const { runResponses } = await import('./run-responses.ts');
  return await runResponses(operations.latest, options, context, stderr);
};
