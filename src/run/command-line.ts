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
