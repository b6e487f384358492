import { usage } from '../errors.ts';

/** A parser of whole numbers from `minimum` to `maximum`, for Commander. */
export function wholeNumber(flag: string, minimum: number, maximum?: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= (maximum ?? value)) return value;
    const range = maximum === undefined ? `${minimum} or more` : `from ${minimum} to ${maximum}`;
    throw usage(`${flag} is '${text}': expected a whole number, ${range}`);
  };
}

/** A parser of seconds, whole or not, for Commander. */
export function seconds(
  flag: string,
  least: 'zero' | 'more than zero',
  most: number,
): (text: string) => number {
  return (text) => {
    const value = /^(?:\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
    if (value <= most && (value > 0 || (least === 'zero' && value === 0))) return value;
    throw usage(
      `${flag} is '${text}': expected seconds, ${least === 'zero' ? '0' : 'more than 0'} to ${most}`,
    );
  };
}

/** A parser of texts that are not empty, for Commander. */
export const nonEmpty =
  (flag: string) =>
  (text: string): string => {
    if (text === '') throw usage(`${flag} is empty`);
    return text;
  };
