import type { Argument, Example } from '../cli/command.ts';
import { topicNames } from '../help/document.ts';

export const args: readonly Argument[] = [
  ['words', '[command...]', `a command, or ${topicNames.join(', ')}`],
];

export const about = ['Prints help on a command, the same as its --help, or on a topic.'];

export const examples: readonly Example[] = [
  ['read about one command', 'chanlist help uploads'],
  ['read about the flags that most commands take', 'chanlist help flags'],
  ['list all fields', 'chanlist help fields'],
  ['list the exit codes', 'chanlist help exit-codes'],
  ['read about the formats', 'chanlist help formats'],
  ['list the environment variables', 'chanlist help environment'],
];
