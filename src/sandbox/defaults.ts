import { usage } from '../errors.ts';
import { defaultNamespace } from '../service/contract.ts';

export const sandboxDefaults = {
  host: '127.0.0.1',
  port: 0,
  namespace: defaultNamespace as string,
  key: 'sk_sandbox',
  credits: 1000,
  pageSize: 100,
  /** Milliseconds between the decision on a request and its response. */
  latency: 0,
  /** Seed of the faults only: the data never depend on it. */
  seed: 1,
  rate: null as number | null,
  grow: 0,
  plainTokens: false,
  fail: [] as readonly ReturnType<typeof parseFaultRule>[],
  /** The clock of `rate` and `grow`, in milliseconds since 1970. */
  now: Date.now,
  /** Called for each request with one line: method, path, status, credits left. */
  onRequest: (_line: string): void => {},
};

export type SandboxSettings = Readonly<typeof sandboxDefaults>;

/** The name of the sandbox as a service, in the records of exports. */
export const sandboxName = 'the sandbox';

export const servePort = 8787;

export const demoReferences = 'the sandbox has @demo, @empty, @odd, @size-N and PLdemo';

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
    `expected KIND:RATE, KIND a status from 400 to 599 or one of ${names.join(', ')}, RATE a number from 0 to 1`,
  );
}
