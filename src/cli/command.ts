import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** What the arguments ask for: a command's own function and the options it takes. */
export interface Task<Options = unknown> {
  readonly run: (options: Options, context: Context) => Promise<number>;
  readonly options: Options;
}

/** A command hands its function and options over with this, once its arguments are read. */
export type Start = <Options>(run: Task<Options>['run'], options: Options) => void;

/** What every command file exports besides its `run`. */
export interface CommandFile {
  /** Adds arguments, options, examples and the action. */
  register(command: Command, start: Start): void;
}
