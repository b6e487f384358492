import { day, hour } from '../accounts/local-time.ts';
import { usage } from '../errors.ts';
import { formatNames } from '../output/formats.ts';
import { expectedOneOf } from '../text/nearest.ts';

/** Turns the text of a flag into its value. Throws a usage error that names `source`. */
export type Parser<Value> = (text: string, source: string) => Value;

export function wholeNumber(minimum: number, maximum?: number): Parser<number> {
  return (text, source) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= (maximum ?? value)) return value;
    const range = maximum === undefined ? `${minimum} or more` : `from ${minimum} to ${maximum}`;
    throw usage(`${source} is '${text}': expected a whole number, ${range}`);
  };
}

/** Seconds, whole or not, from `minimum` to `maximum`. */
export function seconds(minimum: number, maximum: number): Parser<number> {
  return (text, source) => {
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

/** A calendar month, `YYYY-MM`. */
export function month(text: string, source: string): string {
  if (/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) return text;
  throw usage(`${source} is '${text}': expected a month as YYYY-MM`, 'e.g. 2026-01');
}

export function oneOf<const Word extends string>(words: readonly Word[]): Parser<Word> {
  return (text, source) => {
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
