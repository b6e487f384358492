import type { Command } from 'commander';

/** A command line that works as it stands, and what it is for. */
export interface Example {
  readonly what: string;
  readonly line: string;
}

const examples = new WeakMap<Command, readonly Example[]>();

/** Gives the help of a command its paragraphs and examples (pairs: what for, command line). */
export function document(
  command: Command,
  about: readonly string[],
  pairs: readonly (readonly [what: string, line: string])[],
): void {
  if (about.length > 0) command.description(about.join('\n\n'));
  examples.set(
    command,
    pairs.map(([what, line]) => ({ what, line })),
  );
}

/** The examples that `document` was given for the command. */
export function examplesOf(command: Command): readonly Example[] {
  return examples.get(command) ?? [];
}

/** Examples as the help shows them. */
export function exampleLines(shown: readonly Example[]): string[] {
  return shown.flatMap(({ what, line }) => [`  # ${what}`, `  ${line}`]);
}
