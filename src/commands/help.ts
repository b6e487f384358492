import type { Argument } from '../cli/program.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import { type Example, helpColumns, type TopicName, topicNames } from '../help/document.ts';
import { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';
import { nearest } from '../text/nearest.ts';

export const args: readonly Argument[] = [
  ['words', '[command...]', `a command, or ${topicNames.join(', ')}`],
];

export const about = ['Prints help on a command, the same as its --help, or on a topic.'];

export const examples: readonly Example[] = [
  ['read about one command', 'chanlist help uploads'],
  ['list the exit codes', 'chanlist help exit-codes'],
  ['read about the formats and --fields', 'chanlist help formats'],
  ['list the environment variables', 'chanlist help environment'],
];

/** Help on a command is that of its `--help`. Throws a usage error for a near miss of a topic. */
export function helpOn({ words }: { readonly words: readonly string[] }): readonly string[] | null {
  const [word = ''] = words;
  if (words.length === 1 && topicNames.some((topic) => topic === word)) return null;
  const meant = nearest(word, topicNames);
  if (meant !== undefined) throw usage(`there is no help on '${word}'`, `did you mean ${meant}?`);
  return words;
}

/** Prints a topic on stdout. */
export async function run(
  { words: [topic] }: { readonly words: readonly [TopicName] },
  context: Context,
): Promise<number> {
  const { topicText } = await import('../help/topics.ts');
  await new Stdout(context, new Stderr(context)).write(topicText(topic, helpColumns(context)));
  return 0;
}
