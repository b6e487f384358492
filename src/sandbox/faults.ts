import { usage } from '../errors.ts';
import { seeded } from './random.ts';

const namedKinds = ['reset', 'truncate', 'garbage', 'loop', 'expire'] as const;

/**
 * What goes wrong: a status from 400 to 599; the connection reset before the headers; a 200 whose body breaks
 * off, is no JSON, or carries a token that leads back to the same page; a good token refused as expired.
 */
export type FaultKind = number | (typeof namedKinds)[number];

export interface FaultRule {
  readonly kind: FaultKind;
  /** Share of the requests, 0 to 1. */
  readonly rate: number;
}

const expected =
  `expected KIND:RATE, e.g. 429:0.1; KIND is a status from 400 to 599 or one of ${namedKinds.join(', ')}, ` +
  'RATE a number from 0 to 1';

/** `KIND:RATE` -> rule; throws a usage error that says what is right. */
export function parseFaultRule(text: string): FaultRule {
  const [, word = '', number = ''] = /^([^:]*):([^:]*)$/.exec(text) ?? [];
  const kind = /^[45]\d\d$/.test(word) ? Number(word) : namedKinds.find((name) => name === word);
  if (kind === undefined || !/^(?:\d+\.?\d*|\.\d+)$/.test(number) || Number(number) > 1) {
    throw usage(`--fail: '${text}' is not a fault rule`, expected);
  }
  return { kind, rate: Number(number) };
}

/**
 * Decides, request by request, which faults happen. Every request takes one number for every rule, so that a
 * seed gives the same sequence whatever the requests are.
 */
export function faultSource(rules: readonly FaultRule[], seed: number): () => readonly FaultKind[] {
  const draw = seeded(seed);
  return () => rules.filter(({ rate }) => draw() < rate).map(({ kind }) => kind);
}
