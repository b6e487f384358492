import type { Env } from '../context.ts';
import { usage } from '../errors.ts';
import { type CreditBound, formatBound } from '../service/budget.ts';

/**
 * The bounds in a value of `--max-credits` or CHANLIST_MAX_CREDITS: `N`, `N/day` or `N/month`, several separated by
 * commas. Throws a usage error that names `source`.
 */
export function parseBounds(text: string, source: string): CreditBound[] {
  return text.split(',').map((part) => {
    const [, digits, per] = /^(\d{1,15})(?:\/(day|month))?$/.exec(part.trim()) ?? [];
    if (digits === undefined)
      throw usage(`${source} is '${text}': expected a whole number, N/day or N/month`, 'e.g. 3000/month');
    return { credits: Number(digits), per: per === 'day' || per === 'month' ? per : 'run' };
  });
}

/** Bounds as `parseBounds` reads them: `5,3000/month`. */
export function formatBounds(bounds: readonly CreditBound[]): string {
  return bounds.map(formatBound).join(',');
}

/**
 * The bounds of a run: those of the flag, else of CHANLIST_MAX_CREDITS (empty counts as unset), else of the profile.
 * Throws a usage error for a wrong value of the variable.
 */
export function resolveBounds(
  flagBounds: readonly CreditBound[],
  env: Env,
  profileBounds: readonly CreditBound[],
): readonly CreditBound[] {
  if (flagBounds.length > 0) return flagBounds;
  const text = env.CHANLIST_MAX_CREDITS;
  return text ? parseBounds(text, 'CHANLIST_MAX_CREDITS') : profileBounds;
}
