import { usage } from '../errors.ts';
import { seeded } from './random.ts';

/** The effect of each fault that has a name: one row per kind, in the order of the help. */
export const namedFaults = {
  reset: 'resets the connection before the response; debits nothing',
  truncate: 'ends the connection in the middle of a 200; debits',
  garbage: 'sends a complete 200 that is not JSON; debits',
  loop: 'sends a page whose token names the same page again',
  expire: 'refuses a valid token with 410',
  'feed-404': 'latest responds with 404',
  'feed-empty': 'latest has no entries',
} as const;

export type FaultKind = number | keyof typeof namedFaults;

const names = Object.keys(namedFaults) as (keyof typeof namedFaults)[];

export const faultMeanings = [
  ['400 to 599', 'responds with this status, e.g. 503; 429 with Retry-After'],
  ...Object.entries(namedFaults),
] as const;

/** Parses `KIND:RATE`, a share of the requests from 0 to 1; throws a usage error that says what was expected. */
export function parseFaultRule(text: string): { readonly kind: FaultKind; readonly rate: number } {
  const [, word = '', number = ''] = /^([^:]*):(\d+(?:\.\d*)?|\.\d+)$/.exec(text) ?? [];
  const kind = /^[45]\d\d$/.test(word) ? Number(word) : names.find((name) => name === word);
  if (kind !== undefined && Number(number) <= 1) return { kind, rate: Number(number) };
  throw usage(
    `--fail: '${text}' is not a fault rule`,
    `expected KIND:RATE, e.g. 429:0.1; KIND is a status from 400 to 599 or one of ${names.join(', ')}; ` +
      'RATE is a number from 0 to 1',
  );
}

/** Decides which faults a request meets. Each draws one number per rule: the same seed gives the same faults. */
export function faultSource(
  rules: readonly ReturnType<typeof parseFaultRule>[],
  seed: number,
): () => readonly FaultKind[] {
  const draw = seeded(seed);
  return () => rules.filter(({ rate }) => draw() < rate).map(({ kind }) => kind);
}
