import { usage } from '../errors.ts';
import { seeded } from './random.ts';

/** The effect of each fault: one row per kind, in the order of the help. A status is a kind too. */
export const faultMeanings = {
  reset: 'resets the connection before the response; debits nothing',
  truncate: 'ends the connection in the middle of a 200; debits',
  stall: 'stops in the middle of a 200 and keeps the connection open; debits',
  garbage: 'sends a complete 200 that is not JSON; debits',
  redirect: 'answers 302 with another address',
  'proxy-403': 'answers 403 with an HTML page, as a proxy in front of the service does',
  loop: 'sends a page whose token leads back to the same page',
  expire: 'refuses a valid token with 410',
  'empty-token': 'sends a page with has_more true and an empty token',
  'null-token': 'sends a page with has_more true and the token null',
  'no-token': 'sends a page with has_more true and no token',
  'page-empty': 'sends a page without entries, with a token for the next page',
  'page-repeat': 'sends the entries of the previous page again',
  'page-overlap': 'sends a page that begins with the last entry of the previous page',
  'feed-404': 'latest answers 404',
  'feed-500': 'latest answers 500',
  'feed-empty': 'latest has no entries',
  'feed-behind': 'latest lacks the 5 newest uploads',
  'feed-ahead': 'latest has 2 uploads that are never listed',
} as const;

type NamedFault = keyof typeof faultMeanings;
const namedFaults = Object.keys(faultMeanings) as NamedFault[];

/** A status from 400 to 599, or the name of a fault. */
export type FaultKind = number | NamedFault;

export interface FaultRule {
  readonly kind: FaultKind;
  /** Share of the requests, 0 to 1. */
  readonly rate: number;
}

const expected =
  `expected KIND:RATE, e.g. 429:0.1; KIND is a status from 400 to 599 or one of ${namedFaults.join(', ')}, ` +
  'RATE a number from 0 to 1';

/** Parses `KIND:RATE`; throws a usage error that says what was expected. */
export function parseFaultRule(text: string): FaultRule {
  const [, word = '', number = ''] = /^([^:]*):([^:]*)$/.exec(text) ?? [];
  const kind = /^[45]\d\d$/.test(word) ? Number(word) : namedFaults.find((name) => name === word);
  if (kind === undefined || !/^(?:\d+\.?\d*|\.\d+)$/.test(number) || Number(number) > 1) {
    throw usage(`--fail: '${text}' is not a fault rule`, expected);
  }
  return { kind, rate: Number(number) };
}

/**
 * Decides for each request which faults happen. Every request draws one number per rule: a seed gives the same
 * sequence of faults whatever the requests are.
 */
export function faultSource(rules: readonly FaultRule[], seed: number): () => readonly FaultKind[] {
  const draw = seeded(seed);
  return () => rules.filter(({ rate }) => draw() < rate).map(({ kind }) => kind);
}
