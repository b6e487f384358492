import { shellQuote } from '../text/shell-quote.ts';

/** A command line as it was typed, without its references. */
export interface Invocation {
  readonly name: string;
  readonly flags: readonly Flag[];
}

export interface Flag {
  /** `--format` */
  readonly name: string;
  readonly value: string | null;
}

/** Flags that a command line leaves out, and others that it adds. */
export interface CommandLineChange {
  readonly drop?: readonly string[];
  readonly add?: readonly Flag[];
}

/** A command line with other references, without some flags and with others; quoted for the shell. */
export function commandLine(
  invocation: Invocation,
  references: readonly string[],
  change: CommandLineChange = {},
): string {
  const kept = invocation.flags.filter(({ name }) => !change.drop?.includes(name));
  const flags = [...kept, ...(change.add ?? [])].map(({ name, value }) =>
    value === null
      ? name
      : value.startsWith('-') || name === '--continuation'
        ? `${name}${name.startsWith('--') ? '=' : ''}${shellQuote(value)}`
        : `${name} ${shellQuote(value)}`,
  );
  return ['chanlist', invocation.name, ...references.map(shellQuote), ...flags].join(' ');
}
