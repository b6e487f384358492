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

/** A command line with other references, some flags left out and others added; quoted for the shell. */
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
        ? `${name}=${shellQuote(value)}`
        : `${name} ${shellQuote(value)}`,
  );
  return ['chanlist', invocation.name, ...references.map(shellQuote), ...flags].join(' ');
}

/** Maximum number of references that a command names. */
const maxNamed = 10;

/** The command for some references of a call, quoted for the shell; many are read from stdin. */
export function commandFor(
  invocation: Invocation,
  references: readonly string[],
  change: CommandLineChange = {},
): string {
  const drop = [...(change.drop ?? []), '--from'];
  if (references.length <= maxNamed) return commandLine(invocation, references, { ...change, drop });
  const summary = invocation.flags.find(({ name }) => name === '--summary')?.value;
  const from = { name: '--from', value: '-' };
  const command = commandLine(invocation, [], { drop, add: [...(change.add ?? []), from] });
  if (summary == null) return `${command}, with ${references.length} references from ${references[0]} on`;
  const filter = '.references[] | select(.status == "interrupted" and .pages == 0).reference';
  return `jq -r ${shellQuote(filter)} ${shellQuote(summary)} | ${command}`;
}

/** Whether `commandFor` reads these references from the receipt of the call that ends now. */
export function readsReceipt({ flags }: Invocation, references: readonly string[]): boolean {
  return references.length > maxNamed && flags.some(({ name }) => name === '--summary');
}

/**
 * How to resume an export. One that `--restart` started is resumed without that flag, so its command is shown.
 * `unreached`: the references of the command for the others; if it reads the receipt, the resumed run must not replace it.
 */
export function resumeInstruction(
  {
    invocation,
    references,
    restart,
  }: { readonly invocation: Invocation; readonly references: readonly string[]; readonly restart: boolean },
  unreached: readonly string[] = [],
): string {
  if (!restart) return 'run the same command to resume';
  const drop = ['--restart', ...(readsReceipt(invocation, unreached) ? ['--summary'] : [])];
  const isPiped = invocation.flags.some(({ name, value }) => name === '--from' && value === '-');
  if (isPiped || references.length > maxNamed)
    return `run the same command without ${drop.join(' and ')} to resume`;
  return `run: ${commandLine(invocation, references, { drop })} to resume`;
}
