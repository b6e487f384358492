import { usage } from '../errors.ts';
import { expectedOneOf } from '../text/nearest.ts';

/** The complete definition of a flag: parsing, conflicts, help, completions and the man page derive from it. */
export interface FlagRow {
  /** As the help shows it: `-n, --limit <n>`; a flag without a value is a switch. */
  readonly flag: string;
  readonly commands: readonly string[];
  /** Begins with a verb, and fits into one line of the help at 80 columns. */
  readonly help: string;
  /** Converts the typed text into a value; throws a usage error that names `source`. By default any non-empty text is valid. */
  readonly parse?: (text: string, source: string) => unknown;
  /** Combines the values of a repeated flag, starting from the default. Without this function the last value is used. */
  readonly combine?: (before: never, value: never) => unknown;
  /** The value without the flag. By default undefined with a `variable`, false for a switch (true for `--no-x`), else null. */
  readonly default?: unknown;
  /** Environment variable with the same effect; the flag takes precedence. */
  readonly variable?: string;
  /** The format that this switch stands for. */
  readonly format?: string;
  /** Flags that this flag cannot be combined with, each with the reason. */
  readonly excludes?: Readonly<Record<string, string>>;
}

export const row = (
  flag: string,
  commands: readonly string[],
  help: string,
  more: Omit<FlagRow, 'flag' | 'commands' | 'help'> = {},
): FlagRow => ({ flag, commands, help, ...more });

/** `--output-dir`, `--no-color` */
export const longFlag = ({ flag }: FlagRow): string => /--[\w-]+/.exec(flag)?.[0] ?? flag;

/** Returns the help text, with the default unless the flag may repeat. */
export const flagHelp = ({ help, default: value, combine }: FlagRow): string =>
  value === undefined || combine !== undefined ? help : `${help} (default: ${value})`;

export const oneOf =
  <const Word extends string>(words: readonly Word[]) =>
  (text: string, source: string): Word => {
    const match = words.find((word) => word === text);
    if (match !== undefined) return match;
    throw usage(`${source} is '${text}'`, expectedOneOf(text, words));
  };

export function nonEmpty(text: string, source: string): string {
  if (text === '') throw usage(`${source} is empty`);
  return text;
}
