import { day, hour } from '../accounts/local-time.ts';
import { usage } from '../errors.ts';
import { formatNames } from '../output/formats.ts';
import { expectedOneOf } from '../text/nearest.ts';

/** Everything about a flag: parsing, conflicts, help, completions and the man page derive from it. */
export interface FlagRow {
  /** As the help shows it: `-n, --limit <n>`; a flag without a value is a switch. */
  readonly flag: string;
  readonly commands: readonly string[];
  /** Begins with a verb, and fits into one line of the help at 80 columns. */
  readonly help: string;
  /** Turns its text into its value; throws a usage error that names `source`. By default any text that is not empty. */
  readonly parse?: (text: string, source: string) => unknown;
  /** For a flag that may repeat: joins its value so far, at first the default, and the next one. Otherwise the last one counts. */
  readonly combine?: (before: never, value: never) => unknown;
  /** The value without the flag: by default null, or undefined if a variable sets the same; of a switch whether it is `--no-…`. */
  readonly default?: unknown;
  /** Environment variable that sets the same; the flag takes precedence. */
  readonly variable?: string;
  /** For a switch that is short for `--format`: the format. */
  readonly format?: string;
  /** Flags that it cannot stand beside, each with the reason. */
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

/** Its help, with its default, unless the flag adds to that. */
export const flagHelp = ({ help, default: value, combine }: FlagRow): string =>
  value === undefined || combine !== undefined ? help : `${help} (default: ${value})`;

const number =
  (pattern: RegExp, expected: string) =>
  (minimum: number, maximum = Number.POSITIVE_INFINITY) =>
  (text: string, source: string): number => {
    const value = pattern.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    const range = Number.isFinite(maximum) ? `from ${minimum} to ${maximum}` : `${minimum} or more`;
    throw usage(`${source} is '${text}': expected ${expected}, ${range}`);
  };

export const integer = number(/^\d{1,15}$/, 'a whole number');
export const seconds = number(/^(?:\d+(?:\.\d*)?|\.\d+)$/, 'seconds');

/** `36h` or `2d` in milliseconds. */
export function duration(text: string, source: string): number {
  if (!/^\d{1,6}(?:\.\d{1,6})?[hd]$/.test(text))
    throw usage(`${source} is '${text}': expected hours or days`, 'e.g. 36h or 2d');
  return Number.parseFloat(text) * (text.endsWith('d') ? day : hour);
}

export function month(text: string, source: string): string {
  if (/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) return text;
  throw usage(`${source} is '${text}': expected a month as YYYY-MM`, 'e.g. 2026-01');
}

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

export function fieldList(text: string, source: string): string {
  if (!text.endsWith(',')) return nonEmpty(text, source);
  throw usage(`${source} ends with a comma`, 'write the fields without spaces between them');
}

/** A path to write to. Without it, the next flag would be taken for its name. */
export function outputPath(text: string, source: string): string {
  if (!text.startsWith('--')) return nonEmpty(text, source);
  throw usage(`${source} needs a name before ${text}`, `if that is the name, write ./${text}`);
}

/** The file of `-o`; `-` is stdout. */
export function outputFile(text: string, source: string): string {
  if (!formatNames.some((name) => name === text)) return outputPath(text, source);
  const next = `for the format use -f ${text}; for a file use -o ./${text}`;
  throw usage(`${source} ${text} names a file`, next);
}

export function summaryFile(text: string, source: string): string {
  if (text !== '-') return nonEmpty(text, source);
  throw usage(`${source} needs a file: stdout is for data`, 'e.g. --summary summary.json');
}
