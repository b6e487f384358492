import type { Streams } from '../output/stdout.ts';

export interface CommandRow {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly heading: string;
  /** Loads the file of the command when the command is called. */
  load(): Promise<CommandModule>;
}

/** Returns a function that makes rows under one heading of the help. `line` is the name and the arguments. */
export const rowUnder =
  (heading: string) =>
  (line: string, summary: string, load: CommandRow['load']): CommandRow => {
    const [name = '', ...words] = line.split(' ');
    return { heading, name, usage: words.join(' '), summary, load };
  };

export type Argument = readonly [option: string, term: string, help: string];

export type Example = readonly [what: string, line: string];

export interface Terms {
  readonly heading: string;
  readonly rows: readonly (readonly [term: string, meaning: string])[];
}

/** Does the work of a command from top to bottom; returns the exit code. */
export type RunCommand<Options> = (options: Options, streams: Streams) => Promise<number>;

/** What the file of a command exports. Its flags are in flags.ts. */
export interface CommandModule {
  readonly args?: readonly Argument[];
  readonly about: readonly string[];
  readonly examples: readonly Example[];
  readonly terms?: Terms;
  /** The subcommands (actions) of the command, which replace `run`. */
  readonly actions?: readonly CommandRow[];
  /** Absent if the command has actions, and for `help`. */
  run?(options: object, streams: Streams): Promise<number>;
}
