import { usage } from '../errors.ts';

/** One bound of `--max-credits`: so many credits per call, per calendar day or per calendar month (local time). */
export interface CreditBound {
  readonly credits: number;
  readonly per: 'call' | 'day' | 'month';
}

/**
 * The bounds in a value of `--max-credits` or CHANLIST_MAX_CREDITS: `N`, `N/day` or `N/month`, several separated by
 * commas. Throws a usage error that names `source`.
 */
export function parseBounds(text: string, source: string): CreditBound[] {
  return text.split(',').map((part) => {
    const [, digits, per] = /^(\d{1,15})(?:\/(day|month))?$/.exec(part.trim()) ?? [];
    if (digits === undefined)
      throw usage(`${source} is '${text}': expected a whole number, N/day or N/month`, 'e.g. 3000/month');
    return { credits: Number(digits), per: per === 'day' || per === 'month' ? per : 'call' };
  });
}
