import type { Command } from 'commander';
import { nonEmpty, wholeNumber } from './values.ts';

export const defaultConcurrency = 4;

/** Adds `--from` to a command that takes references. */
export function addFrom(command: Command): void {
  command.addOption(
    command
      .createOption('--from <file>', 'a file with one reference a line; - is stdin')
      .argParser(nonEmpty('--from')),
  );
}

/** Adds `--concurrency`. */
export function addConcurrency(command: Command, what: string): void {
  command.addOption(
    command
      .createOption('--concurrency <n>', `${what} side by side (default: ${defaultConcurrency})`)
      .argParser(wholeNumber('--concurrency', 1, 100)),
  );
}
