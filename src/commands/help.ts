import type { Command } from 'commander';
import type { Start } from '../cli/program.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import { document, type TopicName, topicNames } from '../help/document.ts';
import { helpColumns } from '../help/rows.ts';
import { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';
import { nearest } from '../text/nearest.ts';

/** Adds the argument and the help of `chanlist help`. Help on a command is that of its `--help`. */
export function register(command: Command, start: Start): void {
  command.argument('[command...]', `a command, or ${topicNames.join(', ')}`);
  document(
    command,
    ['Prints help on a command, the same as its --help, or on a topic.'],
    [
      ['read about one command', 'chanlist help uploads'],
      ['list the exit codes', 'chanlist help exit-codes'],
      ['read about the formats and --fields', 'chanlist help formats'],
      ['list the environment variables', 'chanlist help environment'],
    ],
  );
  command.action(async (words: string[]) => {
    const topic = topicNames.find((name) => name === words[0] && words.length === 1);
    if (topic !== undefined) return start(run, { topic });
    const [word = ''] = words;
    const meant = nearest(word, topicNames);
    if (meant !== undefined) throw usage(`there is no help on '${word}'`, `did you mean ${meant}?`);
    await command.parent?.parseAsync([...words, '--help'], { from: 'user' });
  });
}

/** Prints a topic on stdout. */
export async function run({ topic }: { readonly topic: TopicName }, context: Context): Promise<number> {
  const { topicTexts } = await import('../help/topics.ts');
  await new Stdout(context, new Stderr(context)).write(topicTexts[topic](helpColumns(context)));
  return 0;
}
