/** Defaults of `serve` and of `--sandbox`. */
export const sandboxDefaults = {
  host: '127.0.0.1',
  key: 'sk_sandbox',
  credits: 1000,
  pageSize: 100,
  /** Milliseconds. */
  latency: 0,
  /** Seed of the faults only: the data never depend on it. */
  seed: 1,
  /** New uploads per channel and minute. */
  grow: 0,
  plainTokens: false,
} as const;

export const servePort = 8787;
