import type { Command } from 'commander';
import { helpWidth } from '../help/text.ts';
import { topicTexts } from '../help/topics.ts';
import { commands, topicNames } from './commands.ts';
import { buildProgram, registerCommand } from './program.ts';

/**
 * The help text of the program (null), of a command (`uploads`), an action (`auth login`) or a topic; null if
 * it does not exist. `--help` prints the same. Lines have at most `width` columns.
 */
export async function helpText(topic: string | null, width: number = helpWidth): Promise<string | null> {
  const program = buildProgram(undefined, undefined, () => width);
  if (topic === null) return program.helpInformation();
  const [name = '', action, ...rest] = topic.split(' ');
  const command = await registered(program, name);
  if (command !== null) {
    if (action === undefined) return command.helpInformation();
    const leaf = command.commands.find((candidate) => candidate.name() === action);
    return leaf === undefined || rest.length > 0 ? null : leaf.helpInformation();
  }
  const known = topicNames.find((candidate) => candidate === topic);
  return known === undefined ? null : topicTexts[known](width);
}

/** The names that `helpText` accepts: commands, actions (`auth login`) and topics. */
export async function helpTopics(): Promise<string[]> {
  const program = await wholeProgram();
  const names = program.commands.flatMap((command) => [
    command.name(),
    ...command.commands.map((action) => `${command.name()} ${action.name()}`),
  ]);
  return [...names, ...topicNames];
}

/** The Commander tree with all commands registered. */
export async function wholeProgram(): Promise<Command> {
  const program = buildProgram();
  for (const { name } of commands) await registered(program, name);
  return program;
}

async function registered(program: Command, name: string): Promise<Command | null> {
  const row = commands.find((candidate) => candidate.name === name);
  const command = program.commands.find((candidate) => candidate.name() === name);
  if (row === undefined || command === undefined) return null;
  await registerCommand(command, row, () => {});
  return command;
}
