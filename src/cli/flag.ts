import { day, hour } from '../accounts/local-time.ts';
import { usage } from '../errors.ts';
import { formatNames } from '../output/formats.ts';
import { expectedOneOf } from '../text/nearest.ts';

/** Everything about a flag: parsing, conflicts, help, completions and the man page derive from it. */
export interface FlagRow {
  /** As the help shows it: `-n, --limit <n>`; a flag without a value is a switch. */
  readonly flag: string;
  readonly commands: readonly string[];
  /** One line that begins with a verb. */
  readonly help: string;
  /** Of a global flag, which may stand before the command: its heading in `help flags`. */
  readonly group?: string;
  /** Turns its text into its value; throws a usage error that names `source`. By default any text that is not empty. */
  readonly parse?: (text: string, source: string) => unknown;
  /** The value of all its occurrences, also of none. Without it the last one counts; a switch is true or false. */
  readonly combine?: (values: readonly unknown[]) => unknown;
  /** The value without the flag: by default null, or undefined if a variable sets the same. */
  readonly default?: string | number | undefined;
  /** The default that the help shows, if it is set elsewhere. */
  readonly shownDefault?: string | number;
  readonly variable?: string;
  readonly option?: string;
  /** Of a switch that is short for `--format`: the format. */
  readonly format?: string;
  readonly excludes?: Readonly<Record<string, string>>;
}

/** `--output-dir`, `--no-color` */
export const longFlag = ({ flag }: Pick<FlagRow, 'flag'>): string => /--[\w-]+/.exec(flag)?.[0] ?? flag;

/** `-n`; null if there is none. */
export const shortFlag = ({ flag }: Pick<FlagRow, 'flag'>): string | null => /^-\w\b/.exec(flag)?.[0] ?? null;

/** `file`; null for a switch. */
export const valueName = ({ flag }: Pick<FlagRow, 'flag'>): string | null =>
  /<([^<>]*)>/.exec(flag)?.[1] ?? null;

/** `outputDir` */
export const optionName = (flag: FlagRow): string =>
  flag.option ??
  longFlag(flag)
    .slice(2)
    .replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

export function flagHelp(flag: FlagRow): string {
  const shown = flag.shownDefault ?? flag.default;
  const notes = [flag.variable ?? [], shown === undefined ? [] : `default: ${shown}`].flat();
  return notes.length === 0 ? flag.help : `${flag.help} (${notes.join('; ')})`;
}

export function wholeNumber(minimum: number, maximum?: number) {
  return (text: string, source: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= (maximum ?? value)) return value;
    const range = maximum === undefined ? `${minimum} or more` : `from ${minimum} to ${maximum}`;
    throw usage(`${source} is '${text}': expected a whole number, ${range}`);
  };
}

export function seconds(minimum: number, maximum: number) {
  return (text: string, source: string): number => {
    const value = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw usage(`${source} is '${text}': expected seconds, from ${minimum} to ${maximum}`);
  };
}

/** `36h` or `2d` in milliseconds. The unit is required. */
export function duration(text: string, source: string): number {
  const [, digits, unit] = /^(\d{1,6}(?:\.\d{1,6})?)([hd])$/.exec(text) ?? [];
  if (digits === undefined)
    throw usage(`${source} is '${text}': expected hours or days with their unit`, 'e.g. 36h or 2d');
  return Number(digits) * (unit === 'd' ? day : hour);
}

export function month(text: string, source: string): string {
  if (/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) return text;
  throw usage(`${source} is '${text}': expected a month as YYYY-MM`, 'e.g. 2026-01');
}

export function oneOf<const Word extends string>(words: readonly Word[]) {
  return (text: string, source: string): Word => {
    const match = words.find((word) => word === text);
    if (match !== undefined) return match;
    throw usage(`${source} is '${text}'`, expectedOneOf(text, words));
  };
}

export function nonEmpty(text: string, source: string): string {
  if (text === '') throw usage(`${source} is empty`);
  return text;
}

/** The file of `-o`; null for `-`, which is stdout. */
export function outputFile(text: string, source: string): string | null {
  const word = formatNames.find((name) => name === text);
  if (word !== undefined)
    throw usage(
      `${source} ${word} names a file`,
      `for the format use -f ${word}; for a file use -o ./${word}`,
    );
  return text === '-' ? null : nonEmpty(text, source);
}

export function summaryFile(text: string, source: string): string {
  if (text === '-') throw usage(`${source} needs a file: stdout is for data`, 'e.g. --summary summary.json');
  return nonEmpty(text, source);
}
