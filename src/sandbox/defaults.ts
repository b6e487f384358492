import { defaultNamespace } from '../service/contract.ts';
import type { parseFaultRule } from './faults.ts';

export interface SandboxSettings {
  readonly host: string;
  readonly port: number;
  readonly namespace: string;
  readonly key: string;
  readonly credits: number;
  readonly pageSize: number;
  /** Milliseconds between the decision on a request and its response. */
  readonly latency: number;
  /** Seed of the faults only: the data never depend on it. */
  readonly seed: number;
  readonly rate: number | null;
  readonly grow: number;
  readonly plainTokens: boolean;
  readonly fail: readonly ReturnType<typeof parseFaultRule>[];
  /** The number of uploads of a channel, where it is not that of the demo data. */
  readonly sizeOf: (handle: string) => number | undefined;
  /** The clock of `rate` and `grow`, in milliseconds since 1970. */
  readonly now: () => number;
  /** Called for each request with one line: method, path, status, credits left. */
  readonly onRequest: (line: string) => void;
}

export const sandboxDefaults: SandboxSettings = {
  host: '127.0.0.1',
  port: 0,
  namespace: defaultNamespace,
  key: 'sk_sandbox',
  credits: 1000,
  pageSize: 100,
  latency: 0,
  seed: 1,
  rate: null,
  grow: 0,
  plainTokens: false,
  fail: [],
  sizeOf: () => undefined,
  now: Date.now,
  onRequest: () => {},
};

export const servePort = 8787;

export const demoReferences = 'the sandbox has @demo, @empty, @odd, @size-N and PLdemo';
