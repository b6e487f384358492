export interface Flag {
  /** `--format` */
  readonly name: string;
  /** Null for a switch. */
  readonly value: string | null;
  /** `--json`, if that was typed for `--format json`. */
  readonly typed?: string;
}

/** A command that a message prints. It can be pasted into a shell. */
export interface Command {
  /** Printed before the command: `resume with`. */
  readonly purpose?: string;
  /** `chanlist uploads`, `rm` */
  readonly program: string;
  readonly operands?: readonly string[];
  readonly flags?: readonly Flag[];
  /** True for a guess at the command that was meant: `main` adds the flags that were typed. */
  readonly isSuggestion?: boolean;
  /** The shell command that the output is piped to: `jq -r '.[].id' | sh`. */
  readonly pipe?: string;
}

/** Returns the command that was probably meant. */
export const didYouMeanCommand = (program: string, operands: readonly string[]): Command => ({
  purpose: 'did you mean',
  isSuggestion: true,
  program,
  operands,
});

/** What a user can do next: one sentence or one command. */
export type Step = string | Command;

export const isCommand = (step: Step | null): step is Command => step !== null && typeof step !== 'string';

export function stepText(step: Step): string {
  if (typeof step === 'string') return step;
  return step.purpose === undefined ? commandText(step) : `${step.purpose}: ${commandText(step)}`;
}

/** Joins a message and its next step in one line, as mail has it. */
export function messageLine(message: string, step: Step | null): string {
  return step === null ? message : `${message}; ${stepText(step)}`;
}

export function commandText({ program, operands = [], flags = [], pipe }: Command): string {
  const line = [program, ...operands.map(operandText), ...flags.map(flagText)].join(' ');
  return pipe === undefined ? line : `${line} | ${pipe}`;
}

/** A path that begins with `-` would be taken for a flag. */
const operandText = (operand: string): string => shellQuote(operand.replace(/^-(?=.)/, './-'));

function flagText({ name, value }: Flag): string {
  if (value === null) return name;
  if (name.startsWith('--') && (value.startsWith('-') || name === '--continuation'))
    return `${name}=${shellQuote(value)}`;
  return `${name} ${shellQuote(value)}`;
}

/** Quotes a word for a POSIX shell or, on Windows, for PowerShell, where a leading `@` and any `,` are operators. */
export function shellQuote(word: string, platform = process.platform): string {
  if (platform === 'win32') return /^(?!@)[\w@%+=:./\\-]+$/.test(word) ? word : powerShellText(word);
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Quotes a text for PowerShell, which treats typographic quotation marks as quotation marks, too. */
const powerShellText = (text: string): string => `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;

/** Returns a line that sets an environment variable in the user's shell. */
export function environmentLine(name: string, value: string, platform = process.platform): string {
  if (platform === 'win32') return `$env:${name} = ${powerShellText(value)}`;
  return `export ${name}=${shellQuote(value, platform)}`;
}
