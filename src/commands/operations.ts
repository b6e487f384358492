import type { CommandModule, Example } from '../cli/command-module.ts';
import type { RunOptions } from '../cli/options.ts';
import { type Failure, usage } from '../errors.ts';
import { costSentence, exportHelp } from '../help/blocks.ts';
import { latestSize, type OperationName, operations, searchLimit } from '../service/contract.ts';
import { expectedReference, isReference } from '../service/parse-reference.ts';
import { didYouMeanCommand } from '../text/command.ts';

/** Returns the command of an operation on references. `what`: a sentence, to which the cost of the operation is added. */
function operationCommand(
  name: Exclude<OperationName, 'search'>,
  [what, ...more]: readonly string[],
  examples: readonly Example[],
): CommandModule {
  const operation = operations[name];
  const { reference } = operation;
  return {
    args: [['references', `[${reference}...]`, expectedReference[reference]]],
    about: [`${what} ${costSentence(operation)}`, ...more],
    examples,
    run: async (options: RunOptions, streams) => {
      const { runOperation } = await import('./run-operation.ts');
      return await runOperation(operation, options, streams);
    },
  };
}

export const resolve = operationCommand(
  'resolve',
  ['Prints the canonical ID of each channel.'],
  [
    ['resolve a handle, without an account', 'chanlist resolve @demo --sandbox'],
    ['print the IDs alone, one per line', 'chanlist resolve @demo @empty --format id'],
    ['resolve a list, one reference per line', 'chanlist resolve --from refs.txt'],
  ],
);

export const uploads = operationCommand(
  'uploads',
  ['Lists every upload of each channel, page by page.', exportHelp],
  [
    ['list the first uploads, without an account', 'chanlist uploads @demo --sandbox --limit 20'],
    ['export everything, or resume', 'chanlist uploads @demo -o demo.ndjson'],
    ['add what is new; free if nothing is', 'chanlist uploads @demo -o demo.ndjson --update'],
    ['export many channels', 'chanlist uploads --from refs.txt --output-dir lists --max-credits 100'],
  ],
);

export const latest = operationCommand(
  'latest',
  [
    `Prints the latest ${latestSize} uploads of each channel. With --seen the first run prints nothing: it notes what is there.`,
  ],
  [
    ['list the latest uploads, without an account', 'chanlist latest @demo --sandbox'],
    ['print the whole response of the service', 'chanlist latest @demo --json'],
    ['write a spreadsheet', 'chanlist latest --from refs.txt --fields _reference,videoId,title -o new.csv'],
  ],
);

export const playlist = operationCommand(
  'playlist',
  ['Lists every video of each public playlist, page by page.', exportHelp],
  [
    ['list the first videos, without an account', 'chanlist playlist PLdemo --sandbox --limit 20'],
    ['print IDs and titles for a script', 'chanlist playlist PLdemo --fields videoId,title --ndjson'],
    ['export everything, or resume', 'chanlist playlist PLdemo -o playlist.csv'],
  ],
);

interface SearchOptions extends RunOptions {
  readonly channel: string;
  readonly words: readonly string[];
}

export const search: CommandModule = {
  args: [
    ['channel', '<channel>', expectedReference.channel],
    ['words', '[query...]', 'words to search for; they are joined'],
  ],
  about: [`Searches the videos inside one channel. ${costSentence(operations.search)}`],
  examples: [
    ['search without an account; words are joined', 'chanlist search @demo old town --sandbox'],
    ['request as many results as possible', `chanlist search @demo bicycle --limit ${searchLimit.maximum}`],
    ['print the titles alone', 'chanlist search @demo bicycle --fields title --format csv'],
  ],
  /** The service applies the limit; if it is null, the service applies its own default. */
  run: async ({ channel, words, limit, ...options }: SearchOptions, streams) => {
    const { runOperation } = await import('./run-operation.ts');
    const usageError = options.usageError ?? queryProblem(channel, words);
    const runOptions = { ...options, limit: null, references: [channel], usageError };
    const parameters = { q: words.join(' '), limit: limit ?? undefined };
    return await runOperation(operations.search, runOptions, streams, parameters);
  },
};

/** Returns why these arguments are not a channel and a query; null if they are. */
function queryProblem(channel: string, words: readonly string[]): Failure | null {
  const last = words.at(-1) ?? '';
  if (!isReference(channel, 'channel') && isReference(last, 'channel')) {
    const step = didYouMeanCommand('chanlist search', [last, channel, ...words.slice(0, -1)]);
    return usage(`'${channel}' is not a channel: the channel comes first`, step);
  }
  // A single word that is not a channel is refused later, when it is parsed as a channel.
  if (words.length === 0)
    return isReference(channel, 'channel') ? usage('missing query', 'see: chanlist help search') : null;
  return words.join(' ').trim() === '' ? usage('<query> is blank', 'expected words to search for') : null;
}
