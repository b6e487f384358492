import type { Command } from 'commander';
import { type CreditBound, formatBounds } from '../accounts/bounds.ts';
import { shellQuote } from '../text/shell-quote.ts';

export { shellQuote } from '../text/shell-quote.ts';
export { isShowable } from '../text/unsafe.ts';

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

/** The command line that Commander has read, with long flag names. */
export function invocationOf(command: Command): Invocation {
  const flags: Flag[] = [];
  const names: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) names.unshift(at.name());
  for (let at: Command | null = command; at !== null; at = at.parent) {
    for (const option of at.options) {
      if (at.getOptionValueSource(option.attributeName()) !== 'cli') continue;
      const value: unknown = at.getOptionValue(option.attributeName());
      if (option.negate ? value !== false : value === false) continue;
      const name = option.long ?? option.flags;
      // Behind the command's name a flag is nearer than before it.
      if (flags.some((flag) => flag.name === name)) continue;
      const last: unknown = Array.isArray(value) ? value.at(-1) : value;
      const text = name === '--max-credits' ? formatBounds(value as readonly CreditBound[]) : String(last);
      flags.push({ name, value: typeof last === 'boolean' ? null : text });
    }
  }
  return { name: names.join(' '), flags };
}

/** A command line with other references, some flags left out and others added; quoted for the shell. */
export function commandLine(
  invocation: Invocation,
  references: readonly string[],
  change: { drop?: readonly string[]; add?: readonly Flag[] } = {},
): string {
  const kept = invocation.flags.filter(({ name }) => !change.drop?.includes(name));
  const flags = [...kept, ...(change.add ?? [])].map(({ name, value }) =>
    value === null
      ? name
      : value.startsWith('-') || name === '--continuation'
        ? `${name}=${shellQuote(value)}`
        : `${name} ${shellQuote(value)}`,
  );
  return ['chanlist', invocation.name, ...references.map(shellQuote), ...flags].join(' ');
}
