import { pagedNames } from '../service/contract.ts';
import type { Parser } from './parsers.ts';

/** Everything about a flag: parsing, conflicts, help, completions and the man page derive from it. */
export interface FlagRow {
  /** As the help shows it: `-n, --limit <n>`; a flag without a value is a switch. */
  readonly flag: string;
  /** The commands and actions (`auth login`) that take it. */
  readonly commands: readonly string[];
  /** One line that begins with a verb. */
  readonly help: string;
  /** Of a global flag, which may stand before the command: its heading in `help flags`. */
  readonly group?: string;
  /** By default any text that is not empty. */
  readonly parse?: Parser<unknown>;
  /** The value of all its occurrences, also of none. Without it the last one counts; a switch is true or false. */
  readonly combine?: (values: readonly unknown[]) => unknown;
  /** The value without the flag: by default null, or undefined if a variable sets the same. */
  readonly default?: string | number | undefined;
  /** The default that the help shows, if it is set elsewhere. */
  readonly shownDefault?: string | number;
  readonly variable?: string;
  /** The option that it sets, if not that of its own name. */
  readonly option?: string;
  /** Of a switch that is short for `--format`: the format. */
  readonly format?: string;
  /** Flags that it cannot be combined with, and why. */
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

export const listings: readonly string[] = pagedNames;
