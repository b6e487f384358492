import type { Argument, Example } from '../cli/command-module.ts';
import { topicNames } from '../help/blocks.ts';

export const args: readonly Argument[] = [['words', '[command...]', `a command or ${topicNames.join(', ')}`]];

export const about = ['Prints help on a command, the same as its --help, or on a topic.'];

export const examples: readonly Example[] = [
  ['read about one command', 'chanlist help uploads'],
  ['read about the flags that most commands take', 'chanlist help flags'],
  ['list the fields of entries', 'chanlist help fields'],
  ['list what check, credits and --summary report', 'chanlist help reports'],
];
